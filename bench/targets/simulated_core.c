#include "bench/targets/simulated_core.h"

#include "analyzer/predict/core_simulation.h"

// By instruction of the body; 0: as the file has it. Null: all are.
static unsigned *slow_loads(struct arena *arena, const struct bench_code *code, const struct block *block,
                            unsigned slow_cycles) {
    if (!slow_cycles)
        return NULL;
    unsigned *latencies = ARENA_ARRAY(arena, unsigned, block->n_insns);
    for (unsigned i = 0; i < block->n_insns && i < code->body_instructions; i++)
        latencies[i] = code->chase.are_steps[i] && block->insns[i].may_load ? slow_cycles : 0;
    return latencies;
}

bool simulated_core_run(const struct model *model, const struct bench_code *code, const struct block *block,
                        unsigned slow_cycles, const struct pipeline_options *options, struct pipeline_result *result,
                        struct fail *fail) {
    enum { LINE_BYTES = 64 };
    struct arena scratch = {0};
    const bool is_loop = block->n_insns > 0 && block->insns[block->n_insns - 1].is_branch;
    const struct bounds_request way = {
        .cpu = model->own,
        .block = block,
        .is_loop = is_loop,
        .copies = code->bodies,
        .start = ((unsigned)(code->body - code->bytes) + code->offset) % LINE_BYTES,
    };
    const struct core_simulation simulation = {
        .iterations = options->iterations,
        .max_cycles = options->max_cycles,
        .load_latencies = slow_loads(&scratch, code, block, slow_cycles),
    };
    bool is_done = core_simulate(&way, &simulation, result, fail);
    arena_free(&scratch);
    return is_done;
}
