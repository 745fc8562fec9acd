// Kernels without a file.
#include "gen/kernel.h"

#include "gen/isa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct kernel_text texts[] = {
    {.name = "one",
     .about = "test",
     .body = "vaddps {b:ymm}, {a:ymm}, {d:ymm}",
     .init = "a: f32 1.5, b: 0",
     .chain = "d->a"},
    {.name = "places",
     .about = "4 A, 2 B; two",
     .body = "movq {at:8}({p:r64}), {d:r64}; addq ({q:r64}), {d}",
     .setup = "fninit",
     .implicit = "rcx, rdx",
     .init = "p: memory, q: memory + {at:8}",
     .writes = "d"},
    {.name = "lines",
     .body = "nop\nimulq {a:r64}, {b:r64}\n",
     .setup = "cld\nfninit\n",
     .writes = "",
     .requires = "avx, fma"},
    {.name = "chase", .body = "movq ({p:r64}), {p}", .init = "p: chase 16M by page", .writes = "p"},
};
enum { N_TEXTS = sizeof texts / sizeof *texts };

static void a_file_shows_the_same_kernel(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct isa *isa = isa_find("x86_64");
    struct kernel_set made = {0}, read = {0};
    struct text file = {.arena = &arena};
    struct fail fail = {0};
    kernel_put_head("A test", isa, "att", &file);
    for (size_t i = 0; i < N_TEXTS; i++) {
        kernel_put(&texts[i], &file);
        if (!kernel_add(&arena, "memory", isa, "att", &texts[i], &made, &fail))
            fail_msg("%s: %s", texts[i].name, fail.text);
    }
    if (!kernel_load_text(&arena, "test.yaml", file.data, isa, &read, &fail))
        fail_msg("%u: %s\n%s", fail.line, fail.text, file.data);
    assert_int_equal(read.n_kernels, N_TEXTS);
    for (size_t i = 0; i < N_TEXTS; i++) {
        const struct kernel *one = &made.kernels[i], *other = &read.kernels[i];
        assert_string_equal(one->name, other->name);
        assert_string_equal(one->about, other->about);
        assert_string_equal(one->syntax, "att");
        assert_string_equal(one->setup, other->setup);
        assert_int_equal(one->n_instructions, other->n_instructions);
        assert_int_equal(one->n_places, other->n_places);
        assert_int_equal(one->n_roles, other->n_roles);
        for (unsigned k = 0; k < one->n_roles; k++) {
            const struct kernel_role *a = &one->roles[k], *b = &other->roles[k];
            assert_string_equal(a->name, b->name);
            assert_ptr_equal(a->class, b->class);
            assert_int_equal(a->init, b->init);
            assert_true(a->value == b->value && a->place == b->place && a->chase_bytes == b->chase_bytes);
            assert_int_equal(a->written, b->written);
        }
        assert_int_equal(one->n_arcs, other->n_arcs);
        for (size_t k = 0; one->features[k] || other->features[k]; k++)
            assert_string_equal(one->features[k], other->features[k]);
    }
    assert_int_equal(made.kernels[2].n_instructions, 2);
    assert_string_equal(made.kernels[2].features[1], "fma");
    assert_int_equal(made.kernels[1].n_roles, 5); // p, d, q and two that are implied
    arena_free(&arena);
}

static void a_line_is_for_people(void **state) {
    (void)state;
    struct arena arena = {0};
    struct text file = {.arena = &arena};
    kernel_put(&texts[1], &file);
    assert_string_equal(file.data,
                        "  - {name: places, about: \"4 A, 2 B; two\", body: \"movq {at:8}({p:r64}), {d:r64}; addq "
                        "({q:r64}), {d}\", setup: \"fninit\", implicit: [rcx, rdx], init: {p: memory, q: "
                        "\"memory + {at:8}\"}, writes: [d]}\n");
    arena_free(&arena);
}

static void mistakes_have_no_line(void **state) {
    static const struct {
        struct kernel_text text;
        const char *why;
    } mistakes[] = {
        {{.name = "a", .body = "nop {x:r65}"}, "unknown register class 'r65'"},
        {{.name = "a", .body = "nop {x}"}, "unknown role 'x'"},
        {{.name = "a", .body = "inc {a:r64}", .chain = "b"}, "unknown role 'b'"},
        {{.name = "a", .body = "inc {a:r64}", .init = "a: x"}, "'x' is neither a number nor 'memory'"},
        {{.name = "a", .body = "inc {a:r64}", .init = "a"}, "'' is neither a number nor 'memory'"},
        {{.name = "a", .body = "nop", .implicit = "eix"}, "unknown register 'eix'"},
        {{.name = "a b", .body = "nop"}, "the name 'a b' may hold letters"},
        {{.name = "a", .body = ""}, "the body holds no instruction"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct arena arena = {0};
        struct kernel_set set = {0};
        struct fail fail = {0};
        assert_false(kernel_add(&arena, "memory", isa_find("x86_64"), NULL, &mistakes[i].text, &set, &fail));
        if (!strstr(fail.text, mistakes[i].why))
            fail_msg("%zu: %s", i, fail.text);
        assert_string_equal(fail.file, "memory");
        assert_int_equal(fail.line, 0);
        assert_int_equal(set.n_kernels, 0);
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_shows_the_same_kernel),
        cmocka_unit_test(a_line_is_for_people),
        cmocka_unit_test(mistakes_have_no_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
