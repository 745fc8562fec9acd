// Random blocks on random machines, for tests.
#ifndef ANALYZER_SIM_MCA_TOY_RANDOM_TEST_H
#define ANALYZER_SIM_MCA_TOY_RANDOM_TEST_H

#include "analyzer/sim/mca/toy_test.h"

static inline unsigned random_below(uint64_t *seed, unsigned n) {
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(*seed >> 33) % n;
}

static inline void toy_random_insn(struct toy *toy, uint64_t *seed) {
    struct insn *insn = toy_insn(toy, random_below(seed, 7));
    toy_cost(toy)->uops = random_below(seed, 6);
    insn->may_load = random_below(seed, 3) == 0;
    insn->may_store = random_below(seed, 4) == 0;
    insn->load_barrier = insn->may_load && random_below(seed, 8) == 0;
    insn->store_barrier = insn->may_store && random_below(seed, 8) == 0;
    toy_cost(toy)->begins_group = random_below(seed, 10) == 0;
    toy_cost(toy)->ends_group = random_below(seed, 10) == 0;
    for (unsigned n = random_below(seed, 3); n > 0; n--)
        toy_read(toy, (uint16_t)(1 + random_below(seed, 6)));
    for (unsigned n = random_below(seed, 3); n > 0; n--)
        toy_write(toy, (uint16_t)(1 + random_below(seed, 6)));
    unsigned resource = random_below(seed, toy->machine.n_resources);
    if (resource != 0)
        toy_use(toy, resource, 1 + random_below(seed, 4));
}

static inline void toy_random(struct toy *toy, uint64_t *seed) {
    toy_init(toy, 1 + random_below(seed, 5), 5 + random_below(seed, 60));
    toy->machine.retire_width = random_below(seed, 4);
    unsigned p1 = toy_pipe(toy, "P1", 1, (int)random_below(seed, 5) - 1);
    unsigned p2 = toy_pipe(toy, "P2", 1 + random_below(seed, 3), -1);
    toy_pipe(toy, "P3", 1, -1);
    toy_group(toy, "P12", (int)random_below(seed, 9) + 1, p1, p2, 0);
    for (unsigned n = 1 + random_below(seed, TOY_INSNS - 1); n > 0; n--)
        toy_random_insn(toy, seed);
    toy->options = (struct pipeline_options){
        .load_queue = random_below(seed, 4),
        .store_queue = random_below(seed, 4),
        .register_file_size = random_below(seed, 2) * (4 + random_below(seed, 20)),
        .assume_alias = random_below(seed, 2),
    };
    // A resource without a buffer, in a machine that otherwise has them, is left to the test of the resource unit.
    if (toy->resources[p1].buffer_size == 0)
        toy->resources[p1].buffer_size = 1;
}

#endif
