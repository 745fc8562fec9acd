#include "bench/record/journal.h"
#include "bench/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    struct fail fail;
    char folder[64];
    const char *path;
    struct host host;
    struct target target;
    struct bench bench;
    struct journal journal;
};

static int set_up(void **state) {
    static const char *const flags[] = {NULL};
    struct fixture *f = test_calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/cyclops-journal-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->path = arena_printf(&f->arena, "%s/run.jsonl", f->folder);
    f->host = (struct host){.cpu_name = "AMD EPYC", .vendor = "AuthenticAMD", .family = 25, .flags = flags};
    f->target = (struct target){.description = "native", .timer = "tsc", .ticks_per_second = 2.6e9};
    f->bench = (struct bench){
        .target = &f->target, .clock = CLOCK_RATIO, .options = {.precision = 0.002, .budget_ms = 200, .processes = 3}};
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    journal_close(&f->journal);
    unlink(f->path);
    rmdir(f->folder);
    arena_free(&f->arena);
    test_free(f);
    return 0;
}

// ±0.1 %, from three processes.
static struct record some_record(void) {
    static struct bench_event ten_instructions = {.name = "instructions", .count = 10};
    return (struct record){
        .kernel = "fma-zmm-ps",
        .isa = "x86_64",
        .mode = "throughput",
        .form = "looped",
        .streams = 8,
        .instructions = 10,
        .bytes = "62f2",
        .setup = "cbf29ce484222325",
        .measurement = {.cycles = 4,
                        .low = 3.996,
                        .high = 4.004,
                        .confidence = 0.99,
                        .verdict = MEASURED_WITHIN,
                        .clock = CLOCK_RATIO,
                        .samples = 24,
                        .processes = 3,
                        .n_events = 1,
                        .events = &ten_instructions},
    };
}

// A run of its own.
static void write_records(struct fixture *f, const struct record *records, size_t count) {
    FILE *out = record_open(f->path, &f->host, &f->bench, &f->fail);
    assert_non_null(out);
    for (size_t i = 0; i < count; i++)
        assert_true(record_write(out, &records[i], &f->fail));
    fclose(out);
}

static void read_again(struct fixture *f) {
    journal_close(&f->journal);
    assert_true(journal_read(&f->arena, f->path, NULL, &f->host, &f->bench, &f->journal, &f->fail));
}

static enum journal_state state_of(const struct fixture *f, const struct record *like) {
    static const struct journal_request nothing_more;
    const struct record *found;
    return journal_find(&f->journal, like, &nothing_more, &found);
}

// What the journal says of a program of which it holds only this.
static enum journal_state state_of_only(struct fixture *f, const struct record *record) {
    unlink(f->path);
    write_records(f, record, 1);
    read_again(f);
    return state_of(f, record);
}

// Others only slow, so of several unstable values the quickest counts. One that may be 0 is not a value.
static void the_quickest_unstable_value_is_found(void **state) {
    struct fixture *f = *state;
    static const double cycles[] = {4.2, 4.1, 3.5, 4.3};
    struct record records[4];
    for (unsigned i = 0; i < 4; i++) {
        records[i] = some_record();
        records[i].measurement.cycles = cycles[i];
        records[i].measurement.low = cycles[i] - 0.01;
        records[i].measurement.high = cycles[i] + 0.01;
        records[i].measurement.verdict = MEASURED_UNSTABLE;
        records[i].measurement.why = "noise";
    }
    records[2].measurement.clock_error = 2;
    records[3].measurement.verdict = MEASURED_WITHIN;
    records[3].measurement.why = NULL;
    read_again(f);
    assert_null(journal_quickest(&f->journal, &records[0]));
    write_records(f, records, 4);
    read_again(f);
    const struct record *found = journal_quickest(&f->journal, &records[0]);
    assert_non_null(found);
    assert_true(found->measurement.cycles == 4.1);
    records[0].bytes = "90";
    assert_null(journal_quickest(&f->journal, &records[0]));
}

static const struct record *read_best(struct fixture *f, unsigned *n) {
    struct record like = some_record();
    journal_close(&f->journal);
    assert_true(journal_read_elsewhere(&f->arena, f->path, &f->journal, &f->fail));
    return journal_best(&f->journal, &like, n);
}

// Of a file of another machine: the last stable value, however many unstable ones come behind it; else the quickest;
// else what ended the program.
static void the_best_is_found_elsewhere(void **state) {
    struct fixture *f = *state;
    struct record records[] = {some_record(), some_record(), some_record(), some_record()};
    unsigned n = 1;
    assert_null(read_best(f, &n)); // there is no file yet
    assert_int_equal(n, 0);
    f->host.cpu_name = "somebody else's";
    records[0].measurement = (struct bench_measurement){.outcome = BENCH_SIGSEGV, .clock = CLOCK_RATIO};
    write_records(f, records, 1);
    assert_int_equal(read_best(f, &n)->measurement.outcome, BENCH_SIGSEGV);
    for (unsigned i = 0; i < 3; i++) {
        records[i] = some_record();
        records[i].measurement.cycles = 3.998 + i * 0.001;
        records[i].measurement.verdict = MEASURED_UNSTABLE;
        records[i].measurement.why = "noise";
    }
    write_records(f, records, 3);
    assert_true(read_best(f, &n)->measurement.cycles == 3.998);
    assert_int_equal(n, 4);
    write_records(f, &records[3], 1);
    write_records(f, records, 1);
    assert_true(read_best(f, &n)->measurement.cycles == 4);
    assert_int_equal(n, 6);
    f->host.cpu_name = "a third one";
    write_records(f, records, 1);
    journal_close(&f->journal);
    assert_false(journal_read_elsewhere(&f->arena, f->path, &f->journal, &f->fail));
    assert_non_null(strstr(f->fail.text, "several machines"));
}

static void the_same_program_is_found(void **state) {
    struct fixture *f = *state;
    struct record records[] = {some_record(), some_record(), some_record()};
    records[1].streams = 9;
    records[2].measurement.cycles = 4.001; // later
    read_again(f);                         // there is no file yet
    assert_int_equal(state_of(f, &records[0]), JOURNAL_NOTHING);
    write_records(f, records, 3);
    read_again(f);
    const struct record *found = NULL;
    struct journal_request request = {0};
    assert_int_equal(journal_find(&f->journal, &records[0], &request, &found), JOURNAL_DONE);
    assert_true(found->measurement.cycles == 4.001);
    static const char *const events[] = {"instructions", "branches"};
    request = (struct journal_request){.events = events, .n_events = 1};
    assert_int_equal(journal_find(&f->journal, &records[0], &request, &found), JOURNAL_DONE);
    request.n_events = 2;
    assert_int_equal(journal_find(&f->journal, &records[0], &request, &found), JOURNAL_NOTHING);
    assert_null(found);
    request.n_events = 1;
    struct bench_event dropped = {.name = "instructions", .why = "all rounds that counted it were dropped"};
    records[2].measurement.events = &dropped;
    write_records(f, &records[2], 1); // later, and without a count: the one before it stands
    read_again(f);
    assert_int_equal(journal_find(&f->journal, &records[0], &request, &found), JOURNAL_DONE);
    assert_int_equal(found->run, 1);
    struct record other = records[1];
    assert_int_equal(state_of(f, &other), JOURNAL_DONE);
    other.bytes = "90";
    assert_int_equal(state_of(f, &other), JOURNAL_NOTHING);
    other = records[1];
    other.setup = "0000000000000001"; // the same code, other initial values
    assert_int_equal(state_of(f, &other), JOURNAL_NOTHING);
}

static void what_may_come_out_otherwise_is_not_done(void **state) {
    struct fixture *f = *state;
    struct record record = some_record();
    record.measurement.verdict = MEASURED_UNSTABLE;
    assert_int_equal(state_of_only(f, &record), JOURNAL_UNSTABLE);
    static const enum journal_state states[BENCH_N_OUTCOMES] = {
        [BENCH_OK] = JOURNAL_DONE,
        [BENCH_SIGILL] = JOURNAL_DONE,
        [BENCH_SIGSEGV] = JOURNAL_DONE,
        [BENCH_SIGBUS] = JOURNAL_DONE,
        [BENCH_SIGFPE] = JOURNAL_DONE,
        [BENCH_SIGTRAP] = JOURNAL_DONE,
        [BENCH_PROTECTION] = JOURNAL_DONE,
        [BENCH_PAGES] = JOURNAL_DONE,
        [BENCH_TIMEOUT] = JOURNAL_UNFINISHED,
        [BENCH_KILLED] = JOURNAL_UNFINISHED,
        [BENCH_SYSCALL] = JOURNAL_DONE,
        [BENCH_STACK] = JOURNAL_DONE,
        [BENCH_JUMP] = JOURNAL_DONE,
        [BENCH_PRIVILEGED] = JOURNAL_DONE,
        [BENCH_OVERWROTE] = JOURNAL_DONE,
        [BENCH_STARVED] = JOURNAL_UNFINISHED,
        [BENCH_STOPPED] = JOURNAL_UNFINISHED,
        [BENCH_LEFT_LOOP] = JOURNAL_DONE,
    };
    for (enum bench_outcome outcome = 0; outcome < BENCH_N_OUTCOMES; outcome++) {
        record = some_record();
        record.measurement.outcome = outcome;
        if (state_of_only(f, &record) != states[outcome])
            fail_msg("%s", bench_outcome_name(outcome));
    }
}

// The last measurement counts, whichever way it is worse or better.
static void the_later_one_counts(void **state) {
    struct fixture *f = *state;
    struct record good = some_record(), unstable = some_record();
    unstable.measurement.verdict = MEASURED_UNSTABLE;
    write_records(f, &unstable, 1);
    write_records(f, &good, 1);
    read_again(f);
    assert_int_equal(state_of(f, &good), JOURNAL_DONE);
    write_records(f, &unstable, 1);
    read_again(f);
    assert_int_equal(state_of(f, &good), JOURNAL_UNSTABLE);
}

// Of several looks at a program the fastest counts. A pass of first looks takes them for done; others do not.
static void the_fastest_look_counts(void **state) {
    struct fixture *f = *state;
    struct record looks[3], other = some_record();
    static const double cycles[] = {5, 4, 3};
    for (int i = 0; i < 3; i++) {
        looks[i] = some_record();
        looks[i].measurement.verdict = MEASURED_UNSTABLE;
        looks[i].measurement.look = i == 0 ? LOOK_FIRST : i == 1 ? LOOK_MOVED : LOOK_NONE; // the last is just unstable
        looks[i].measurement.cycles = looks[i].measurement.low = looks[i].measurement.high = cycles[i];
    }
    other.bytes = "90";
    other.measurement = looks[0].measurement;
    write_records(f, &other, 1);
    write_records(f, &looks[2], 1);
    write_records(f, looks, 2);
    read_again(f);
    struct bench_looks found = journal_looks(&f->arena, &f->journal, &looks[0]);
    assert_non_null(found.fastest);
    assert_float_equal(found.fastest->cycles, 4, 1e-9);
    assert_int_equal(found.n_modes, 0);
    assert_int_equal(state_of(f, &looks[0]), JOURNAL_UNSTABLE);
    f->bench.options.is_first_look = true;
    assert_int_equal(state_of(f, &looks[0]), JOURNAL_DONE);
    f->bench.options.is_first_look = false;
    other.bytes = "9090";
    found = journal_looks(&f->arena, &f->journal, &other);
    assert_null(found.fastest);
}

// Looks that two modes or a spread of processes make unstable are listed; the fastest look is another one. Where they
// were confirmed, the value is done, however wide its interval is.
static void looks_with_two_modes_are_listed(void **state) {
    struct fixture *f = *state;
    struct record modes = some_record(), first = some_record(), confirmed = some_record();
    modes.measurement.verdict = first.measurement.verdict = MEASURED_UNSTABLE;
    modes.measurement.look = LOOK_MODES;
    modes.measurement.modes[0] = (struct bench_mode){3, 0.5};
    modes.measurement.modes[1] = (struct bench_mode){4, 0.5};
    first.measurement.look = LOOK_FIRST;
    write_records(f, &modes, 1);
    write_records(f, &first, 1);
    modes.measurement.look = LOOK_SPREAD;
    write_records(f, &modes, 1);
    read_again(f);
    struct bench_looks found = journal_looks(&f->arena, &f->journal, &modes);
    assert_int_equal(found.n_modes, 2);
    assert_float_equal(found.modes[0]->modes[0].cycles, 3, 1e-9);
    assert_int_equal(found.fastest->look, LOOK_FIRST);
    assert_int_equal(state_of(f, &modes), JOURNAL_UNSTABLE);
    memcpy(confirmed.measurement.modes, modes.measurement.modes, sizeof modes.measurement.modes);
    confirmed.measurement.low = 3;
    assert_int_equal(state_of_only(f, &confirmed), JOURNAL_DONE);
}

static enum journal_state state_of_times(struct fixture *f, const struct record *like, unsigned n_stable) {
    const struct record *found;
    const struct journal_request request = {.n_stable = n_stable};
    return journal_find(&f->journal, like, &request, &found);
}

// A value may have to be stable at several times. Each of them is a look that the next one is held against.
static void values_are_stable_at_several_times(void **state) {
    struct fixture *f = *state;
    struct record slow = some_record(), fast = some_record(), moved = some_record(), other = some_record();
    fast.measurement.cycles = fast.measurement.low = fast.measurement.high = 0.9 * slow.measurement.cycles;
    moved.measurement.verdict = MEASURED_UNSTABLE;
    moved.measurement.look = LOOK_MOVED;
    other.bytes = "90";
    write_records(f, &slow, 1);
    write_records(f, &moved, 1); // not stable, so it does not count
    write_records(f, &fast, 1);
    write_records(f, &other, 1); // likewise, of another program
    read_again(f);
    assert_int_equal(state_of_times(f, &slow, 0), JOURNAL_DONE);
    assert_int_equal(state_of_times(f, &slow, 2), JOURNAL_DONE);
    assert_int_equal(state_of_times(f, &slow, 3), JOURNAL_SELDOM);
    struct bench_looks looks = journal_looks(&f->arena, &f->journal, &slow);
    assert_float_equal(looks.fastest->cycles, fast.measurement.cycles, 1e-9);
    write_records(f, &moved, 1);
    read_again(f);
    assert_int_equal(state_of_times(f, &slow, 3), JOURNAL_UNSTABLE);
}

static void two_speeds_are_seen_often_enough(void **state) {
    struct fixture *f = *state;
    struct record record = some_record();
    record.measurement.modes[0] = (struct bench_mode){3, 0.5};
    record.measurement.modes[1] = (struct bench_mode){4, 0.5};
    write_records(f, &record, 1);
    read_again(f);
    assert_int_equal(state_of_times(f, &record, 3), JOURNAL_DONE);
    assert_null(journal_looks(&f->arena, &f->journal, &record).fastest);
}

static void a_coarser_value_is_not_done(void **state) {
    struct fixture *f = *state;
    struct record record = some_record();
    struct bench_options asked = f->bench.options;
    assert_int_equal(state_of_only(f, &record), JOURNAL_DONE);
    f->bench.options.precision = 0.001; // which it has, though it was not asked for
    assert_int_equal(state_of(f, &record), JOURNAL_DONE);
    f->bench.options.precision = 0.0005;
    assert_int_equal(state_of(f, &record), JOURNAL_COARSE);
    f->bench.options = asked;
    f->bench.options.processes = 8;
    assert_int_equal(state_of(f, &record), JOURNAL_COARSE);
    f->bench.options = asked;
    const struct record *found;
    struct journal_request request = {.n_replicates = 3};
    assert_int_equal(journal_find(&f->journal, &record, &request, &found), JOURNAL_COARSE);
}

// Some values do not get as narrow as was asked for. With as much time again, they would not either.
static void as_much_effort_is_enough(void **state) {
    struct fixture *f = *state;
    struct record wide = some_record();
    wide.measurement.high = 4.03;
    assert_int_equal(state_of_only(f, &wide), JOURNAL_DONE);
    f->bench.options.budget_ms = 300;
    assert_int_equal(state_of(f, &wide), JOURNAL_COARSE);
    f->bench.options.budget_ms = 100;
    assert_int_equal(state_of(f, &wide), JOURNAL_DONE);
    f->bench.options.precision = 0.001;
    assert_int_equal(state_of(f, &wide), JOURNAL_COARSE);
}

static void another_place_is_told_apart(void **state) {
    struct fixture *f = *state;
    struct record record = some_record();
    f->host.cpu = 3;
    write_records(f, &record, 1);
    f->host.cpu = 1;
    read_again(f);
    assert_int_equal(state_of(f, &record), JOURNAL_NOTHING);
    assert_int_equal(f->journal.n_other_cpu, 1);
    assert_int_equal(f->journal.other_cpu, 3);
    assert_int_equal(f->journal.n_elsewhere, 0);
    assert_int_equal(record_cpu(f->journal.file->headers[0], &f->host), 3);
    f->host.cpu_name = "another CPU";
    read_again(f);
    assert_int_equal(state_of(f, &record), JOURNAL_NOTHING);
    assert_int_equal(f->journal.n_elsewhere, 1);
    assert_int_equal(f->journal.n_other_cpu, 0);
    assert_int_equal(record_cpu(f->journal.file->headers[0], &f->host), -1);
}

// An overlay file that was edited has the name it had.
static void another_model_of_a_simulated_cpu_is_another_target(void **state) {
    struct fixture *f = *state;
    struct record record = some_record();
    f->target.model = "overlay:mine 00000000000000ff";
    assert_int_equal(state_of_only(f, &record), JOURNAL_DONE);
    f->target.model = "overlay:mine 00000000000000fe";
    read_again(f);
    assert_int_equal(state_of(f, &record), JOURNAL_NOTHING);
    assert_int_equal(f->journal.n_elsewhere, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_program_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_best_is_found_elsewhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_quickest_unstable_value_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_may_come_out_otherwise_is_not_done, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_later_one_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(looks_with_two_modes_are_listed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_fastest_look_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_are_stable_at_several_times, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_speeds_are_seen_often_enough, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_coarser_value_is_not_done, set_up, tear_down),
        cmocka_unit_test_setup_teardown(as_much_effort_is_enough, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_place_is_told_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_model_of_a_simulated_cpu_is_another_target, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
