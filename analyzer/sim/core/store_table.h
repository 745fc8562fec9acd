// Private to this folder.
// Stores, from dispatch until they are in the cache, and for some time behind: when address and data are there, for
// the loads that meet them. What has retired goes into the cache in order.
#ifndef ANALYZER_SIM_CORE_STORE_TABLE_H
#define ANALYZER_SIM_CORE_STORE_TABLE_H

#include "analyzer/sim/core/flight.h"

enum { STORE_PLACES = 256, MOST_STORES = STORE_PLACES - CORE_KEPT_STORES };

struct store_entry {
    uint64_t index;                 // of the instruction
    int64_t data, address, retired; // ticks; UNKNOWN
    int32_t waits_for_data, waits_for_address, waits_for_retired;
    unsigned n_commits, n_lines; // struct core_access
};

struct store_table {
    struct store_entry *ring;          // STORE_PLACES
    uint64_t next, retired, committed; // numbers
    struct gate stores, lines;
    int64_t ticks_of_store, ticks_of_line; // 0: any number in a cycle
};

void store_table_open(struct store_table *table, const struct cpu *cpu, struct stash *stash);
static inline struct store_entry *store_table_at(struct store_table *table, uint64_t number) {
    return &table->ring[number % STORE_PLACES];
}
// Of the instruction with that index. Returns the store's number.
uint64_t store_table_enter(struct store_table *table, uint64_t index, const struct core_access *access);
// The store that a load at this place meets; null: it was before all of them.
struct store_entry *store_table_met(struct store_table *table, const struct core_access *access);
// What has retired, and what the cycle lets through, goes into the cache. Returns whether one did.
bool store_table_commit(struct store_table *table, int64_t cycle);

// `most_kept`: of the newest stores, also where they are in the cache.
void store_table_put(const struct store_table *table, struct coder *coder, uint64_t most_kept);

#endif
