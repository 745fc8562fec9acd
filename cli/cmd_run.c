// cyclops run: measure, predict and compare.
#include "cli/cli.h"

#include "base/file.h"
#include "cli/experiment.h"
#include "cli/interrupt.h"
#include "cli/lab.h"
#include "cli/options.h"
#include "cli/run_journal.h"
#include "cli/run_report.h"

#include <string.h>
#include <unistd.h>

static struct {
    const char *mode, *form, *sweep, *isa, *syntax, *kernels, *output, *clock;
    struct option_list asm_texts, events;
    unsigned long streams; // ~0: not given
    unsigned long cpu;
    double precision_percent, budget_ms, timeout_s;
    bool json, resume;
    struct lab_options lab;
} args = {.cpu = ~0UL, .streams = ~0UL, .lab.target = "native"};

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
    {OPTION_TEXT, "kernels", "DIR", "Read kernel files below DIR/ISA instead of the installed ones.", &args.kernels},
    {OPTION_HEADING, NULL, NULL, "Where to run it", NULL},
    {OPTION_TEXT, "target", "TARGET",
     "native, or sim:CPU[,noise=KIND[:PARAMETER...][+KIND...]][,seed=N]: the simulated CPU under noise; noise=help "
     "lists "
     "the kinds. Default: native.",
     &args.lab.target},
    {OPTION_TEXT, "isa", "ISA", "x86_64, aarch64, armv7, mips, mipsel or riscv64. Default: this machine's.", &args.isa},
    {OPTION_COUNT, "cpu", "N", "Logical CPU to measure on. Default: a quiet one.", &args.cpu},
    {OPTION_TEXT, "core-type", "TYPE",
     "performance, middle or efficiency: on hybrid parts, the type of core to choose from. Default: the fastest.",
     &args.lab.core_type},
    {OPTION_FLAG, "keep-frequency", NULL,
     "Leave boost, governor and frequency limits alone. Default: where their files may be written, the frequency is "
     "made steady for the time of the run.",
     &args.lab.keeps_frequency},
    {OPTION_HEADING, NULL, NULL, "How to measure", NULL},
    {OPTION_TEXT, "clock", "CLOCK",
     "rdpmc (hardware counters, read without system calls), perf (read with them), ratio (none needed), or auto: the "
     "first of these that works. Default: auto.",
     &args.clock},
    {OPTION_LIST, "events", "EVENT,...",
     "Also count these hardware events: names of libpfm4 (see 'cyclops list events'), raw ones (r1b1), or "
     "PMU/event=0xb1,umask=0x1/. More than the counters hold are counted in turns, in runs of their own.",
     &args.events},
    {OPTION_NUMBER, "reference-cycles", "CYCLES",
     "What a dependent add takes on this core, the ratio clock's unit: 2 on a MIPS 74K. Default: 1; of a simulated "
     "CPU, "
     "what its model says.",
     &args.lab.bench.reference_cycles},
    {OPTION_NUMBER, "precision", "PERCENT",
     "Stop when the interval is within ± PERCENT of the value (or after 4096 samples). Default: 0.2.",
     &args.precision_percent},
    {OPTION_NUMBER, "budget", "MS", "Spend at most MS milliseconds on a measurement. Default: 200.", &args.budget_ms},
    {OPTION_NUMBER, "timeout", "S", "Give up on code that runs longer than S seconds. Default: 2.", &args.timeout_s},
    {OPTION_HEADING, NULL, NULL, "What to compare with, and output", NULL},
    {OPTION_LIST, "mcpu", "CPU",
     "Scheduling model to predict with, one of LLVM's or an overlay (FILE.yaml, overlay:NAME); may be repeated; none: "
     "only measure. Default: the CPU that runs the code.",
     &args.lab.cpus},
    {OPTION_TEXT, "mattr", "+A,-B",
     "CPU features that simulated CPU and models have or lack, against what LLVM believes: its Cortex-A9 is without "
     "NEON.",
     &args.lab.features},
    {OPTION_TEXT, "llvm", "LLVM", "Version (19), module or folder of LLVM to use. Default: the newest installed.",
     &args.lab.llvm},
    {OPTION_FLAG, "json", NULL, "Print JSON Lines instead of tables.", &args.json},
    {OPTION_TEXT, "output", "FILE", "Also append the measurements to FILE, as JSON Lines.", &args.output},
    {OPTION_FLAG, "resume", NULL,
     "Take from the FILE of --output what it already holds of the same programs, host and clock, and measure only the "
     "rest.",
     &args.resume},
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
    "  cyclops run fma-zmm-ps --sweep 1..12 --target sim:skylake-avx512\n",
    options,
};

static bool read_plan_options(struct plan_options *plan, struct fail *fail) {
    *plan = (struct plan_options){.syntax = args.syntax};
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
    struct option_list *events = &args.lab.events;
    for (size_t i = 0; i < args.events.n_items; i++)
        add_events(arena, args.events.items[i], events);
    if (args.events.n_items && events->n_items == 0)
        return fail_set(fail, FAIL_INPUT, "--events names none; 'cyclops list events' prints what there is");
    if (events->n_items && args.lab.bench.clock == CLOCK_RATIO)
        return fail_set(fail, FAIL_INPUT, "--events needs hardware counters, and --clock ratio uses none");
    return true;
}

static bool read_lab_options(struct arena *arena, struct fail *fail) {
    struct bench_options *bench = &args.lab.bench;
    if (args.resume && !args.output)
        return fail_set(fail, FAIL_INPUT, "--resume needs the file to go on with: --output FILE");
    bench->precision = args.precision_percent / 100;
    bench->budget_ms = args.budget_ms;
    bench->timeout_seconds = args.timeout_s;
    enum { MOST_CPUS = 1 << 16 };
    if (args.cpu != ~0UL && args.cpu >= MOST_CPUS)
        return fail_set(fail, FAIL_INPUT, "there is no CPU %lu", args.cpu);
    bench->cpu = args.cpu == ~0UL ? -1 : (int)args.cpu;
    args.lab.isa = cli_isa(arena, args.isa, fail);
    if (!args.lab.isa)
        return false;
    if (args.clock && !bench_clock_parse(args.clock, &bench->clock))
        return fail_set(fail, FAIL_INPUT, "unknown clock '%s': there are auto, rdpmc, perf and ratio", args.clock);
    return read_events(arena, fail);
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
    struct plan_block block = {args.lab.isa, name, name, text};
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
        if (set.n_kernels == 0 && !cli_load_kernels(arena, args.kernels, args.lab.isa->name, &set, fail))
            return false;
        const struct kernel *kernel = kernel_find(arena, &set, operand, fail);
        if (!kernel || !plan_add_kernel(arena, plan, kernel, &plan_options, fail))
            return false;
    }
    for (size_t i = 0; i < args.asm_texts.n_items; i++) {
        const char *text = args.asm_texts.items[i];
        struct plan_block block = {args.lab.isa, on_one_line(arena, text), "--asm", text};
        if (!plan_add_block(arena, plan, &block, &plan_options, fail))
            return false;
    }
    return true;
}

// All programs, and the clock's, in one run of the assembler.
static bool assemble(struct arena *arena, const struct plan *plan, const struct lab *lab, struct fail *fail) {
    struct program **programs = ARENA_ARRAY(arena, struct program *, plan->n_experiments + N_CHAINS);
    size_t n = 0;
    for (enum chain c = CHAIN_REFERENCE; c < N_CHAINS; c++)
        programs[n++] = lab->chains[c];
    for (size_t i = 0; i < plan->n_experiments; i++)
        programs[n++] = &plan->experiments[i]->program;
    return gen_assemble(arena, programs, n, fail);
}

static int worse(int a, int b) {
    static const int order[] = {INTERRUPT_STATUS, FAIL_WORK, FAIL_INPUT, FAIL_UNAVAILABLE};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return 0;
}

// The rows of one kernel often have the same trouble.
static int say_once(const struct fail *trouble) {
    static char said[sizeof trouble->text];
    if (strcmp(said, trouble->text) != 0)
        cli_failed(trouble);
    memcpy(said, trouble->text, sizeof said);
    return (int)trouble->status;
}

// What cannot run here, or did not end well, is said and does not stop the rest.
// `taken`: its record of before; null: it is measured.
static bool run_one(struct lab *lab, struct experiment *experiment, const struct record *taken, int *status,
                    struct fail *fail) {
    const struct program *program = &experiment->program;
    struct fail trouble = {0};
    const char *feature = lab_missing_feature(lab, program);
    if (feature) {
        fail_set(&trouble, FAIL_UNAVAILABLE, "%s needs the CPU feature %s, which %s does not have", program->kernel,
                 feature, lab->is_simulated ? lab->sim.cpu : "this CPU");
    } else {
        if (taken)
            lab_take(lab, experiment, &taken->measurement);
        else if (!lab_run(lab, experiment, fail))
            return false;
        if (!experiment->is_done && !interrupt_seen())
            fail_set(&trouble, FAIL_WORK, "%s (%s, n = %u, %s): %s", program->kernel, program_mode_name(program->mode),
                     program->streams, program_form_name(program->form),
                     bench_outcome_name(experiment->measurement.outcome));
    }
    if (trouble.status != FAIL_NONE)
        *status = worse(*status, say_once(&trouble));
    return true;
}

static void show_progress(size_t done, size_t total) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, done == total ? "\r\033[K" : "\r\033[Kmeasuring %zu of %zu", done + 1, total);
}

static bool run_all(struct lab *lab, const struct plan *plan, struct run_journal *journal, int *status,
                    struct fail *fail) {
    for (size_t i = 0; i < plan->n_experiments; i++) {
        struct experiment *experiment = plan->experiments[i];
        if (interrupt_seen()) {
            show_progress(plan->n_experiments, plan->n_experiments);
            fprintf(stderr, "cyclops: interrupted: %zu of %zu measured%s\n", i, plan->n_experiments,
                    journal->path ? "; --resume does the rest" : "");
            *status = INTERRUPT_STATUS;
            return true;
        }
        show_progress(i, plan->n_experiments);
        const struct record *taken = journal->taken[i];
        if (!run_one(lab, experiment, taken, status, fail))
            return false;
        bool was_tried = experiment->is_done || (experiment->measurement.outcome != BENCH_OK && !interrupt_seen());
        if (was_tried && !run_journal_write(journal, lab, experiment, taken != NULL, fail))
            return false;
    }
    show_progress(plan->n_experiments, plan->n_experiments);
    return true;
}

static int run(struct arena *arena, struct lab *lab, const struct operands *operands, struct fail *fail) {
    struct plan plan = {0};
    struct run_journal journal = {0};
    struct run_journal_wish wish = {args.output, args.resume, args.json, &args.lab.events};
    int status = 0;
    bool is_ready = read_lab_options(arena, fail) && make_plan(arena, operands, &plan, fail) &&
                    lab_open(lab, arena, &args.lab, fail) && assemble(arena, &plan, lab, fail) &&
                    lab_start(lab, &args.lab, fail) && run_journal_open(&journal, lab, &plan, &wish, fail);
    if (is_ready)
        interrupt_watch();
    bool is_done = is_ready && run_all(lab, &plan, &journal, &status, fail);
    if (is_done && !args.json)
        run_report_print(lab, &plan, stdout, cli_wants_colour());
    run_journal_close(&journal, fail);
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
        status = worse(status, cli_failed(&fail));
    int finish_status = cli_finish();
    arena_free(&arena);
    return worse(status, finish_status);
}
