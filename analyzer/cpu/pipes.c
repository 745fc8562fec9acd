#include "analyzer/cpu/pipes.h"

// The smallest resource that has it; a unit before a group of one.
static const struct resource *resource_of(const struct cpu *cpu, uint64_t pipe) {
    const struct resource *found = NULL;
    int least = 65;
    for (unsigned i = 1; i < cpu->machine->n_resources; i++) {
        const struct resource *resource = &cpu->machine->resources[i];
        const uint64_t pipes = cpu_pipes(cpu, resource->mask);
        const int n = __builtin_popcountll(pipes);
        if (!(pipes & pipe) || n > least || (n == least && resource->is_group))
            continue;
        found = resource;
        least = n;
    }
    return found;
}

const char *cpu_pipe_name(struct arena *arena, const struct cpu *cpu, uint64_t pipe) {
    for (unsigned i = 0; i < cpu->n_ports; i++)
        if (cpu->port_pipes[i] == pipe)
            return cpu->ports[i].text;
    const struct resource *resource = resource_of(cpu, pipe);
    if (!resource)
        return "";
    const uint64_t pipes = cpu_pipes(cpu, resource->mask);
    return pipes == pipe ? resource->name
                         : arena_printf(arena, "%s.%d", resource->name, __builtin_popcountll(pipes & (pipe - 1)));
}

const struct machine *cpu_pipe_machine(struct arena *arena, const struct cpu *cpu) {
    uint64_t all = 0;
    for (unsigned i = 1; i < cpu->machine->n_resources; i++)
        all |= cpu_pipes(cpu, cpu->machine->resources[i].mask);
    for (unsigned i = 0; i < cpu->n_ports; i++)
        all |= cpu->port_pipes[i];
    const unsigned n = all ? 64 - (unsigned)__builtin_clzll(all) : 0;
    struct resource *resources = ARENA_ARRAY(arena, struct resource, n + 1);
    for (unsigned p = 0; p < n; p++)
        resources[p + 1] = (struct resource){.name = cpu_pipe_name(arena, cpu, UINT64_C(1) << p),
                                             .mask = UINT64_C(1) << p,
                                             .units = 1,
                                             .buffer_size = -1};
    struct machine *machine = ARENA_NEW(arena, struct machine);
    *machine = *cpu->machine;
    machine->name = machine->id = machine->cpu = cpu->name;
    machine->resources = resources;
    machine->n_resources = n + 1;
    return machine;
}
