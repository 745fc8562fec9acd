// Private to this folder.
// What the first level of cache serves in a cycle: loads, accesses, and reads of its banks.
#ifndef ANALYZER_SIM_CORE_MEMORY_H
#define ANALYZER_SIM_CORE_MEMORY_H

#include "analyzer/sim/core/plan.h"
#include "analyzer/sim/core/ticks.h"

enum { MOST_BANKS_READ = 64, MOST_SERVED = 8 };

struct memory {
    int64_t ticks_of_load, ticks_of_vector_load, ticks_of_access, ticks_of_read; // 0: any number in a cycle
    struct gate loads, vector_loads, accesses, banks[MOST_BANKS_READ];
    bool has_banks, pairs_by_bank;
    // Loads of this cycle, where two of them must not meet.
    const struct core_access *served[MOST_SERVED];
    unsigned n_served;
    int64_t served_in; // cycle
};

void memory_open(struct memory *memory, const struct cpu *cpu);
// Whether there is room for a further store, or for this load, in this cycle. `load`: null: it is a store.
bool memory_is_open(const struct memory *memory, const struct core_access *load, int64_t cycle);
// Whether the banks of a load are free.
bool memory_has_banks(const struct memory *memory, const struct core_access *access, int64_t cycle);
// Both return when the access begins.
int64_t memory_load(struct memory *memory, const struct core_access *access, int64_t cycle, int64_t earliest);
int64_t memory_store(struct memory *memory, const struct core_access *access, int64_t cycle, int64_t earliest);

void memory_put(const struct memory *memory, struct coder *coder);

#endif
