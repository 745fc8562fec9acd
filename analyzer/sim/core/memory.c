#include "analyzer/sim/core/memory.h"

void memory_open(struct memory *memory, const struct cpu *cpu) {
    *memory = (struct memory){.ticks_of_load = ticks_of_rate(cpu, CPU_LOADS),
                              .ticks_of_vector_load = ticks_of_rate(cpu, CPU_LOADS_VECTOR),
                              .ticks_of_access = ticks_of_rate(cpu, CPU_ACCESSES),
                              .ticks_of_read = ticks_of_rate(cpu, CPU_LOAD_BANK_READS)};
    memory->has_banks = memory->ticks_of_read > 0;
    memory->pairs_by_bank = cpu_does(cpu, CPU_PAIRED_LOADS_BY_BANK);
    memory->served_in = -1;
}

bool memory_is_open(const struct memory *memory, const struct core_access *load, int64_t cycle) {
    return gate_is_open(&memory->accesses, cycle) && (!load || gate_is_open(&memory->loads, cycle)) &&
           (!load || !load->n_vector_loads || gate_is_open(&memory->vector_loads, cycle));
}

static bool meets_other(const struct memory *memory, const struct core_access *access, int64_t cycle) {
    for (unsigned i = 0; i < memory->n_served && memory->served_in == cycle && access->n_loads; i++) {
        const struct core_access *other = memory->served[i];
        if (other->base == access->base && core_banks_meet(other->offset, access->offset))
            return true;
    }
    return false;
}

bool memory_has_banks(const struct memory *memory, const struct core_access *access, int64_t cycle) {
    for (uint64_t left = access->banks; left && memory->has_banks; left &= left - 1)
        if (!gate_is_open(&memory->banks[__builtin_ctzll(left)], cycle))
            return false;
    return !memory->pairs_by_bank || !meets_other(memory, access, cycle);
}

static void note_served(struct memory *memory, const struct core_access *access, int64_t cycle) {
    if (memory->served_in != cycle)
        memory->n_served = 0;
    memory->served_in = cycle;
    if (memory->n_served < MOST_SERVED)
        memory->served[memory->n_served++] = access;
}

// Rates count accesses; they do not delay what is let through. So the begin is the cycle's, or when it is ready.
int64_t memory_load(struct memory *memory, const struct core_access *access, int64_t cycle, int64_t earliest) {
    gate_take(&memory->loads, cycle, 0, access->n_loads * memory->ticks_of_load);
    if (access->n_vector_loads)
        gate_take(&memory->vector_loads, cycle, 0, access->n_vector_loads * memory->ticks_of_vector_load);
    gate_take(&memory->accesses, cycle, 0, access->n_loads * (memory->ticks_of_access + access->crowded));
    for (uint64_t left = access->banks; left && memory->has_banks; left &= left - 1)
        gate_take(&memory->banks[__builtin_ctzll(left)], cycle, 0, memory->ticks_of_read);
    if (memory->pairs_by_bank)
        note_served(memory, access, cycle);
    return earliest > ticks_at(cycle) ? earliest : ticks_at(cycle);
}

int64_t memory_store(struct memory *memory, const struct core_access *access, int64_t cycle, int64_t earliest) {
    gate_take(&memory->accesses, cycle, 0, memory->ticks_of_access + access->crowded);
    return earliest > ticks_at(cycle) ? earliest : ticks_at(cycle);
}

void memory_put(const struct memory *memory, struct coder *coder) {
    put_ticks(coder, memory->loads.busy_until, 0);
    put_ticks(coder, memory->vector_loads.busy_until, 0);
    put_ticks(coder, memory->accesses.busy_until, 0);
    for (unsigned i = 0; i < MOST_BANKS_READ && memory->has_banks && !coder->differs; i++)
        put_ticks(coder, memory->banks[i].busy_until, 0);
}
