// A loop's state, copied from a running program and replayed: the same path, and its cycles.
#include "hot/replay.h"

#include "hot/stop.h"
#include "hot/testing_lab.h"
#include "hot/trace.h"
#include "hot/ways.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(__x86_64__)

static struct arena arena;
static struct lab lab;
static bool has_lab;

static int open_lab(void **state) {
    static const char *none[] = {"none"};
    struct fail fail = {0};
    const struct lab_options options = {.isa = isa_find("x86_64"),
                                        .target = "native",
                                        .cpus = {none, 1},
                                        .bench = {.cpu = -1, .clock = CLOCK_RATIO, .budget_ms = 100}};
    struct program *programs[N_CHAINS];
    (void)state;
    if (!lab_open(&lab, &arena, &options, &fail))
        return -1;
    has_lab = true;
    if (gen_assemble(&arena, programs, chains_list(lab.chains, programs), &fail) && lab_start(&lab, &options, &fail) &&
        decoder_open(&lab.decoder, &arena, lab.isa, NULL, &fail))
        return 0;
    fail_print(&fail, stderr);
    return -1;
}

static int close_lab(void **state) {
    (void)state;
    if (has_lab)
        lab_close(&lab);
    arena_free(&arena);
    return 0;
}

static struct hot_replay replay_some(const char *name, size_t most_steps, struct hot_state **state) {
    struct testing_target target;
    struct hot_replay replay;
    struct fail fail = {0};
    testing_target_open(&target, name);
    struct testing_copy copy = testing_copy_state(&arena, &lab.decoder, &target, "once", most_steps);
    if (copy.why)
        fail_msg("%s: %s", name, copy.why);
    if (!hot_replay_run(&lab, (const struct hot_state *[]){copy.state}, 1, &replay, &fail))
        fail_msg("%s", fail.text);
    if (replay.why)
        fail_msg("%s: %s", name, replay.why);
    *state = copy.state;
    return replay;
}

static struct hot_replay replay(const char *name, struct hot_state **state) {
    return replay_some(name, 4000, state);
}

// A chain of multiplications takes three times as long as one of adds, on all CPUs that this runs on.
static void measures_chains(void **context) {
    struct hot_state *state;
    struct hot_replay adds = replay("adds", &state), multiply = replay("multiply", &state);
    (void)context;
    assert_int_equal(adds.stop, HOT_STOP_COUNT);
    assert_true(adds.turns > 20);
    if (adds.measurement.verdict == MEASURED_UNSTABLE || multiply.measurement.verdict == MEASURED_UNSTABLE) {
        print_message("unstable: %s\n", adds.measurement.why ? adds.measurement.why : multiply.measurement.why);
        skip();
    }
    print_message("%.3f to %.3f, %.3f to %.3f cycles\n", adds.low, adds.high, multiply.low, multiply.high);
    assert_true(adds.low > 0.9 && adds.high < 1.15);
    assert_true(multiply.low > 2.7 && multiply.high < 3.3);
}

// It adds to words in place: each replay finds the same ones.
static void restores_memory(void **context) {
    struct hot_state *state;
    struct hot_replay store = replay("store", &state);
    struct model model;
    struct execution execution;
    struct fail fail = {0};
    const struct backend_options options = {
        .triple = "x86_64-linux-gnu", .cpu = "skylake", .output_syntax = -1, .addresses = true};
    (void)context;
    assert_string_equal(store.level, "L1");
    assert_true(store.n_bytes >= store.turns * sizeof(uint64_t));
    assert_int_equal(store.n_branches, 1);
    assert_true(model_open(&model, &arena, NULL, &options, &fail));
    assert_true(hot_replay_execution(&arena, &model, state, store.n_steps, &execution, &fail));
    assert_int_equal(execution.n_steps, store.n_steps);
    assert_int_equal(execution.block->n_insns, 4);
    assert_int_equal(execution.steps[0].n_accesses, 2); // a load and a store, at the first word
    assert_true(execution.steps[0].accesses[1].is_store && execution.steps[0].accesses[1].is_known);
    assert_int_equal(execution.steps[4].accesses[0].address, execution.steps[0].accesses[0].address + sizeof(uint64_t));
    model_close(&model);
}

// Neither its registers nor its way show when it ends.
static void ends_by_a_counter(void **context) {
    struct hot_state *state;
    struct hot_replay down = replay("down", &state);
    (void)context;
    assert_int_equal(down.stop, HOT_STOP_CELL);
    assert_true(down.turns > 100);
    assert_non_null(strstr(down.doubt, "the counter that ends it"));
    assert_int_equal(down.measurement.verdict, MEASURED_UNSTABLE); // a turn of the loop itself takes a cycle
}

// What the steps of a target's loop do, without a replay.
static struct ways find_ways(const char *name, struct stop *stop) {
    struct testing_target target;
    struct trace trace;
    struct ways ways;
    testing_target_open(&target, name);
    struct testing_copy copy = testing_copy_state(&arena, &lab.decoder, &target, "once", 12000);
    if (copy.why)
        fail_msg("%s: %s", name, copy.why);
    assert_null(trace_open(&trace, &arena, &lab.decoder, copy.state));
    assert_null(stop_choose(&arena, &trace, stop));
    ways_find(&arena, &trace, stop, &ways);
    return ways;
}

// Misses a turn: of a branch that nothing can know, half of its executions; of one that is taken once in eight, that
// one, and a little more of a counter of two bits; of loops that make the same turns each time, none. On a busy machine
// few steps are copied.
static void counts_ways(void **context) {
    static const struct {
        const char *name;
        double low, high;
        size_t n_branches;
    } targets[] = {
        {"random", 0.40, 0.56, 2}, {"random-8", 0.09, 0.19, 2}, {"nested", 0, 0.01, 2}, {"calls", 0, 0.01, 1}};
    static const uint64_t fewest = 1000;
    unsigned n_checked = 0;
    (void)context;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct stop stop;
        const struct ways ways = find_ways(targets[i].name, &stop);
        double missed = 0;
        assert_int_equal(ways.n_branches, targets[i].n_branches);
        for (size_t k = 0; k < ways.n_branches; k++)
            missed += ways.branches[k].mispredicted;
        if (stop.turns < fewest && stop.n_steps < 10 * fewest)
            continue;
        n_checked++;
        if (missed < targets[i].low || missed > targets[i].high)
            fail_msg("%s: %g mispredicted branches a turn", targets[i].name, missed);
    }
    if (!n_checked) {
        print_message("unstable: this machine was too busy to step through the loops\n");
        skip();
    }
}

// Lines that turns touch: a word each, one behind the other; or a line each.
static void counts_lines(void **context) {
    enum { LINE_WORDS = 8 };
    struct stop stop;
    (void)context;
    struct ways ways = find_ways("sum", &stop);
    assert_true(ways.n_lines >= stop.turns / LINE_WORDS && ways.n_lines <= stop.turns / LINE_WORDS + 2);
    ways = find_ways("walk-1M", &stop);
    assert_true(ways.n_lines + 1 >= stop.turns && ways.n_lines <= stop.turns + 1);
    assert_true(ways.split == 0 && ways.crossing == 0 && ways.forwarded == 0);
}

static void names_what_cannot_be_replayed(void **context) {
    struct testing_target target;
    struct hot_replay replayed;
    struct fail fail = {0};
    (void)context;
    testing_target_open(&target, "system");
    struct testing_copy copy = testing_copy_state(&arena, &lab.decoder, &target, "once", 4000);
    assert_non_null(copy.state);
    assert_true(hot_replay_run(&lab, (const struct hot_state *[]){copy.state}, 1, &replayed, &fail));
    assert_non_null(replayed.why);
    testing_target_open(&target, "sum");
    copy = testing_copy_state(&arena, &lab.decoder, &target, "once", 4000);
    assert_non_null(copy.state);
    copy.state->registers.general[7] ^= UINT64_C(1) << 40; // it begins elsewhere: where nothing is
    assert_true(hot_replay_run(&lab, (const struct hot_state *[]){copy.state}, 1, &replayed, &fail));
    assert_non_null(strstr(replayed.why, "another path"));
}

// As of another CPU: an instruction that no CPU of today has, and a register that none has.
static void names_what_this_cpu_lacks(void **context) {
    enum { HEADER = 512, MASKS = 5, ADD_BYTES = 3 };
    static const uint8_t xstore[ADD_BYTES] = {0x0f, 0xa7, 0xc0};
    struct testing_target target;
    struct hot_replay replayed;
    struct fail fail = {0};
    (void)context;
    testing_target_open(&target, "adds");
    struct testing_copy copy = testing_copy_state(&arena, &lab.decoder, &target, "once", 4000);
    assert_non_null(copy.state);
    uint8_t *xsave = (uint8_t *)arena_copy(&arena, (const char *)copy.state->xsave, copy.state->n_xsave);
    struct segment *pages = ARENA_ARRAY(&arena, struct segment, copy.state->n_pages);
    memcpy(pages, copy.state->pages, copy.state->n_pages * sizeof *pages);
    copy.state->xsave = xsave;
    copy.state->pages = pages;
    for (size_t i = 0; i < copy.state->n_pages; i++) {
        struct segment *page = &pages[i];
        uint8_t *bytes = (uint8_t *)arena_copy(&arena, (const char *)page->bytes, page->n_bytes);
        if (copy.state->head >= page->address && copy.state->head - page->address < page->n_bytes - ADD_BYTES) {
            memcpy(bytes + (copy.state->head - page->address), xstore, ADD_BYTES);
            page->bytes = bytes;
        }
    }
    assert_true(hot_replay_run(&lab, (const struct hot_state *[]){copy.state}, 1, &replayed, &fail));
    if (!replayed.why || !strstr(replayed.why, "lacks an instruction"))
        fail_msg("%s", replayed.why ? replayed.why : "it is replayed");
    if (copy.state->layout.at[VECTOR_MASKS])
        return; // this CPU has all registers that are known
    xsave[HEADER] |= 1 << MASKS;
    assert_true(hot_replay_run(&lab, (const struct hot_state *[]){copy.state}, 1, &replayed, &fail));
    assert_non_null(strstr(replayed.why, "lacks registers"));
}

// ---- the truth, for people: replay_test --truth

// What the program's time may have that the replay's has not, by what the replay counts.
static const char *laid_to(const struct hot_replay *replay) {
    double mispredicted = 0;
    for (size_t i = 0; i < replay->n_branches; i++)
        mispredicted += replay->branches[i].mispredicted;
    if (strcmp(replay->level, "L1") != 0)
        return arena_printf(&arena, "caches: its turns touch %zu KiB, %s", replay->n_bytes >> 10, replay->level);
    return mispredicted > 0.02 ? arena_printf(&arena, "branches: %.2f mispredicted a turn", mispredicted) : "-";
}

static void print_truth(void) {
    static const char *const names[] = {"adds",     "multiply", "double",   "sum",          "store",
                                        "down",     "select",   "table",    "forward",      "nested",
                                        "calls",    "walk",     "divide-7", "divide-large", "walk-1M",
                                        "walk-64M", "sum-1M",   "random",   "random-8",     "random-1M"};
    printf("%-12s %8s %8s %6s  %-17s %-8s %5s  laid to\n", "loop", "program", "replay", "ratio", "interval", "verdict",
           "turns");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct testing_target target;
        struct hot_state *state;
        struct hot_replay value = replay_some(names[i], 0, &state);
        testing_target_open(&target, names[i]);
        struct testing_copy alone = testing_run_alone(&arena, &target, "time");
        const double truth = strtod(alone.printed, NULL);
        if (!(value.cycles_per_turn > 0)) { // the host left no clean round
            printf("%-12s %8.3f  no value: %s\n", names[i], truth,
                   value.measurement.why ? value.measurement.why : bench_verdict_name(value.measurement.verdict));
            continue;
        }
        const char *interval = arena_printf(&arena, "%.3f to %.3f", value.low, value.high);
        printf("%-12s %8.3f %8.3f %6.3f  %-17s %-8s %5llu  %s\n", names[i], truth, value.cycles_per_turn,
               value.cycles_per_turn / truth, interval, bench_verdict_name(value.measurement.verdict),
               (unsigned long long)value.turns, laid_to(&value));
        fflush(stdout);
    }
}

int main(int argc, char **argv) {
    int status = testing_targets_main(argc, argv);
    if (status >= 0)
        return status;
    if (argc > 1 && strcmp(argv[1], "--truth") == 0) {
        if (open_lab(NULL) != 0)
            return 1;
        print_truth();
        return close_lab(NULL);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_chains),
        cmocka_unit_test(restores_memory),
        cmocka_unit_test(ends_by_a_counter),
        cmocka_unit_test(counts_ways),
        cmocka_unit_test(counts_lines),
        cmocka_unit_test(names_what_cannot_be_replayed),
        cmocka_unit_test(names_what_this_cpu_lacks),
    };
    return cmocka_run_group_tests(tests, open_lab, close_lab);
}

#else
int main(void) {
    return 77;
}
#endif
