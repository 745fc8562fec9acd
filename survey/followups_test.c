// Which experiments follow from a table.
#include "survey/followups.h"

#include "gen/kernel.h"
#include "survey/forms/chain_partners.h"
#include "survey/forms/testing_forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N_SHAPES = 3 };

#define SLOTS(filler_, n)                                                                                              \
    { .kind = EXPERIMENT_SLOTS, .filler = (filler_), .n_fillers = (n) }
#define FILLED(filler_, n)                                                                                             \
    { .kind = EXPERIMENT_FILLED, .filler = (filler_), .n_fillers = (n) }
#define PADDED(source_, result_, way_, n)                                                                              \
    {                                                                                                                  \
        .kind = EXPERIMENT_PAIR, .source = (source_), .result = (result_), .way = (way_),                              \
        .variant = EXPERIMENT_PADDED, .n_steps = (n)                                                                   \
    }

// The kernels of a list from number `first` on.
static struct kernel_set make(const struct experiment_list *list, size_t first) {
    struct kernel_set set = {0};
    struct fail fail = {0};
    if (!experiment_list_make(list, first, testing_arena(), "test", testing_isa(), &set, &fail))
        fail_msg("%s", fail.text);
    return set;
}

// The kernels that the table adds to the plan.
static struct kernel_set next_of(struct followups *plan, const struct survey_table *table) {
    size_t n = plan->all.n;
    followups_add(plan, table);
    return make(&plan->all, n);
}

static void has(const struct kernel_set *set, const char *name, unsigned n_instructions) {
    for (size_t i = 0; i < set->n_kernels; i++)
        if (strcmp(set->kernels[i].name, name) == 0) {
            assert_int_equal(set->kernels[i].n_instructions, n_instructions);
            return;
        }
    fail_msg("there is no kernel '%s'", name);
}

static void a_row_gets_what_it_wants(void **state) {
    (void)state;
    struct shape shapes[N_SHAPES] = {testing_shape("XCHG64rr"), testing_shape("ADD64rm"), testing_shape("PUSH64r")};
    struct experiment_key several[] = {SLOTS("xor", 16), SLOTS("nopw", 3), FILLED("nopw", 3)},
                          odd[] = {SLOTS("xor", 17), SLOTS("none", 1), SLOTS("xor", SLOTS_MOST_FILLERS + 1)};
    const struct table_row rows[] = {
        {.form = "ADD64rm", .follow = odd, .n_follow = 3},
        {.form = "ELSEWHERE", .follow = several, .n_follow = 2},
        {.form = "PUSH64r", .follow = several, .n_follow = 2},
        {.form = "XCHG64rr", .follow = several, .n_follow = 3},
    };
    const struct survey_table table = {.rows = rows, .n_rows = sizeof rows / sizeof *rows}, nothing = {.n_rows = 0};
    struct followups plan;
    followups_open(&plan, testing_arena(), testing_isa(), shapes, N_SHAPES);
    assert_int_equal(next_of(&plan, &nothing).n_kernels, 0);
    struct kernel_set set = next_of(&plan, &table);
    assert_int_equal(set.n_kernels, 4);
    assert_string_equal(set.kernels[0].name, "ADD64rm.slots.xor.17");
    assert_int_equal(set.kernels[0].n_instructions, 18);
    assert_int_equal(set.kernels[0].n_places, 1);
    assert_string_equal(set.kernels[1].name, "XCHG64rr.slots.xor.16");
    assert_int_equal(set.kernels[2].n_instructions, 4);
    assert_string_equal(set.kernels[3].name, "XCHG64rr.filled.nopw.3"); // as many as a measurement of slots has
    assert_int_equal(set.kernels[3].n_instructions, 4);
    assert_int_equal(next_of(&plan, &table).n_kernels, 0); // all of it is planned
}

static struct kernel_set next_padded(struct followups *plan, const char *form, struct experiment_key *padded,
                                     size_t n) {
    const struct table_row row = {.form = form, .follow = padded, .n_follow = n};
    const struct survey_table table = {.rows = &row, .n_rows = 1};
    return next_of(plan, &table);
}

// Chains with eight steps more, once for each pair: within a kind of registers, and through flags.
static void padded_chains(void **state) {
    (void)state;
    struct shape shapes[] = {testing_shape("CMPXCHG64rr"),      testing_shape("MOV8rr-high0"),
                             testing_shape("VPCOMPRESSDZrrkz"), testing_shape("PUSH64r"),
                             testing_shape("VMOVPDI2DIrr"),     testing_shape("LOCK_ADD64mr"),
                             testing_shape("MMX_PHADDWrr"),     testing_shape("PHADDWrr"),
                             testing_shape("ADC64rm"),          testing_shape("VPGATHERDDYrm")};
    static struct experiment_key from_register[] = {PADDED("o1", "o0", "", PARTNER_PADS)},
                                 to_flags[] = {PADDED("o1", "flags", "carry-movslq", PARTNER_PADS),
                                               PADDED("o1", "flags", "carry-movslq", PARTNER_MORE_PADS)},
                                 whole[] = {PADDED("o1", "o0_whole", "", PARTNER_PADS)},
                                 vector[] = {PADDED("o2", "o0", "", PARTNER_PADS)},
                                 address[] = {PADDED("o0_base", "flags", "flags-xor", PARTNER_PADS)},
                                 own[] = {PADDED("o0", "o0", "", PARTNER_PADS)},
                                 index[] = {PADDED("o2_index", "o0", "", PARTNER_PADS)},
                                 lanes[] = {PADDED("o3_index", "o0", "", PARTNER_MOST_PADS)};
    struct followups plan;
    followups_open(&plan, testing_arena(), testing_isa(), shapes, sizeof shapes / sizeof *shapes);
    struct kernel_set set = next_padded(&plan, "CMPXCHG64rr", from_register, 1);
    assert_int_equal(set.n_kernels, 1);
    has(&set, "CMPXCHG64rr.o1-o0.movslq.padded.movslq", 1 + 1 + 1 + 8); // form, way, what ends rax's way, steps
    assert_int_equal(next_padded(&plan, "CMPXCHG64rr", from_register, 1).n_kernels, 0);
    set = next_padded(&plan, "CMPXCHG64rr", to_flags, 2);
    assert_int_equal(set.n_kernels, 2);
    has(&set, "CMPXCHG64rr.o1-flags.carry-movslq.padded.movslq", 1 + 3 + 1 + 8);
    has(&set, "CMPXCHG64rr.o1-flags.carry-movslq.padded.movslq.24", 1 + 3 + 1 + 24);
    set = next_padded(&plan, "MOV8rr-high0", whole, 1);
    has(&set, "MOV8rr-high0.o1-o0_whole.movslq.padded.movslq", 1 + 1 + 1 + 8);
    set = next_padded(&plan, "VPCOMPRESSDZrrkz", vector, 1);
    has(&set, "VPCOMPRESSDZrrkz.o2-o0.vandps.padded.vandps", 1 + 1 + 8);
    // Through an address; with more steps that need no shuffles; from an index, which has no displacement.
    set = next_padded(&plan, "LOCK_ADD64mr", address, 1);
    assert_int_equal(set.n_kernels, 1);
    has(&set, "LOCK_ADD64mr.o0_base-flags.flags-xor.padded.movslq", 1 + 2 + 2 + 8);
    set = next_padded(&plan, "MMX_PHADDWrr", own, 1);
    has(&set, "MMX_PHADDWrr.o0-o0.pshufw.padded.mpand", 1 + 1 + 8);
    set = next_padded(&plan, "PHADDWrr", own, 1);
    has(&set, "PHADDWrr.o0-o0.pshufd.padded.pand", 1 + 1 + 8);
    has(&set, "PHADDWrr.o0-o0.movshdup.padded.andps", 1 + 1 + 8);
    set = next_padded(&plan, "ADC64rm", index, 1);
    assert_int_equal(set.n_kernels, 1);
    has(&set, "ADC64rm.o2_index-o0.xor.padded.movslq", 1 + 2 + 2 + 8);
    // From a gather's indices: behind it, the way, and what ends the result's way and sets the mask again.
    set = next_padded(&plan, "VPGATHERDDYrm", lanes, 1);
    assert_int_equal(set.n_kernels, 2);
    has(&set, "VPGATHERDDYrm.o3_index-o0.vandps.padded.vandps.48", 1 + 1 + 2 + 48);
    // From one kind of registers to another, the steps are in between.
    set = next_padded(&plan, "VMOVPDI2DIrr", from_register, 1);
    has(&set, "VMOVPDI2DIrr.o1-o0.vmovq.padded.vpand", 1 + 1 + 8);
    assert_int_equal(next_padded(&plan, "PUSH64r", own, 1).n_kernels, 0); // it is surrounded
    struct experiment_list list = {.arena = testing_arena()};
    followups_add_name(testing_isa(), &shapes[1], "MOV8rr-high0.o1-o0.movsbl.padded.movslq", &list);
    set = make(&list, 0);
    has(&set, "MOV8rr-high0.o1-o0.movsbl.padded.movslq", 1 + 1 + 1 + 8);
    has(&set, "MOV8rr-high0.o1-o0.movsbl.padded.movslq.24", 1 + 1 + 1 + 24);
    has(&set, "MOV8rr-high0.o1-o0.movsbl.padded.movslq.48", 1 + 1 + 1 + 48);
}

// A load and a store in the placements that matter to their class, which their first form has anyway.
static void places(void **state) {
    (void)state;
    enum { N_PLACES = 3 };
    struct experiment_key all[N_PLACES] = {{.kind = EXPERIMENT_PLACES, .placement = PLACEMENT_SAME_ADDRESS},
                                           {.kind = EXPERIMENT_PLACES, .placement = PLACEMENT_SAME_LINE},
                                           {.kind = EXPERIMENT_PLACES, .placement = PLACEMENT_OWN_LINES}};
    struct shape shapes[] = {testing_shape("CMP64rm"), testing_shape("MOV64mr"), testing_shape("MOV64rm"),
                             testing_shape("VMOVAPSZrm"), testing_shape("XCHG64rr")};
    enum { N = sizeof shapes / sizeof *shapes };
    struct table_row rows[N];
    const struct survey_table table = {.rows = rows, .n_rows = N};
    struct followups plan;
    shapes[0].is_first = true;
    for (size_t i = 0; i < N; i++)
        rows[i] = (struct table_row){.form = shapes[i].form->name, .follow = all, .n_follow = N_PLACES};
    rows[2].n_follow = 1;
    followups_open(&plan, testing_arena(), testing_isa(), shapes, N);
    struct kernel_set set = next_of(&plan, &table);
    assert_int_equal(set.n_kernels, 3);
    has(&set, "MOV64mr.places.same-line", 1);
    has(&set, "MOV64rm.places.same-address", 1);
    has(&set, "VMOVAPSZrm.places.own-lines", 1); // in one line, a whole line has one address
    assert_int_equal(next_of(&plan, &table).n_kernels, 0);
}

static void by_name(void **state) {
    (void)state;
    const struct shape shape = testing_shape("VADDPSYrr");
    struct text text = {.arena = testing_arena()};
    struct experiment_list list = {.arena = testing_arena()};
    static const char *const others[] = {"VADDPSYrr",           "VADDPSYrr.slots",        "VADDPSYrr.slots.",
                                         "VADDPSYrr.slots.xor", "VADDPSYrr.slots.none.3", "VADDPSYrr.slots.xor.9999"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        followups_add_name(testing_isa(), &shape, others[i], &list);
    assert_int_equal(list.n, 0);
    followups_add_name(testing_isa(), &shape, "VADDPSYrr.slots.xor.2", &list);
    experiment_list_put(&list, &text);
    assert_string_equal(text.data,
                        "  - {name: VADDPSYrr.slots.xor.2, about: survey, body: \"vaddps {o2:ymm}, {o1:ymm}, "
                        "{o0:ymm}; xorl {f:r32}, {f:r32}; xorl {f}, {f}\", init: {o1: f32 1.0, o2: f32 1.0}, "
                        "writes: [o0]}\n");
    followups_add_name(testing_isa(), &shape, "VADDPSYrr.filled.nopw.1", &list);
    assert_int_equal(list.n, 2);
    assert_string_equal(list.items[1].kernel.name, "VADDPSYrr.filled.nopw.1");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_row_gets_what_it_wants), cmocka_unit_test(padded_chains),
                                       cmocka_unit_test(places), cmocka_unit_test(by_name)};
    return cmocka_run_group_tests(tests, testing_forms_open, testing_forms_close);
}
