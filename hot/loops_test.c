// Loops of small programs whose shape is known: samples are put at their labels.
#include "hot/loops.h"

#include "blocks/testing_decoder.h"
#include "hot/image.h"
#include "hot/testing_programs.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FUNCTION(name) ".type " name ",@function\n" name ": .cfi_startproc\n"
#define END(name) ".cfi_endproc\n.size " name ", .-" name "\n.p2align 4\n"

// clang-format off
static const char source[] =
    ".intel_syntax noprefix\n.text\n"
    FUNCTION("nested")
    "mov ecx, 100\n"
    "outer: mov eax, 100\n"
    "inner: dec eax\n"
    "jne inner\n"
    "dec ecx\n"
    "jne outer\n"
    "ret\n"
    END("nested")
    // two branches back to one head
    FUNCTION("two")
    "mov ecx, 100\n"
    "two_head: dec ecx\n"
    "je two_out\n"
    "test ecx, 1\n"
    "two_first: je two_head\n"
    "nop\n"
    "two_second: jmp two_head\n"
    "two_out: ret\n"
    END("two")
    // a switch
    FUNCTION("choice")
    "mov ecx, 100\n"
    "choice_head: mov eax, ecx\n"
    "and eax, 3\n"
    "cmp eax, 3\n"
    "ja choice_out\n"
    "lea rdx, [rip + entries]\n"
    "movsxd rax, dword ptr [rdx + 4*rax]\n"
    "add rax, rdx\n"
    "jmp rax\n"
    "case0: add esi, 1\n"
    "jmp choice_next\n"
    "case1: add esi, 2\n"
    "jmp choice_next\n"
    "case2: add esi, 3\n"
    "choice_next: dec ecx\n"
    "jne choice_head\n"
    "choice_out: ret\n"
    END("choice")
    // the same, with addresses that a loader fills in, as of goto *labels[i]
    FUNCTION("words")
    "mov ecx, 100\n"
    "words_head: mov eax, ecx\n"
    "and eax, 1\n"
    "lea rdx, [rip + labels]\n"
    "jmp qword ptr [rdx + 8*rax]\n"
    "word0: add esi, 1\n"
    "word1: dec ecx\n"
    "jne words_head\n"
    "ret\n"
    END("words")
    // distances from a label of the code, whose address was put away; a table of which a comparison states the length
    FUNCTION("origin")
    "mov ecx, 100\n"
    "lea rdi, [rip + spans]\n"
    "mov [rsp - 16], rdi\n"
    "origin_head: mov eax, ecx\n"
    "and eax, 1\n"
    "lea rdx, [rip + origin_base]\n"
    "mov rsi, [rsp - 16]\n"
    "cmp eax, 1\n"
    "ja origin_out\n"
    "movsxd rax, dword ptr [rsi + 4*rax]\n"
    "lea rdx, [rdx + rax]\n"
    "jmp rdx\n"
    "origin_base: nop\n"
    "span0: add esi, 1\n"
    "span1: dec ecx\n"
    "jne origin_head\n"
    "origin_out: ret\n"
    END("origin")
    // where it jumps, nobody knows
    FUNCTION("lost")
    "mov ecx, 100\n"
    "lost_head: lea rax, [rip + lost_next]\n"
    "xor rax, rdi\n"
    "cmp eax, ecx\n"
    "je lost_tail\n"
    "jmp rax\n"
    "lost_next: nop\n"
    "lost_tail: dec ecx\n"
    "jne lost_head\n"
    "ret\n"
    END("lost")
    // two ways into a loop
    FUNCTION("entered")
    "test edi, edi\n"
    "je entered_b\n"
    "entered_a: dec ecx\n"
    "je entered_out\n"
    "entered_b: dec edx\n"
    "jne entered_a\n"
    "entered_out: ret\n"
    END("entered")
    // what follows a call that never returns is not in the loop
    FUNCTION("ends")
    "mov ecx, 100\n"
    "ends_head: dec ecx\n"
    "js ends_bad\n"
    "call nested\n"
    "jne ends_head\n"
    "jmp nested\n"
    // the last call of the function
    "ends_bad: call abort@PLT\n"
    "ends_tail: jmp ends_head\n"
    END("ends")
    // a function that may be another file's
    ".globl helper\n"
    FUNCTION("helper")
    "nop\n"
    "ret\n"
    END("helper")
    FUNCTION("asks")
    "mov ebx, 100\n"
    "asks_head: call helper@PLT\n"
    "dec ebx\n"
    "jne asks_head\n"
    "ret\n"
    END("asks")
    // code that no table knows once it is stripped: two functions
    "hidden_a: mov ecx, 100\n"
    "hidden_a_head: dec ecx\n"
    "jne hidden_a_head\n"
    "ret\n"
    ".p2align 4\n"
    "hidden_b: mov ecx, 100\n"
    "hidden_b_head: dec ecx\n"
    "nop\n"
    "jne hidden_b_head\n"
    "ret\n"
    ".p2align 4\n"
    // a part that was moved away
    FUNCTION("split")
    "mov ecx, 100\n"
    "split_head: dec ecx\n"
    "js split_away\n"
    "split_back: test ecx, ecx\n"
    "jne split_head\n"
    "ret\n"
    END("split")
    ".section .text.unlikely,\"ax\"\n"
    FUNCTION("split.cold")
    "nop\n"
    "split_away: nop\n"
    "jmp split_back\n"
    END("split.cold")
    ".text\n"
    ".globl main\n"
    FUNCTION("main")
    "xor eax, eax\n"
    "ret\n"
    END("main")
    ".section .rodata\n.p2align 2\n"
    "entries: .long case0-entries, case1-entries, case2-entries, choice_next-entries\n"
    "spans: .long span0-origin_base, span1-origin_base, choice_out-origin_base\n"
    ".long 0x7f7f7f7f\n"
    ".section .data.rel.ro,\"aw\"\n.p2align 3\n"
    "labels: .quad word0, word1\n"
    ".section .note.GNU-stack,\"\",@progbits\n";
// clang-format on

struct shape {
    struct arena arena;
    struct hot_image *symbols; // of the file that is not stripped
    struct hot_module module;
    struct hot_sample samples[64];
    size_t n_samples;
    struct hot_loops loops;
};

static uint64_t address_of(const struct shape *shape, const char *label) {
    struct hot_function function;
    if (!hot_image_named(shape->symbols, label, 0, &function))
        fail_msg("no label %s", label);
    return function.begin;
}

static int compare(const void *a, const void *b) {
    const struct hot_sample *one = a, *other = b;
    return one->place.address < other->place.address ? -1 : 1;
}

static void add(struct shape *shape, const char *label, double weight) {
    shape->samples[shape->n_samples++] = (struct hot_sample){{0, address_of(shape, label)}, weight};
}

static void find(struct shape *shape, enum hot_unit unit) {
    struct hot_profile profile = {
        .modules = &shape->module,
        .n_modules = 1,
        .samples = shape->samples,
        .n_samples = shape->n_samples,
        .unit = unit,
    };
    struct fail fail = {0};
    for (size_t i = 0; i < shape->n_samples; i++)
        profile.total += shape->samples[i].weight;
    qsort(shape->samples, shape->n_samples, sizeof *shape->samples, compare);
    assert_true(hot_loops_find(&shape->arena, &testing_decoder, &profile, &shape->loops, &fail));
}

// The loop with that head; null: it was not found.
static const struct hot_loop *loop_at(const struct shape *shape, const char *label) {
    uint64_t head = address_of(shape, label);
    for (size_t i = 0; i < shape->loops.n; i++)
        if (shape->loops.loops[i].is_loop && shape->loops.loops[i].head == head)
            return &shape->loops.loops[i];
    return NULL;
}

// The loop that calls the rest of a function; null: it was not found.
static const struct hot_loop *caller_of(const struct shape *shape, const char *function) {
    uint64_t address = address_of(shape, function);
    for (size_t i = 0; i < shape->loops.n; i++) {
        const struct hot_loop *rest = &shape->loops.loops[i];
        if (!rest->is_loop && rest->function_address == address && rest->caller != SIZE_MAX)
            return &shape->loops.loops[rest->caller];
    }
    return NULL;
}

static bool has(const struct shape *shape, const struct hot_loop *loop, const char *label) {
    uint64_t address = address_of(shape, label);
    for (size_t i = 0; i < loop->n_ranges; i++)
        if (address >= loop->ranges[i].begin && address < loop->ranges[i].end)
            return true;
    return false;
}

static struct shape *open_shape(const char *program, const char *symbols) {
    struct shape *shape = ARENA_NEW(&testing_programs_arena, struct shape);
    const char *why;
    shape->module = (struct hot_module){.path = program, .kind = HOT_FILE};
    shape->symbols = hot_image_open(&shape->arena, symbols, &why);
    assert_non_null(shape->symbols);
    return shape;
}

static void close_shape(struct shape *shape) {
    hot_image_close(shape->symbols);
    arena_free(&shape->arena);
}

static void add_samples(struct shape *shape) {
    static const char *const labels[] = {"inner",     "outer",     "two_second", "case1",     "word0",
                                         "entered_a", "ends_head", "split_away", "lost_tail", "split_head"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        add(shape, labels[i], 1 + (double)i);
    add(shape, "hidden_a_head", 2);
    add(shape, "hidden_b_head", 3);
    add(shape, "span0", 4);
    add(shape, "asks_head", 1);
    add(shape, "helper", 0.1);
    add(shape, "nested", 0.2);
}

static void check_callers(const struct shape *shape) {
    assert_int_equal(shape->loops.n_skipped, 0);
    assert_ptr_equal(caller_of(shape, "helper"), loop_at(shape, "asks_head"));
    assert_ptr_equal(caller_of(shape, "nested"), loop_at(shape, "ends_head"));
    assert_true(fabs(shape->loops.called * 65.3 - 0.3) < 1e-6);
}

static void check_nested(const struct shape *shape, bool is_stripped) {
    const struct hot_loop *inner = loop_at(shape, "inner"), *outer = loop_at(shape, "outer");
    assert_non_null(inner);
    assert_non_null(outer);
    assert_ptr_equal(&shape->loops.loops[inner->parent], outer);
    assert_int_equal(inner->depth, 1);
    assert_int_equal(outer->depth, 0);
    assert_true(inner->own == 1 && outer->own == 2 && outer->all == 3);
    assert_true(isnan(inner->turns));
    assert_int_equal(inner->n_back, 1);
    assert_int_equal(inner->n_exits, 1);
    assert_int_equal(inner->exits[0].from, inner->back[0].from);
    if (is_stripped)
        assert_null(inner->function);
    else
        assert_string_equal(inner->function, "nested");
    assert_int_equal(inner->function_address, address_of(shape, "nested"));
}

static void check_ends(const struct shape *shape) {
    const struct hot_loop *two = loop_at(shape, "two_head");
    assert_non_null(two);
    assert_int_equal(two->n_back, 2);
    assert_int_equal(two->back[0].from, address_of(shape, "two_first"));
    assert_int_equal(two->back[1].from, address_of(shape, "two_second"));
    assert_int_equal(two->n_exits, 1);
    assert_int_equal(two->exits[0].to, address_of(shape, "two_out"));

    const struct hot_loop *entered = loop_at(shape, "entered_b");
    entered = entered ? entered : loop_at(shape, "entered_a");
    assert_non_null(entered);
    assert_true(entered->is_irreducible);

    const struct hot_loop *ends = loop_at(shape, "ends_head");
    assert_non_null(ends);
    assert_false(has(shape, ends, "ends_bad") || has(shape, ends, "ends_tail"));
    assert_int_equal(ends->n_calls, 1);
    assert_int_equal(ends->calls[0].to, address_of(shape, "nested"));
}

static void check_jumps(const struct shape *shape) {
    const struct hot_loop *choice = loop_at(shape, "choice_head"), *words = loop_at(shape, "words_head");
    assert_non_null(choice);
    assert_false(choice->has_unknown_jumps || choice->is_irreducible);
    assert_true(has(shape, choice, "case0") && has(shape, choice, "case2") && has(shape, choice, "choice_next"));
    assert_false(has(shape, choice, "choice_out"));
    assert_non_null(words);
    assert_false(words->has_unknown_jumps);
    assert_true(has(shape, words, "word0"));

    const struct hot_loop *origin = loop_at(shape, "origin_head");
    assert_non_null(origin);
    assert_false(origin->has_unknown_jumps);
    assert_true(has(shape, origin, "span0") && !has(shape, origin, "origin_out"));

    const struct hot_loop *lost = loop_at(shape, "lost_head");
    assert_non_null(lost);
    assert_true(lost->has_unknown_jumps);
    assert_false(has(shape, lost, "lost_next"));
}

static void check_functions(const struct shape *shape, bool is_stripped) {
    const struct hot_loop *hidden_a = loop_at(shape, "hidden_a_head"), *hidden_b = loop_at(shape, "hidden_b_head");
    assert_true(hidden_a && hidden_b);
    assert_true(hidden_a->own == 2 && hidden_b->own == 3);
    assert_int_not_equal(hidden_a->function_address, hidden_b->function_address);
    if (is_stripped)
        assert_null(hidden_a->function);

    const struct hot_loop *split = loop_at(shape, "split_head");
    assert_non_null(split);
    assert_true(has(shape, split, "split_away"));
    assert_int_equal(split->n_ranges, 2);
    assert_true(split->own == 8 + 10);
    assert_true(shape->loops.covered > 0.99);
    for (size_t i = 1; i < shape->loops.n; i++)
        assert_true(shape->loops.loops[i - 1].own >= shape->loops.loops[i].own);
}

// What must be found in each build, with symbols and without.
static void check(const char *program, const char *symbols, bool is_stripped) {
    struct shape *shape = open_shape(program, symbols);
    add_samples(shape);
    find(shape, HOT_SAMPLES);
    check_callers(shape);
    check_nested(shape, is_stripped);
    check_ends(shape);
    check_jumps(shape);
    check_functions(shape, is_stripped);
    close_shape(shape);
}

static void loops_of_each_kind_of_file(void **state) {
    (void)state;
    testing_write("shapes.s", source);
    static const char *const flags[] = {"-pie -Wl,--build-id", "-no-pie", "-shared"};
    for (size_t i = 0; i < 3; i++) {
        const char *program =
                       testing_compile(arena_printf(&testing_programs_arena, "shapes%zu", i), "shapes.s", flags[i]),
                   *stripped = arena_printf(&testing_programs_arena, "%s.stripped", program);
        check(program, program, false);
        testing_command(arena_printf(&testing_programs_arena, "strip -o %s %s", stripped, program));
        check(stripped, program, true);
    }
}

// As objdump names them, also at an address within.
static void stubs_have_names(void **state) {
    (void)state;
    static const char *const flags[] = {"-pie", "-no-pie -Wl,-z,now", "-Wl,-z,ibtplt", "-s"};
    testing_write("stubs.s", ".globl main\nmain:\n call puts@plt\n call exit@plt\n.section .note.GNU-stack\n");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        const char *program =
                       testing_compile(arena_printf(&testing_programs_arena, "stubs%zu", i), "stubs.s", flags[i]),
                   *why;
        struct arena arena = {0};
        struct hot_function function;
        struct hot_image *image = hot_image_open(&arena, program, &why);
        char line[256], name[128];
        unsigned long address;
        size_t n = 0;
        FILE *listing = popen(arena_printf(&arena, "objdump -d %s", program), "r"); // NOLINT(cert-env33-c)
        assert_true(image && listing);
        while (fgets(line, sizeof line, listing)) {
            if (sscanf(line, "%lx <%127[^>]>:", &address, name) != 2 || !strstr(name, "@plt") || strstr(name, "-0x"))
                continue;
            assert_true(hot_image_function(image, address + 4, &function));
            assert_int_equal(function.begin, address);
            assert_non_null(function.name);
            assert_string_equal(function.name, name);
            n++;
        }
        assert_int_equal(pclose(listing), 0);
        assert_true(n >= 2);
        hot_image_close(image);
        arena_free(&arena);
    }
}

static void turns_are_counted_by_callgrind_alone(void **state) {
    (void)state;
    struct shape *shape = open_shape(testing_path("shapes0"), testing_path("shapes0"));
    add(shape, "inner", 10000);
    add(shape, "outer", 100);
    add(shape, "nested", 1);
    find(shape, HOT_INSTRUCTIONS);
    assert_true(loop_at(shape, "inner")->turns == 10000);
    assert_true(loop_at(shape, "outer")->turns == 100);
    assert_true(fabs(shape->loops.covered - 10100.0 / 10101) < 1e-9);
    close_shape(shape);
}

static void what_has_no_loops_is_named(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct hot_loops loops;
    // A JIT's map: what was made last counts. Lines of another form are skipped.
    static const char map[] = "4 8 old\n4 8 made\n\nno line\n4 8\n10 4 other\n";
    const struct hot_module modules[] = {
        {.path = testing_path("shapes0"), .kind = HOT_FILE, .build_id = "0123"},
        {.path = testing_write("text", "no program\n"), .kind = HOT_FILE},
        {.path = testing_path("absent"), .kind = HOT_FILE},
        {.path = "//anon", .kind = HOT_JIT},
        {.path = "[vdso]", .kind = HOT_KERNEL},
        {.path = testing_path("shapes0"), .kind = HOT_FILE},
        {.path = testing_write("perf-1.map", map), .kind = HOT_JIT},
    };
    enum { N = sizeof modules / sizeof *modules };
    struct hot_sample samples[N];
    for (unsigned i = 0; i < N; i++)
        samples[i] = (struct hot_sample){{i, 8}, 1}; // of the last: in the file's header
    const struct hot_profile profile = {
        .modules = modules, .n_modules = N, .samples = samples, .n_samples = N, .total = N + 1};
    assert_true(hot_loops_find(&arena, &testing_decoder, &profile, &loops, &fail));
    static const char *const whys[] = {"built anew",    "not an ELF file", "cannot be read", "made while it ran",
                                       "kernel's code", "no code in",      "it ran: made",   "no file is known"};
    assert_int_equal(loops.n, 0);
    assert_int_equal(loops.n_skipped, N + 1);
    for (size_t i = 0; i <= N; i++) {
        assert_non_null(strstr(loops.skipped[i].why, whys[i]));
        assert_int_equal(loops.skipped[i].module, i < N ? i : UINT_MAX);
        assert_true(loops.skipped[i].samples == 1);
    }
    arena_free(&arena);
}

static void files_that_are_cut_off_cost_only_themselves(void **state) {
    (void)state;
    struct arena arena = {0};
    const char *program = testing_path("shapes0"), *part = testing_path("part");
    static const unsigned lengths[] = {4, 63, 64, 200, 600, 4096, 5000, 9000, 13000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        testing_command(arena_printf(&arena, "dd status=none if=%s of=%s bs=%u count=1", program, part, lengths[i]));
        const struct hot_module module = {.path = part, .kind = HOT_FILE};
        struct hot_sample samples[] = {{{0, 0x1000}, 1}, {{0, 0x1140}, 1}, {{0, 0x1200}, 1}};
        const struct hot_profile profile = {
            .modules = &module, .n_modules = 1, .samples = samples, .n_samples = 3, .total = 3};
        struct fail fail = {0};
        struct hot_loops loops;
        assert_true(hot_loops_find(&arena, &testing_decoder, &profile, &loops, &fail));
        assert_true(loops.n_skipped + loops.n > 0);
    }
    arena_free(&arena);
}

static bool find_line(struct arena *arena, const struct hot_module *module, uint64_t address, const char **file,
                      unsigned *line) {
    struct hot_lines *lines = hot_lines_open(arena, module);
    bool is_found = lines && hot_lines_find(lines, address, file, line);
    hot_lines_close(lines);
    return is_found;
}

static void lines_of_source(void **state) {
    (void)state;
    struct arena arena = {0};
    testing_write("lines.c", "volatile int sum;\n"
                             "int main(int n, char **v) {\n"
                             "    (void)v;\n"
                             "    for (int i = 0; i < n; i++)\n"
                             "        sum += i;\n"
                             "    return sum;\n"
                             "}\n");
    const char *program = testing_compile("lines", "lines.c", "-O0 -g"), *debug = testing_path("lines.debug"), *file,
               *why;
    struct hot_image *image = hot_image_open(&arena, program, &why);
    struct hot_function function;
    assert_true(hot_image_named(image, "main", 0, &function));
    hot_image_close(image);
    unsigned line;
    struct hot_module module = {.path = program, .kind = HOT_FILE};
    assert_true(find_line(&arena, &module, function.begin, &file, &line));
    assert_int_equal(line, 2);
    assert_non_null(strstr(file, "lines.c"));
    assert_false(find_line(&arena, &module, 0, &file, &line));
    // In a file beside it.
    testing_command(arena_printf(&arena, "objcopy --only-keep-debug %s %s", program, debug));
    testing_command(arena_printf(&arena, "objcopy --strip-all --add-gnu-debuglink=%s %s", debug, program));
    assert_true(find_line(&arena, &module, function.begin, &file, &line));
    assert_int_equal(line, 2);
    testing_command(arena_printf(&arena, "rm %s", debug));
    assert_false(find_line(&arena, &module, function.begin, &file, &line));
    arena_free(&arena);
}

static int open_all(void **state) {
    return testing_programs_open(state) || testing_decoder_open(state);
}

static int close_all(void **state) {
    return testing_programs_close(state) || testing_decoder_close(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_of_each_kind_of_file),
        cmocka_unit_test(stubs_have_names),
        cmocka_unit_test(turns_are_counted_by_callgrind_alone),
        cmocka_unit_test(what_has_no_loops_is_named),
        cmocka_unit_test(files_that_are_cut_off_cost_only_themselves),
        cmocka_unit_test(lines_of_source),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
