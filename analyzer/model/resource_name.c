#include "analyzer/model/machine.h"

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

const char *machine_pipes_name(struct arena *arena, const struct machine *machine, unsigned resource) {
    const struct resource *group = &machine->resources[resource];
    if (!group->is_group || group->units < 2)
        return group->name;
    size_t prefix = common_prefix(machine, group);
    struct text text = {.arena = arena};
    text_append(&text, machine->resources[group->members[0]].name, prefix);
    for (unsigned i = 0; i < group->units; i++) {
        const char *rest = machine->resources[group->members[i]].name + prefix;
        text_addf(&text, "%s%s", i > 0 && (prefix == 0 || strlen(rest) > 2) ? "+" : "", rest);
    }
    return text.data;
}
