#include "analyzer/predict/steady.h"

#include "analyzer/sim/core/cpu_core.h"
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
    uint64_t half_cycles;      // of half of the iterations alone; 0: not found
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

static bool simulate(const struct steady_request *request, uint64_t iterations, bool walk_all, struct watch *watch,
                     uint64_t *cycles, struct fail *fail) {
    struct event_listener listener = {.self = watch, .marked = on_marked, .repeated = on_repeated};
    struct event_listener *listeners[] = {&listener, NULL};
    const struct core_ops *core = request->plan ? &cpu_core : mca_core_of(request->machine);
    const bool counts = request->plan && !walk_all;
    const struct pipeline_options options = {.iterations = counts ? 2 * iterations : iterations,
                                             .walk_all = walk_all || (request->plan && request->least_cycles > 0),
                                             .relaxed = request->relaxed,
                                             .plan = request->plan,
                                             .counted_iterations = counts ? iterations : 0,
                                             .first_iterations = request->first_iterations,
                                             .least_cycles = walk_all ? 0 : request->least_cycles,
                                             .until_repeated = true};
    struct pipeline_result result = {0};
    if (!request->plan) // of a CPU file's core, nobody asks for uses of pipes
        listener.issued = on_issued;
    struct pipeline *pipeline = pipeline_open(core, request->machine, &options);
    bool is_done = pipeline_simulate(pipeline, request->execution, listeners, &result, fail);
    pipeline_close(pipeline);
    *cycles = result.cycles;
    watch->half_cycles = result.half_cycles;
    if (result.settled_cycles > 0) {
        watch->is_periodic = true;
        watch->cycles = result.settled_cycles;
        watch->iterations = 1;
    }
    return is_done;
}

static struct watch make_watch(struct arena *arena, const struct steady_request *request) {
    const unsigned n_resources = request->machine->n_resources;
    return (struct watch){.n_insns = execution_length(request->execution),
                          .n_resources = n_resources,
                          .held = ARENA_ARRAY(arena, uint64_t, n_resources)};
}

// Without a period: the second half of the walk. Nor is there one in the first half, so it is not looked for.
static bool take_mean(const struct steady_request *request, uint64_t iterations, uint64_t cycles, struct watch *watch,
                      struct arena *arena, struct fail *fail) {
    const uint64_t n_counted = iterations - iterations / 2;
    struct watch half = make_watch(arena, request);
    uint64_t half_cycles = watch->half_cycles;
    if (!half_cycles && !simulate(request, iterations / 2, true, &half, &half_cycles, fail))
        return false;
    watch->cycles = (double)(cycles - half_cycles);
    watch->iterations = (double)n_counted;
    for (unsigned i = 0; i < watch->n_resources; i++)
        watch->held[i] -= half.held[i];
    return true;
}

bool steady_find(struct arena *arena, const struct steady_request *request, struct steady *steady, struct fail *fail) {
    const unsigned length = execution_length(request->execution);
    const struct machine *machine = request->machine;
    assert(length > 0);
    uint64_t iterations = MOST_INSTRUCTIONS / length, cycles;
    iterations = iterations < FEWEST ? FEWEST : iterations > MOST ? MOST : iterations;
    iterations = request->most_iterations ? request->most_iterations : iterations;
    struct watch watch = make_watch(arena, request);
    if (!simulate(request, iterations, false, &watch, &cycles, fail) ||
        (!watch.is_periodic && !take_mean(request, iterations, cycles, &watch, arena, fail)))
        return false;
    steady->cycles = watch.cycles / watch.iterations;
    steady->is_exact = watch.is_periodic;
    steady->pressure = ARENA_ARRAY(arena, double, machine->n_resources);
    for (unsigned i = 1; i < machine->n_resources; i++) {
        const struct resource *resource = &machine->resources[i];
        double units = resource->is_group || resource->units == 0 ? 1 : resource->units;
        steady->pressure[i] = (double)watch.held[i] / watch.iterations / units;
    }
    return true;
}
