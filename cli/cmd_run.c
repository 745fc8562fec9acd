// cyclops run: measure, predict and compare.
#include "cli/cli.h"

#include "base/options.h"
#include "base/text.h"
#include "cli/lab_args.h"
#include "cli/plan_args.h"
#include "cli/run_from.h"
#include "cli/start_args.h"
#include "lab/experiment.h"
#include "lab/run_plan.h"
#include "report/corun.h"
#include "report/run.h"

#include <ctype.h>
#include <string.h>

static struct {
    struct option_count corun_cpu;
    const char *from;
} args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "What to run", NULL},
    {OPTION_ROWS, NULL, NULL, NULL, plan_args_all},
    {OPTION_TEXT, "corun", "KERNEL|FILE.s",
     "Also keep this co-runner running on the core's other hardware thread (SMT). Measure each alone, both together, "
     "and the "
     "work that both get done. Default mode then: block.",
     &plan_args.corun},
    {OPTION_TEXT, "from", "FILE",
     "Measure nothing: compare the measurements in FILE with models. --output and bundles write such files. Their code "
     "is decoded, never executed.",
     &args.from},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_where},
    {OPTION_COUNT, "corun-cpu", "N", "Logical CPU for --corun. Default: the SMT sibling of the measured one.",
     &args.corun_cpu},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_clock},
    {OPTION_LIST, "events", "EVENT,...",
     "Also count these hardware events: names of libpfm4 (see 'cyclops list events'), raw ones (r1b1), or "
     "PMU/event=0xb1,umask=0x1/. More than the counters hold are counted in turns, in runs of their own.",
     &lab_args.events},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_effort},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_budget},
    {OPTION_FLAG, "replicate", NULL,
     "Also measure the same code in other layouts: moved in its cache lines, in other registers, with more and fewer "
     "copies in a row; each from 8 processes. A value that depends on the layout is marked unstable.",
     &plan_args.is_replicated},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_output},
    {OPTION_FLAG, "brief", NULL, "Versions of LLVM (--llvm) that predict the same share a row or a column.",
     &lab_args.options.is_brief},
    {0},
};

static const struct command command = {
    "cyclops run",
    "KERNEL...|FORM|FILE|-|--from FILE [options]",
    "Measures how many cycles an iteration of code takes on this CPU, simulates the\n"
    "same bytes under a scheduling model, and compares the two. The code is\n"
    "  KERNEL       a small program by its name ('cyclops list kernels')\n"
    "  FORM         a form of an instruction, VADDPSYrr ('cyclops list forms'): its\n"
    "               throughput; 'cyclops survey FORM' also measures its latencies\n"
    "  FILE.yaml    all kernels of a kernel file\n"
    "  FILE.s or -  a block of assembly, from a file or standard input (or --asm)\n"
    "  FILE.o       the functions of an object, with the data that they read\n"
    "  --hex        blocks of machine code\n"
    "\n"
    "A block is repeated. At its start\n"
    "* each general register holds an address of its own,\n"
    "* vector registers hold zero,\n"
    "* there is a stack, and its pointer is put back before each copy.\n"
    "Memory appears where the block touches it, and holds addresses. Each block runs\n"
    "once before it is measured. If it cannot go on, Cyclops reports the instruction\n"
    "to blame ('cyclops try').\n"
    "\n"
    "A measured value is the median of many samples; ± covers its 99 % confidence\n"
    "interval and the clock's own error. '?' marks a value not to be trusted.\n"
    "'difference' is (predicted - measured) / measured. Where it is more than the\n"
    "measurement can explain, a note names the cause in the model. Without --mcpu,\n"
    "LLVM's model of this CPU predicts, and a CPU file of ours, if there is one of it\n"
    "('cyclops cpu').\n"
    "\n"
    "With --corun, the clock's reference is timed while the co-runner waits. Samples\n"
    "during which the co-runner paused are dropped. Its cycles are counted by the\n"
    "measured CPU's clock; another core may run at another frequency.\n"
    "\n"
    "A reciprocal throughput is per copy of the kernel's body (in JSON,\n"
    "cycles_per_copy); every other number is per iteration (all n copies).\n",
    "  cyclops run fma-ymm-ps --sweep 1..12\n"
    "  cyclops run add-r64 imul-r64 --mode latency\n"
    "  cyclops run --asm 'imul rax, rax; add rbx, rax'\n"
    "  cyclops run fma-zmm-ps --sweep 1..12 --target sim:skylake-avx512\n"
    "  cyclops run addps-add-mix --corun addps-add-mix --target sim:overlay:atom-n450\n"
    "  cyclops run five-adds --clock time --frequency 1.66GHz\n",
    options,
};

static bool read_corun(struct fail *fail) {
    enum { MOST_CPUS = 1 << 16 };
    bool has_cpu = args.corun_cpu.is_given;
    if (has_cpu && !plan_args.corun)
        return fail_set(fail, FAIL_INPUT, "--corun-cpu needs --corun: it names the CPU of that kernel");
    if (args.corun_cpu.value >= MOST_CPUS)
        return fail_set(fail, FAIL_INPUT, "there is no CPU %lu", args.corun_cpu.value);
    if (plan_args.corun && lab_args.files.is_resumed)
        return fail_set(fail, FAIL_INPUT, "--corun does not go with --resume");
    lab_args.options.has_corun = plan_args.corun != NULL;
    lab_args.options.corun_cpu = has_cpu ? (int)args.corun_cpu.value : -1;
    return true;
}

// Whether --from has no operands and no options to generate or measure, which it would ignore.
static bool is_only_from(const struct operands *operands) {
    const struct lab_args *lab = &lab_args;
    const struct plan_args *plan = &plan_args;
    const struct object_range *range = &plan->range;
    bool has_block = plan->asm_texts.n_items || plan->hex.n_items || start_args_are_given() || range->symbol ||
                     range->section || range->start || range->end || plan->region;
    bool has_program = operands->n_items || has_block || plan->mode || plan->form || plan->sweep || plan->placement ||
                       plan->syntax || plan->kernels || plan->corun || args.corun_cpu.is_given ||
                       plan->streams.is_given || plan->is_replicated;
    bool has_place = strcmp(lab->options.target, "native") != 0 || lab->isa || lab->cpu.is_given ||
                     lab->options.core_type || lab->options.keeps_frequency;
    bool has_clock = lab->clock || lab->frequency || lab->options.bench.reference_cycles > 0 ||
                     lab_args.events.n_items || lab->precision_percent > 0 || lab->attempt_ms > 0 ||
                     lab->budget_s >= 0 || lab->options.wait_quiet_seconds > 0 || lab->processes.is_given ||
                     lab->timeout_s > 0;
    return !has_program && !has_place && !has_clock && !lab->files.path && !lab->files.is_resumed;
}

static int run_file(struct arena *arena, const struct operands *operands, struct fail *fail) {
    int status = 0;
    if (is_only_from(operands))
        run_from(arena, args.from, &lab_args.options, lab_args.files.wants_json, &status, fail);
    else
        fail_set(fail, FAIL_INPUT, "--from measures nothing: only --mcpu, --mattr, --llvm and --json go with it");
    return status;
}

// Of a form there is one kernel of that name, its throughput: reports how to measure the rest.
static void say_of_latencies(struct arena *arena, const struct operands *operands) {
    const struct lab_args *lab = &lab_args;
    struct text forms = {.arena = arena};
    for (size_t i = 0; i < operands->n_items; i++)
        if (isupper((unsigned char)*operands->items[i]) && !strpbrk(operands->items[i], "./")) {
            text_add(&forms, " ");
            text_add_word(&forms, operands->items[i]);
        }
    if (!forms.length || plan_args.mode || plan_args.sweep || plan_args.kernels || plan_args.corun)
        return;
    const char *isa = lab->isa ? arena_printf(arena, " --isa %s", lab->isa) : "";
    if (strcmp(lab->options.target, "native") != 0) {
        text_add(&forms, " --target ");
        text_add_word(&forms, lab->options.target);
    }
    lab_say(&cli_listener, LAB_NOTE,
            "of a form, this measures the throughput; its latencies: 'cyclops survey%s%s --output DIR', then 'cyclops "
            "table DIR'",
            forms.data, isa);
}

// A simulated CPU executes the bodies alone: says so where a block has initial values or code before it.
static void say_of_states(const struct lab *lab, const struct plan *plan) {
    for (size_t i = 0; lab->is_simulated && i < plan->n_experiments; i++) {
        const struct lab_block *block = plan->experiments[i]->block;
        if (!block ||
            (!block->options.state.n_registers && !block->options.state.n_memory && !block->options.state.init))
            continue;
        lab_say(&cli_listener, LAB_WARNING,
                "a simulated CPU knows no values: what --set, --init or annotations give changes "
                "nothing here");
        return;
    }
}

static void print(const struct lab *lab, const struct plan *plan) {
    const struct run_report report = run_report_of(lab);
    if (plan_args.corun)
        corun_print(lab, plan, stdout, cli_wants_colour());
    else
        run_report_print(&report, plan, stdout, cli_wants_colour());
}

static int run(struct arena *arena, struct lab *lab, const struct operands *operands, struct fail *fail) {
    struct plan plan = {.listener = &cli_listener};
    int status = 0;
    lab_args.options.shows_own = true;
    if (plan_args.is_replicated && !lab_args.processes.is_given)
        lab_args.processes = (struct option_count){REPLICATE_PROCESSES, true};
    bool is_open = lab_args_read(arena, fail) && lab_args_read_events(arena, fail) && read_corun(fail) &&
                   plan_make(arena, &plan_args, lab_args.options.isa, operands, &plan, fail) &&
                   lab_open(lab, arena, &lab_args.options, fail);
    if (is_open)
        say_of_states(lab, &plan);
    if (is_open)
        run_plan(lab, &lab_args.options, &plan, &lab_args.files, &status, fail);
    else
        status = run_plan_say_refused(&plan, fail);
    if (is_open && !lab_args.files.wants_json) // prints results even after a failure
        print(lab, &plan);
    if (is_open)
        say_of_latencies(arena, operands);
    return lab_args.is_strict ? run_plan_strict(&plan, status) : status;
}

static int work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    return args.from ? run_file(arena, operands, fail) : lab_args_run(arena, operands, fail, run);
}

int cmd_run(int argc, char **argv) {
    return cli_run_status(&command, argc, argv, work);
}
