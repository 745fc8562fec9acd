#include "analyzer/sched/machine.h"

#include <string.h>

bool machine_is_flags(const struct machine *machine, unsigned reg) {
    const char *name = reg ? machine->registers[reg].name : "";
    return strcmp(name, "EFLAGS") == 0 || strcmp(name, "NZCV") == 0 || strcmp(name, "CPSR") == 0; // as LLVM calls them
}

uint64_t resource_bit(uint64_t mask) {
    return mask ? UINT64_C(1) << (63 - __builtin_clzll(mask)) : 0;
}

uint64_t resource_pipes(uint64_t mask) {
    bool is_group = (mask & (mask - 1)) != 0;
    return is_group ? mask ^ resource_bit(mask) : mask;
}

const struct resource *machine_resource_of_mask(const struct machine *machine, uint64_t mask) {
    for (unsigned i = 1; i < machine->n_resources; i++)
        if (machine->resources[i].mask == mask)
            return &machine->resources[i];
    return NULL;
}

const struct resource *machine_resource_named(const struct machine *machine, const char *name) {
    for (unsigned i = 1; i < machine->n_resources; i++)
        if (strcmp(machine->resources[i].name, name) == 0)
            return &machine->resources[i];
    return NULL;
}
