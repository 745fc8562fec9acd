// cyclops infer: what a CPU is, from measured values alone.
#include "cli/cli.h"

#include "base/file.h"
#include "base/text.h"
#include "infer/port_judge.h"
#include "infer/port_smt.h"
#include "infer/ports.h"
#include "report/ports.h"

#include <string.h>

static struct {
    double budget, interval_percent, tolerance_percent;
    struct option_count most_forms;
    const char *output, *judge, *smt, *why;
    bool wants_all, wants_next;
} args = {.budget = 60, .interval_percent = 0.5, .tolerance_percent = 2, .most_forms = {.value = 6}};

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Evidence", NULL},
    {OPTION_COUNT, "most-forms", "N",
     "Take experiments of at most N different forms; 2: of forms alone, and of pairs. Default: 6.", &args.most_forms},
    {OPTION_AMOUNT, "interval", "PERCENT",
     "Half of a value's interval where the file has no columns low and high. Default: 0.5.", &args.interval_percent},
    {OPTION_NUMBER, "tolerance", "PERCENT",
     "No hypothesis is excluded for a smaller difference; nor for one within 2.5 times the interval. Default: 2.",
     &args.tolerance_percent},
    {OPTION_NUMBER, "budget", "SECONDS",
     "About how long to search. It counts predictions, not time, so a result does not depend on the machine. What a "
     "search did not finish is not certain. Default: 60.",
     &args.budget},
    {OPTION_HEADING, NULL, NULL, "Output", NULL},
    {OPTION_OUTPUT, "output", "FILE", "Also write a line for each form, separated by commas.", &args.output},
    {OPTION_TEXT, "judge", "FILE",
     "Predict the multisets of FILE that are not evidence and have more than two different forms, and print how far "
     "off "
     "that is.",
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
    "ports EVIDENCE [options]",
    "Finds out which ports the instructions of a CPU use, from times alone: no\n"
    "counter, no model, no vendor's table. EVIDENCE is a table of experiments, each a\n"
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
    "  cyclops infer ports pairs.csv\n"
    "  cyclops infer ports pairs.csv --next\n"
    "  cyclops infer ports pairs.csv --why ADD64rr\n"
    "  cyclops infer ports all.tsv --most-forms 2 --judge all.tsv\n"
    "  cyclops infer ports pairs.csv --smt pairs.smt2 && z3 pairs.smt2\n",
    options,
};

enum { MOST_ROWS = 40, LEAST_JUDGED = 3 };
static const double PREDICTIONS_A_SECOND = 2e6;

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
    if (!evidence_read(&judged, args.judge, args.interval_percent / 100, fail))
        return false;
    struct port_judgement judgement = port_judge(arena, ports, &judged, LEAST_JUDGED);
    ports_print_judgement(&judgement, stdout);
    return true;
}

static bool infer(struct arena *arena, const char *path, struct fail *fail) {
    struct evidence all = {.arena = arena};
    struct ports_options wanted = ports_defaults;
    struct ports ports;
    wanted.tolerance = args.tolerance_percent / 100;
    wanted.steps = args.budget * PREDICTIONS_A_SECOND;
    if (!file_can_write(args.output, fail) || !file_can_write(args.smt, fail) ||
        !evidence_read(&all, path, args.interval_percent / 100, fail))
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

static bool work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    if (operands->n_items == 0 || strcmp(operands->items[0], "ports") != 0)
        return fail_set(fail, FAIL_INPUT, "say what to infer: 'cyclops infer ports EVIDENCE'");
    if (operands->n_items != 2)
        return fail_set(fail, FAIL_INPUT, "infer ports takes one file of experiments (see cyclops infer --help)");
    return infer(arena, operands->items[1], fail);
}

int cmd_infer(int argc, char **argv) {
    return cli_run(&command, argc, argv, work);
}
