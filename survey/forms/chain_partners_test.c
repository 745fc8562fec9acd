// The ways back that close a chain.
#include "survey/forms/chain_partners.h"

#include "survey/forms/testing_forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static unsigned find(const char *opcode, const char *result, const char *source, enum partner_length length,
                     struct chain_partner ways[PARTNER_MOST_WAYS]) {
    struct shape shape = testing_shape(opcode);
    return chain_partners_find(testing_arena(), testing_isa(), &shape, testing_port(&shape, result),
                               testing_port(&shape, source), length, "", ways);
}

static void ways_back(void **state) {
    (void)state;
    static const struct {
        const char *opcode, *result, *source, *names[PARTNER_MOST_WAYS], *text, *init; // text of the first
    } known[] = {
        // within a register file
        {"ADD64rr", "0", "2", {"movslq"}, "; movslq {o0:r32}, {o2:r64}", ""},
        {"MUL64r", "rdx", "rax", {"movslq"}, "; movslq %edx, %rax", ""},
        {"VADDPSYrr", "0", "1", {"vpand", "vandps"}, "; vpand {o0:xmm}, {o0:xmm}, {o1:xmm}", ""},
        {"ADDPSrr", "0", "2", {"pshufd", "movshdup"}, "; pshufd $0xe4, {o0:xmm}, {o2:xmm}", ""},
        {"KMOVWkk", "0", "1", {"knotw"}, "; knotw {o0:kany}, {o1:kany}", ""},
        {"MMX_PADDBrr", "0", "2", {"pshufw"}, "; pshufw $0xe4, {o0:mm}, {o2:mm}", ""},
        // an address keeps its value
        {"MOV64rm", "0", "1.base", {"xor"}, "; xorq {o0:r64}, {o1_base:r64}; xorq {o0:r64}, {o1_base:r64}", ""},
        // across register files
        {"VMOVPDI2DIrr", "0", "1", {"vmovq"}, "; vmovq {o0:r64}, {o1:xmm}", ""},
        {"CVTSI642SDrr_Int", "0", "2", {"movq"}, "; movq {o0:xmm}, {o2:r64}", ""},
        {"KMOVWkr", "0", "1", {"kmovw"}, "; kmovw {o0:kany}, {o1:r32}", ""},
        {"VPCMPEQDZrr", "0", "1", {"mask"}, "; vpmovm2d {o0:kany}, {o1:zmm}", ""},
        {"VPBROADCASTMB2QZrr", "0", "1", {"mask"}, "; vptestmd {o0:zmm}, {o0:zmm}, {o1:kany}", ""},
        {"MMX_MOVD64from64rr", "0", "1", {"mmovq"}, "; movq {o0:r64}, {o1:mm}", ""},
        {"MMX_CVTPI2PDrr", "0", "1", {"movq2dq"}, "; movdq2q {o0:xmm}, {o1:mm}", ""},
        {"VGATHERDPSYrm", "0", "3.index", {"vpand", "vandps"}, "; vpand {o0:xmm}, {o0:xmm}, {o3_index:xmm}", ""},
        {"VMOVAPSYrm",
         "0",
         "1.base",
         {"vmovq-xor"},
         "; vmovq {o0:xmm}, {t:r64}; xorq {t:r64}, {o1_base:r64}; xorq {t:r64}, {o1_base:r64}",
         ", t: 1"},
        // flags
        {"ADC64rr", "0", "flags", {"flags", "movslq-bt"}, "; cmpq $0, {o0:r64}", ""},
        {"ADD64rr",
         "flags",
         "2",
         {"flags-movslq", "carry-movslq"},
         "; movl $1, {t:r32}; cmoveq {c:r64}, {t:r64}; movslq {t:r32}, {o2:r64}",
         ", c: 1, t: 1"},
        {"VUCOMISSrr",
         "flags",
         "0",
         {"flags-vmovq", "carry-vmovq"},
         "; movl $1, {t:r32}; cmoveq {c:r64}, {t:r64}; vmovq {t:r64}, {o0:xmm}",
         ", c: 1, t: 1"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct chain_partner ways[PARTNER_MOST_WAYS];
        unsigned n = find(known[i].opcode, known[i].result, known[i].source, false, ways);
        assert_int_equal(n, known[i].names[1] ? 2 : 1);
        for (unsigned k = 0; k < n; k++)
            assert_string_equal(ways[k].name, known[i].names[k]);
        assert_string_equal(ways[0].text, known[i].text);
        assert_string_equal(ways[0].init, known[i].init);
    }
}

static void names_are_steps(void **state) {
    (void)state;
    struct chain_partner ways[PARTNER_MOST_WAYS];
    find("VMOVAPSYrm", "0", "1.base", PARTNER_PLAIN, ways);
    assert_int_equal(ways[0].n_steps, 2);
    assert_string_equal(ways[0].steps[0].name, "vmovq");
    assert_int_equal(ways[0].steps[0].times, 1);
    assert_string_equal(ways[0].steps[1].name, "xor");
    assert_int_equal(ways[0].steps[1].times, 2);
}

// Four steps more behind the reading of flags, under the same name.
static void longer_ways(void **state) {
    (void)state;
    struct chain_partner ways[PARTNER_MOST_WAYS];
    assert_int_equal(find("ADD64rr", "flags", "2", PARTNER_LONGER, ways), 2);
    assert_string_equal(ways[1].name, "carry-movslq");
    assert_string_equal(
        ways[1].text, "; movl $1, {t:r32}; cmovbq {c:r64}, {t:r64}; movslq {t:r32}, {t:r64}; movslq {t:r32}, {t:r64}; "
                      "movslq {t:r32}, {t:r64}; movslq {t:r32}, {t:r64}; movslq {t:r32}, {o2:r64}");
}

static void dependences_end(void **state) {
    (void)state;
    static const struct {
        const char *opcode, *port, *text; // null: it cannot be ended
    } known[] = {
        {"ADD64rr", "0", "; movl $1, {o0:r32}"},
        {"MUL64r", "rax", "; movl $1, %eax"},
        {"DIV32r", "edx", "; movl $0, %edx"}, // the upper half of the dividend
        {"VADDPSYrr", "0", "; vmovaps {zv:ymm}, {o0:ymm}"},
        {"ADDPSrr", "0", "; movaps {zv:xmm}, {o0:xmm}"},
        {"KMOVWkk", "0", "; kmovw {zk:kany}, {o0:kany}"},
        {"MMX_PADDBrr", "0", "; movq {zm:mm}, {o0:mm}"},
        {"VGATHERDPSYrm", "1", "; vpcmpeqd {zv:ymm}, {zv:ymm}, {o1:ymm}"}, // a mask that the gather has cleared
        {"VGATHERDPSZrm", "1", "; kmovw {lanes:kany}, {o1:kany}"},
        {"ADC64rr", "flags", "; testl {zf:r32}, {zf:r32}"},
        {"MOV64rm", "1.base", NULL},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct shape shape = testing_shape(known[i].opcode);
        struct text text = {.arena = testing_arena()};
        bool is_ended = chain_partner_break(testing_isa(), &shape, testing_port(&shape, known[i].port), &text);
        assert_int_equal(is_ended, known[i].text != NULL);
        if (is_ended)
            assert_string_equal(text.data, known[i].text);
    }
}

static size_t count(const struct chain_partner_experiment *experiments, size_t n, const char *name) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += strcmp(experiments[i].name, name) == 0;
    return found;
}

// Each step has an experiment of its own; parts of sums do, too.
static void steps_are_measured(void **state) {
    (void)state;
    static const char *const steps[] = {"movslq", "xor",  "vpand", "vandps", "pshufd", "movshdup", "knotw", "flags",
                                        "carry",  "movq", "vmovq", "kmovw",  "mask",   "pshufw",   "mmovq", "movq2dq"};
    const struct chain_partner_experiment *experiments;
    size_t n = chain_partners_experiments(testing_isa(), &experiments);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        assert_int_equal(count(experiments, n, steps[i]), 1);
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3 && experiments[i].parts[k]; k++)
            assert_int_equal(count(experiments, n, experiments[i].parts[k]), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_back),       cmocka_unit_test(names_are_steps),    cmocka_unit_test(longer_ways),
        cmocka_unit_test(dependences_end), cmocka_unit_test(steps_are_measured),
    };
    return cmocka_run_group_tests(tests, testing_forms_open, testing_forms_close);
}
