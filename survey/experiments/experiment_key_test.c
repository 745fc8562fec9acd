#include "survey/experiments/experiment_key.h"

#include "survey/forms/chain_partners.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;

static struct experiment_key parsed(const char *name, const char *arc) {
    struct experiment_key key;
    experiment_key_parse(&arena, name, arc, &key);
    return key;
}

// One of each kind, as files have them.
static const struct {
    const char *name;
    enum experiment_kind kind;
} kinds[] = {
    {"VADDPSYrr", EXPERIMENT_PLAIN},
    {"MUL64r.broken", EXPERIMENT_BROKEN},
    {"MUL64r.broken.4", EXPERIMENT_BROKEN},
    {"VGATHERDPSYrm.lines", EXPERIMENT_LINES},
    {"MOV64rm.places.same-address", EXPERIMENT_PLACES},
    {"PUSH64r.around.8", EXPERIMENT_AROUND},
    {"ADD_FST0r.copies.7", EXPERIMENT_COPIES},
    {"SQRTSDr.slow", EXPERIMENT_PLAIN},
    {"SQRT_F.slow.around.1", EXPERIMENT_AROUND},
    {"VADDPSYrr.slots.xor.16", EXPERIMENT_SLOTS},
    {"VCVTPS2PDYrr.filled.nopw.2", EXPERIMENT_FILLED},
    {"VADDPSYrr.chain", EXPERIMENT_CHAIN},
    {"ADD64rr.o2-flags.flags-movslq", EXPERIMENT_PAIR},
    {"ADD64rr.o2-flags.flags-movslq.longer", EXPERIMENT_PAIR},
    {"ADD64mr.o5-memory.memory8.longer.movslq", EXPERIMENT_PAIR},
    {"MUL64r.rax-rdx.alone", EXPERIMENT_PAIR},
    {"VFMADD213PSYr.o2-o0.crossing", EXPERIMENT_PAIR},
    {"VADDPSZrrk.o2-o0.vpand.together", EXPERIMENT_PAIR},
    {"VADDPSYrr.o1-o0.vandps.others", EXPERIMENT_PAIR},
    {"CMPXCHG64rr.o1-o0.movslq.padded.movslq", EXPERIMENT_PAIR},
    {"CMPXCHG64rr.o1-o0.movslq.padded.movslq.24", EXPERIMENT_PAIR},
    {"ADD8rr-high0.o2-o0_whole.movslq", EXPERIMENT_PAIR},
    {"DIV64r.slow.o0-rax.xor", EXPERIMENT_PAIR},
    {"SUB64rr.same", EXPERIMENT_SAME},
    {"ADD64mr.memory", EXPERIMENT_MEMORY},
    {"ADD64mr.memory.memory8", EXPERIMENT_MEMORY},
    {"CHAIN.vmovq-xor", EXPERIMENT_PARTNER},
    {"SIDE.movslq", EXPERIMENT_STEP},
    {"FILL.xor", EXPERIMENT_FILLER},
    {"FILL.xor.68", EXPERIMENT_FILLER},
    {"FILL.xor.44.chain", EXPERIMENT_FILLER},
    {"mixture.017", EXPERIMENT_MIXTURE},
    {"mixture.1017", EXPERIMENT_MIXTURE},
    {"VADDPSYrr.beside.VPERMDYrr", EXPERIMENT_PROBE},
};

static void a_name_is_parsed_and_printed_again(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct experiment_key key = parsed(kinds[i].name, NULL);
        if (key.kind != kinds[i].kind)
            fail_msg("%s: kind %d", kinds[i].name, (int)key.kind);
        assert_string_equal(experiment_key_name(&arena, &key), kinds[i].name);
    }
}

static void a_pair_has_roles_way_and_variant(void **state) {
    (void)state;
    struct experiment_key key = parsed("CMPXCHG64rr.o1-o0.flags-movslq.padded.movslq.24", NULL);
    assert_string_equal(key.form, "CMPXCHG64rr");
    assert_string_equal(key.source, "o1");
    assert_string_equal(key.result, "o0");
    assert_string_equal(key.way, "flags-movslq");
    assert_int_equal(key.variant, EXPERIMENT_PADDED);
    assert_string_equal(key.step, "movslq");
    assert_int_equal(key.n_steps, 24);
    assert_int_equal(parsed("F.o1-o0.movslq.padded.movslq", NULL).n_steps, PARTNER_PADS);
    assert_int_equal(parsed("F.o1-o0.movslq.longer", NULL).n_steps, 0);
    const char *way = key.way;
    assert_string_equal(experiment_next_step(&arena, &way), "flags");
    assert_string_equal(experiment_next_step(&arena, &way), "movslq");
    assert_string_equal(way, "");
}

static void two_copies_cross_and_nothing_ends_their_result(void **state) {
    (void)state;
    struct experiment_key key = parsed("F.o2-o0.crossing", NULL);
    assert_int_equal(key.closing, EXPERIMENT_CROSSING);
    assert_string_equal(key.way, "");
    assert_int_equal(experiment_copies(&key), 2);
    assert_true(experiment_is_together(&key));
    key = parsed("F.rax-rax.alone", NULL);
    assert_int_equal(key.closing, EXPERIMENT_ALONE);
    assert_string_equal(key.way, "");
    assert_int_equal(experiment_copies(&key), 1);
    assert_false(experiment_is_together(&key));
}

static void the_arc_names_the_ports_of_a_chain(void **state) {
    (void)state;
    struct experiment_key key = parsed("F.chain", "o0->o2");
    assert_string_equal(key.result, "o0");
    assert_string_equal(key.source, "o2");
    assert_true(experiment_is_latency(&key));
    key = parsed("F.same", "o0->o2");
    assert_string_equal(key.source, "same");
    assert_string_equal(key.result, "o0");
    key = parsed("F.chain", NULL); // a file may lack it
    assert_string_equal(key.result, "");
    assert_string_equal(key.source, "");
}

static void copies_fillers_and_placements_are_numbers(void **state) {
    (void)state;
    struct experiment_key key = parsed("F.slow.around.8", NULL);
    assert_true(key.has_slow_values);
    assert_int_equal(key.copies, 8);
    assert_false(experiment_is_latency(&key));
    key = parsed("F.broken", NULL);
    assert_int_equal(key.copies, 0);
    assert_int_equal(experiment_copies(&key), 1);
    assert_true(experiment_has_breakers(&key));
    key = parsed("FILL.xor.44.chain", NULL);
    assert_string_equal(key.filler, "xor");
    assert_int_equal(key.n_fillers, 44);
    assert_string_equal(key.beside, "chain");
    assert_int_equal(parsed("F.places.own-lines", NULL).placement, PLACEMENT_OWN_LINES);
    assert_int_equal(parsed("mixture.017", NULL).number, 17);
    assert_string_equal(parsed("A.beside.B", NULL).probe_form, "B");
}

static void what_no_version_writes_is_no_latency(void **state) {
    static const char *const names[] = {"F.word", "F.o1-", "F.o1-o0.movslq.turned", "F.slow.word", "F.-"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct experiment_key key = parsed(names[i], NULL);
        assert_int_equal(key.kind, EXPERIMENT_OTHER);
        assert_string_equal(key.form, "F");
        assert_false(experiment_is_latency(&key));
        assert_null(experiment_key_name(&arena, &key));
    }
    assert_int_equal(parsed("", NULL).kind, EXPERIMENT_PLAIN);
}

static void keys_are_compared_by_all_they_state(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            struct experiment_key one = parsed(kinds[i].name, NULL), other = parsed(kinds[k].name, NULL);
            if (experiment_is_same(&one, &other) != (i == k))
                fail_msg("%s and %s", kinds[i].name, kinds[k].name);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_parsed_and_printed_again),
        cmocka_unit_test(a_pair_has_roles_way_and_variant),
        cmocka_unit_test(two_copies_cross_and_nothing_ends_their_result),
        cmocka_unit_test(the_arc_names_the_ports_of_a_chain),
        cmocka_unit_test(copies_fillers_and_placements_are_numbers),
        cmocka_unit_test(what_no_version_writes_is_no_latency),
        cmocka_unit_test(keys_are_compared_by_all_they_state),
    };
    int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return n_failed;
}
