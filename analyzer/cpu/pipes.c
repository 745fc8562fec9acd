#include "analyzer/cpu/pipes.h"

#include "base/text.h"

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

// The resource with the most of these pipes and no other; null: no resource has only these.
static const struct resource *largest_within(const struct cpu *cpu, uint64_t pipes) {
    const struct resource *largest = NULL;
    int most = 0;
    for (unsigned i = 1; i < cpu->machine->n_resources; i++) {
        const struct resource *resource = &cpu->machine->resources[i];
        uint64_t its = cpu_pipes(cpu, resource->mask);
        if (its & ~pipes || __builtin_popcountll(its) <= most)
            continue;
        most = __builtin_popcountll(its);
        largest = resource;
    }
    return largest;
}

const char *cpu_pipes_name(struct arena *arena, const struct cpu *cpu, uint64_t pipes) {
    struct text text = {.arena = arena};
    const struct resource *resource;
    text_add(&text, "");
    for (; pipes && (resource = largest_within(cpu, pipes)); pipes &= ~cpu_pipes(cpu, resource->mask))
        text_addf(&text, "%s%s", *text.data ? "+" : "", resource->name);
    for (; pipes; pipes &= pipes - 1)
        text_addf(&text, "%s%s", *text.data ? "+" : "", cpu_pipe_name(arena, cpu, pipes & -pipes));
    return text.data;
}

const char *cpu_uses_name(struct arena *arena, const struct cpu *cpu, const struct cpu_use *uses, unsigned n) {
    struct text text = {.arena = arena};
    text_add(&text, "");
    for (unsigned u = 0; u < n; u++) {
        text_addf(&text, "%s%s", u ? ", " : "", cpu_pipes_name(arena, cpu, uses[u].pipes));
        if (uses[u].cycles != 1)
            text_addf(&text, " %.4g", uses[u].cycles);
    }
    return text.data;
}

uint64_t cpu_all_pipes(const struct cpu *cpu) {
    uint64_t all = 0;
    for (unsigned i = 1; i < cpu->machine->n_resources; i++)
        all |= cpu_pipes(cpu, cpu->machine->resources[i].mask);
    for (unsigned i = 0; i < cpu->n_ports; i++)
        all |= cpu->port_pipes[i];
    return all;
}

const struct machine *cpu_pipe_machine(struct arena *arena, const struct cpu *cpu) {
    const uint64_t all = cpu_all_pipes(cpu);
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
