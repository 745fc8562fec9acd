// cyclops run: measure, predict and compare.
#include "cli/cli.h"

#include "base/file.h"
#include "cli/experiment.h"
#include "cli/lab_args.h"
#include "cli/options.h"
#include "cli/run_plan.h"
#include "cli/run_report.h"

#include <string.h>

static struct {
    const char *mode, *form, *sweep, *syntax;
    struct option_list asm_texts, events;
    unsigned long streams; // ~0: not given
    bool is_replicated;
    struct lab_args lab;
} args = {.streams = ~0UL, .lab = LAB_ARGS_DEFAULTS};

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "What to run", NULL},
    {OPTION_TEXT, "mode", "MODE",
     "latency, throughput, or block (the kernel's body as it stands). Default: latency and throughput.", &args.mode},
    {OPTION_TEXT, "sweep", "A..B", "Also run n = A, ..., B independent streams side by side.", &args.sweep},
    {OPTION_COUNT, "n", "N", "Streams in throughput mode. Default: as many as there are registers, at most 16.",
     &args.streams},
    {OPTION_TEXT, "form", "FORM",
     "unrolled, looped (a branch after each body), or both. Default: unrolled; sweeps looped; blocks both where they "
     "can be repeated.",
     &args.form},
    {OPTION_LIST, "asm", "TEXT", "A block of assembly; ';' separates instructions. May be repeated.", &args.asm_texts},
    {OPTION_TEXT, "syntax", "NAME",
     "intel or att, of blocks. Default: att where registers are written %rax, else intel.", &args.syntax},
    LAB_ARGS_KERNELS(args.lab),
    LAB_ARGS_WHERE(args.lab),
    LAB_ARGS_CLOCK(args.lab),
    {OPTION_LIST, "events", "EVENT,...",
     "Also count these hardware events: names of libpfm4 (see 'cyclops list events'), raw ones (r1b1), or "
     "PMU/event=0xb1,umask=0x1/. More than the counters hold are counted in turns, in runs of their own.",
     &args.events},
    LAB_ARGS_EFFORT(args.lab),
    {OPTION_FLAG, "replicate", NULL,
     "Measure the same code laid out in other ways as well: moved in its cache lines, in other registers, with more "
     "and fewer copies in a row; each from 8 processes. A value that depends on it is marked unstable.",
     &args.is_replicated},
    LAB_ARGS_OUTPUT(args.lab),
    {0},
};

static const struct command command = {
    "run",
    "KERNEL...|FILE.s|- [options]",
    "Generates the programs of KERNELs (see 'cyclops list kernels') or takes the block\n"
    "of assembly in FILE.s (- for standard input), measures cycles per iteration on this\n"
    "CPU, simulates the same bytes under a scheduling model, and compares.\n"
    "\n"
    "A block starts with every general register but the stack pointer and the loop's\n"
    "counter holding the address of the middle of a buffer of 64 KiB, and vector\n"
    "registers zero. It is repeated: pushes and pops must be balanced.\n"
    "\n"
    "A measured value is the median of many samples; ± covers its 99 % confidence\n"
    "interval and the clock's own error. '?' marks a value not to be trusted.\n"
    "'difference' is (predicted - measured) / measured; where it is more than the\n"
    "measurement can explain, the last column says what in the model is to blame.\n"
    "Throughputs are per copy of the kernel's body; everything else, and the JSON field\n"
    "cycles, per iteration (all n copies).\n",
    "  cyclops run fma-ymm-ps --sweep 1..12\n"
    "  cyclops run add-r64 imul-r64 --mode latency\n"
    "  cyclops run --asm 'imul rax, rax; add rbx, rax'\n"
    "  cyclops run fma-zmm-ps --sweep 1..12 --target sim:skylake-avx512\n"
    "  cyclops run five-adds --clock time --frequency 1.66GHz\n",
    options,
};

static bool read_plan_options(struct plan_options *plan, struct fail *fail) {
    *plan = (struct plan_options){.syntax = args.syntax, .is_replicated = args.is_replicated};
    if (args.streams != ~0UL && (args.streams < 1 || args.streams > GEN_MAX_STREAMS))
        return fail_set(fail, FAIL_INPUT, "--n is from 1 to %d", GEN_MAX_STREAMS);
    if (args.streams != ~0UL)
        plan->streams = (unsigned)args.streams;
    if (args.mode) {
        plan->has_mode = true;
        if (!program_mode_parse(args.mode, &plan->mode))
            return fail_set(fail, FAIL_INPUT, "unknown mode '%s': there are latency, throughput and block", args.mode);
    }
    if (args.form && strcmp(args.form, "both") == 0) {
        plan->is_both_forms = true;
    } else if (args.form) {
        plan->has_form = true;
        if (!program_form_parse(args.form, &plan->form))
            return fail_set(fail, FAIL_INPUT, "unknown form '%s': there are unrolled, looped and both", args.form);
    }
    return !args.sweep || options_parse_range(args.sweep, &plan->sweep_first, &plan->sweep_last, fail);
}

// The commas between slashes are the event's own: cpu/event=0xb1,umask=0x1/.
static void add_events(struct arena *arena, const char *list, struct option_list *events) {
    const char *start = list;
    bool is_inside = false;
    for (const char *c = list;; c++) {
        is_inside ^= *c == '/';
        if (*c != '\0' && (*c != ',' || is_inside))
            continue;
        if (c > start) {
            events->items = arena_grow(arena, events->items, events->n_items, sizeof *events->items);
            events->items[events->n_items++] = arena_copy(arena, start, (size_t)(c - start));
        }
        if (*c == '\0')
            return;
        start = c + 1;
    }
}

static bool read_events(struct arena *arena, struct fail *fail) {
    struct option_list *events = &args.lab.lab.events;
    for (size_t i = 0; i < args.events.n_items; i++)
        add_events(arena, args.events.items[i], events);
    if (args.events.n_items && events->n_items == 0)
        return fail_set(fail, FAIL_INPUT, "--events names none; 'cyclops list events' prints what there is");
    if (events->n_items && !bench_clock_counts(args.lab.lab.bench.clock))
        return fail_set(fail, FAIL_INPUT, "--events needs hardware counters, and --clock %s uses none", args.lab.clock);
    return true;
}

static bool is_file(const char *operand) {
    size_t n = strlen(operand);
    bool has_suffix = n > 2 && (strcmp(operand + n - 2, ".s") == 0 || strcmp(operand + n - 2, ".S") == 0);
    return strcmp(operand, "-") == 0 || strchr(operand, '/') || has_suffix;
}

static bool add_file(struct arena *arena, struct plan *plan, const char *path, const struct plan_options *options_,
                     struct fail *fail) {
    char *text;
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    if (!file_read(arena, path, &text, NULL, fail))
        return false;
    struct plan_block block = {args.lab.lab.isa, name, name, text};
    return plan_add_block(arena, plan, &block, options_, fail);
}

// A block's text as its name in tables.
static const char *on_one_line(struct arena *arena, const char *text) {
    char *line = arena_strdup(arena, text);
    for (char *c = line; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = *c == '\n' ? ';' : ' ';
    return line;
}

static bool make_plan(struct arena *arena, const struct operands *operands, struct plan *plan, struct fail *fail) {
    struct plan_options plan_options;
    if (!read_plan_options(&plan_options, fail))
        return false;
    if (operands->n_items + args.asm_texts.n_items == 0)
        return fail_set(fail, FAIL_INPUT,
                        "nothing to run: name kernels ('cyclops list kernels'), a FILE.s, or give --asm TEXT");
    struct kernel_set set = {0};
    for (size_t i = 0; i < operands->n_items; i++) {
        const char *operand = operands->items[i];
        if (is_file(operand)) {
            if (!add_file(arena, plan, operand, &plan_options, fail))
                return false;
            continue;
        }
        if (set.n_kernels == 0 && !cli_load_kernels(arena, args.lab.kernels, args.lab.lab.isa->name, &set, fail))
            return false;
        const struct kernel *kernel = kernel_find(arena, &set, operand, fail);
        if (!kernel || !plan_add_kernel(arena, plan, kernel, &plan_options, fail))
            return false;
    }
    for (size_t i = 0; i < args.asm_texts.n_items; i++) {
        const char *text = args.asm_texts.items[i];
        struct plan_block block = {args.lab.lab.isa, on_one_line(arena, text), "--asm", text};
        if (!plan_add_block(arena, plan, &block, &plan_options, fail))
            return false;
    }
    return true;
}

static int run(struct arena *arena, struct lab *lab, const struct operands *operands, struct fail *fail) {
    struct plan plan = {0};
    int status = 0;
    if (args.is_replicated && !args.lab.processes)
        args.lab.processes = REPLICATE_PROCESSES;
    bool is_done = lab_args_read(arena, &args.lab, fail) && read_events(arena, fail) &&
                   make_plan(arena, operands, &plan, fail) && lab_open(lab, arena, &args.lab.lab, fail) &&
                   run_plan(lab, &args.lab.lab, &plan, &args.lab.files, &status, fail);
    if (is_done && !args.lab.files.wants_json)
        run_report_print(lab, &plan, stdout, cli_wants_colour());
    return status;
}

int cmd_run(int argc, char **argv) {
    struct arena arena = {0};
    struct operands operands = {0};
    struct fail fail = {0};
    struct lab lab = {0};
    int status = 0;
    switch (options_parse(&arena, &command, argc, argv, &operands, &fail)) {
    case OPTIONS_OK:
        status = run(&arena, &lab, &operands, &fail);
        lab_close(&lab);
        break;
    case OPTIONS_HELP:
    case OPTIONS_BAD:
        break;
    }
    if (fail.status != FAIL_NONE)
        status = run_plan_worse(status, cli_failed(&fail));
    int finish_status = cli_finish();
    arena_free(&arena);
    return run_plan_worse(status, finish_status);
}
