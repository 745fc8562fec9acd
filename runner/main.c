// The runner: measures a pack of programs where there is nothing but a kernel: no libraries, no assembler, no models,
// no privileges. One static executable, usually with its pack appended; it knows bench/ and base/ only.
#include "base/file.h"
#include "bench/target.h"
#include "runner/host.h"
#include "runner/results.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: %s [options]\n"
    "Measures the programs that were packed into this file, and prints their cycles.\n"
    "  --cpu N         logical CPU to measure on\n"
    "  --clock CLOCK   rdpmc, perf, ratio, or auto: the first of these that works;\n"
    "                  or time: seconds times the frequency\n"
    "  --frequency HZ  of the core, for --clock time: 1GHz, 480MHz\n"
    "  --events E,...  also count these hardware events: raw numbers (r1b), or PMU/event=0x1b/\n"
    "  --budget MS     spend at most MS milliseconds on a measurement\n"
    "  --output FILE   also append the measurements to FILE, as JSON Lines\n"
    "  --pack FILE     measure the programs of this pack instead\n";

struct arguments {
    struct bench_options bench;
    const char *events[TARGET_MAX_EVENTS];
    unsigned n_events;
    const char *output, *pack;
};

// The commas between slashes are the event's own: armv8_pmuv3/event=0x1b,long/.
static bool add_events(struct arena *arena, struct arguments *arguments, const char *list, struct fail *fail) {
    bool is_inside = false;
    for (const char *start = list, *c = list;; c++) {
        is_inside ^= *c == '/';
        if (*c != '\0' && (*c != ',' || is_inside))
            continue;
        if (c > start && arguments->n_events == TARGET_MAX_EVENTS)
            return fail_set(fail, FAIL_INPUT, "at most %d events", TARGET_MAX_EVENTS);
        if (c > start)
            arguments->events[arguments->n_events++] = arena_copy(arena, start, (size_t)(c - start));
        if (*c == '\0')
            return true;
        start = c + 1;
    }
}

static bool parse_number(const char *text, double *number, struct fail *fail) {
    char *end;
    *number = strtod(text, &end);
    return (end != text && !*end && *number >= 0 && *number < 1e6) ||
           fail_set(fail, FAIL_INPUT, "'%s' is no number that can be meant here", text);
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
               fail_set(fail, FAIL_INPUT, "'%s' is no frequency: write 1.66GHz, 480MHz or a number of Hz", optarg);
    case 'e':
        return add_events(arena, arguments, optarg, fail);
    case 'b':
        return parse_number(optarg, &arguments->bench.budget_ms, fail);
    case 'o':
        arguments->output = optarg;
        return true;
    case 'p':
        arguments->pack = optarg;
        return true;
    default:
        return fail_set(fail, FAIL_INPUT, "see --help");
    }
}

static bool parse(struct arena *arena, int argc, char **argv, struct arguments *arguments, struct fail *fail) {
    static const struct option options[] = {
        {"cpu", required_argument, NULL, 'u'},
        {"clock", required_argument, NULL, 'c'},
        {"events", required_argument, NULL, 'e'},
        {"budget", required_argument, NULL, 'b'},
        {"output", required_argument, NULL, 'o'},
        {"pack", required_argument, NULL, 'p'},
        {"frequency", required_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    *arguments = (struct arguments){.bench = {.cpu = -1}};
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
    return optind == argc || fail_set(fail, FAIL_INPUT, "'%s' is not understood; see --help", argv[optind]);
}

static bool load(struct arena *arena, const char *path, struct pack *pack, struct fail *fail) {
    char *data;
    const char *text;
    size_t length;
    if (!file_read(arena, path ? path : "/proc/self/exe", &data, &length, fail))
        return false;
    text = data;
    if (!path && !pack_find(data, length, &text, &length))
        return fail_set(fail, FAIL_INPUT, "no programs were packed into this file; name a pack with --pack");
    return pack_read(arena, path ? path : "the pack", text, length, pack, fail);
}

static bool find_chains(const struct pack *pack, struct bench_chains *chains, struct fail *fail) {
    const struct {
        const char *role;
        struct bench_code *code;
    } wanted[] = {{"reference", &chains->reference}, {"multiply", &chains->multiply}, {"issue", &chains->issue}};
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
        for (size_t i = 0; i < pack->n_programs; i++)
            if (pack->programs[i].role && strcmp(pack->programs[i].role, wanted[w].role) == 0)
                *wanted[w].code = pack->programs[i].code;
        if (!wanted[w].code->bytes)
            return fail_set(fail, FAIL_INPUT, "the pack lacks the clock's chain '%s'", wanted[w].role);
    }
    return true;
}

static bool measure_all(struct arena *arena, struct bench *bench, const struct pack *pack,
                        struct bench_measurement *measurements, FILE *output, struct fail *fail) {
    for (size_t i = 0; i < pack->n_programs; i++) {
        const struct pack_program *program = &pack->programs[i];
        if (program->role)
            continue;
        fprintf(stderr, "measuring %s, %s\n", program->kernel, program->mode ? program->mode : "");
        if (!bench_measure(bench, &program->code, &measurements[i], fail))
            return false;
        if (output)
            results_write(output, arena, pack->isa, program, &measurements[i]);
    }
    return true;
}

static bool run(struct arena *arena, const struct arguments *arguments, struct fail *fail) {
    struct pack pack;
    struct host host;
    struct bench bench;
    struct bench_chains chains = {0};
    struct target_wish wish = {arguments->bench.clock, arguments->events, arguments->n_events};
    if (!load(arena, arguments->pack, &pack, fail) || !find_chains(&pack, &chains, fail) ||
        !runner_read_host(arena, arguments->bench.cpu, &host, fail))
        return false;
    FILE *output = arguments->output ? fopen(arguments->output, "ae") : NULL;
    if (arguments->output && !output)
        return fail_set(fail, FAIL_WORK, "cannot write '%s': %s", arguments->output, strerror(errno));
    struct target *target = target_native_open(arena, host.cpu, &wish, fail);
    if (!target || !bench_open(&bench, arena, target, &arguments->bench, &chains, fail))
        return false;
    printf("%s, Linux %s, CPU %d: %s clock, %s\n", host.cpu_name, host.kernel ? host.kernel : "", host.cpu,
           bench_clock_name(bench.clock), bench.clock_note);
    struct bench_measurement *measurements = ARENA_ARRAY(arena, struct bench_measurement, pack.n_programs);
    if (output)
        results_write_header(output, arena, &host, &bench);
    bool is_done = measure_all(arena, &bench, &pack, measurements, output, fail);
    if (is_done)
        results_print(stdout, arena, &pack, measurements);
    if (output && fclose(output) != 0)
        fail_set(fail, FAIL_WORK, "cannot write '%s'", arguments->output);
    target->ops->close(target);
    return is_done;
}

int main(int argc, char **argv) {
    struct arena arena = {0};
    struct fail fail = {0};
    struct arguments arguments;
    if (parse(&arena, argc, argv, &arguments, &fail))
        run(&arena, &arguments, &fail);
    if (fail.status != FAIL_NONE)
        fail_print(&fail, stderr);
    arena_free(&arena);
    return (int)fail.status;
}
