// cyclops infer: what a CPU is, from measured values alone.
#include "cli/cli.h"

#include "base/file.h"
#include "base/text.h"
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
    const char *output, *judge, *smt, *why;
    bool wants_all, wants_next, is_resumed;
} args = {.interval_percent = -1,
          .tolerance_percent = -1,
          .excess_percent = -1,
          .random = -1,
          .most_forms = {.value = 6},
          .sentinels = {.value = 20}};

static const struct option options[] = {
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
     "ports: also write a line for each form, separated by commas. pairs: folder of the pairs; it is made. Default: "
     "pairs.",
     &args.output},
    {OPTION_TEXT, "judge", "FILE",
     "ports: Predict the multisets of FILE that are not evidence and have more than two different forms, and print how "
     "far off that is.",
     &args.judge},
    {OPTION_TEXT, "why", "FORM",
     "Print what the experiments allow this form, and which one excludes each other recipe that differs by one uop.",
     &args.why},
    {OPTION_FLAG, "next", NULL, "Print the experiments that would decide most of what is open.", &args.wants_next},
    {OPTION_OUTPUT, "smt", "FILE", "Also write the experiments as constraints for a solver (SMT-LIB), such as z3.",
     &args.smt},
    {OPTION_FLAG, "all", NULL, "Print all rows. Default: the first 40 of each kind.", &args.wants_all},
    {0},
};

static const struct command command = {
    "cyclops infer",
    "pairs SURVEY|ports EVIDENCE [options]",
    "Finds out which ports the instructions of a CPU use, from times alone: no\n"
    "counter, no model, no vendor's table.\n"
    "\n"
    "pairs measures the evidence. SURVEY is the folder of a survey, whose forms fall\n"
    "into classes: those of one scheduling class with equal values. It finds\n"
    "sentinels, one for each set of ports that a form of one slot shows, measures one\n"
    "form of each class beside each sentinel, and then what would decide most. Not\n"
    "measured are forms that store, wait for flags, or write a part of a register.\n"
    "\n"
    "ports infers. EVIDENCE is such a folder, or a table of experiments, each a\n"
    "multiset of independent instructions and the cycles it took:\n"
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
    "  cyclops infer pairs survey --output pairs --budget 300\n"
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

static bool infer(struct arena *arena, const char *path, const struct ports_options *usual, struct fail *fail) {
    struct evidence all = {.arena = arena};
    struct ports_options wanted = *usual;
    struct ports ports;
    if (args.tolerance_percent >= 0)
        wanted.tolerance = args.tolerance_percent / 100;
    if (args.excess_percent >= 0)
        wanted.excess = args.excess_percent / 100;
    wanted.steps = (lab_args.budget_s >= 0 ? lab_args.budget_s : usual_seconds) * PREDICTIONS_A_SECOND;
    if (!file_can_write(args.output, fail) || !file_can_write(args.smt, fail) ||
        !evidence_read(&all, path, interval(), fail))
        return false;
    struct evidence few = evidence_of_few(arena, &all, args.most_forms.value);
    if (few.n_items == 0)
        return fail_at(fail, file_name(path), 0, 0, "no experiment has at most %lu different forms (--most-forms)",
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

// Those that the other verb has.
static bool check_verb(bool is_ports, struct fail *fail) {
    const struct {
        const char *option;
        bool is_given, is_of_ports;
    } all[] = {{"resume", args.is_resumed, false},
               {"sentinels", args.sentinels.is_given, false},
               {"random", args.random >= 0, false},
               {"judge", args.judge, true},
               {"why", args.why, true},
               {"next", args.wants_next, true},
               {"smt", args.smt, true},
               {"most-forms", args.most_forms.is_given, true},
               {"all", args.wants_all, true},
               {"interval", args.interval_percent >= 0, true},
               {"excess", args.excess_percent >= 0, true},
               {"tolerance", args.tolerance_percent >= 0, true}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].is_given && all[i].is_of_ports != is_ports)
            return fail_set(fail, FAIL_INPUT, "--%s is an option of 'cyclops infer %s'", all[i].option,
                            is_ports ? "pairs" : "ports");
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
    if (lab_args_read(arena, fail)) {
        request.n_random = args.random > 0 ? (unsigned)args.random : 0;
        request.campaign.budget_seconds = lab_args_start_budget(0);
        if (pair_campaign_run(arena, &request, &summary, &status, fail))
            print_pairs(&summary, folder);
    }
    return status;
}

static int work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    const char *verb = operands->n_items ? operands->items[0] : "";
    if (!check_ranges(fail) || !check_verb(strcmp(verb, "ports") == 0, fail))
        return 0;
    if (strcmp(verb, "pairs") == 0 && operands->n_items == 2)
        return lab_args_run(arena, operands, fail, measure_pairs);
    if (strcmp(verb, "pairs") == 0)
        fail_set(fail, FAIL_INPUT, "infer pairs takes the folder of one survey (see cyclops infer --help)");
    else if (strcmp(verb, "ports") != 0)
        fail_set(fail, FAIL_INPUT, "say what to infer: 'cyclops infer pairs SURVEY', 'cyclops infer ports EVIDENCE'");
    else if (operands->n_items != 2)
        fail_set(fail, FAIL_INPUT, "infer ports takes one file or folder of experiments (see cyclops infer --help)");
    else if (file_is_folder(operands->items[1]))
        infer(arena, pair_campaign_experiments(arena, operands->items[1]), &ports_measured, fail);
    else
        infer(arena, operands->items[1], &ports_defaults, fail);
    return 0;
}

int cmd_infer(int argc, char **argv) {
    lab_args.budget_s = -1;
    return cli_run_status(&command, argc, argv, work);
}
