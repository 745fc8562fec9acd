// Packs come back as they were written, damaged ones are refused, and what a runner writes is a measurement file.
#include "base/file.h"
#include "base/json.h"
#include "bench/record/record.h"
#include "bench/target.h"
#include "runner/results.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const uint8_t bytes[] = {0x01, 0x02, 0xab, 0xff};

static struct pack_program program(const char *role) {
    return (struct pack_program){
        .role = role,
        .kernel = "add-x",
        .setup = "458da1b356c1ad27",
        .mode = "latency",
        .form = "unrolled",
        .arc = "d->x",
        .placement = "own-lines",
        .instruction = "add x",
        .streams = 3,
        .instructions = 2,
        .loop_instructions = 3,
        .loop_branches = 2,
        .code = {.bytes = bytes,
                 .n_bytes = sizeof bytes,
                 .bodies = 500,
                 .body = bytes + 1,
                 .n_body_bytes = 2,
                 .iteration_instructions = 1002,
                 .uses = 1 << USE_VECTOR | 1 << USE_STORE,
                 .is_wide = true,
                 .is_chain = true},
    };
}

static void write_pack(struct arena *arena, struct text *out, const char *runner) {
    struct pack_program programs[] = {program("reference"), program(NULL)};
    programs[1].kernel = "a block;\nof two lines";
    programs[1].code.uses = 0;
    programs[1].code.is_wide = false;
    programs[1].code.is_chain = false;
    programs[1].code.process_set = 1;
    programs[1].code.foreign = (struct bench_foreign){.exit_offset = 2, .most_pages = 4, .frames = 2, .fill = 7};
    *out = (struct text){.arena = arena};
    pack_append(&(struct pack){.isa = "aarch64", .programs = programs, .n_programs = 2}, runner, strlen(runner), out);
}

static void comes_back_as_it_was(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct text file;
    struct pack pack;
    const char *text;
    size_t length;
    write_pack(&arena, &file, "ELF and so on");
    assert_int_equal(pack_find(file.data, file.length, &text, &length), PACK_FOUND);
    assert_true(pack_read(&arena, "pack", text, length, &pack, &fail));
    assert_string_equal(pack.isa, "aarch64");
    assert_int_equal(pack.n_programs, 2);
    const struct pack_program *first = &pack.programs[0], *second = &pack.programs[1];
    assert_string_equal(first->role, "reference");
    assert_string_equal(first->arc, "d->x");
    assert_string_equal(first->instruction, "add x");
    assert_string_equal(first->setup, "458da1b356c1ad27");
    assert_int_equal(first->streams, 3);
    assert_int_equal(first->instructions, 2);
    assert_string_equal(first->placement, "own-lines");
    assert_int_equal(first->loop_instructions, 3);
    assert_int_equal(first->loop_branches, 2);
    assert_int_equal(first->code.bodies, 500);
    assert_int_equal(first->code.iteration_instructions, 1002);
    assert_int_equal(first->code.n_bytes, sizeof bytes);
    assert_memory_equal(first->code.bytes, bytes, sizeof bytes);
    assert_int_equal(first->code.body - first->code.bytes, 1);
    assert_int_equal(first->code.n_body_bytes, 2);
    assert_int_equal(first->code.uses, 1 << USE_VECTOR | 1 << USE_STORE);
    assert_true(first->code.is_wide);
    assert_true(first->code.is_chain);
    assert_null(second->role);
    assert_string_equal(second->kernel, "a block;;of two lines");
    assert_int_equal(second->code.uses, 0);
    assert_false(second->code.is_wide);
    assert_false(second->code.is_chain);
    arena_free(&arena);
}

static void a_block_comes_back_with_what_it_finds(void **state) {
    (void)state;
    static const struct bench_foreign cases[] = {
        {.exit_offset = 3, .most_pages = 64, .frames = 4, .fill = 0x2438200, .lowest_address = 0x10000, .stores = true},
        {.exit_offset = 1, .most_pages = BENCH_MOST_PAGES, .frames = BENCH_MOST_FRAMES, .fill = UINT64_MAX},
        {.exit_offset = 1, .lowest_address = UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct fail fail = {0};
        struct text file = {.arena = &arena};
        struct pack pack;
        struct pack_program programs[] = {program(NULL), program(NULL)};
        programs[0].code.foreign = cases[i];
        programs[0].code.process_set = UINT32_MAX;
        pack_write(&(struct pack){.isa = "aarch64", .programs = programs, .n_programs = 2}, &file);
        if (!pack_read(&arena, "pack", file.data, file.length, &pack, &fail))
            fail_msg("case %zu: line %u: %s", i, fail.line, fail.text);
        const struct bench_code *code = &pack.programs[0].code, *known = &pack.programs[1].code;
        assert_int_equal(code->process_set, UINT32_MAX);
        assert_int_equal(code->foreign.exit_offset, cases[i].exit_offset);
        assert_int_equal(code->foreign.most_pages, cases[i].most_pages);
        assert_int_equal(code->foreign.frames, cases[i].frames);
        assert_true(code->foreign.fill == cases[i].fill);
        assert_true(code->foreign.lowest_address == cases[i].lowest_address);
        assert_int_equal(code->foreign.stores, cases[i].stores);
        assert_true(known->process_set == 0 && known->foreign.exit_offset == 0 && known->foreign.most_pages == 0);
        arena_free(&arena);
    }
}

static void a_runner_without_a_pack(void **state) {
    (void)state;
    const char *text;
    size_t length;
    static const char claims_too_much[] = "x cyclops-bundle 0000000000000003 af63f54c86021707\n";
    assert_int_equal(pack_find("ELF", 3, &text, &length), PACK_NONE);
    assert_int_equal(pack_find(claims_too_much, sizeof claims_too_much - 1, &text, &length), PACK_DAMAGED);
}

// Any byte of a bundle, the runner's too.
static void a_bad_transfer_shows(void **state) {
    (void)state;
    struct arena arena = {0};
    struct text file;
    const char *text;
    size_t length;
    write_pack(&arena, &file, "ELF and so on");
    for (size_t i = 0; i < file.length; i++) {
        file.data[i] ^= 1;
        assert_int_not_equal(pack_find(file.data, file.length, &text, &length), PACK_FOUND);
        file.data[i] ^= 1;
        assert_int_not_equal(pack_find(file.data, i, &text, &length), PACK_FOUND);
    }
    arena_free(&arena);
}

static void refuses(const char *text, const char *place) {
    struct arena arena = {0};
    struct fail fail = {0};
    struct pack pack;
    assert_false(pack_read(&arena, "pack", text, strlen(text), &pack, &fail));
    assert_int_equal(fail.status, FAIL_INPUT);
    assert_string_equal(arena_printf(&arena, "%s:%u", fail.file, fail.line), place);
    arena_free(&arena);
}

static void rings_come_back(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct text file = {.arena = &arena};
    struct pack pack;
    struct pack_program programs[] = {program(NULL), program(NULL)};
    const struct bench_chase chase = {.n = 2, .bytes = (size_t)64 << 20, .layout = BENCH_CHASE_BLOCKS, .steps = {1, 7}};
    programs[0].code.chase = chase;
    pack_write(&(struct pack){.isa = "aarch64", .programs = programs, .n_programs = 2}, &file);
    assert_true(pack_read(&arena, "pack", file.data, file.length, &pack, &fail));
    assert_memory_equal(&pack.programs[0].code.chase, &chase, sizeof chase);
    assert_int_equal(pack.programs[1].code.chase.n, 0);
    arena_free(&arena);
}

static void damaged_packs_are_refused(void **state) {
    (void)state;
#define HEAD "cyclops-pack 4\nisa aarch64\nprogram\nkernel k\nbodies 1\n"
    refuses("", "pack:1");
    refuses("cyclops-pack 3\n", "pack:1"); // without conditions
    refuses("cyclops-pack 5\n", "pack:1");
    refuses(HEAD "code 0\n", "pack:6");
    refuses(HEAD "code zz\n", "pack:6");
    refuses(HEAD "n -1\n", "pack:6");
    refuses(HEAD "n 99999999999\n", "pack:6");
    refuses(HEAD "uses vector lots\n", "pack:6");
    refuses(HEAD, "pack:6");                                            // no code
    refuses(HEAD "code 0102\nbody_offset 1\nbody_bytes 2\n", "pack:9"); // a body beyond the code
    refuses(HEAD "program\nkernel l\n", "pack:6");                      // the first has no code
    refuses("cyclops-pack 4\n", "pack:2");                              // of which ISA?
    refuses(HEAD "chase\n", "pack:6");
    refuses(HEAD "chase rings 64 1\n", "pack:6");
    refuses(HEAD "chase lines 64\n", "pack:6");   // no ring
    refuses(HEAD "chase lines 0 1\n", "pack:6");  // no address in it
    refuses(HEAD "chase lines 96 1\n", "pack:6"); // a line and a half
    refuses(HEAD "chase pages 64 1\n", "pack:6"); // less than a page
    refuses(HEAD "chase lines 64 1 x\n", "pack:6");
    refuses(HEAD "chase lines 536870912 1 1\n", "pack:6"); // too much
    refuses(HEAD "chase lines 64 1 1 1 1 1 1 1 1 1 1 1 1 1\n", "pack:6");
}

// When to measure comes back, too. A condition on a program that comes later, or on a rule that is not there, is
// refused.
static void conditions_come_back(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct text file = {.arena = &arena};
    struct pack pack;
    const struct bench_rule rules[] = {{{{0, 20, 21.5}, {1, 0, 35.9}}, 2}, {.n_terms = 0}};
    const struct bench_case cases[] = {{0, {{{1, 0, 3.25}}, 1}}, {1, {.n_terms = 0}}};
    struct pack_program programs[] = {program("reference"), program(NULL), program(NULL)};
    programs[2].cases = cases;
    programs[2].n_cases = 2;
    pack_write(&(struct pack){"aarch64", programs, 3, rules, 2}, &file);
    assert_true(pack_read(&arena, "pack", file.data, file.length, &pack, &fail));
    assert_int_equal(pack.n_rules, 2);
    assert_int_equal(pack.programs[1].n_cases, 0);
    assert_int_equal(pack.programs[2].n_cases, 2);
    const double both[] = {21, 3, NAN}, not_own[] = {21, 4, NAN}, outside[] = {21, 36, NAN}, none[] = {NAN, 3, NAN};
    const struct pack_program *last = &pack.programs[2];
    assert_true(bench_case_holds(pack.rules, last->cases, 1, both));
    assert_false(bench_case_holds(pack.rules, last->cases, 1, not_own));
    assert_false(bench_case_holds(pack.rules, last->cases, 1, outside));
    assert_false(bench_case_holds(pack.rules, last->cases, 1, none));
    assert_true(bench_case_holds(pack.rules, last->cases, 2, none)); // the second case has no term
    refuses(HEAD "code 0102\nwhen 0 0 1 2\n", "pack:8");
    refuses("cyclops-pack 4\nrule 0 1 2\nisa aarch64\nprogram\nkernel k\nbodies 1\nwhen 0 0 1 2\ncode 0102\n",
            "pack:9");
    refuses("cyclops-pack 4\nrule beside 0 1 2\n", "pack:2");
    refuses("cyclops-pack 4\nrule 0 1\n", "pack:2");
    refuses(HEAD "when 0 0 1 2 x\n", "pack:6");
    arena_free(&arena);
}

// A value that it cannot have, at its line; values that do not fit together, behind the program.
static void what_a_block_cannot_find_is_refused(void **state) {
    (void)state;
#define BLOCK HEAD "code 01020304\nexit_offset 3\n"
    refuses(BLOCK "pages 4097\nframes 1\n", "pack:8");
    refuses(BLOCK "pages many\nframes 1\n", "pack:8");
    refuses(BLOCK "pages 64\nframes 9\n", "pack:9");
    refuses(BLOCK "fill -1\n", "pack:8");
    refuses(BLOCK "fill 18446744073709551616\n", "pack:8");
    refuses(BLOCK "lowest 0x10000\n", "pack:8");
    refuses(BLOCK "stores 2\n", "pack:8");
    refuses(BLOCK "process_set 4294967296\n", "pack:8");
    refuses(BLOCK "pages 64\n", "pack:9");                         // which would be over nothing
    refuses(BLOCK "pages 64\nprogram\n", "pack:9");                // the same before another program
    refuses(HEAD "code 01020304\nexit_offset 4\n", "pack:8");      // behind the code
    refuses(HEAD "code 01020304\nexit_offset 1025\n", "pack:7");   // the frame would not fit its page
    refuses(HEAD "code 01020304\npages 64\nframes 4\n", "pack:9"); // without an exit
    refuses(HEAD "code 01020304\nstores 1\n", "pack:8");
}

// Cut anywhere, changed anywhere: an answer, never a crash.
static void no_damage_crashes(void **state) {
    (void)state;
    struct arena arena = {0};
    struct text file;
    write_pack(&arena, &file, "");
    for (size_t i = 0; i < file.length; i++) {
        for (unsigned change = 0; change < 3; change++) {
            struct arena scratch = {0};
            struct fail fail = {0};
            struct pack pack;
            char *copy = arena_copy(&scratch, file.data, file.length);
            copy[i] = change == 0 ? '\0' : change == 1 ? '\n' : '9';
            pack_read(&scratch, "pack", copy, change == 0 ? i : file.length, &pack, &fail);
            arena_free(&scratch);
        }
    }
    arena_free(&arena);
}

static void assert_events(const struct bench_measurement *measurement) {
    const struct bench_event *event = &measurement->events[1];
    assert_string_equal(event->name, "r1b");
    assert_true(event->count == 0.25 && event->low == 0.125 && event->high == 0.5 && event->confidence == 0.875);
    assert_int_equal(event->samples, 4);
    assert_string_equal(event->why, "few");
    assert_null(event[-1].why);
    assert_string_equal(event[1].name, "r1c");
    assert_string_equal(event[1].why, "none");
    assert_int_equal(event[1].samples, 0);
}

static void assert_value(const struct record *record) {
    assert_string_equal(record->kernel, "add-x");
    assert_string_equal(record->bytes, "02ab");
    assert_int_equal(record->streams, 3);
    assert_true(record->measurement.cycles == 4.5);
    assert_int_equal(record->measurement.numerator, 9);
    assert_int_equal(record->measurement.dropped[DROP_RETIRED], 2);
    assert_int_equal(record->measurement.processes, 3);
    assert_true(record->measurement.process_high == 4.75);
    assert_true(record->measurement.modes[1].cycles == 5 && record->measurement.modes[1].share == 0.25);
    assert_int_equal(record->measurement.n_events, 3);
    assert_events(&record->measurement);
}

static void results_are_a_measurement_file(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct record_file file;
    struct target target = {.description = "native", .timer = "cntvct"};
    struct bench bench = {.target = &target, .clock = CLOCK_PERF, .stable = true, .clock_error = 0.001};
    struct host host = {.cpu_name = "A \"quoted\" CPU", .vendor = "ARM", .kernel = "6.1"};
    struct pack_program good = program(NULL), bad = program(NULL);
    struct bench_event events[] = {{"instructions", 2, 2, 2, 0.99, 17, NULL},
                                   {"r1b", 0.25, 0.125, 0.5, 0.875, 4, "few"},
                                   {.name = "r1c", .why = "none"}};
    struct bench_measurement value = {.cycles = 4.5,
                                      .low = 4.4,
                                      .high = 4.6,
                                      .verdict = MEASURED_EXACT,
                                      .numerator = 9,
                                      .denominator = 2,
                                      .clock = CLOCK_PERF,
                                      .samples = 17,
                                      .dropped = {[DROP_RETIRED] = 2},
                                      .processes = 3,
                                      .process_low = 4.25,
                                      .process_high = 4.75,
                                      .modes = {{4, 0.75}, {5, 0.25}},
                                      .n_events = 3,
                                      .events = events};
    struct bench_measurement crash = {.outcome = BENCH_SIGILL, .verdict = MEASURED_UNSTABLE, .low = NAN};
    char path[] = "/tmp/runner-results-XXXXXX";
    struct results out;
    int fd = mkstemp(path);
    assert_int_equal(write(fd, "{\"record\":\"ho", 13), 13); // a killed run's last line
    close(fd);
    assert_true(results_open(&out, &arena, path, false, &host, &bench, &fail));
    assert_true(results_write(&out, "aarch64", &good, &value, &fail));
    assert_true(results_write(&out, "aarch64", &bad, &crash, &fail));
    assert_true(results_close(&out, &fail));
    assert_true(record_read(&arena, path, &file, &fail));
    char *text = NULL;
    assert_true(file_read(&arena, path, &text, NULL, &fail));
    assert_non_null(strstr(text, "\"cycles_per_copy\":1.5,\"cycles_per_instruction\":2.25,"));
    assert_null(strstr(strstr(text, "cycles_per_copy") + 1, "cycles_per_copy")); // none of the crash
    unlink(path);
    assert_int_equal(file.n_headers, 1);
    assert_string_equal(json_string_value(json_object_get(file.headers[0], "cpu")), host.cpu_name);
    assert_int_equal(file.n_records, 2);
    assert_int_equal(file.damage.n, 1);
    assert_value(&file.records[0]);
    assert_int_equal(file.records[1].measurement.outcome, BENCH_SIGILL);
    record_file_close(&file);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_comes_back_with_what_it_finds),
        cmocka_unit_test(conditions_come_back),
        cmocka_unit_test(rings_come_back),
        cmocka_unit_test(what_a_block_cannot_find_is_refused),
        cmocka_unit_test(comes_back_as_it_was),
        cmocka_unit_test(a_runner_without_a_pack),
        cmocka_unit_test(a_bad_transfer_shows),
        cmocka_unit_test(damaged_packs_are_refused),
        cmocka_unit_test(no_damage_crashes),
        cmocka_unit_test(results_are_a_measurement_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
