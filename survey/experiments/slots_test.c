// Dispatch slots from measurements with fillers, on dispatch stages as LLVM simulates them.
#include "survey/experiments/slots.h"

#include "base/arena.h"
#include "base/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_SAMPLES = 64 };

// A machine and a form.
struct machine {
    unsigned width, slots;
    double least_cycles; // that a copy of the form takes, whatever else is dispatched
    double error;        // relative error of measuring
    unsigned copies;     // in a loop; 0: SLOTS_COPIES
    unsigned end;        // slots of a loop's counter and branch; 0: one
    unsigned replays;    // longest loop that is replayed, so that each iteration begins with a cycle, slots
    bool fills_cycles;   // each copy begins with a cycle
    unsigned odd;        // number of fillers among which something else limits it; 0: there is no such number
    double odd_slots;    // that it takes more then
    unsigned stall;      // slots that stay empty behind each copy among fillers, as the reorder buffer is full
};

// Cycles of a body: an instruction's slots are all in one cycle, where they fit, or else begin with a cycle.
static double cycles_of(const struct machine *machine, unsigned fillers) {
    enum { BODIES = 840 };
    unsigned long slots = 0;                                                     // passed, empty ones included
    unsigned more = machine->copies == 1 && machine->end ? machine->end - 1 : 0; // than is taken off
    for (unsigned body = 0; body < BODIES; body++) {
        unsigned room = machine->width - (unsigned)(slots % machine->width);
        unsigned at_once = machine->slots < machine->width ? machine->slots : machine->width;
        slots += (room < at_once ? room : 0) + machine->slots + fillers + more;
    }
    double dispatched = (double)slots / machine->width / BODIES;
    unsigned copies = machine->copies ? machine->copies : SLOTS_COPIES, loop = copies * (fillers + machine->slots) + 1;
    if (machine->fills_cycles)
        dispatched = ceil((double)(fillers + machine->slots) / machine->width);
    if (machine->odd && fillers == machine->odd)
        dispatched += machine->odd_slots / machine->width;
    if (fillers)
        dispatched += (double)machine->stall / machine->width;
    if (loop <= machine->replays)
        dispatched = (ceil((double)loop / machine->width) - 1.0 / machine->width) / copies;
    return fmax(dispatched, machine->least_cycles) * (1 + machine->error);
}

// Measures as a survey does, until nothing is wanted any more.
static struct slots_result measured(const struct machine *machine, double cycles, unsigned *n_samples) {
    struct slots_sample samples[MOST_SAMPLES] = {{0}};
    unsigned copies = machine->copies ? machine->copies : SLOTS_COPIES;
    size_t n = 0;
    struct slots_result result = slots_judge(cycles, machine->width, copies, samples, n);
    while (result.n_wanted && n + result.n_wanted <= MOST_SAMPLES) {
        for (unsigned i = 0; i < result.n_wanted; i++) {
            unsigned fillers = result.wanted[i];
            double slots = cycles_of(machine, fillers) * machine->width - fillers;
            samples[n++] = (struct slots_sample){fillers, slots, slots - 0.05, slots + 0.05, true, false};
        }
        result = slots_judge(cycles, machine->width, copies, samples, n);
    }
    assert_int_equal(result.n_wanted, 0);
    *n_samples = (unsigned)n;
    return result;
}

static void any_width(void **state) {
    (void)state;
    for (unsigned width = 1; width <= 12; width++)
        for (unsigned slots = 0; slots <= 20; slots++) {
            const struct machine machine = {.width = width, .slots = slots, .error = 0.001};
            unsigned n;
            struct slots_result result = measured(&machine, cycles_of(&machine, 0), &n);
            if (result.relation != SLOTS_EQUAL || result.slots != slots)
                fail_msg("%u slots of %u: %d, %g, %s", slots, width, (int)result.relation, result.slots,
                         result.why ? result.why : "");
            assert_true(result.low <= slots && slots <= result.high);
            assert_null(result.why);
            if (n > (slots == 1 ? 1 : 4 + width))
                fail_msg("%u slots of %u took %u measurements", slots, width, n);
        }
}

// A form of one slot and 48 cycles among fillers on a SiFive P470 with two slots a cycle: its reorder buffer has 96.
static void full_reorder_buffer(void **state) {
    (void)state;
    unsigned n;
    for (unsigned stall = 0; stall <= 4; stall++) {
        const struct machine machine = {.width = 2, .slots = 1, .least_cycles = 48, .copies = 2, .stall = stall};
        struct slots_result result = measured(&machine, 48, &n);
        if (result.relation != (stall ? SLOTS_AT_MOST : SLOTS_EQUAL) || result.slots < 1)
            fail_msg("%u slots stay empty: %d, %g", stall, (int)result.relation, result.slots);
    }
    // Shorter forms are not doubted.
    const struct machine shorter = {.width = 2, .slots = 3, .least_cycles = 30, .copies = 2};
    assert_int_equal(measured(&shorter, 30, &n).relation, SLOTS_EQUAL);
}

// Whatever number of fillers something else limits the mixture at, and where copies fill whole cycles, too.
static void one_odd_number_of_fillers_makes_nothing_wrong(void **state) {
    (void)state;
    static const double more[] = {0.3, 0.6, 0.8, 1, 1.2, 1.43, 2};
    unsigned n, n_equal = 0, n_all = 0;
    for (unsigned width = 2; width <= 12; width++)
        for (unsigned slots = 1; slots <= width; slots++)
            for (unsigned odd = 24; odd < 80; odd++)
                for (size_t i = 0; i < 2 * sizeof more / sizeof *more; i++) {
                    const struct machine machine = {
                        .width = width, .slots = slots, .fills_cycles = i % 2, .odd = odd, .odd_slots = more[i / 2]};
                    struct slots_result result = measured(&machine, 1, &n);
                    if (result.relation != SLOTS_EQUAL ? result.slots < slots - 0.1 : result.slots != slots)
                        fail_msg("%u slots of %u, odd at %u by %g, whole cycles %d: %d, %g", slots, width, odd,
                                 machine.odd_slots, machine.fills_cycles, (int)result.relation, result.slots);
                    n_equal += !machine.fills_cycles && result.relation == SLOTS_EQUAL;
                    n_all += !machine.fills_cycles;
                }
    assert_true(n_equal > 0.9 * n_all);
}

// A form of one slot needs one measurement: nothing takes less, and each measurement is a bound.
static void one_slot_is_seen_at_once(void **state) {
    (void)state;
    const struct machine machine = {.width = 6, .slots = 1};
    unsigned n;
    assert_true(measured(&machine, 0.25, &n).relation == SLOTS_EQUAL);
    assert_int_equal(n, 1);
}

// Short loops take whole cycles where they are replayed. Mixtures of two copies and more are longer.
static void loops_are_too_long_to_be_replayed(void **state) {
    (void)state;
    for (unsigned copies = 2; copies <= SLOTS_COPIES; copies++)
        for (unsigned slots = 1; slots <= 4; slots++) {
            const struct machine machine = {.width = 6, .slots = slots, .copies = copies, .replays = 192};
            unsigned n;
            struct slots_result result = measured(&machine, cycles_of(&machine, 0), &n);
            if (result.relation != SLOTS_EQUAL || result.slots != slots)
                fail_msg("%u slots, %u copies: %d, %g, %s", slots, copies, (int)result.relation, result.slots,
                         result.why ? result.why : "");
        }
}

static void slow_forms(void **state) {
    (void)state;
    unsigned n;
    // More fillers are taken where copies by themselves take long.
    const struct machine slow = {.width = 6, .slots = 2, .least_cycles = 4};
    assert_true(measured(&slow, 4, &n).relation == SLOTS_EQUAL);
    // Among fillers it takes longer than by itself: what limits it is not dispatch.
    const struct machine slower = {.width = 6, .slots = 2, .least_cycles = 11};
    struct slots_result result = measured(&slower, 4, &n);
    assert_true(result.relation == SLOTS_EQUAL || result.relation == SLOTS_AT_MOST);
    if (result.relation == SLOTS_EQUAL)
        assert_true(result.slots == 2);
    const struct machine slowest = {.width = 6, .slots = 2, .least_cycles = 50};
    result = measured(&slowest, 4, &n);
    assert_true(result.relation == SLOTS_AT_MOST);
    assert_true(result.slots >= 2);
    assert_non_null(result.why);
    // It takes so long that there are not enough fillers.
    result = measured(&slow, 100, &n);
    assert_true(result.relation == SLOTS_UNKNOWN);
    assert_string_equal(result.why, "its copies take longer than fillers can hide");
    assert_int_equal(n, 0);
}

// Where a loop has one copy, its counter and branch may seem to be a slot of the form's.
static void one_copy_gives_a_bound(void **state) {
    (void)state;
    for (unsigned end = 1; end <= 2; end++)
        for (unsigned slots = 1; slots <= 6; slots++) {
            const struct machine machine = {.width = 6, .slots = slots, .copies = 1, .end = end};
            unsigned n;
            struct slots_result result = measured(&machine, 1, &n);
            assert_true(result.slots >= slots);
            if (slots + end > 2)
                assert_int_equal(result.relation, SLOTS_AT_MOST);
        }
}

// As a Zen 5 was measured: forms of one slot, where two numbers of fillers that are equal modulo the width agree on
// two.
static void fewer_slots_need_a_chance(void **state) {
    (void)state;
    const struct slots_sample agree = {38, 1.88, 1.8, 1.95, true, false}, first = {30, 1.88, 1.8, 1.95, true, false},
                              chances[] = {{31, 1.74, 0.9, 400, false, false}, // it was unstable
                                           {31, 2.22, -0.6, 3.8, true, true},  // each process had another value
                                           {31, 2.43, 2.3, 2.6, true, false},  // something else limits it
                                           {31, 2.68, 2.6, 2.7, true, false}};
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++) {
        const struct slots_sample samples[] = {first, agree, chances[i], {39, 1.04, 1, 1.1, true, false}};
        struct slots_result result = slots_judge(1, 8, SLOTS_COPIES, samples, 3);
        assert_int_equal(result.relation, SLOTS_AT_MOST);
        assert_true(result.n_wanted > 0 && result.wanted[0] == 39);
        result = slots_judge(1, 8, SLOTS_COPIES, samples, 4);
        assert_true(result.relation == SLOTS_EQUAL && result.slots == 1);
    }
    // Two chances that were missed count; one does not, though three measurements agree.
    const struct slots_sample two[] = {first, {31, 2.43, 2.3, 2.6, true, false}, {39, 2.4, 2.3, 2.6, true, false}},
                              near[] = {first, {31, 2.14, 2.1, 2.2, true, false}, agree};
    struct slots_result result = slots_judge(1, 8, SLOTS_COPIES, two, 3);
    assert_true(result.relation == SLOTS_EQUAL && result.slots == 2);
    result = slots_judge(1, 8, SLOTS_COPIES, near, 3);
    assert_true(result.relation == SLOTS_AT_MOST && result.wanted[0] == 39);
    result = slots_judge(1, 8, SLOTS_COPIES, near, 2);
    assert_true(result.relation == SLOTS_AT_MOST && result.wanted[0] == 39);
    // Chances that stay unstable request others, but not without end.
    const struct slots_sample shaky[] = {first,
                                         {31, 3, 2, 4, false, false},
                                         {39, 3, 2, 4, false, false},
                                         {47, 3, 2, 4, false, false},
                                         {55, 3, 2, 4, false, false}};
    result = slots_judge(1, 8, SLOTS_COPIES, shaky, 4);
    assert_int_equal(result.relation, SLOTS_AT_MOST);
    assert_int_equal(result.n_wanted, 1);
    result = slots_judge(1, 8, SLOTS_COPIES, shaky, 5);
    assert_int_equal(result.n_wanted, 0);
}

static void odd_measurements(void **state) {
    (void)state;
    const struct slots_sample half[] = {{16, 1.5, 1.45, 1.55, true, false},
                                        {23, 1.5, 1.45, 1.55, true, false},
                                        {17, 1.5, 1.45, 1.55, true, false},
                                        {22, 1.5, 1.45, 1.55, true, false}};
    struct slots_result result = slots_judge(1, 6, SLOTS_COPIES, half, sizeof half / sizeof *half);
    assert_true(result.relation == SLOTS_AT_MOST);
    assert_string_equal(result.why, "no whole number of slots");
    const struct slots_sample less[] = {{16, -1, -1.1, -0.9, true, false}};
    result = slots_judge(1, 6, SLOTS_COPIES, less, 1);
    assert_true(result.relation == SLOTS_UNKNOWN);
    assert_string_equal(result.why, "fillers take no longer beside it than alone, so dispatch is not the limit");
    // Fused with what is beside it, an instruction takes no slot; then copies of it are as fast.
    const struct slots_sample none[] = {{16, 0, -0.1, 0.1, true, false}, {17, 0, -0.1, 0.1, true, false}};
    result = slots_judge(0.25, 6, SLOTS_COPIES, none, 2);
    assert_true(result.relation == SLOTS_UNKNOWN);
    result = slots_judge(0.08, 6, SLOTS_COPIES, none, 2);
    assert_true(result.relation == SLOTS_EQUAL && result.slots == 0);
    // Copies of it alone take 1.5 slots each, so it cannot need two.
    const struct slots_sample two[] = {
        {16, 2, 1.95, 2.05, true, false}, {23, 2, 1.95, 2.05, true, false}, {17, 2, 1.95, 2.05, true, false}};
    result = slots_judge(0.25, 6, SLOTS_COPIES, two, 3);
    assert_true(result.relation == SLOTS_AT_MOST && result.slots == 2);
    assert_string_equal(result.why, "copies of it alone take fewer, so something else than dispatch limits it as well");
    result = slots_judge(0.34, 6, SLOTS_COPIES, two, 3);
    assert_true(result.relation == SLOTS_EQUAL && result.slots == 2);
}

static void other_measurements_count_for_less(void **state) {
    (void)state;
    // A stable measurement counts before an unstable one, though that has fewer slots.
    const struct slots_sample shaky[] = {{16, 1, 0.9, 1.1, false, false}, {22, 2, 1.9, 2.1, true, false}};
    struct slots_result result = slots_judge(1, 6, SLOTS_COPIES, shaky, 2);
    assert_true(result.slots == 2 && result.is_stable);
    assert_string_equal(result.why, "another number of fillers shows fewer, but is not stable");
    assert_true(result.n_wanted > 0);
    result = slots_judge(1, 6, SLOTS_COPIES, shaky, 1);
    assert_false(result.is_stable);
    assert_true(result.relation == SLOTS_EQUAL); // nothing takes less than one
    result = slots_judge(1, 6, SLOTS_COPIES, &shaky[1], 1);
    assert_true(result.relation == SLOTS_AT_MOST && result.n_wanted > 0);
    assert_string_equal(result.why, "another number of fillers does not confirm it");
    // Two agree, but others show that more than dispatch is at work.
    const struct slots_sample window[] = {{66, 25.97, 25.9, 26, true, false}, {67, 24.97, 24.9, 25, true, false},
                                          {68, 25.94, 25.9, 26, true, false}, {69, 24.96, 24.9, 25, true, false},
                                          {70, 26, 25.9, 26.1, true, false},  {71, 25, 24.9, 25.1, true, false}};
    result = slots_judge(9, 6, SLOTS_COPIES, window, sizeof window / sizeof *window);
    assert_true(result.relation == SLOTS_AT_MOST);
    assert_string_equal(result.why, "something else than dispatch limits it as well");
    // A bound below one slot is one; the median of processes that are apart is a bound.
    const struct slots_sample below[] = {{16, 0.76, -0.15, 1.66, true, false}},
                              uneven[] = {{16, 1, 0.9, 1.1, true, true}, {23, 1, 0.9, 1.1, true, false}};
    result = slots_judge(1, 6, SLOTS_COPIES, below, 1);
    assert_true(result.relation == SLOTS_AT_MOST && result.slots == 1);
    result = slots_judge(1, 6, SLOTS_COPIES, uneven, 1);
    assert_true(result.relation == SLOTS_AT_MOST && result.slots == 1 && result.n_wanted > 0);
    assert_string_equal(result.why, "each process has another value, and no other number of fillers confirms it");
    result = slots_judge(1, 6, SLOTS_COPIES, uneven, 2);
    assert_true(result.relation == SLOTS_EQUAL && result.basis == 1);
    // Numbers that are none request nothing without end.
    result = slots_judge(NAN, 6, SLOTS_COPIES, NULL, 0);
    assert_true(result.relation == SLOTS_UNKNOWN && result.n_wanted == 0);
    result = slots_judge(1e300, 1e-300, SLOTS_COPIES, NULL, 0);
    assert_int_equal(result.n_wanted, 0);
}

// Whatever else limits a mixture makes it slower, so more slots than a whole number are forgiven than fewer.
static void more_is_forgiven_than_fewer(void **state) {
    (void)state;
    assert_true(slots_are(4.26, 4) && slots_are(3.85, 4));
    assert_false(slots_are(4.5, 4) || slots_are(3.7, 4));
}

// What disturbs a measurement makes it slower: one that is not stable may be right where it shows fewer slots.
static void fewer_where_unstable(void **state) {
    (void)state;
    // Three slots of a width of five: those of 13 fillers show whether two suffice.
    struct slots_sample samples[] = {{11, 4, 3.9, 4.1, true, false},    {16, 4, 3.9, 4.1, true, false},
                                     {12, 3, 2.9, 3.1, false, false},   {17, 3, 2.9, 3.1, false, false},
                                     {13, 3.67, 3.6, 3.7, true, false}, {18, 3.67, 3.6, 3.7, true, false}};
    struct slots_result result = slots_judge(1, 5, SLOTS_COPIES, samples, sizeof samples / sizeof *samples);
    assert_true(result.relation == SLOTS_AT_MOST && result.slots > 3.5 && result.is_stable);
    assert_non_null(result.why);
    samples[2].is_stable = samples[3].is_stable = true;
    result = slots_judge(1, 5, SLOTS_COPIES, samples, sizeof samples / sizeof *samples);
    assert_true(result.relation == SLOTS_EQUAL && result.slots == 3);
}

static void fillers(void **state) {
    (void)state;
    struct arena arena = {0};
    struct text text = {.arena = &arena}, kernels = {.arena = &arena};
    struct experiment_list list = {.arena = &arena};
    const struct isa *isa = isa_find("x86_64");
    assert_non_null(slots_fillers(isa)->name);
    assert_null(slots_fillers(isa_find("mips"))[1].name); // moves need a pipe there
    assert_null(slots_find_filler(isa, "none"));
    slots_add_fillers(slots_find_filler(isa, "xor"), 3, &text);
    assert_string_equal(text.data, "; xorl {f:r32}, {f:r32}; xorl {f}, {f}; xorl {f}, {f}");
    slots_add_experiments(isa, &list);
    experiment_list_put(&list, &kernels);
    assert_non_null(
        strstr(kernels.data, "{name: FILL.nopw, about: survey, body: \"nopw 0(%rax,%rax); nopw 0(%rax,%rax); "));
    assert_non_null(strstr(kernels.data, "{name: FILL.xor.68, "));
    assert_non_null(
        strstr(kernels.data, "{name: FILL.xor.68.load, about: survey, body: \"movl 64({p:r64}), {c:r32}; "));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_width),
        cmocka_unit_test(full_reorder_buffer),
        cmocka_unit_test(one_odd_number_of_fillers_makes_nothing_wrong),
        cmocka_unit_test(one_slot_is_seen_at_once),
        cmocka_unit_test(loops_are_too_long_to_be_replayed),
        cmocka_unit_test(slow_forms),
        cmocka_unit_test(one_copy_gives_a_bound),
        cmocka_unit_test(fewer_slots_need_a_chance),
        cmocka_unit_test(odd_measurements),
        cmocka_unit_test(other_measurements_count_for_less),
        cmocka_unit_test(fewer_where_unstable),
        cmocka_unit_test(fillers),
        cmocka_unit_test(more_is_forgiven_than_fewer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
