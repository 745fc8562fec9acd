// Case files: what is written comes back, and no damage does more than fail.
#include "hot/state.h"

#include "base/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGE = 4096, XSAVE = 832, STEPS = 5 };

static struct arena arena;
static char *path;

static int open_file(void **context) {
    (void)context;
    path = file_temporary(&arena, "hot-case");
    int file = mkstemp(path);
    if (file >= 0)
        close(file);
    return file < 0;
}

static int remove_file(void **context) {
    (void)context;
    unlink(path);
    arena_free(&arena);
    return 0;
}

static struct hot_state make_state(void) {
    static uint8_t page[PAGE], other[PAGE], xsave[XSAVE];
    static struct segment pages[2];
    static uint64_t steps[STEPS];
    static const uint64_t changed[2] = {0, UINT64_C(5) << 60};
    static struct step_registers before[STEPS];
    for (size_t i = 0; i < PAGE; i++)
        page[i] = (uint8_t)(i * 7);
    pages[0] = (struct segment){0x401000, page, PAGE, PAGE, false, true};
    pages[1] = (struct segment){0x7ffff7fff000, other, PAGE, PAGE, true, false};
    xsave[512] = 7;
    for (size_t i = 0; i < STEPS; i++) {
        steps[i] = 0x401000 + i;
        before[i].general[i] = i;
        before[i].stack_behind = 8 * i;
    }
    return (struct hot_state){.program = "./prog",
                              .module = {.path = "/usr/bin/prog", .kind = HOT_FILE, .build_id = "abcd"},
                              .load_address = 0x400000,
                              .head = 0x401000,
                              .seconds = 1.5,
                              .clock = HOT_CPU_CLOCK,
                              .share = 0.25,
                              .registers = {.general = {1, 2, 3}, .counter = 0x401000, .fs = 5},
                              .flags = 0x246,
                              .xsave = xsave,
                              .n_xsave = XSAVE,
                              .layout = {{576}},
                              .pages = pages,
                              .n_pages = 2,
                              .changed = changed,
                              .steps = steps,
                              .before = before,
                              .n_steps = STEPS,
                              .next = 0x401010,
                              .turns = 2,
                              .entries = 1,
                              .end = HOT_END_LIMIT};
}

static struct hot_case make_case(struct hot_state **states, size_t n) {
    static struct hot_uncovered uncovered[] = {{0.25, "below --least"}, {0.125, "it calls the kernel"}};
    return (struct hot_case){
        states, n, {"a profile", 0.625, uncovered, sizeof uncovered / sizeof *uncovered}, "some CPU"};
}

static void brings_all_back(void **context) {
    struct hot_state state = make_state(), *all[] = {&state, &state};
    const struct hot_case saved = make_case(all, 2);
    struct hot_case read;
    struct fail fail = {0};
    (void)context;
    assert_true(hot_case_write(path, &saved, &fail));
    if (!hot_case_read(&arena, path, &read, &fail))
        fail_msg("%s", fail.text);
    assert_int_equal(read.n, 2);
    assert_string_equal(read.covered.source, "a profile");
    assert_true(read.covered.share == 0.625 && read.covered.n_uncovered == 2);
    assert_true(read.covered.uncovered[1].share == 0.125);
    assert_string_equal(read.covered.uncovered[1].why, "it calls the kernel");
    assert_string_equal(read.cpu, "some CPU");
    const struct hot_state *back = read.states[1];
    assert_string_equal(back->program, state.program);
    assert_string_equal(back->module.build_id, "abcd");
    assert_memory_equal(&back->registers, &state.registers, sizeof state.registers);
    assert_memory_equal(back->xsave, state.xsave, XSAVE);
    assert_memory_equal(&back->layout, &state.layout, sizeof state.layout);
    assert_int_equal(back->n_pages, 2);
    assert_int_equal(back->changed[1], state.changed[1]);
    assert_int_equal(back->pages[1].address, state.pages[1].address);
    assert_true(back->pages[1].is_writable && !back->pages[1].is_executable);
    assert_true(back->pages[0].is_executable && !back->pages[0].is_writable);
    assert_memory_equal(back->pages[0].bytes, state.pages[0].bytes, PAGE);
    assert_memory_equal(back->steps, state.steps, sizeof(uint64_t[STEPS]));
    assert_memory_equal(back->before, state.before, sizeof(struct step_registers[STEPS]));
    assert_int_equal(back->next, state.next);
    assert_true(back->seconds == 1.5 && back->share == 0.25);
    assert_int_equal(back->clock, HOT_CPU_CLOCK);
    assert_int_equal(back->end, HOT_END_LIMIT);
}

// Each bit of a file, and each length of it.
static void refuses_damage(void **context) {
    struct hot_state state = make_state(), *all[] = {&state};
    const struct hot_case saved = make_case(all, 1);
    struct fail fail = {0};
    char *data;
    size_t length;
    (void)context;
    assert_true(hot_case_write(path, &saved, &fail));
    assert_true(file_read(&arena, path, &data, &length, &fail));
    for (size_t at = 0; at < 2 * length; at++) {
        struct arena scratch = {0};
        struct hot_case read;
        size_t n_bytes = at < length ? length : at - length;
        struct fail why = {0};
        if (at < length)
            data[at] = (char)(data[at] ^ (1 << at % 8));
        assert_true(file_write(path, data, n_bytes, &fail));
        bool is_read = hot_case_read(&scratch, path, &read, &why);
        assert_true(!is_read && why.status == FAIL_INPUT && *why.text);
        if (at < length)
            data[at] = (char)(data[at] ^ (1 << at % 8));
        arena_free(&scratch);
    }
}

// What a writer of bad intent makes has a right checksum.
static void refuses_wrong_states(void **context) {
    (void)context;
    for (unsigned kind = 0; kind < 14; kind++) {
        struct hot_state state = make_state(), *all[] = {&state};
        struct hot_case saved = make_case(all, 1), read;
        struct hot_uncovered uncovered[] = {{kind == 9 ? -1 : 0, "none"}};
        struct segment pages[2] = {state.pages[0], state.pages[1]};
        struct fail fail = {0};
        saved.covered.uncovered = uncovered;
        saved.covered.n_uncovered = 1;
        saved.covered.share = kind == 10 ? 1.5 : 0;
        state.clock = kind == 11 ? (enum hot_clock)5 : state.clock;
        state.pages = pages;
        state.turns = kind == 0 ? 0 : state.turns;
        state.n_xsave = kind == 1 ? 100 : state.n_xsave;
        state.head += kind == 2;
        pages[1].address = kind == 3 ? pages[0].address : kind == 4 ? UINT64_C(1) << 60 : pages[1].address;
        state.end = kind == 5 ? (enum hot_end)9 : state.end;
        state.n_steps = kind == 6 ? 0 : state.n_steps;
        state.layout.at[VECTOR_YMM_HIGH] = kind == 12 ? 577 : kind == 13 ? 0 : state.layout.at[VECTOR_YMM_HIGH];
        state.share = kind == 7 ? 1.5 : state.share;
        state.seconds = kind == 8 ? NAN : state.seconds;
        assert_true(hot_case_write(path, &saved, &fail));
        assert_false(hot_case_read(&arena, path, &read, &fail));
        assert_non_null(strstr(fail.text, "damaged"));
    }
}

// Of another CPU, which has parts of vector registers elsewhere, or has some that this one lacks.
static void moves_vector_registers(void **context) {
    enum { BYTES = 2700, HEADER = 512, USED = 0xe7 };
    static const struct vector_layout with_bounds = {{576, 1088, 1152, 1664}}, without = {{576, 832, 896, 1408}},
                                      narrow = {{576, 0, 0, 0}};
    static const size_t sizes[VECTOR_PARTS] = {256, 64, 512, 1024};
    uint8_t area[BYTES] = {0};
    size_t n;
    (void)context;
    area[0] = 1;
    area[HEADER] = USED;
    for (unsigned i = 0; i < VECTOR_PARTS; i++)
        memset(area + with_bounds.at[i], 10 + (int)i, sizes[i]);
    assert_true(vector_layout_fits(&with_bounds, area, BYTES));
    assert_false(vector_layout_fits(&with_bounds, area, 2000));
    assert_false(vector_layout_fits(&narrow, area, BYTES));
    const uint8_t *moved = vector_layout_move(&arena, area, BYTES, &with_bounds, &without, &n);
    assert_int_equal(n, 1408 + 1024);
    assert_true(moved[0] == 1 && moved[HEADER] == USED);
    for (unsigned i = 0; i < VECTOR_PARTS; i++)
        assert_true(moved[without.at[i]] == 10 + i && moved[without.at[i] + sizes[i] - 1] == 10 + i);
    moved = vector_layout_move(&arena, area, BYTES, &with_bounds, &narrow, &n);
    assert_true(n == 832 && moved[576] == 10 && moved[831] == 10);
}

static void refuses_older_versions(void **context) {
    static const char text[] = "cyclops hot case 3\n";
    struct hot_case read;
    struct fail fail = {0};
    (void)context;
    assert_true(file_write(path, text, sizeof text - 1, &fail));
    assert_false(hot_case_read(&arena, path, &read, &fail));
    assert_non_null(strstr(fail.text, "save it again"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brings_all_back),        cmocka_unit_test(refuses_damage),
        cmocka_unit_test(refuses_wrong_states),   cmocka_unit_test(moves_vector_registers),
        cmocka_unit_test(refuses_older_versions),
    };
    return cmocka_run_group_tests(tests, open_file, remove_file);
}
