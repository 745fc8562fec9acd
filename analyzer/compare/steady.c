#include "analyzer/compare/steady.h"

#include "analyzer/pipeline/event.h"
#include "analyzer/pipeline/pipeline.h"

#include <assert.h>

// Work limits: at least FEWEST iterations (and enough to fill the reorder buffer several times), at most MOST, and no
// more than MOST_INSTRUCTIONS simulated.
enum { FEWEST = 128, MOST = 8192, MOST_INSTRUCTIONS = 1 << 20, BUFFER_FILLS = 4 };

struct watch {
    uint64_t cycle;
    uint64_t *retired; // cycle in which the last instruction of each iteration retired
    uint64_t n_iterations;
    unsigned last_position;
    uint64_t first_counted; // instruction index from which pressure is counted
    uint64_t *held;         // cycles per resource
};

static void on_cycle(void *self, uint64_t cycle) {
    ((struct watch *)self)->cycle = cycle;
}

static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    struct watch *watch = self;
    if (insn->index < watch->first_counted)
        return;
    for (unsigned i = 0; i < n_uses; i++)
        watch->held[uses[i].resource] += uses[i].cycles;
}

static void on_retired(void *self, const struct event_insn *insn, const unsigned *registers) {
    (void)registers;
    struct watch *watch = self;
    if (insn->position != watch->last_position)
        return;
    uint64_t iteration = insn->index / (watch->last_position + 1);
    assert(iteration < watch->n_iterations);
    watch->retired[iteration] = watch->cycle;
}

static uint64_t enough_iterations(const struct machine *machine, const struct block *block) {
    unsigned uops = 0;
    for (unsigned i = 0; i < block->n_insns; i++)
        uops += block->insns[i].uops;
    uint64_t n = FEWEST;
    uint64_t to_fill = uops ? BUFFER_FILLS * (uint64_t)machine->rob_size / uops : 0;
    while (n < to_fill && n < MOST)
        n *= 2;
    return n;
}

// The smallest period with which the times between iterations repeat all over the second half; 0: none.
static unsigned find_period(const uint64_t *retired, uint64_t n) {
    uint64_t from = n / 2;
    for (unsigned period = 1; period <= n / 8; period++) {
        uint64_t step = retired[n - 1] - retired[n - 1 - period];
        uint64_t i = n - 1;
        while (i >= from && retired[i] - retired[i - period] == step)
            i--;
        if (i < from)
            return period;
    }
    return 0;
}

static bool simulate(struct arena *arena, const struct machine *machine, const struct block *block, uint64_t n,
                     struct steady *steady, struct fail *fail) {
    struct watch watch = {
        .retired = ARENA_ARRAY(arena, uint64_t, n),
        .n_iterations = n,
        .last_position = block->n_insns - 1,
        .first_counted = n / 2 * block->n_insns,
        .held = ARENA_ARRAY(arena, uint64_t, machine->n_resources),
    };
    struct event_listener listener = {
        .self = &watch, .cycle_begin = on_cycle, .issued = on_issued, .retired = on_retired};
    struct event_listener *listeners[] = {&listener, NULL};
    struct pipeline_options options = {.iterations = n};
    struct pipeline_result result;
    if (!pipeline_run(machine, block, &options, listeners, &result, fail))
        return false;
    steady->period = find_period(watch.retired, n);
    steady->is_periodic = steady->period != 0;
    uint64_t span = steady->is_periodic ? steady->period : n / 2;
    steady->cycles = (double)(watch.retired[n - 1] - watch.retired[n - 1 - span]) / (double)span;
    uint64_t n_counted = n - n / 2;
    steady->pressure = ARENA_ARRAY(arena, double, machine->n_resources);
    for (unsigned i = 1; i < machine->n_resources; i++) {
        const struct resource *resource = &machine->resources[i];
        double units = resource->is_group || resource->units == 0 ? 1 : resource->units;
        steady->pressure[i] = (double)watch.held[i] / (double)n_counted / units;
    }
    return true;
}

bool steady_find(struct arena *arena, const struct machine *machine, const struct block *block, struct steady *steady,
                 struct fail *fail) {
    assert(block->n_insns > 0);
    for (uint64_t n = enough_iterations(machine, block);; n *= 2) {
        if (!simulate(arena, machine, block, n, steady, fail))
            return false;
        bool is_last = n * 2 > MOST || n * 2 * block->n_insns > MOST_INSTRUCTIONS;
        if (steady->is_periodic || is_last)
            return true;
    }
}
