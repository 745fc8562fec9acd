// cyclops infer: what a CPU is, from measured values alone.
#include "cli/cli.h"

#include "analyzer/model/model.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/infer_file.h"
#include "cli/lab_args.h"
#include "infer/pair_campaign.h"
#include "infer/port_judge.h"
#include "infer/port_smt.h"
#include "infer/ports.h"
#include "report/ports.h"

#include <stdio.h>
#include <string.h>

static struct {
    double interval_percent, tolerance_percent, excess_percent, random;
    struct option_count most_forms, sentinels;
    const char *output, *judge, *smt, *why, *base, *shard;
    bool wants_all, wants_next, is_resumed, is_forced, takes_other_cpu;
} args = {.interval_percent = -1,
          .tolerance_percent = -1,
          .excess_percent = -1,
          .random = -1,
          .most_forms = {.value = 6},
          .sentinels = {.value = 20}};

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "The whole file", NULL},
    {OPTION_TEXT, "base", "CPU",
     "What the numbers are put on: LLVM's name of a CPU, an overlay, or a CPU file, of which what people wrote is "
     "kept. "
     "Default: LLVM's model of the CPU that was measured.",
     &args.base},
    {OPTION_FLAG, "force", NULL, "Write the CPU file even where there is one already.", &args.is_forced},
    {OPTION_FLAG, "other-cpu", NULL,
     "Also where survey, card and pairs were measured on different CPUs, or on another one than the base's 'identity' "
     "names.",
     &args.takes_other_cpu},
    {OPTION_HEADING, NULL, NULL, "Evidence", NULL},
    {OPTION_COUNT, "most-forms", "N",
     "Take experiments of at most N different forms; 2: of forms alone, and of pairs. Default: 6.", &args.most_forms},
    {OPTION_AMOUNT, "interval", "PERCENT",
     "Half of a value's interval where the file has no columns low and high. Default: 0.5.", &args.interval_percent},
    {OPTION_NUMBER, "tolerance", "PERCENT",
     "No hypothesis is excluded for a smaller difference; nor for one within 2.5 times the interval. Default: 2; of "
     "the folder of pairs 2.5.",
     &args.tolerance_percent},
    {OPTION_AMOUNT, "excess", "PERCENT",
     "Nor for a time of several forms that is so much longer than predicted: CPUs do not choose ports in the best way. "
     "Default: 0; of the folder of pairs 6.",
     &args.excess_percent},
    {OPTION_HEADING, NULL, NULL, "Measuring pairs", NULL},
    {OPTION_FLAG, "resume", NULL,
     "pairs: go on in a folder that holds pairs: measure what is missing, and again what has no value.",
     &args.is_resumed},
    {OPTION_COUNT, "sentinels", "N", "pairs: forms beside which each other one is measured, 1 to 32. Default: 20.",
     &args.sentinels},
    {OPTION_AMOUNT, "random", "N",
     "pairs: also measure N random multisets each of vectors, of general registers, and with memory. They are no "
     "evidence: judged.csv has them, for --judge. Default: 0.",
     &args.random},
    {OPTION_TEXT, "shard", "I/N",
     "pairs: measure only part I of N, from 1. 'cyclops infer ports PAIRS...' puts the parts together.", &args.shard},
    {OPTION_LIST, "llvm", "LLVM", "pairs: version (22), module or folder of LLVM that lists the forms.",
     &lab_args.options.llvms},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_where},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_clock},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_effort},
    {OPTION_HEADING, NULL, NULL, "Search and output", NULL},
    {OPTION_AMOUNT, "budget", "SECONDS",
     "ports: about how long to search. It counts predictions, not time, so a result does not depend on the machine. "
     "What a search did not finish is not certain. Default: 60. pairs: end measuring after so long; --resume goes on. "
     "Default: no end.",
     &lab_args.budget_s},
    {OPTION_TEXT, "output", "FILE|DIR",
     "The CPU file to write, NAME.cpu.yaml. ports: also write a line for each form, separated by commas. pairs: folder "
     "of the pairs; it is made. Default: pairs.",
     &args.output},
    {OPTION_TEXT, "judge", "FILE",
     "ports: Predict the multisets of FILE that are not evidence and have more than two different forms, and print how "
     "far off that is.",
     &args.judge},
    {OPTION_TEXT, "why", "FILE|FORM",
     "With a CPU file and a FORM behind it: print the form's experiments beside what the file predicts, and why not "
     "another port set. ports: print what the experiments allow this form, and which one excludes each other recipe "
     "that differs by one uop.",
     &args.why},
    {OPTION_FLAG, "next", NULL, "Print the experiments that would decide most of what is open.", &args.wants_next},
    {OPTION_OUTPUT, "smt", "FILE", "Also write the experiments as constraints for a solver (SMT-LIB), such as z3.",
     &args.smt},
    {OPTION_FLAG, "all", NULL, "Print all rows. Default: the first 40 of each kind.", &args.wants_all},
    {0},
};

static const struct command command = {
    "cyclops infer",
    "SURVEY [MACHINE] [PAIRS...]|pairs SURVEY|ports EVIDENCE...",
    "Makes a CPU file, our own model of a CPU, from what was measured of it: from\n"
    "times alone, without counters and without a vendor's table. The order of work:\n"
    "\n"
    "  1. cyclops survey                  latencies, throughputs, slots of each form\n"
    "  2. cyclops machine                 widths, windows, fusion, forwarding\n"
    "  3. cyclops infer pairs survey      forms beside each other, for their ports\n"
    "  4. cyclops infer survey machine pairs --output new.cpu.yaml\n"
    "  5. cyclops infer --why new.cpu.yaml FORM\n"
    "\n"
    "Step 4 puts a card's parameters, a survey's numbers and the ports of pairs onto\n"
    "a base, in this order, and prints what came from where. It predicts everything\n"
    "again by the file, and lists what that does not explain, by cause, with its\n"
    "share of the error. MACHINE and PAIRS may be left out: what they show is the\n"
    "base's then. 'cyclops cpu import' takes one of them at a time.\n"
    "\n"
    "ports shows what step 4 infers from pairs alone, and what is open.\n"
    "\n"
    "pairs measures the evidence. SURVEY is the folder of a survey, whose forms fall\n"
    "into classes: those of one scheduling class with equal values. It finds\n"
    "sentinels, one for each set of ports that a form of one slot shows, measures one\n"
    "form of each class beside each sentinel, and then what would decide most. Not\n"
    "measured are forms that store, wait for flags, or write a part of a register.\n"
    "\n"
    "ports infers. EVIDENCE is such a folder, the folders of several parts (--shard),\n"
    "or a table of experiments, each a multiset of independent instructions and the\n"
    "cycles it took:\n"
    "\n"
    "  cycles,low,high,forms\n"
    "  0.25,0.249,0.251,ADD64rr\n"
    "  1.00,0.998,1.002,ADD64rr;ADD64rr;IMUL64rr\n"
    "  2.01,2.000,2.020,4*ADD64rr;2*IMUL64rr\n"
    "\n"
    "The first line names the columns: cycles and forms, and low, high, id and set\n"
    "where they are known. Commas or tabs separate them.\n"
    "\n"
    "A form is one or more uops, each on a set of ports. The command finds all sets\n"
    "that the experiments allow, up to the names of ports, which no time shows.\n"
    "A form is\n"
    "  certain      one hypothesis is left\n"
    "  ambiguous    several are left; the one that assumes least is printed first\n"
    "  doubted      one is left, but has fewer uops than slots, or was not measured\n"
    "               beside one form of each set, or an experiment contradicts it\n"
    "  dispatch     no experiment shows that it needs a port\n"
    "  unexplained  up to four uops on ports that one-uop forms use do not explain it\n"
    "  unmeasured   its time alone is not in the table\n"
    "  cut          the search ended before it was through: raise --budget\n"
    "Give it each form alone, and pairs in amounts that take about as long; --next\n"
    "lists what to measure then. docs/how-it-works/infer.md has the rest.\n",
    "  cyclops infer survey machine pairs --output zen5.cpu.yaml\n"
    "  cyclops infer --why zen5.cpu.yaml VPADDDYrr\n"
    "  cyclops infer pairs survey --output pairs --budget 300\n"
    "  cyclops infer pairs survey --shard 2/8 --output part2\n"
    "  cyclops infer ports pairs\n"
    "  cyclops infer ports pairs --judge pairs/judged.csv\n"
    "  cyclops infer ports pairs.csv --next\n"
    "  cyclops infer ports pairs.csv --why ADD64rr\n"
    "  cyclops infer ports all.tsv --most-forms 2 --judge all.tsv\n"
    "  cyclops infer ports pairs.csv --smt pairs.smt2 && z3 pairs.smt2\n",
    options,
};

enum { MOST_ROWS = 40, LEAST_JUDGED = 3, MOST_SENTINELS = 32, MOST_RANDOM = 1000 };
static const double PREDICTIONS_A_SECOND = 2e6, usual_seconds = 60;

// Half of it, relative.
static double interval(void) {
    static const double usual = 0.005;
    return args.interval_percent >= 0 ? args.interval_percent / 100 : usual;
}

// The same forms, with the experiments of at most so many different ones.
static struct evidence evidence_of_few(struct arena *arena, const struct evidence *all, unsigned long most) {
    struct evidence few = *all;
    few.items = NULL;
    few.n_items = 0;
    for (size_t i = 0; i < all->n_items; i++)
        if (all->items[i].n_terms <= most)
            *ARENA_ADD(arena, few.items, few.n_items) = all->items[i];
    return few;
}

static bool print_why(struct arena *arena, const struct ports *ports, struct fail *fail) {
    const char *const *forms = ports->evidence->forms;
    size_t form = text_find(args.why, forms, ports->evidence->n_forms);
    if (form == ports->evidence->n_forms)
        return fail_set(fail, FAIL_INPUT, "no experiment has a form '%s'%s", text_printable(arena, args.why, 80),
                        text_did_you_mean(arena, args.why, forms, ports->evidence->n_forms));
    ports_print_why(arena, ports, (unsigned)form, stdout, cli_wants_colour());
    return true;
}

static bool judge(struct arena *arena, const struct ports *ports, struct fail *fail) {
    struct evidence judged = *ports->evidence; // so that forms have the same numbers
    judged.items = NULL;
    judged.n_items = 0;
    if (!evidence_read(&judged, args.judge, interval(), fail))
        return false;
    struct port_judgement judgement = port_judge(arena, ports, &judged, LEAST_JUDGED);
    ports_print_judgement(&judgement, stdout);
    return true;
}

// `paths`: folders of pairs, or one table.
static bool infer(struct arena *arena, const char *const *paths, size_t n, bool are_folders, struct fail *fail) {
    struct evidence all = {.arena = arena};
    struct ports_options wanted = are_folders ? ports_measured : ports_defaults;
    struct ports ports;
    if (args.tolerance_percent >= 0)
        wanted.tolerance = args.tolerance_percent / 100;
    if (args.excess_percent >= 0)
        wanted.excess = args.excess_percent / 100;
    wanted.steps = (lab_args.budget_s >= 0 ? lab_args.budget_s : usual_seconds) * PREDICTIONS_A_SECOND;
    if (!file_can_write(args.output, fail) || !file_can_write(args.smt, fail) ||
        !(are_folders ? pair_campaign_read(&all, paths, n, fail) : evidence_read(&all, paths[0], interval(), fail)))
        return false;
    struct evidence few = evidence_of_few(arena, &all, args.most_forms.value);
    if (few.n_items == 0)
        return fail_at(fail, file_name(paths[0]), 0, 0, "no experiment has at most %lu different forms (--most-forms)",
                       args.most_forms.value);
    ports_infer(arena, &few, &wanted, &ports);
    if (args.why && !print_why(arena, &ports, fail))
        return false;
    if (!args.why)
        ports_print(arena, &ports, args.wants_all ? 0 : MOST_ROWS, stdout, cli_wants_colour());
    if (args.wants_next)
        ports_print_next(arena, &ports, args.wants_all ? 0 : MOST_ROWS, stdout);
    if (args.judge && !judge(arena, &ports, fail))
        return false;
    const char *csv = args.output ? ports_csv(arena, &ports) : NULL,
               *smt = args.smt ? port_smt_text(arena, &ports) : NULL;
    return (!csv || file_write(args.output, csv, strlen(csv), fail)) &&
           (!smt || file_write(args.smt, smt, strlen(smt), fail));
}

// ---- pairs

static void print_pairs(const struct pair_campaign_summary *summary, const char *folder) {
    printf("%zu forms in %zu classes, %zu sentinels: %zu loops, %zu with a value", summary->n_forms, summary->n_classes,
           summary->n_sentinels, summary->n_planned, summary->n_values);
    if (summary->n_random)
        printf(", of which %zu random", summary->n_random);
    printf("; %.0f s\n", summary->seconds);
    if (summary->n_unfit)
        printf("%zu multisets fit into no loop: too few registers, or forms that would wait for themselves\n",
               summary->n_unfit);
    if (summary->is_spent)
        printf("the budget is spent: --resume goes on\n");
    printf("next: cyclops infer ports %s\n", folder);
}

enum verb { INFER_FILE, INFER_WHY, INFER_PAIRS, INFER_PORTS };

// Options that another way to call it has.
static bool check_verb(enum verb verb, struct fail *fail) {
    enum {
        OF_FILE = 1 << INFER_FILE,
        OF_WHY = 1 << INFER_WHY,
        OF_PAIRS = 1 << INFER_PAIRS,
        OF_PORTS = 1 << INFER_PORTS
    };
    const struct {
        const char *option;
        bool is_given;
        unsigned of;
        const char *usage;
    } all[] = {{"resume", args.is_resumed, OF_PAIRS, "pairs"},
               {"sentinels", args.sentinels.is_given, OF_PAIRS, "pairs"},
               {"random", args.random >= 0, OF_PAIRS, "pairs"},
               {"shard", args.shard, OF_PAIRS, "pairs"},
               {"why", args.why, OF_PORTS | OF_WHY, "ports"},
               {"judge", args.judge, OF_PORTS, "ports"},
               {"next", args.wants_next, OF_PORTS, "ports"},
               {"smt", args.smt, OF_PORTS, "ports"},
               {"all", args.wants_all, OF_PORTS, "ports"},
               {"most-forms", args.most_forms.is_given, OF_PORTS, "ports"},
               {"interval", args.interval_percent >= 0, OF_PORTS, "ports"},
               {"excess", args.excess_percent >= 0, OF_PORTS, "ports"},
               {"tolerance", args.tolerance_percent >= 0, OF_PORTS, "ports"},
               {"budget", lab_args.budget_s >= 0, OF_PAIRS | OF_PORTS, "pairs' and 'cyclops infer ports"},
               {"output", args.output, OF_FILE | OF_PAIRS | OF_PORTS, "SURVEY"},
               {"base", args.base, OF_FILE, "SURVEY"},
               {"force", args.is_forced, OF_FILE, "SURVEY"},
               {"other-cpu", args.takes_other_cpu, OF_FILE, "SURVEY"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].is_given && !(all[i].of >> verb & 1))
            return fail_set(fail, FAIL_INPUT, "--%s is an option of 'cyclops infer %s'", all[i].option, all[i].usage);
    return true;
}

static bool check_ranges(struct fail *fail) {
    enum { MOST_DIFFERENT = 1000, MOST_SECONDS = 1000000 };
    const struct {
        const char *option;
        double value, least, most; // value below 0: it is not given
    } all[] = {{"interval", args.interval_percent, 0, 50},
               {"tolerance", args.tolerance_percent, 0, 50},
               {"excess", args.excess_percent, 0, 100},
               {"random", args.random, 0, MOST_RANDOM},
               {"most-forms", (double)args.most_forms.value, 1, MOST_DIFFERENT},
               {"sentinels", (double)args.sentinels.value, 1, MOST_SENTINELS},
               {"budget", lab_args.budget_s, 0, MOST_SECONDS}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].value >= 0 && (all[i].value < all[i].least || all[i].value > all[i].most))
            return fail_set(fail, FAIL_INPUT, "--%s is a number from %.0f to %.0f, not %g", all[i].option, all[i].least,
                            all[i].most, all[i].value);
    return true;
}

static int measure_pairs(struct arena *arena, struct lab *lab, const struct operands *operands, struct fail *fail) {
    const char *folder = args.output ? args.output : "pairs";
    struct pair_campaign_request request = {.campaign = {.folder = folder,
                                                         .is_resumed = args.is_resumed,
                                                         .is_strict = lab_args.is_strict,
                                                         .begins = cli_print_head,
                                                         .lab = &lab_args.options},
                                            .survey = operands->items[1],
                                            .llvm = option_list_first(&lab_args.options.llvms),
                                            .n_sentinels = (unsigned)args.sentinels.value};
    struct pair_campaign_summary summary;
    int status = 0;
    (void)lab;
    if (lab_args_read(arena, fail) && lab_args_read_shard(args.shard, &request.shard, &request.n_shards, fail)) {
        request.n_random = args.random > 0 ? (unsigned)args.random : 0;
        request.campaign.budget_seconds = lab_args_start_budget(0);
        if (pair_campaign_run(arena, &request, &summary, &status, fail))
            print_pairs(&summary, folder);
    }
    return status;
}

static enum verb verb_of(const struct operands *operands) {
    const char *first = operands->n_items ? operands->items[0] : "";
    return strcmp(first, "pairs") == 0               ? INFER_PAIRS
           : strcmp(first, "ports") == 0             ? INFER_PORTS
           : args.why && model_is_cpu_file(args.why) ? INFER_WHY
                                                     : INFER_FILE;
}

static void infer_ports_of(struct arena *arena, const char *const *paths, size_t n, struct fail *fail) {
    size_t n_folders = 0;
    for (size_t i = 0; i < n; i++)
        n_folders += file_is_folder(paths[i]);
    if (n == 0 || (n > 1 && n_folders < n))
        fail_set(fail, FAIL_INPUT,
                 "infer ports takes one file of experiments, or folders of 'cyclops infer pairs' (see cyclops infer "
                 "--help)");
    else
        infer(arena, paths, n, n_folders > 0, fail);
}

static void infer_file(struct arena *arena, const struct operands *operands, struct fail *fail) {
    const struct infer_file_request request = {.output = args.output,
                                               .base = args.base,
                                               .llvm = option_list_first(&lab_args.options.llvms),
                                               .is_forced = args.is_forced,
                                               .takes_other_cpu = args.takes_other_cpu};
    if (operands->n_items == 0)
        fail_set(fail, FAIL_INPUT,
                 "name what was measured: 'cyclops infer SURVEY [MACHINE] [PAIRS] --output NAME.cpu.yaml', 'cyclops "
                 "infer pairs SURVEY' or 'cyclops infer ports EVIDENCE'");
    else
        infer_file_make(arena, &request, operands->items, operands->n_items, fail);
}

static int work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    enum verb verb = verb_of(operands);
    if (!check_ranges(fail) || !check_verb(verb, fail))
        return 0;
    switch (verb) {
    case INFER_PAIRS:
        if (operands->n_items == 2)
            return lab_args_run(arena, operands, fail, measure_pairs);
        fail_set(fail, FAIL_INPUT, "infer pairs takes the folder of one survey (see cyclops infer --help)");
        break;
    case INFER_PORTS:
        infer_ports_of(arena, operands->items + 1, operands->n_items - 1, fail);
        break;
    case INFER_WHY:
        if (operands->n_items == 1)
            infer_file_why(arena, args.why, option_list_first(&lab_args.options.llvms), operands->items[0], fail);
        else
            fail_set(fail, FAIL_INPUT, "--why %s takes one form", args.why);
        break;
    case INFER_FILE:
        infer_file(arena, operands, fail);
        break;
    }
    return 0;
}

int cmd_infer(int argc, char **argv) {
    lab_args.budget_s = -1;
    return cli_run_status(&command, argc, argv, work);
}
