// The runner: measures a pack of programs where there is only a kernel, without libraries, assembler, models or
// privileges. It is one static executable, usually with its pack appended, of bench/ and base/ only.
#include "base/bytes.h"
#include "base/file.h"
#include "base/index.h"
#include "base/options.h"
#include "base/screen.h"
#include "bench/counters/event_name.h"
#include "bench/host/timer.h"
#include "bench/target.h"
#include "runner/own_host.h"
#include "runner/results.h"
#include "runner/resume.h"

#include <math.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

// Arguments as given.
static struct {
    struct option_count cpu;
    const char *clock, *frequency, *output, *pack;
    struct option_list events;
    double reference_cycles, retry_seconds, budget_ms;
    bool wants_json, is_resumed;
    double end_seconds;
} given = {.retry_seconds = 5};

static const struct option options[] = {
    {OPTION_COUNT, "cpu", "N", "Logical CPU to measure on. Default: the last of the fastest ones.", &given.cpu},
    {OPTION_TEXT, "clock", "CLOCK",
     "rdpmc, perf, ratio, or auto, the first of these that works; or time: seconds times the frequency. Default: auto.",
     &given.clock},
    {OPTION_TEXT, "frequency", "HZ", "The core's frequency, for --clock time: 1GHz, 480MHz.", &given.frequency},
    {OPTION_LIST, "events", "EVENT,...", "Also count these hardware events: raw numbers (r1b), or PMU/event=0x1b/.",
     &given.events},
    {OPTION_NUMBER, "reference-cycles", "N",
     "Cycles of a dependent add on this core, the ratio clock's unit: 2 on a MIPS 74K. Default: 1.",
     &given.reference_cycles},
    {OPTION_AMOUNT, "budget", "S", "Spend up to S seconds on measuring again what others spoilt. Default: 5.",
     &given.retry_seconds},
    {OPTION_NUMBER, "attempt", "MS", "Compute at most MS milliseconds on a value. Default: 200.", &given.budget_ms},
    {OPTION_FLAG, "json", NULL, "Print JSON Lines instead of a table.", &given.wants_json},
    {OPTION_STREAM, "output", "FILE", "Also append the measurements to FILE, as JSON Lines.", &given.output},
    {OPTION_FLAG, "resume", NULL,
     "With --output: measure only what FILE lacks, or holds as unstable, of this CPU; for a run that was killed or "
     "ended.",
     &given.is_resumed},
    {OPTION_AMOUNT, "end", "S", "End the run after S seconds; --resume does the rest. Default: 0, no end.",
     &given.end_seconds},
    {OPTION_TEXT, "pack", "FILE", "Measure the programs of this pack instead.", &given.pack},
    {0},
};

static const struct command command = {
    "RUNNER",
    "[options]",
    "Measures the programs that are packed into this file, and prints their cycles.\n"
    "\n"
    "Exit status: 0 done; 1 the work failed, or a program did not end well; 2 the\n"
    "command line or this file is wrong; 77 this machine cannot measure.\n"
    "\n",
    NULL,
    options,
};

struct arguments {
    struct bench_options bench;
    const char *events[TARGET_MAX_EVENTS];
    unsigned n_events;
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

static double end_at; // s, as timer_seconds; 0: no end

static bool is_at_end(void) {
    return end_at > 0 && timer_seconds() >= end_at;
}

static bool add_events(struct arena *arena, struct arguments *arguments, const char *list, struct fail *fail) {
    for (struct slice event; event_name_next(&list, &event);) {
        if (arguments->n_events == TARGET_MAX_EVENTS)
            return fail_set(fail, FAIL_INPUT, "at most %d events", TARGET_MAX_EVENTS);
        arguments->events[arguments->n_events++] = arena_copy(arena, event.data, event.length);
    }
    return true;
}

static bool read_arguments(struct arena *arena, struct arguments *arguments, struct fail *fail) {
    enum { MOST_CPUS = 1 << 16 };
    struct bench_options *bench = &arguments->bench;
    *arguments = (struct arguments){.bench = {.cpu = given.cpu.is_given ? (int)given.cpu.value : -1,
                                              .budget_ms = given.budget_ms,
                                              .frequency_source = "as given",
                                              .retry_seconds = given.retry_seconds,
                                              .reference_cycles = given.reference_cycles}};
    if (given.cpu.value >= MOST_CPUS)
        return fail_set(fail, FAIL_INPUT, "there is no CPU %lu", given.cpu.value);
    if (given.is_resumed && !given.output)
        return fail_set(fail, FAIL_INPUT, "--resume goes on in a file: name it with --output");
    if (given.end_seconds > 0) {
        end_at = timer_seconds() + given.end_seconds;
        bench->is_stopped = is_at_end;
    }
    for (size_t i = 0; i < given.events.n_items; i++)
        if (!add_events(arena, arguments, given.events.items[i], fail))
            return false;
    if (!bench_read_clock(given.clock, given.frequency, bench, fail))
        return false;
    bench->needs_counters = arguments->n_events > 0;
    return !bench->needs_counters || bench_clock_counts(bench->clock) ||
           fail_set(fail, FAIL_INPUT, "--events needs hardware counters, and --clock %s uses none", given.clock);
}

// Parses the command line. Returns false where there is nothing to do: it printed the help, or fails at a mistake.
static bool parse(struct arena *arena, int argc, char **argv, struct arguments *arguments, struct fail *fail) {
    struct command own = command;
    struct operands operands = {0};
    own.name = argv[0];
    if (options_parse(arena, &own, argc, argv, &operands, fail) != OPTIONS_OK)
        return false;
    if (operands.n_items)
        return fail_set(fail, FAIL_INPUT, "unknown operand '%s': a bundle takes options only; see --help",
                        operands.items[0]);
    return read_arguments(arena, arguments, fail);
}

// Reads the file of this process. Without /proc, as in a small chroot, uses the path that started it.
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

// Finds the program of a role. Returns false where the pack has none.
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

// State of measuring the programs of a pack.
struct pack_run {
    const struct pack *pack;
    const struct results *results;
    bool has_no_order;                      // each is written at once: what is killed then loses least
    size_t n;                               // number of programs to measure
    size_t *places;                         // index of each in the pack
    size_t *batch;                          // of them, those that are measured together now
    size_t *families;                       // of each: the first one with its family
    bool *are_lacking;                      // of a family, by that number: this CPU lacks its instruction
    bool *are_pending;                      // of each program in the pack: it is in the batch
    double *cycles;                         // likewise, as far as they are known; NAN: they are not
    const struct bench_measurement *values; // of the batch
    struct bench_measurement *measurements; // of each program
    bool *are_done;
    size_t n_done, n_written; // numbers of those done, in any order, and written, in the pack's order
    int *status;
};

static void clear_progress(void) {
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static void show_progress(const struct pack_run *run) {
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

// Reports a program that did not end well, as `cyclops run` does. The others go on.
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

static bool write_result(const struct pack_run *run, size_t index, struct fail *fail) {
    if (run->measurements[index].outcome == BENCH_STOPPED) // not wanted
        return true;
    return results_write(run->results, run->pack->isa, &run->pack->programs[run->places[index]],
                         &run->measurements[index], fail);
}

// Writes what is finished, in the pack's order. A program that was written before was measured again: the last line
// counts.
static bool finish(void *context, size_t in_batch, struct fail *fail) {
    struct pack_run *run = context;
    size_t index = run->batch[in_batch];
    bool is_written = true;
    run->measurements[index] = run->values[in_batch];
    run->are_pending[run->places[index]] = false;
    if (run->measurements[index].outcome == BENCH_STOPPED)
        return true;
    if (run->measurements[index].outcome == BENCH_OK)
        run->cycles[run->places[index]] = run->measurements[index].cycles;
    if (!run->are_done[index])
        take_outcome(&run->pack->programs[run->places[index]], run->measurements[index].outcome, run->status);
    run->n_done += !run->are_done[index];
    run->are_done[index] = true;
    run->are_lacking[run->families[index]] |= run->measurements[index].outcome == BENCH_SIGILL;
    show_progress(run);
    if (run->has_no_order)
        return write_result(run, index, fail);
    if (index < run->n_written)
        is_written = write_result(run, index, fail);
    while (is_written && run->n_written < run->n && run->are_done[run->n_written])
        is_written = write_result(run, run->n_written++, fail);
    return is_written;
}

// The kernels of a form of an instruction have its name up to a dot.
static struct slice family_of(const struct pack_program *program) {
    return (struct slice){program->kernel, strcspn(program->kernel, ".")};
}

static bool is_same_family(const struct pack_program *a, const struct pack_program *b) {
    return slice_equals(family_of(a), family_of(b));
}

// Lists the programs to measure. Where they are many, the first one of each family comes before all others. Those with
// conditions come behind what these are about.
static void list_programs(struct arena *arena, const bool *are_taken, struct pack_run *run) {
    const struct pack *pack = run->pack;
    struct index index = {.arena = arena};
    size_t *firsts = ARENA_ARRAY(arena, size_t, pack->n_programs), n = 0; // of each program: the first of its family
    for (size_t i = 0; i < pack->n_programs; i++) {
        struct slice family = family_of(&pack->programs[i]);
        uint64_t hash = bytes_hash(family.data, family.length);
        firsts[i] = i;
        if (pack->programs[i].role || are_taken[i])
            continue;
        for (size_t place = 0, found; firsts[i] == i && (found = index_next(&index, hash, &place)) != INDEX_END;)
            if (is_same_family(&pack->programs[found], &pack->programs[i]))
                firsts[i] = found;
        if (firsts[i] == i)
            index_add(&index, hash, i);
    }
    for (unsigned turn = 0; turn < 3; turn++)
        for (size_t i = 0; i < pack->n_programs; i++) {
            unsigned own = pack->programs[i].n_cases ? 2 : run->has_no_order && firsts[i] != i;
            if (pack->programs[i].role || are_taken[i] || own != turn)
                continue;
            run->families[n] = firsts[i];
            run->places[n++] = i;
        }
    run->n = n;
}

static bool waits_for(const struct bench_rule *rule, const bool *are_pending) {
    for (unsigned i = 0; i < rule->n_terms; i++)
        if (are_pending[rule->terms[i].program])
            return true;
    return false;
}

// Whether a case of the program depends on one that is measured now.
static bool is_undecided(const struct pack_run *run, const struct pack_program *program) {
    for (size_t i = 0; i < program->n_cases; i++)
        if (waits_for(&program->cases[i].own, run->are_pending) ||
            waits_for(&run->pack->rules[program->cases[i].rule], run->are_pending))
            return true;
    return false;
}

static bool is_wanted(const struct pack *pack, const struct pack_program *program, const double *cycles) {
    return !program->n_cases || bench_case_holds(pack->rules, program->cases, program->n_cases, cycles);
}

// Chooses those that are measured together next, from number `next` on. Of a form that this CPU lacks, no further
// program runs: each would cost some processes.
static bool choose_batch(struct pack_run *run, size_t most, size_t *next, size_t *n_batch, struct fail *fail) {
    for (*n_batch = 0; *next < run->n && *n_batch < most; ++*next) {
        const struct pack_program *program = &run->pack->programs[run->places[*next]];
        if (is_undecided(run, program))
            break;
        if (!is_wanted(run->pack, program, run->cycles)) {
            run->n_done++;
            run->are_done[*next] = true;
            run->measurements[*next].outcome = BENCH_STOPPED;
            continue;
        }
        run->batch[*n_batch] = *next;
        if (!run->has_no_order || !run->are_lacking[run->families[*next]]) {
            run->are_pending[run->places[*next]] = true;
            ++*n_batch;
            continue;
        }
        run->measurements[*next] = (struct bench_measurement){
            .outcome = BENCH_SIGILL, .verdict = MEASURED_UNSTABLE, .why = bench_outcome_name(BENCH_SIGILL)};
        run->n_done++;
        run->are_done[*next] = true;
        if (!write_result(run, *next, fail))
            return false;
    }
    return true;
}

// A run that may be killed has few programs in hand: those that take turns are finished together.
enum { RESUMED_TOGETHER = 64 };

static bool measure_all(struct arena *arena, struct bench *bench, const struct pack *pack, const struct resume *known,
                        struct bench_measurement *measurements, const struct results *results,
                        int *status, // NOLINT(readability-non-const-parameter): struct pack_run writes it
                        struct fail *fail) {
    struct pack_run run = {.pack = pack,
                           .has_no_order = given.is_resumed,
                           .status = status,
                           .results = results,
                           .places = ARENA_ARRAY(arena, size_t, pack->n_programs),
                           .batch = ARENA_ARRAY(arena, size_t, pack->n_programs),
                           .families = ARENA_ARRAY(arena, size_t, pack->n_programs),
                           .are_pending = ARENA_ARRAY(arena, bool, pack->n_programs),
                           .cycles = known->cycles,
                           .are_lacking = ARENA_ARRAY(arena, bool, pack->n_programs),
                           .measurements = ARENA_ARRAY(arena, struct bench_measurement, pack->n_programs),
                           .are_done = ARENA_ARRAY(arena, bool, pack->n_programs)};
    const struct bench_listener listener = {&run, finish, show_waiting};
    list_programs(arena, known->are_taken, &run);
    show_progress(&run);
    size_t most = given.is_resumed ? RESUMED_TOGETHER : run.n, n;
    struct bench_code *codes = ARENA_ARRAY(arena, struct bench_code, most);
    struct bench_measurement *values = ARENA_ARRAY(arena, struct bench_measurement, most);
    bool is_done = true;
    for (size_t next = 0; is_done && next < run.n && !is_at_end();) {
        is_done = choose_batch(&run, most, &next, &n, fail);
        for (size_t i = 0; i < n; i++)
            codes[i] = pack->programs[run.places[run.batch[i]]].code;
        run.values = values;
        is_done = is_done && (n == 0 || bench_measure(bench, codes, values, n, &listener, fail));
    }
    if (is_done && run.n_done < run.n)
        fprintf(stderr, "cyclops: the time is over: %zu of %zu measured; --resume does the rest\n", run.n_done, run.n);
    for (size_t i = 0; i < run.n; i++)
        if (run.are_done[i])
            measurements[run.places[i]] = run.measurements[i];
    return is_done;
}

static bool measure(struct arena *arena, const struct pack *pack, const struct host *host, struct bench *bench,
                    int *status, struct fail *fail) {
    struct results results;
    struct bench_measurement *measurements = ARENA_ARRAY(arena, struct bench_measurement, pack->n_programs);
    struct resume known = {ARENA_ARRAY(arena, bool, pack->n_programs), ARENA_ARRAY(arena, double, pack->n_programs), 0};
    for (size_t i = 0; i < pack->n_programs; i++) {
        measurements[i].outcome = BENCH_STOPPED; // until it is measured
        known.cycles[i] = NAN;
    }
    if (given.is_resumed && !resume_read(arena, given.output, pack, host, bench, &known, fail))
        return false;
    size_t n = 0;
    for (size_t i = 0; i < pack->n_programs; i++)
        n += !pack->programs[i].role && (known.are_taken[i] || is_wanted(pack, &pack->programs[i], known.cycles));
    if (known.n_taken)
        fprintf(stderr, "cyclops: '%s' holds %zu of %zu values\n", given.output, known.n_taken, n);
    if (known.n_taken == n)
        return true;
    if (!results_open(&results, arena, given.output, given.wants_json, host, bench, fail))
        return false;
    bool is_named = !bench_clock_counts(bench->clock); // in its note
    if (!given.wants_json)
        screen_print_sentence(arena_printf(arena, "%s, Linux %s, CPU %d: %s%s%s", host->cpu_name,
                                           host->kernel ? host->kernel : "", host->cpu,
                                           is_named ? "" : bench_clock_name(bench->clock), is_named ? "" : " clock, ",
                                           bench->clock_note),
                              stdout);
    bool is_done = measure_all(arena, bench, pack, &known, measurements, &results, status, fail);
    clear_progress();
    if (!given.wants_json) // prints results even after a failure
        results_print(stdout, arena, pack, measurements);
    return results_close(&results, fail) && is_done;
}

// Runs the command. Sets `status` to FAIL_WORK where a program did not end well.
static bool run(struct arena *arena, const struct arguments *arguments, int *status, struct fail *fail) {
    struct pack pack;
    struct host host;
    struct bench bench;
    struct bench_chains chains = {0};
    struct target_request request = {arguments->bench.clock, arguments->events, arguments->n_events};
    if (!load(arena, given.pack, &pack, fail) || !find_chains(&pack, &chains, fail) ||
        !runner_read_host(arena, arguments->bench.cpu, &host, fail))
        return false;
    struct target *target = target_native_open(arena, host.cpu, &request, fail);
    if (!target)
        return false;
    if (bench_open(&bench, arena, target, &arguments->bench, &chains, fail))
        return measure(arena, &pack, &host, &bench, status, fail);
    if (!is_at_end())
        return false;
    fail_clear(fail);
    return fail_set(fail, FAIL_UNAVAILABLE, "the time was over before the clock was calibrated: --end is too short");
}

int main(int argc, char **argv) {
    struct arena arena = {0};
    struct fail fail = {0};
    struct arguments arguments = {0};
    int status = 0;
    file_guard_standard();
    screen_set_up();
    if (parse(&arena, argc, argv, &arguments, &fail))
        run(&arena, &arguments, &status, &fail);
    if (fail.status != FAIL_NONE)
        fail_print(&fail, stderr);
    else if (fflush(stdout) != 0 || ferror(stdout))
        fail_set(&fail, FAIL_INPUT, "cannot write to standard output");
    arena_free(&arena);
    return fail.status != FAIL_NONE ? (int)fail.status : status;
}
