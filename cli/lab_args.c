#include "cli/lab_args.h"

#include "cli/cli.h"
#include "cli/interrupt.h"

static bool read_clock(const struct lab_args *args, struct bench_options *bench, struct fail *fail) {
    if (args->clock && !bench_clock_parse(args->clock, &bench->clock))
        return fail_set(fail, FAIL_INPUT, "unknown clock '%s': there are auto, rdpmc, perf, ratio and time",
                        args->clock);
    if (!args->frequency)
        return true;
    if (bench->clock != CLOCK_TIME)
        return fail_set(fail, FAIL_INPUT, "--frequency is for --clock time; other clocks do not need it");
    return bench_frequency_parse(args->frequency, &bench->frequency_hz) ||
           fail_set(fail, FAIL_INPUT, "'%s' is no frequency: write 1.66GHz, 480MHz or a number of Hz", args->frequency);
}

bool lab_args_read(struct arena *arena, struct lab_args *args, struct fail *fail) {
    struct bench_options *bench = &args->lab.bench;
    if (args->files.is_resumed && !args->files.path)
        return fail_set(fail, FAIL_INPUT, "--resume needs the file to go on with: --output FILE");
    bench->precision = args->precision_percent / 100;
    bench->budget_ms = args->attempt_ms;
    bench->retry_seconds = args->budget_s;
    bench->timeout_seconds = args->timeout_s;
    enum { MOST_CPUS = 1 << 16, MOST_PROCESSES = 64 };
    bool has_processes = args->processes != ~0UL;
    if (has_processes && (args->processes < 1 || args->processes > MOST_PROCESSES))
        return fail_set(fail, FAIL_INPUT, "--processes is from 1 to %d", MOST_PROCESSES);
    bench->processes = has_processes ? (unsigned)args->processes : 0;
    if (args->cpu != ~0UL && args->cpu >= MOST_CPUS)
        return fail_set(fail, FAIL_INPUT, "there is no CPU %lu", args->cpu);
    bench->cpu = args->cpu == ~0UL ? -1 : (int)args->cpu;
    args->lab.isa = cli_isa(arena, args->isa, fail);
    args->files.events = &args->lab.events;
    args->lab.listener = &cli_listener;
    bench->is_stopped = interrupt_seen;
    return args->lab.isa && read_clock(args, bench, fail);
}
