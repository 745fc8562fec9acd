// What sessions find is there for the next ones, and neither a glitch nor a neighbour who stays gets in for good.
#include "bench/measure/level_file.h"

#include "base/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))
enum { START = 1700000000 };

static const struct bench_chains chains = {
    .reference = {.bytes = (const uint8_t *)"r", .n_bytes = 1},
    .checks = {[CHECK_MULTIPLY] = {.bytes = (const uint8_t *)"m", .n_bytes = 1},
               [CHECK_ISSUE] = {.bytes = (const uint8_t *)"i", .n_bytes = 1},
               [CHECK_USES + USE_LOAD] = {.bytes = (const uint8_t *)"l", .n_bytes = 1}},
};

struct fixture {
    struct arena arena;
    struct host host;
    struct level_key key;
    const char *path;
    char folder[32];
    struct bench bench;
    struct bench_options options;
    struct fail fail;
    time_t now;
};

static struct fixture *open_fixture(void) {
    struct fixture *f = test_calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/cyclops-levels-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->path = arena_printf(&f->arena, "%s/a/b/levels.json", f->folder);
    f->host = (struct host){.vendor = "GenuineIntel", .family = 6, .model = 143, .stepping = 8, .hypervisor = "KVM"};
    f->key = (struct level_key){&f->host, "x86_64", "first-boot", &chains, 1};
    f->now = START;
    return f;
}

static void close_fixture(struct fixture *f) {
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", f->folder);
    assert_int_equal(system(command), 0);
    arena_free(&f->arena);
    test_free(f);
}

// A session in which the issue check was at `cycles` in `n` processes, or only slower than what is remembered.
static void run_session(struct fixture *f, double cycles, unsigned n, double slower) {
    f->bench = (struct bench){.clock = CLOCK_RATIO, .stable = slower == 0};
    f->bench.checks[CHECK_MULTIPLY].level = (struct level){.cycles = 3, .seen = 3, .n_processes = n, .is_whole = true};
    f->bench.checks[CHECK_ISSUE].level = (struct level){
        .cycles = cycles, .seen = cycles, .n_processes = slower > 0 ? 0 : n, .slower = slower, .n_slower = n};
    struct fail fail = {0};
    assert_true(level_file_keep(&f->arena, f->path, &f->key, &f->bench, f->now, &fail));
}

// What is remembered of the issue check.
static double recall(struct fixture *f) {
    f->options = (struct bench_options){0};
    f->fail = (struct fail){0};
    level_file_recall(&f->arena, f->path, &f->key, &f->options, &f->fail);
    return f->options.remembered[CLOCK_RATIO][CHECK_ISSUE];
}

static void what_is_found_is_there(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    assert_true(recall(f) == 0);
    assert_int_equal(f->fail.status, FAIL_NONE);
    run_session(f, 2.8, 20, 0);
    assert_near(recall(f), 2.8, 1e-9);
    assert_true(f->options.remembers_little);
    assert_true(f->options.remembered[CLOCK_RATIO][CHECK_MULTIPLY] == 0);
    assert_true(f->options.remembered[CLOCK_PERF][CHECK_ISSUE] == 0);
    assert_true(f->options.remembered[CLOCK_RATIO][CHECK_USES + USE_LOAD] == 0);
    close_fixture(f);
}

// Sessions one right after the other may all meet the same neighbour.
static void three_sessions_a_minute_apart_are_trusted(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    for (unsigned i = 0; i < 10; i++, f->now++)
        run_session(f, 2.8, 20, 0);
    recall(f);
    assert_true(f->options.remembers_little);
    for (unsigned i = 0; i < 2; i++) {
        f->now += 60;
        run_session(f, 2.8, 20, 0);
    }
    recall(f);
    assert_false(f->options.remembers_little);
    close_fixture(f);
}

static void levels_are_of_one_kind_of_machine(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    run_session(f, 2.8, 20, 0);
    struct level_key own = f->key;
    struct host other = f->host;
    f->key.host = &other;
    other.stepping = 9;
    assert_true(recall(f) == 0);
    other = f->host;
    other.core_type = "efficiency";
    assert_true(recall(f) == 0);
    other = f->host;
    other.hypervisor = NULL;
    assert_true(recall(f) == 0);
    f->key = own;
    struct bench_chains changed = chains;
    changed.checks[CHECK_ISSUE].bytes = (const uint8_t *)"j";
    f->key.chains = &changed;
    assert_true(recall(f) == 0);
    f->key = own;
    f->key.reference_cycles = 2;
    assert_true(recall(f) == 0);
    f->key = own;
    assert_near(recall(f), 2.8, 1e-9);
    close_fixture(f);
}

static void faster_replaces_and_slower_does_not(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    run_session(f, 3.5, 20, 0); // a neighbour was there
    run_session(f, 2.8, 20, 0);
    assert_near(recall(f), 2.8, 1e-9);
    run_session(f, 2.0, 2, 0); // two processes are no level
    assert_near(recall(f), 2.8, 1e-9);
    close_fixture(f);
}

// A session whose reference is slowed finds all else too fast. What many sessions have confirmed outlives it.
static void a_trusted_level_falls_to_two_sessions(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    for (unsigned i = 0; i < 3; i++, f->now += 60)
        run_session(f, 2.8, 20, 0);
    run_session(f, 2.7, 20, 0);
    assert_near(recall(f), 2.8, 1e-9);
    f->now += 60;
    run_session(f, 2.8, 20, 0); // contradicts it
    f->now += 60;
    run_session(f, 2.7, 20, 0);
    f->now += 30;
    run_session(f, 2.7, 20, 0); // may be the same disturbance
    assert_near(recall(f), 2.8, 1e-9);
    f->now += 60;
    run_session(f, 2.7, 20, 0);
    assert_near(recall(f), 2.7, 1e-9);
    close_fixture(f);
}

// The fastest of many would be the luckiest, and the others would not be alike it any more.
static void the_level_is_the_mean_of_the_sessions(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    run_session(f, 2.8, 20, 0);
    f->now += 60;
    run_session(f, 2.78, 20, 0);
    assert_near(recall(f), 2.79, 1e-9);
    f->now += 60;
    run_session(f, 2.81, 3, 0); // the mean of three is not that good
    assert_near(recall(f), 2.79, 1e-9);
    for (unsigned i = 0; i < 1000; i++) {
        f->now += 60;
        run_session(f, 2.8 * (1 + 0.008 * cos(i)), 20, 0);
    }
    assert_near(recall(f), 2.8, 2.8 * 0.002);
    close_fixture(f);
}

// A neighbour who stays for a day is not a property of the CPU.
static void a_neighbour_who_stays_lifts_nothing(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    for (unsigned i = 0; i < 3; i++, f->now += 60)
        run_session(f, 2.8, 20, 0);
    for (unsigned i = 0; i < 1000; i++, f->now += 60)
        run_session(f, 2.8, 20, 3.5);
    assert_near(recall(f), 2.8, 1e-9);
    close_fixture(f);
}

// After a reboot the CPU may be another: new microcode, another host.
static void an_outdated_level_heals(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    for (unsigned i = 0; i < 3; i++, f->now += 60)
        run_session(f, 2.8, 20, 0);
    f->key.boot = "second-boot";
    for (unsigned i = 0; i < 8; i++, f->now += 600) {
        assert_near(recall(f), 2.8, 1e-9);
        run_session(f, 2.8, 20, 3.5);
    }
    assert_near(recall(f), 3.5, 1e-9);
    assert_true(f->options.remembers_little);
    close_fixture(f);
}

// But not where they do not agree, or one of them was at the old level.
static void misses_must_agree(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    for (unsigned i = 0; i < 3; i++, f->now += 60)
        run_session(f, 2.8, 20, 0);
    f->key.boot = "second-boot";
    for (unsigned i = 0; i < 30; i++, f->now += 600)
        run_session(f, 2.8, 20, i % 2 ? 3.5 : 3.8);
    assert_near(recall(f), 2.8, 1e-9);
    for (unsigned i = 0; i < 30; i++, f->now += 600)
        run_session(f, 2.8, 20, i == 5 || i == 12 ? 0 : 3.5);
    assert_near(recall(f), 2.8, 1e-9); // the last of them was of this boot
    close_fixture(f);
}

// What one session alone has seen, and others do not reach, was an accident.
static void a_glitch_heals(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    run_session(f, 2.0, 3, 0);
    for (unsigned i = 0; i < 4; i++, f->now += 30) {
        assert_near(recall(f), 2.0, 1e-9);
        run_session(f, 2.0, 20, 2.8);
    }
    assert_near(recall(f), 2.8, 1e-9);
    close_fixture(f);
}

static void nonsense_is_said_and_not_used(void **state) {
    (void)state;
    static const char *const texts[] = {"", "nothing", "[1]", "{\"cyclops-levels\":2,\"levels\":{}}"};
    struct fixture *f = open_fixture();
    run_session(f, 2.8, 20, 0);
    char *data;
    assert_true(file_read(&f->arena, f->path, &data, NULL, &f->fail));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_true(file_write(f->path, texts[i], strlen(texts[i]), &f->fail));
        assert_true(recall(f) == 0);
        assert_int_equal(f->fail.status, FAIL_INPUT);
        assert_non_null(strstr(f->fail.text, "delete it"));
    }
    char *cycles = strstr(data, "2.8");
    assert_non_null(cycles);
    cycles[0] = '-'; // -.8 is not JSON
    assert_true(file_write(f->path, data, strlen(data), &f->fail));
    assert_true(recall(f) == 0);
    cycles[0] = '0';
    cycles[1] = 'e';
    cycles[2] = '0';
    assert_true(file_write(f->path, data, strlen(data), &f->fail));
    assert_true(recall(f) == 0);
    assert_non_null(strstr(f->fail.text, "makes no sense"));
    run_session(f, 2.8, 20, 0); // and is replaced
    assert_near(recall(f), 2.8, 1e-9);
    assert_int_equal(f->fail.status, FAIL_NONE);
    close_fixture(f);
}

static void the_folder_is_the_users(void **state) {
    (void)state;
    struct arena arena = {0};
    setenv("HOME", "/home/me", 1);
    setenv("XDG_CACHE_HOME", "/cache", 1);
    assert_string_equal(level_file_path(&arena), "/cache/cyclops/levels.json");
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_string_equal(level_file_path(&arena), "/home/me/.cache/cyclops/levels.json");
    unsetenv("XDG_CACHE_HOME");
    assert_string_equal(level_file_path(&arena), "/home/me/.cache/cyclops/levels.json");
    unsetenv("HOME");
    assert_null(level_file_path(&arena));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_is_there),
        cmocka_unit_test(three_sessions_a_minute_apart_are_trusted),
        cmocka_unit_test(levels_are_of_one_kind_of_machine),
        cmocka_unit_test(faster_replaces_and_slower_does_not),
        cmocka_unit_test(a_trusted_level_falls_to_two_sessions),
        cmocka_unit_test(the_level_is_the_mean_of_the_sessions),
        cmocka_unit_test(a_neighbour_who_stays_lifts_nothing),
        cmocka_unit_test(an_outdated_level_heals),
        cmocka_unit_test(misses_must_agree),
        cmocka_unit_test(a_glitch_heals),
        cmocka_unit_test(nonsense_is_said_and_not_used),
        cmocka_unit_test(the_folder_is_the_users),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
