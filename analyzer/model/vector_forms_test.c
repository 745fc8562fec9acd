// RISC-V's vector configurations: their names, what each form's operands become, and set-ups in text and machine code.
#include "analyzer/model/vector_forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct model model;
static const struct form *forms;
static size_t n_forms;

static const struct form *make(const char *opcode, const char *words) {
    struct vector_config config;
    const struct form *all = forms;
    size_t n = n_forms;
    assert_true(vector_config_parse(words, &config));
    vector_forms_add(&arena, &model, &config, 1, &all, &n);
    for (size_t i = n_forms; i < n; i++)
        if (strcmp(all[i].opcode, opcode) == 0)
            return &all[i];
    fail_msg("there is no %s-%s", opcode, words);
    return NULL;
}

static void names_are_read_as_they_are_written(void **state) {
    (void)state;
    static const char *const names[] = {"e8mf8",         "e8m8",
                                        "e64m1",         "e32m2-half",
                                        "e32mf2-odd-tu", "e16m4-tu-mu",
                                        "e64m8-one-mu",  "e8m1-tu-mu-mask",
                                        "e8m1-spread",   "e8m1-half-line-tu"},
                             *const wrong[] = {
                                 "",          "e8",    "e8m3",   "e64mf2",     "e32mf4",          "e128m1",
                                 "e8mf16",    "e8m16", "e32m1-", "e32m1-x",    "e32m1-tu-tu",     "e32m1-half-odd",
                                 "e32m1mask", "m1",    "e8mf1",  "base-index", "e8m1-line-spread"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct vector_config config;
        struct text text = {.arena = &arena};
        assert_true(vector_config_parse(names[i], &config));
        vector_config_print(&config, &text);
        assert_string_equal(text.data, names[i]);
        assert_string_equal(vector_config_in_name(arena_printf(&arena, "VADD_VV-%s", names[i]), NULL), names[i]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct vector_config config;
        assert_false(vector_config_parse(wrong[i], &config));
    }
    assert_null(vector_config_in_name("LEA64r-base-index", NULL));
    assert_null(vector_config_in_name("VADD_VV", NULL));
}

static void pairs_are_those_of_the_manual(void **state) {
    (void)state;
    for (unsigned i = 0; i < VECTOR_N_PAIRS; i++) {
        const struct vector_config pair = vector_config_pair(i);
        struct vector_config again;
        struct text text = {.arena = &arena};
        vector_config_print(&pair, &text);
        assert_true(vector_config_parse(text.data, &again));
        assert_true(vector_config_is_same(&pair, &again));
        for (unsigned k = 0; k < i; k++) {
            const struct vector_config other = vector_config_pair(k);
            assert_false(vector_config_is_same(&pair, &other));
        }
    }
}

static void lists_have_each_once(void **state) {
    (void)state;
    static const char *const all[] = {"e32m1", "all", "e32m1-mask", "all-mask"}, *const wrong[] = {"e32m1", "each"};
    const struct vector_config *configs;
    size_t n;
    struct fail fail = {0};
    assert_true(vector_config_parse_list(&arena, all, 4, &configs, &n, &fail));
    assert_int_equal(n, 2 * VECTOR_N_PAIRS);
    assert_false(vector_config_parse_list(&arena, wrong, 2, &configs, &n, &fail));
    assert_non_null(strstr(fail.text, "'each' is no vector configuration"));
}

// What the assembler makes of the set-up's text is its machine code.
static void setups_are_the_same_in_text_and_code(void **state) {
    (void)state;
    static const char *const words[] = {"e8mf8", "e16mf2-tu", "e32m1-half", "e64m8-odd-tu-mu", "e8m4-one-mu"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const struct form *form = make("VADD_VV", words[i]);
        struct backend_source source;
        struct fail fail = {0};
        const char *lines = arena_printf(&arena, ".option norvc\n%s", text_replaced(&arena, form->setup, ';', '\n'));
        size_t at = 0;
        assert_true(model.backend->describe_text(model.cpu, &arena, "set-up", lines, &source, &fail));
        const struct block *block = &source.blocks[0];
        for (unsigned k = 0; k < block->n_insns; at += block->insns[k++].n_bytes) {
            assert_true(at + block->insns[k].n_bytes <= form->n_setup_bytes);
            assert_memory_equal(form->bytes - form->n_setup_bytes + at, block->insns[k].bytes, block->insns[k].n_bytes);
        }
        assert_int_equal(at, form->n_setup_bytes);
    }
}

static void check_groups(const char *opcode, const char *words, const char *expected) {
    const struct form *form = make(opcode, words);
    struct text text = {.arena = &arena};
    text_add(&text, "");
    if (form->refused)
        fail_msg("%s: %s", form->name, form->refused);
    for (unsigned i = 0; i < form->n_operands; i++)
        if (form->operands[i].group)
            text_addf(&text, "%u", form->operands[i].group);
    assert_string_equal(text.data, expected);
}

static void check_refused(const char *opcode, const char *words, const char *why) {
    const struct form *form = make(opcode, words);
    if (!form->refused)
        fail_msg("%s is allowed", form->name);
    assert_non_null(strstr(form->refused, why));
}

static void operands_have_groups(void **state) {
    (void)state;
    check_groups("VADD_VV", "e32m4", "444");
    check_groups("VADD_VX", "e32mf2", "11");
    check_groups("VWADD_VV", "e16m2", "422");
    check_groups("VWADD_WV", "e16m4", "884");
    check_groups("VNSRL_WV", "e8m1", "121");
    check_groups("VZEXT_VF8", "e64m8", "88"); // its source has one register, and may be a partner's result
    check_groups("VMSEQ_VV", "e8m2", "222");
    check_groups("VREDSUM_VS", "e8m8", "888");
    check_groups("VRGATHEREI16_VV", "e8m4", "448");
    check_groups("VLE64_V", "e32m1", "2");
    check_groups("VLE8_V", "e64m8", "8");
    check_groups("VLUXEI64_V", "e16m2", "28");
    check_groups("VLSEG3E32_V", "e32m2", "6");
    check_groups("VLSEG3E8_V", "e32m4", "4");
    check_groups("VSUXSEG2EI16_V", "e32m4", "84");
    check_refused("VWADD_VV", "e64m1", "no elements of 64 bits");
    check_refused("VWADD_VV", "e8m8", "more than 8 registers");
    check_refused("VNSRL_WV", "e16m8", "more than 8 registers");
    check_refused("VFADD_VV", "e8m1", "no elements of 8 bits");
    check_refused("VZEXT_VF4", "e16m1", "no elements of 16 bits");
    check_refused("VLE64_V", "e8m2", "more than 8 registers");
    check_refused("VLSEG8E8_V", "e8m2", "more than 8 registers");
    check_refused("VMV_V_V", "e8m1-mask", "no mask");
    check_refused("VMV_V_I", "e8m1-mask", "no mask");
    check_refused("VADD_VV", "e8m1-spread", "no vector of indices");
    check_refused("VRGATHER_VX", "e8m1-spread", "no vector of indices");
    check_refused("VRGATHER_VV", "e8m1-line", "have no lines");
}

static void masks_and_kept_elements_are_sources(void **state) {
    (void)state;
    const struct form *plain = make("VADD_VV", "e32m1"), *masked = make("VADD_VV", "e32m1-mask"),
                      *kept = make("VADD_VV", "e32m1-tu"), *undisturbed = make("VADD_VV", "e32m1-mu-mask"),
                      *mask_result = make("VMSEQ_VV", "e32m1-tu");
    assert_string_equal(masked->text, "vadd.vv\tv8, v9, v10, v0.t");
    assert_int_equal(plain->bytes[3] & 2, 2);
    assert_int_equal(masked->bytes[3] & 2, 0);
    assert_int_equal(masked->n_implicit_reads, plain->n_implicit_reads + 1);
    assert_false(plain->operands[0].is_read || masked->operands[0].is_read || mask_result->operands[0].is_read);
    assert_true(kept->operands[0].is_read && undisturbed->operands[0].is_read);
}

static void check_indices(const char *opcode, const char *words, const char *expected) {
    const struct form *form = make(opcode, words);
    if (form->refused)
        fail_msg("%s: %s", form->name, form->refused);
    assert_string_equal(vector_config_fill_indices(&arena, opcode, &form->vector, "r"), expected);
}

// Of the type that the operand has: an index of 32 bits beside elements of 16 has a group twice as large.
static void indices_have_their_order(void **state) {
    (void)state;
    check_indices("VLUXEI32_V", "e16m1", "");
    check_indices("VLUXEI32_V", "e16m1-ascending",
                  "vsetvli x31, x0, e32, m2, ta, ma; vid.v {r}; li x31, 2; vmul.vx {r}, {r}, x31");
    check_indices("VSOXSEG3EI8_V", "e64m1-line",
                  "vsetvli x31, x0, e8, mf8, ta, ma; vid.v {r}; li x31, 24; vmul.vx {r}, {r}, x31; li x31, 63; "
                  "vand.vx {r}, {r}, x31");
    check_indices("VLOXEI64_V", "e64m1-spread",
                  "vsetvli x31, x0, e64, m1, ta, ma; vid.v {r}; li x31, 64; vmul.vx {r}, {r}, x31; li x31, 4095; "
                  "vand.vx {r}, {r}, x31");
    check_indices("VRGATHER_VV", "e8m4-ascending", "vsetvli x31, x0, e8, m4, ta, ma; vid.v {r}");
    check_indices("VRGATHEREI16_VV", "e8m4-spread",
                  "vsetvli x31, x0, e16, m8, ta, ma; vid.v {r}; addi x31, x31, -1; vrsub.vx {r}, {r}, x31");
}

// The unit of a model is the class by pair.
static void classes_are_by_pair(void **state) {
    (void)state;
    const struct form *one = make("VADD_VV", "e32m1"), *other = make("VADD_VV", "e32m4"),
                      *division = make("VDIV_VV", "e8m1"), *wide = make("VDIV_VV", "e64m1");
    assert_int_not_equal(one->sched_class, other->sched_class);
    assert_int_not_equal(division->sched_class, wide->sched_class);
    if (one->sched_class_name)
        assert_non_null(strstr(other->sched_class_name, "_M4"));
}

// Whatever LLVM's classes are of: a rule may name the pair.
static void code_has_the_form_of_its_pair(void **state) {
    (void)state;
    static const char *const opcodes[] = {"VADD_VV", "VMV_X_S", "VMV_S_X", "VFMV_F_S", "VFMV_S_F", "VLM_V", "VSM_V"},
                             *const pairs[] = {"e16m1", "e32m2", "e64m8"};
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
            const struct form *form = make(opcodes[i], pairs[k]);
            struct block block;
            struct fail fail = {0};
            assert_true(model_describe_part(&model, &arena, form->bytes - form->n_setup_bytes, form->n_setup_bytes,
                                            form->n_bytes, &block, &fail));
            assert_string_equal(block.insns[0].form, form->name);
        }
}

static int open_forms(void **state) {
    struct fail fail = {0};
    const struct backend_options options = {
        .triple = "riscv64-unknown-linux-gnu", .cpu = "sifive-p670", .forms = true, .output_syntax = -1};
    (void)state;
    return model_open(&model, &arena, NULL, &options, &fail) &&
                   model.backend->forms(model.cpu, &arena, &forms, &n_forms, &fail)
               ? 0
               : -1;
}

static int close_forms(void **state) {
    (void)state;
    model_close(&model);
    arena_free(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_read_as_they_are_written),
        cmocka_unit_test(pairs_are_those_of_the_manual),
        cmocka_unit_test(lists_have_each_once),
        cmocka_unit_test(setups_are_the_same_in_text_and_code),
        cmocka_unit_test(operands_have_groups),
        cmocka_unit_test(masks_and_kept_elements_are_sources),
        cmocka_unit_test(indices_have_their_order),
        cmocka_unit_test(classes_are_by_pair),
        cmocka_unit_test(code_has_the_form_of_its_pair),
    };
    return cmocka_run_group_tests(tests, open_forms, close_forms);
}
