// A core of its own kind: it counts dispatch slots, and nothing else. All of it is in this file, so adding a core
// changes no other; the simulator finds its steady state, reports its events and its standstill like those of any.
#include "analyzer/sim/core.h"
#include "analyzer/sim/mca/toy_test.h"
#include "analyzer/sim/pipeline.h"

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

struct slots {
    struct core core;
    unsigned carried; // uops of the youngest instruction, still to go
};

static void slots_start(struct core *core, const struct pipeline_options *options, struct stash *stash) {
    (void)core;
    (void)options;
    (void)stash;
}

static void slots_cycle(struct core *core) {
    struct slots *slots = (struct slots *)core;
    unsigned room = core->machine->dispatch_width;
    while (room > 0 && (slots->carried > 0 || core->next < core->total)) {
        struct event_insn event = core_event(core, core->next, core->next_position);
        if (slots->carried == 0) {
            slots->carried = event.insn->cost->uops;
            REPORT(&core->reporter, retired, &event, NULL);
            core_enter(core);
        }
        unsigned now = slots->carried < room ? slots->carried : room;
        slots->carried -= now;
        room -= now;
        core->has_moved = true;
    }
}

static bool slots_has_work(const struct core *core) {
    return ((const struct slots *)core)->carried > 0;
}

static bool slots_why_stuck(const struct core *core, struct fail *fail) {
    fail_set(fail, FAIL_WORK, "instruction %u finds no slot", core->next_position + 1);
    return true;
}

static uint64_t slots_oldest(const struct core *core) {
    return core->next;
}

static uint64_t slots_signature(const struct core *core, uint64_t hash) {
    return signature_mix(hash, ((const struct slots *)core)->carried);
}

static void slots_put_state(const struct core *core, struct coder *coder) {
    coder_put(coder, ((const struct slots *)core)->carried);
}

static const struct core_ops slots_core = {
    .name = "slots",
    .bytes = sizeof(struct slots),
    .start = slots_start,
    .cycle = slots_cycle,
    .has_work = slots_has_work,
    .why_stuck = slots_why_stuck,
    .oldest = slots_oldest,
    .signature = slots_signature,
    .put_state = slots_put_state,
};

// Instructions of 1 + 5 + 2 uops.
static void make_block(struct toy *toy, unsigned width) {
    toy_init(toy, width, 64);
    toy_insn(toy, 1);
    toy_insn(toy, 1);
    toy_cost(toy)->uops = 5;
    toy_insn(toy, 1);
    toy_cost(toy)->uops = 2;
}

static struct pipeline_result simulate(const struct toy *toy, const struct pipeline_options *options,
                                       struct event_listener *const *listeners) {
    struct pipeline *pipeline = pipeline_open(&slots_core, &toy->machine, options);
    struct pipeline_result result;
    struct fail fail = {0};
    assert_true(pipeline_simulate(pipeline, EXECUTION_OF(&toy->block), listeners, &result, &fail));
    struct pipeline_result again;
    assert_true(pipeline_simulate(pipeline, EXECUTION_OF(&toy->block), listeners, &again, &fail));
    assert_int_equal(again.cycles, result.cycles); // nothing of one run is left for the next
    pipeline_close(pipeline);
    return result;
}

static void slots_are_counted(void **state) {
    (void)state;
    for (unsigned width = 1; width <= 9; width++) {
        struct toy toy;
        make_block(&toy, width);
        const struct pipeline_options options = {.iterations = 1000, .walk_all = true};
        struct pipeline_result result = simulate(&toy, &options, NULL);
        assert_int_equal(result.cycles, (8 * 1000 + width - 1) / width);
        assert_int_equal(result.walked_cycles, result.cycles);
        assert_int_equal(result.instructions, 3 * 1000);
    }
}

static void its_steady_state_is_found(void **state) {
    (void)state;
    for (unsigned width = 1; width <= 9; width++) {
        struct toy toy;
        make_block(&toy, width);
        const struct pipeline_options options = {.iterations = 100000};
        struct pipeline_result result = simulate(&toy, &options, NULL);
        assert_int_equal(result.cycles, (8 * 100000 + width - 1) / width);
        assert_true(result.walked_cycles < 200);
    }
}

struct count {
    uint64_t n, n_marked, last_index;
};

static void on_retired(void *self, const struct event_insn *insn, const unsigned *registers) {
    (void)registers;
    struct count *count = self;
    count->n++;
    count->last_index = insn->index;
}

static void on_marked(void *self) {
    struct count *count = self;
    count->n_marked = count->n;
}

static void on_repeated(void *self, uint64_t times, uint64_t cycles, uint64_t instructions) {
    (void)cycles;
    struct count *count = self;
    assert_int_equal((count->n - count->n_marked) * times, instructions);
    count->n += instructions;
}

static void its_events_are_reported(void **state) {
    (void)state;
    struct toy toy;
    make_block(&toy, 3);
    struct count count = {0};
    struct event_listener listener = {
        .self = &count, .retired = on_retired, .marked = on_marked, .repeated = on_repeated};
    struct event_listener *listeners[] = {&listener, NULL};
    const struct pipeline_options options = {.iterations = 1000};
    struct pipeline_result result = simulate(&toy, &options, listeners);
    assert_int_equal(count.n, 2 * 3 * 1000); // simulated twice
    assert_int_equal(count.last_index, 3 * 1000 - 1);
    assert_true(result.walked_cycles < result.cycles);
}

static void its_standstill_is_a_failure(void **state) {
    (void)state;
    struct toy toy;
    make_block(&toy, 0);
    const struct pipeline_options options = {.iterations = 1};
    struct pipeline *pipeline = pipeline_open(&slots_core, &toy.machine, &options);
    struct pipeline_result result;
    struct fail fail = {0};
    assert_false(pipeline_simulate(pipeline, EXECUTION_OF(&toy.block), NULL, &result, &fail));
    assert_string_equal(fail.text, "instruction 1 finds no slot");
    pipeline_close(pipeline);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_counted),
        cmocka_unit_test(its_steady_state_is_found),
        cmocka_unit_test(its_events_are_reported),
        cmocka_unit_test(its_standstill_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
