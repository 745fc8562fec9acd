#include "analyzer/sched/machine.h"

#include "base/text.h"

#include <string.h>

static size_t common_prefix(const struct machine *machine, const struct resource *group) {
    const char *first = machine->resources[group->members[0]].name;
    size_t length = strlen(first);
    for (unsigned i = 1; i < group->units; i++) {
        const char *name = machine->resources[group->members[i]].name;
        size_t same = 0;
        while (same < length && name[same] == first[same])
            same++;
        length = same;
    }
    return length;
}

// "Zn4FP01" of Zn4FP0 and Zn4FP1.
static const char *joined(struct arena *arena, const struct machine *machine, const struct resource *group) {
    size_t prefix = common_prefix(machine, group);
    struct text text = {.arena = arena};
    text_append(&text, machine->resources[group->members[0]].name, prefix);
    for (unsigned i = 0; i < group->units; i++) {
        const char *rest = machine->resources[group->members[i]].name + prefix;
        text_addf(&text, "%s%s", i > 0 && (prefix == 0 || strlen(rest) > 2) ? "+" : "", rest);
    }
    return text.data;
}

bool machine_same_pipes(const struct machine *machine, unsigned a, unsigned b) {
    const struct resource *x = &machine->resources[a], *y = &machine->resources[b];
    return x->is_group && y->is_group && resource_pipes(x->mask) == resource_pipes(y->mask);
}

const char *machine_pipes_name(struct arena *arena, const struct machine *machine, unsigned resource) {
    unsigned first = 0, n_same = 0;
    for (unsigned i = 1; i < machine->n_resources; i++)
        if (machine_same_pipes(machine, resource, i)) {
            first = first ? first : i;
            n_same++;
        }
    if (n_same < 2)
        return machine->resources[resource].name;
    const char *name = joined(arena, machine, &machine->resources[first]);
    const struct resource *taken = machine_resource_named(machine, name);
    bool is_other = taken && !machine_same_pipes(machine, resource, (unsigned)(taken - machine->resources));
    return is_other ? machine->resources[first].name : name;
}

const struct resource *machine_resource_called(const struct machine *machine, const char *name) {
    const struct resource *found = machine_resource_named(machine, name);
    struct arena arena = {0};
    for (unsigned i = 1; i < machine->n_resources && !found; i++)
        if (strcmp(machine_pipes_name(&arena, machine, i), name) == 0)
            found = &machine->resources[i];
    arena_free(&arena);
    return found;
}
