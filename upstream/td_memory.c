#include "upstream/td_memory.h"

#include "analyzer/cpu/pipes.h"
#include "base/text.h"

const char *td_memory_name(enum td_access access) {
    static const char *const names[TD_N_ACCESSES] = {"Load", "VectorLoad", "Store", "Access"};
    return names[access];
}

const char *td_source_of(struct arena *arena, const struct cpu *cpu, enum cpu_parameter parameter) {
    const struct cpu_number *number = &cpu->parameters[parameter];
    return arena_printf(arena, "%s: %s%s%s", cpu_parameters[parameter].name, cpu_trust_name(number->trust),
                        *number->source ? ", " : "", number->source);
}

static const enum cpu_parameter parameters[TD_N_ACCESSES] = {CPU_LOADS, CPU_LOADS_VECTOR, CPU_STORES, CPU_ACCESSES};

static void take_rate(struct arena *arena, const struct cpu *cpu, struct td_memory *memory, enum td_access access) {
    const enum cpu_parameter parameter = parameters[access];
    memory->rates[access].units = (unsigned)cpu_value(cpu, parameter); // which is a whole number
    if (!memory->rates[access].units)
        return;
    memory->states[parameter] = true;
    memory->rates[access].source = td_source_of(arena, cpu, parameter);
}

// Where the file has a number of loads only: forms hold none of the base's pipes of memory then.
static void take_base(struct arena *arena, const struct cpu *cpu, uint64_t pipes, struct td_rate *rate) {
    if (rate->units || !cpu_knows(cpu, CPU_LOADS))
        return;
    rate->units = (unsigned)__builtin_popcountll(pipes);
    rate->source = arena_printf(arena, "as many as the base, %s, has pipes for it", cpu->base.text);
}

// A limit that the others are below already is left out.
static void drop(struct td_memory *memory, enum td_access access, unsigned others) {
    if (others && memory->rates[access].units >= others)
        memory->rates[access].units = 0;
}

static void take_queue(const struct cpu *cpu, enum cpu_parameter parameter, struct td_rate *rate) {
    rate->queue = cpu_knows(cpu, parameter) ? (unsigned)(cpu_value(cpu, parameter) + 0.5) : 0;
}

void td_memory_of(struct arena *arena, const struct cpu *cpu, struct td_memory *memory) {
    struct td_rate *rates = memory->rates;
    uint64_t free_pipes = ~cpu_all_pipes(cpu);
    *memory = (struct td_memory){.states = {false}};
    for (enum td_access a = 0; a < TD_N_ACCESSES; a++)
        take_rate(arena, cpu, memory, a);
    take_base(arena, cpu, cpu->load_pipes, &rates[TD_LOADS]);
    take_base(arena, cpu, cpu->store_data_pipes, &rates[TD_STORES]);
    drop(memory, TD_VECTOR_LOADS, rates[TD_LOADS].units);
    if (rates[TD_LOADS].units && rates[TD_STORES].units)
        drop(memory, TD_ACCESSES, rates[TD_LOADS].units + rates[TD_STORES].units);
    for (unsigned a = 0; a < TD_N_ACCESSES; a++) {
        if (!rates[a].units)
            continue;
        rates[a].pipe = free_pipes ? UINT64_C(1) << (63 - __builtin_clzll(free_pipes)) : 0;
        memory->states[parameters[a]] &= rates[a].pipe != 0;
        free_pipes &= ~rates[a].pipe;
    }
    take_queue(cpu, CPU_LOAD_QUEUE, &rates[TD_LOADS]);
    take_queue(cpu, CPU_STORE_QUEUE, &rates[TD_STORES]);
}

void td_memory_cycles(const struct cpu_recipe *recipe, unsigned cycles[TD_N_ACCESSES]) {
    bool is_executed = recipe->rename == CPU_EXECUTES;
    unsigned n_loads = is_executed ? recipe->n_loads : 0, n_stores = is_executed ? recipe->n_stores : 0;
    cycles[TD_LOADS] = n_loads;
    cycles[TD_VECTOR_LOADS] = recipe->is_vector && n_loads == 1; // lanes of a gather do not count
    cycles[TD_STORES] = n_stores;
    cycles[TD_ACCESSES] = n_loads + n_stores;
}
