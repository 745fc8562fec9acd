#include "cli/lab_args.h"

#include "base/screen.h"
#include "base/text.h"
#include "bench/counters/event_name.h"
#include "bench/sandbox/nursery.h"
#include "bench/targets/noise.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "lab/budget.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lab_args lab_args = {.budget_s = -1, .options.target = "native"};

struct option lab_args_kernels[] = {
    {OPTION_TEXT, "kernels", "DIR", "Read kernel files below DIR/ISA instead of the installed ones.",
     &lab_args.kernels},
    {0},
};

struct option lab_args_where[] = {
    {OPTION_HEADING, NULL, NULL, "Where to run it", NULL},
    {OPTION_TEXT, "target", "TARGET",
     "native, or sim:CPU, a simulated CPU under noise; CPU is one of LLVM's, an overlay or a CPU file. After CPU: "
     ",noise=KIND[:PARAMETER...][+KIND...], ,seed=N and "
     ",slow=CYCLES (loads of large chases); "
     "noise=help lists the kinds. Default: native.",
     &lab_args.options.target},
    {OPTION_TEXT, "isa", "x86_64|aarch64|armv7|mips|mipsel|riscv64", "Instruction set. Default: this machine's.",
     &lab_args.isa},
    {OPTION_COUNT, "cpu", "N", "Logical CPU to measure on. Default: a quiet one.", &lab_args.cpu},
    {OPTION_TEXT, "core-type", "performance|middle|efficiency",
     "On hybrid parts, the type of core to choose from. Default: the fastest.", &lab_args.options.core_type},
    {OPTION_FLAG, "keep-frequency", NULL,
     "Leave boost, governor and frequency limits alone. Default: make the frequency steady during the run, where this "
     "user may change them.",
     &lab_args.options.keeps_frequency},
    {0},
};

struct option lab_args_clock[] = {
    {OPTION_HEADING, NULL, NULL, "How to measure", NULL},
    {OPTION_TEXT, "clock", "auto|rdpmc|perf|ratio|time",
     "rdpmc (hardware counters, read without system calls), perf (read with them), ratio (none needed), auto: the "
     "first of these that works, or time: seconds times --frequency. Default: auto.",
     &lab_args.clock},
    {OPTION_TEXT, "frequency", "HZ",
     "The core's frequency, for --clock time, such as 1GHz or 480MHz. Default: what the system states.",
     &lab_args.frequency},
    {OPTION_NUMBER, "reference-cycles", "CYCLES",
     "Cycles of a dependent add on this core, the ratio clock's unit: 2 on a MIPS 74K. Default: 1; on a simulated CPU, "
     "its model's number.",
     &lab_args.options.bench.reference_cycles},
    {0},
};

struct option lab_args_effort[] = {
    {OPTION_NUMBER, "precision", "PERCENT",
     "Stop when the interval is within ± PERCENT of the value (or after 4096 samples). Default: 0.2; a "
     "survey 0.3.",
     &lab_args.precision_percent},
    {OPTION_NUMBER, "attempt", "MS",
     "Compute at most MS milliseconds on a value, ten times as long where others spoil it. Default: 200.",
     &lab_args.attempt_ms},
    {OPTION_AMOUNT, "wait-quiet", "S", "Before measuring, wait up to S seconds for others to leave the core.",
     &lab_args.options.wait_quiet_seconds},
    {OPTION_FLAG, "strict", NULL, "Exit 3 where a value is unstable (marked '?').", &lab_args.is_strict},
    {OPTION_COUNT, "processes", "N", "Measure each value in at least N fresh processes, 1 to 64. Default: 3.",
     &lab_args.processes},
    {OPTION_NUMBER, "timeout", "S",
     "Give up on code that computes longer than S seconds in one process, or an eighth of that in one round. Default: "
     "2.",
     &lab_args.timeout_s},
    {0},
};

struct option lab_args_budget[] = {
    {OPTION_AMOUNT, "budget", "S",
     "Spend up to S seconds on waiting for others to leave the core, and on measuring again what they spoilt. Default: "
     "5; for more than 64 programs 60.",
     &lab_args.budget_s},
    {0},
};

struct option lab_args_output[] = {
    {OPTION_HEADING, NULL, NULL, "What to compare with, and output", NULL},
    {OPTION_LIST, "mcpu", "CPU",
     "Model to predict with: a CPU of LLVM's, also of one version (llvm-19/znver4), an overlay (FILE.yaml, "
     "overlay:NAME), or a CPU file (FILE.cpu.yaml, cpu:NAME); may be repeated; none: only measure. Default: the CPU "
     "that runs the code.",
     &lab_args.options.cpus},
    {OPTION_TEXT, "assume", "llvm|nothing",
     "What a CPU file's prediction stands on where the file states no number of an instruction. llvm: LLVM's numbers, "
     "and the prediction states of how many instructions; nothing: nothing, so that such code is refused, and the "
     "message names the instruction. Default: llvm.",
     &lab_args.assume},
    {OPTION_TEXT, "addresses", "run|static",
     "Where a block's accesses are, for a CPU file. run: where following its registers does not tell, the block runs "
     "once "
     "more, here and on x86-64, and the prediction takes the addresses of 32 turns; static: nothing runs. Default: "
     "run.",
     &lab_args.addresses},
    {OPTION_TEXT, "mattr", "+A,-B",
     "CPU features to add to the simulated CPU and the models, or to take away. LLVM's Cortex-A9, for example, lacks "
     "NEON.",
     &lab_args.options.features},
    {OPTION_LIST, "llvm", "LLVM",
     "Version (22), module or folder of LLVM whose models to use; may be repeated, to compare them. Default: the "
     "newest "
     "installed.",
     &lab_args.options.llvms},
    {OPTION_FLAG, "json", NULL, "Print JSON Lines instead of tables.", &lab_args.files.wants_json},
    {OPTION_STREAM, "output", "FILE", "Also append the measurements to FILE, as JSON Lines.", &lab_args.files.path},
    {OPTION_FLAG, "resume", NULL,
     "Take what the FILE of --output already holds of the same programs, host, CPU and clock. Measure the rest, and "
     "again what was unstable, timed out, or is coarser than this run asks for. Predictions are always made anew.",
     &lab_args.files.is_resumed},
    {0},
};

// --target sim:CPU,noise=help
static bool print_noise_help(struct arena *arena, const char *target) {
    struct slice lines, line;
    if (strncmp(target, "sim:", 4) != 0 || !strstr(target, "noise=help"))
        return false;
    const char *kinds = noise_kinds(arena);
    lines = (struct slice){kinds, strlen(kinds)};
    screen_print_sentence("noise=KIND[:PARAMETER...][+KIND...], with these kinds:", stdout);
    while (slice_next(&lines, '\n', &line))
        if (line.length)
            screen_print_sentence(arena_copy(arena, line.data, line.length), stdout);
    return true;
}

bool lab_args_read_addresses(const char *text, bool *are_static, struct fail *fail) {
    *are_static = text && strcmp(text, "static") == 0;
    return !text || *are_static || strcmp(text, "run") == 0 ||
           fail_set(fail, FAIL_INPUT, "--addresses is run or static, not '%s'", text);
}

bool lab_args_read_shard(const char *text, unsigned *part, unsigned *n_parts, struct fail *fail) {
    enum { MOST_SHARDS = 10000 };
    int end = 0;
    if (!text)
        return true;
    bool is_read = sscanf(text, "%u/%u%n", part, n_parts, &end) == 2 && !text[end];
    return (is_read && *part >= 1 && *part <= *n_parts && *n_parts <= MOST_SHARDS) ||
           fail_set(fail, FAIL_INPUT, "--shard is I/N with I from 1 to N, such as 2/8; not '%s'", text);
}

bool lab_args_read_assume(const char *text, bool *refuses_base, struct fail *fail) {
    *refuses_base = text && strcmp(text, "nothing") == 0;
    return !text || *refuses_base || strcmp(text, "llvm") == 0 ||
           fail_set(fail, FAIL_INPUT, "--assume is llvm or nothing, not '%s'", text);
}

bool lab_args_read(struct arena *arena, struct fail *fail) {
    struct lab_args *args = &lab_args;
    struct bench_options *bench = &args->options.bench;
    if (print_noise_help(arena, args->options.target))
        return false; // no failure: all is done
    if (args->files.is_resumed && !args->files.path)
        return fail_set(fail, FAIL_INPUT, "--resume needs the file to go on with: --output FILE");
    bench->precision = args->precision_percent / 100;
    bench->budget_ms = args->attempt_ms;
    bench->retry_seconds = args->budget_s;
    bench->timeout_seconds = args->timeout_s;
    enum { MOST_CPUS = 1 << 16, MOST_PROCESSES = 64 };
    if (args->processes.is_given && (args->processes.value < 1 || args->processes.value > MOST_PROCESSES))
        return fail_set(fail, FAIL_INPUT, "--processes is from 1 to %d", MOST_PROCESSES);
    bench->processes = (unsigned)args->processes.value;
    if (args->cpu.value >= MOST_CPUS)
        return fail_set(fail, FAIL_INPUT, "there is no CPU %lu", args->cpu.value);
    bench->cpu = args->cpu.is_given ? (int)args->cpu.value : -1;
    args->options.isa = cli_isa(arena, args->isa, fail);
    args->files.events = &args->options.events;
    args->options.listener = &cli_listener;
    bench->is_stopped = interrupt_seen;
    return args->options.isa && lab_args_read_assume(args->assume, &args->options.refuses_base, fail) &&
           lab_args_read_addresses(args->addresses, &args->options.addresses_are_static, fail) &&
           bench_read_clock(args->clock, args->frequency, bench, fail);
}

double lab_args_start_budget(double usual_seconds) {
    struct lab_args *args = &lab_args;
    budget_start(args->budget_s > 0 ? args->budget_s : INFINITY, args->options.bench.is_stopped);
    args->options.bench.is_stopped = budget_is_stopped;
    return args->budget_s >= 0 ? args->budget_s : usual_seconds;
}

bool lab_args_read_events(struct arena *arena, struct fail *fail) {
    struct option_list *events = &lab_args.options.events;
    struct slice event;
    for (size_t i = 0; i < lab_args.events.n_items; i++)
        for (const char *list = lab_args.events.items[i]; event_name_next(&list, &event);)
            *ARENA_ADD(arena, events->items, events->n_items) = arena_copy(arena, event.data, event.length);
    if (lab_args.events.n_items && events->n_items == 0)
        return fail_set(fail, FAIL_INPUT, "--events names no event; 'cyclops list events' prints their names");
    if (events->n_items && !bench_clock_counts(lab_args.options.bench.clock))
        return fail_set(fail, FAIL_INPUT, "--events needs hardware counters, and --clock %s uses none", lab_args.clock);
    return true;
}

int lab_args_run(struct arena *arena, const struct operands *operands, struct fail *fail,
                 int (*run)(struct arena *arena, struct lab *lab, const struct operands *operands, struct fail *fail)) {
    struct lab lab = {0};
    if (strcmp(lab_args.options.target, "native") == 0)
        nursery_open(); // early: this process has little memory yet
    int status = run(arena, &lab, operands, fail);
    lab_close(&lab);
    nursery_close();
    return status;
}

bool lab_args_read_number(const char *option, const char *text, uint64_t least, uint64_t *number, struct fail *fail) {
    char *end;
    errno = 0;
    *number = text ? strtoull(text, &end, 0) : 0;
    if (!text || (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *number >= least))
        return true;
    return fail_set(fail, FAIL_INPUT, "--%s takes a number%s, such as 0x2324000, and not '%s'", option,
                    least ? " above 0" : "", text);
}
