// The runner: measures a pack of programs where there is nothing but a kernel: no libraries, no assembler, no models,
// no privileges. One static executable, usually with its pack appended; it knows bench/ and base/ only.
#include "base/file.h"
#include "base/screen.h"
#include "bench/counters/event_name.h"
#include "bench/target.h"
#include "runner/own_host.h"
#include "runner/results.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static const char usage[] = "Usage: %s [options]\n"
                            "\n"
                            "Measures the programs that are packed into this file, and prints their cycles.\n"
                            "\n"
                            "  --cpu N             Logical CPU to measure on. Default: the last of the\n"
                            "                      fastest ones.\n"
                            "  --clock CLOCK       rdpmc, perf, ratio, or auto, the first of these that\n"
                            "                      works; or time: seconds times the frequency. Default:\n"
                            "                      auto.\n"
                            "  --frequency HZ      The core's frequency, for --clock time: 1GHz, 480MHz.\n"
                            "  --events EVENT,...  Also count these hardware events: raw numbers (r1b), or\n"
                            "                      PMU/event=0x1b/.\n"
                            "  --reference-cycles N\n"
                            "                      What a dependent add takes on this core, the ratio clock's\n"
                            "                      unit: 2 on a MIPS 74K. Default: 1.\n"
                            "  --budget S          Spend up to S seconds on measuring again what others\n"
                            "                      spoilt. Default: 5.\n"
                            "  --attempt MS        Compute at most MS milliseconds on a value. Default: 200.\n"
                            "  --json              Print JSON Lines instead of a table.\n"
                            "  --output FILE       Also append the measurements to FILE, as JSON Lines.\n"
                            "  --pack FILE         Measure the programs of this pack instead.\n"
                            "  --help              Print this text.\n"
                            "\n"
                            "Exit status: 0 done; 1 the work failed, or a program did not end well; 2 the\n"
                            "command line or this file is wrong; 77 this machine cannot measure.\n";

struct arguments {
    struct bench_options bench;
    const char *events[TARGET_MAX_EVENTS];
    unsigned n_events;
    const char *output, *pack;
    bool wants_json;
};

#if defined(__x86_64__)
#define OWN_ISA "x86_64"
#elif defined(__aarch64__)
#define OWN_ISA "aarch64"
#elif defined(__arm__)
#define OWN_ISA "armv7"
#elif defined(__riscv)
#define OWN_ISA "riscv64"
#elif defined(__mips__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define OWN_ISA "mips"
#elif defined(__mips__)
#define OWN_ISA "mipsel"
#endif

static bool add_events(struct arena *arena, struct arguments *arguments, const char *list, struct fail *fail) {
    for (struct slice event; event_name_next(&list, &event);) {
        if (arguments->n_events == TARGET_MAX_EVENTS)
            return fail_set(fail, FAIL_INPUT, "at most %d events", TARGET_MAX_EVENTS);
        arguments->events[arguments->n_events++] = arena_copy(arena, event.data, event.length);
    }
    return true;
}

static bool parse_number(const char *text, double *number, struct fail *fail) {
    char *end;
    *number = strtod(text, &end);
    return (end != text && !*end && *number >= 0 && *number < 1e6) ||
           fail_set(fail, FAIL_INPUT, "'%s' is not a number from 0 to 1000000", text);
}

static bool take_option(struct arena *arena, int option, struct arguments *arguments, struct fail *fail) {
    double number;
    switch (option) {
    case 'u':
        if (!parse_number(optarg, &number, fail))
            return false;
        arguments->bench.cpu = (int)number;
        return true;
    case 'c':
        return bench_clock_parse(optarg, &arguments->bench.clock) ||
               fail_set(fail, FAIL_INPUT, "unknown clock '%s': there are auto, rdpmc, perf, ratio and time", optarg);
    case 'f':
        arguments->bench.frequency_source = "as given";
        return bench_frequency_parse(optarg, &arguments->bench.frequency_hz) ||
               fail_set(fail, FAIL_INPUT, "'%s' is not a frequency: write 1.66GHz, 480MHz or a number of Hz", optarg);
    case 'e':
        return add_events(arena, arguments, optarg, fail);
    case 'a':
        return parse_number(optarg, &arguments->bench.budget_ms, fail);
    case 'b':
        return parse_number(optarg, &arguments->bench.retry_seconds, fail);
    case 'r':
        return parse_number(optarg, &arguments->bench.reference_cycles, fail);
    case 'j':
        arguments->wants_json = true;
        return true;
    case 'o':
        arguments->output = optarg;
        return true;
    case 'p':
        arguments->pack = optarg;
        return true;
    default:
        return fail_set(fail, FAIL_INPUT, "that option is wrong; see --help");
    }
}

static bool parse(struct arena *arena, int argc, char **argv, struct arguments *arguments, struct fail *fail) {
    static const struct option options[] = {
        {"cpu", required_argument, NULL, 'u'},
        {"clock", required_argument, NULL, 'c'},
        {"frequency", required_argument, NULL, 'f'},
        {"events", required_argument, NULL, 'e'},
        {"reference-cycles", required_argument, NULL, 'r'},
        {"attempt", required_argument, NULL, 'a'},
        {"budget", required_argument, NULL, 'b'},
        {"json", no_argument, NULL, 'j'},
        {"output", required_argument, NULL, 'o'},
        {"pack", required_argument, NULL, 'p'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    *arguments = (struct arguments){.bench = {.cpu = -1, .retry_seconds = 5}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'h') {
            printf(usage, argv[0]);
            exit(0);
        }
        if (!take_option(arena, option, arguments, fail))
            return false;
    }
    if (arguments->bench.frequency_hz > 0 && arguments->bench.clock != CLOCK_TIME)
        return fail_set(fail, FAIL_INPUT, "--frequency is for --clock time; other clocks do not need it");
    if (arguments->n_events && !bench_clock_counts(arguments->bench.clock))
        return fail_set(fail, FAIL_INPUT, "--events needs hardware counters, and --clock %s uses none",
                        bench_clock_name(arguments->bench.clock));
    arguments->bench.needs_counters = arguments->n_events > 0;
    return optind == argc ||
           fail_set(fail, FAIL_INPUT, "unknown operand '%s': a bundle takes options only; see --help", argv[optind]);
}

// The file of this process: the path it was started by serves where there is no /proc, as in a small chroot.
static bool read_self(struct arena *arena, char **data, size_t *length, struct fail *fail) {
    struct fail no_proc = {0};
    const char *path = (const char *)getauxval(AT_EXECFN); // NOLINT(performance-no-int-to-ptr)
    return file_read(arena, "/proc/self/exe", data, length, &no_proc) ||
           (path ? file_read(arena, path, data, length, fail)
                 : fail_set(fail, FAIL_UNAVAILABLE, "%s; name a pack with --pack", no_proc.text));
}

static bool find_pack(struct arena *arena, const char **text, size_t *length, struct fail *fail) {
    char *data;
    size_t n;
    if (!read_self(arena, &data, &n, fail))
        return false;
    switch (pack_find(data, n, text, length)) {
    case PACK_FOUND:
        return true;
    case PACK_DAMAGED:
        return fail_set(fail, FAIL_INPUT, "this file was damaged on its way here: fetch it again, as binary data");
    case PACK_NONE:
        break;
    }
    return fail_set(fail, FAIL_INPUT,
                    "there are no programs in this file: it is a runner alone, or its end is missing; fetch it again, "
                    "or name a pack with --pack");
}

static bool load(struct arena *arena, const char *path, struct pack *pack, struct fail *fail) {
    char *data;
    const char *text;
    size_t length;
    bool is_there = path ? file_read(arena, path, &data, &length, fail) : find_pack(arena, &text, &length, fail);
    if (!is_there || !pack_read(arena, path ? path : "the pack", path ? data : text, length, pack, fail))
        return false;
    return strcmp(pack->isa, OWN_ISA) == 0 ||
           fail_set(fail, FAIL_INPUT, "these programs are for %s, but this runner is for " OWN_ISA, pack->isa);
}

#define LACKS_CHAIN "the pack lacks the clock's chain '%s': make it again with this version of Cyclops"

// The program of a role; false where the pack has none.
static bool find_role(const struct pack *pack, const char *role, struct bench_code *code) {
    for (size_t i = 0; i < pack->n_programs; i++) {
        if (pack->programs[i].role && strcmp(pack->programs[i].role, role) == 0) {
            *code = pack->programs[i].code;
            return true;
        }
    }
    return false;
}

static bool find_chains(const struct pack *pack, struct bench_chains *chains, struct fail *fail) {
    if (!find_role(pack, "reference", &chains->reference))
        return fail_set(fail, FAIL_INPUT, LACKS_CHAIN, "reference");
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        const char *role = bench_check_name((enum bench_check)i);
        if (!find_role(pack, role, &chains->checks[i]) && i < CHECK_USES)
            return fail_set(fail, FAIL_INPUT, LACKS_CHAIN, role);
    }
    return true;
}

// The programs of a pack on their way to their values.
struct run {
    const struct pack *pack;
    const struct results *results;
    size_t n;       // programs to be measured
    size_t *places; // of each: in the pack
    struct bench_measurement *measurements;
    bool *are_done;
    size_t n_done, n_written; // written: in the pack's order
    int *status;
};

static void clear_progress(void) {
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static void show_progress(const struct run *run) {
    clear_progress();
    if (isatty(STDERR_FILENO) && run->n_done < run->n)
        fprintf(stderr, "measuring %zu of %zu", run->n_done + 1, run->n);
}

static void show_waiting(void *context, size_t n_left, double seconds) {
    (void)context;
    clear_progress();
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "waiting for others to leave the core: %zu left, %.0f s", n_left, seconds);
}

// As `cyclops run` does: what did not end well is said, and does not stop the rest.
static void take_outcome(const struct pack_program *program, enum bench_outcome outcome, int *status) {
    struct fail trouble = {0};
    if (outcome == BENCH_OK)
        return;
    fail_set(&trouble, FAIL_WORK, "%s (%s, n = %u, %s): %s", program->kernel, program->mode ? program->mode : "?",
             program->streams, program->form ? program->form : "?", bench_outcome_name(outcome));
    clear_progress();
    fail_print(&trouble, stderr);
    *status = (int)trouble.status;
}

static bool write_result(const struct run *run, size_t index, struct fail *fail) {
    return results_write(run->results, run->pack->isa, &run->pack->programs[run->places[index]],
                         &run->measurements[index], fail);
}

// One that was written already was measured again: the last line counts.
static bool finish(void *context, size_t index, struct fail *fail) {
    struct run *run = context;
    bool is_written = true;
    if (!run->are_done[index])
        take_outcome(&run->pack->programs[run->places[index]], run->measurements[index].outcome, run->status);
    run->n_done += !run->are_done[index];
    run->are_done[index] = true;
    show_progress(run);
    if (index < run->n_written)
        is_written = write_result(run, index, fail);
    while (is_written && run->n_written < run->n && run->are_done[run->n_written])
        is_written = write_result(run, run->n_written++, fail);
    return is_written;
}

static bool measure_all(struct arena *arena, struct bench *bench, const struct pack *pack,
                        struct bench_measurement *measurements, const struct results *results,
                        int *status, // NOLINT(readability-non-const-parameter): struct run writes it
                        struct fail *fail) {
    struct bench_code *codes = ARENA_ARRAY(arena, struct bench_code, pack->n_programs);
    struct run run = {.pack = pack,
                      .status = status,
                      .results = results,
                      .places = ARENA_ARRAY(arena, size_t, pack->n_programs),
                      .measurements = ARENA_ARRAY(arena, struct bench_measurement, pack->n_programs),
                      .are_done = ARENA_ARRAY(arena, bool, pack->n_programs)};
    const struct bench_listener listener = {&run, finish, show_waiting};
    for (size_t i = 0; i < pack->n_programs; i++) {
        if (pack->programs[i].role)
            continue;
        codes[run.n] = pack->programs[i].code;
        run.places[run.n++] = i;
    }
    show_progress(&run);
    bool is_done = bench_measure(bench, codes, run.measurements, run.n, &listener, fail);
    for (size_t i = 0; i < run.n; i++)
        if (run.are_done[i])
            measurements[run.places[i]] = run.measurements[i];
    return is_done;
}

static bool measure(struct arena *arena, const struct arguments *arguments, const struct pack *pack,
                    const struct host *host, struct bench *bench, int *status, struct fail *fail) {
    struct results results;
    struct bench_measurement *measurements = ARENA_ARRAY(arena, struct bench_measurement, pack->n_programs);
    for (size_t i = 0; i < pack->n_programs; i++)
        measurements[i].outcome = BENCH_STOPPED; // not measured yet
    if (!results_open(&results, arena, arguments->output, arguments->wants_json, host, bench, fail))
        return false;
    bool is_named = !bench_clock_counts(bench->clock); // in its note
    if (!arguments->wants_json)
        screen_print_sentence(arena_printf(arena, "%s, Linux %s, CPU %d: %s%s%s", host->cpu_name,
                                           host->kernel ? host->kernel : "", host->cpu,
                                           is_named ? "" : bench_clock_name(bench->clock), is_named ? "" : " clock, ",
                                           bench->clock_note),
                              stdout);
    bool is_done = measure_all(arena, bench, pack, measurements, &results, status, fail);
    clear_progress();
    if (!arguments->wants_json) // also what there is before a failure
        results_print(stdout, arena, pack, measurements);
    return results_close(&results, fail) && is_done;
}

// `status`: becomes FAIL_WORK where a program did not end well.
static bool run(struct arena *arena, const struct arguments *arguments, int *status, struct fail *fail) {
    struct pack pack;
    struct host host;
    struct bench bench;
    struct bench_chains chains = {0};
    struct target_wish wish = {arguments->bench.clock, arguments->events, arguments->n_events};
    if (!load(arena, arguments->pack, &pack, fail) || !find_chains(&pack, &chains, fail) ||
        !runner_read_host(arena, arguments->bench.cpu, &host, fail))
        return false;
    struct target *target = target_native_open(arena, host.cpu, &wish, fail);
    if (!target)
        return false;
    bool is_done = bench_open(&bench, arena, target, &arguments->bench, &chains, fail) &&
                   measure(arena, arguments, &pack, &host, &bench, status, fail);
    return is_done;
}

int main(int argc, char **argv) {
    struct arena arena = {0};
    struct fail fail = {0};
    struct arguments arguments;
    int status = 0;
    screen_set_up();
    if (parse(&arena, argc, argv, &arguments, &fail))
        run(&arena, &arguments, &status, &fail);
    if (fail.status != FAIL_NONE)
        fail_print(&fail, stderr);
    else if (fflush(stdout) != 0 || ferror(stdout))
        fail_set(&fail, FAIL_WORK, "cannot write to standard output");
    arena_free(&arena);
    return fail.status != FAIL_NONE ? (int)fail.status : status;
}
