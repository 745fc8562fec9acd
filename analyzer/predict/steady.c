#include "analyzer/predict/steady.h"

#include "analyzer/sim/event.h"
#include "analyzer/sim/mca/mca.h"

#include <assert.h>

// How long to look for a state that comes again: at least FEWEST iterations, at most MOST, and else about
// MOST_INSTRUCTIONS.
enum { FEWEST = 8, MOST = 1 << 16, MOST_INSTRUCTIONS = 1 << 20 };

// What the pipeline tells of one period: from the mark until it says that all this repeats.
struct watch {
    unsigned n_insns, n_resources;
    uint64_t *held; // cycles by resource since the mark, or since the beginning
    bool is_periodic;
    double cycles, iterations; // of the period
};

static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    (void)insn;
    struct watch *watch = self;
    for (unsigned i = 0; i < n_uses && !watch->is_periodic; i++)
        watch->held[uses[i].resource] += uses[i].cycles;
}

static void on_marked(void *self) {
    struct watch *watch = self;
    for (unsigned i = 0; i < watch->n_resources; i++)
        watch->held[i] = 0;
}

static void on_repeated(void *self, uint64_t times, uint64_t cycles, uint64_t instructions) {
    struct watch *watch = self;
    watch->is_periodic = true;
    watch->cycles = (double)cycles / (double)times;
    watch->iterations = (double)instructions / (double)times / watch->n_insns;
}

static bool simulate(const struct machine *machine, const struct execution *execution,
                     const struct pipeline_options *options, struct watch *watch, uint64_t *cycles, struct fail *fail) {
    struct event_listener listener = {.self = watch, .issued = on_issued, .marked = on_marked, .repeated = on_repeated};
    struct event_listener *listeners[] = {&listener, NULL};
    struct pipeline_result result = {0};
    bool is_done = mca_core_run(machine, execution, options, listeners, &result, fail);
    *cycles = result.cycles;
    return is_done;
}

// Without a period: the second half of the walk.
static bool take_mean(const struct machine *machine, const struct execution *execution,
                      const struct pipeline_options *options, uint64_t cycles, struct watch *watch, struct arena *arena,
                      struct fail *fail) {
    struct pipeline_options shorter = *options;
    shorter.iterations /= 2;
    struct watch half = {.n_insns = execution_length(execution),
                         .n_resources = machine->n_resources,
                         .held = ARENA_ARRAY(arena, uint64_t, machine->n_resources)};
    uint64_t half_cycles;
    if (!simulate(machine, execution, &shorter, &half, &half_cycles, fail))
        return false;
    uint64_t n_counted = options->iterations - shorter.iterations;
    watch->cycles = (double)(cycles - half_cycles);
    watch->iterations = (double)n_counted;
    for (unsigned i = 0; i < machine->n_resources; i++)
        watch->held[i] -= half.held[i];
    return true;
}

bool steady_find(struct arena *arena, const struct machine *machine, const struct execution *execution,
                 unsigned relaxed, struct steady *steady, struct fail *fail) {
    assert(execution_length(execution) > 0);
    uint64_t iterations = MOST_INSTRUCTIONS / execution_length(execution), cycles;
    iterations = iterations < FEWEST ? FEWEST : iterations > MOST ? MOST : iterations;
    const struct pipeline_options options = {.iterations = iterations, .relaxed = relaxed};
    struct watch watch = {.n_insns = execution_length(execution),
                          .n_resources = machine->n_resources,
                          .held = ARENA_ARRAY(arena, uint64_t, machine->n_resources)};
    if (!simulate(machine, execution, &options, &watch, &cycles, fail) ||
        (!watch.is_periodic && !take_mean(machine, execution, &options, cycles, &watch, arena, fail)))
        return false;
    steady->cycles = watch.cycles / watch.iterations;
    steady->pressure = ARENA_ARRAY(arena, double, machine->n_resources);
    for (unsigned i = 1; i < machine->n_resources; i++) {
        const struct resource *resource = &machine->resources[i];
        double units = resource->is_group || resource->units == 0 ? 1 : resource->units;
        steady->pressure[i] = (double)watch.held[i] / watch.iterations / units;
    }
    return true;
}
