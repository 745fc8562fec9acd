#include "analyzer/sim/core/store_table.h"

void store_table_open(struct store_table *table, const struct cpu *cpu, struct stash *stash) {
    table->ring = STASH_ARRAY(stash, struct store_entry, STORE_PLACES);
    table->next = table->retired = table->committed = 0;
    table->stores = table->lines = (struct gate){0};
    table->ticks_of_store = ticks_of_rate(cpu, CPU_STORES);
    table->ticks_of_line = cpu_does(cpu, CPU_STORES_BY_LINE) ? TICKS : 0;
}

uint64_t store_table_enter(struct store_table *table, uint64_t index, const struct core_access *access) {
    *store_table_at(table, table->next) = (struct store_entry){
        .index = index,
        .data = UNKNOWN,
        .address = UNKNOWN,
        .retired = UNKNOWN,
        .waits_for_data = NO_WAIT,
        .waits_for_address = NO_WAIT,
        .waits_for_retired = NO_WAIT,
        .n_commits = access->n_commits,
        .n_lines = access->n_store_turns,
    };
    return table->next++;
}

struct store_entry *store_table_met(struct store_table *table, const struct core_access *access) {
    bool meets = access->meets != CORE_MEETS_NOTHING && access->stores_back <= table->next;
    return meets ? store_table_at(table, table->next - access->stores_back) : NULL;
}

// Stores leave the queue for a buffer that writes one line, or part of it, a cycle: while that has room, none waits.
enum { WRITES_AHEAD = 4 };

bool store_table_commit(struct store_table *table, int64_t cycle) {
    const uint64_t before = table->committed;
    while (table->committed < table->retired && gate_is_open(&table->stores, cycle)) {
        const struct store_entry *entry = store_table_at(table, table->committed);
        int64_t lines = entry->n_commits * table->ticks_of_line;
        if (lines && !gate_is_open(&table->lines, cycle + WRITES_AHEAD))
            break;
        if (lines)
            gate_take(&table->lines, cycle, 0, lines);
        gate_take(&table->stores, cycle, 0, entry->n_lines * table->ticks_of_store);
        table->committed++;
    }
    return table->committed != before;
}

void store_table_put(const struct store_table *table, struct coder *coder, uint64_t most_kept) {
    coder_put(coder, table->next - table->retired);
    coder_put(coder, table->next - table->committed);
    put_ticks(coder, table->stores.busy_until, 0);
    put_ticks(coder, table->lines.busy_until, 0);
    uint64_t kept = table->next < most_kept ? table->next : most_kept;
    uint64_t first = table->next - kept < table->committed ? table->next - kept : table->committed;
    for (uint64_t i = first; i < table->next && !coder->differs; i++) {
        const struct store_entry *entry = &table->ring[i % STORE_PLACES];
        put_ticks(coder, entry->data, coder->back);
        put_ticks(coder, entry->address, coder->back);
        put_ticks(coder, entry->retired, coder->back);
    }
}
