#include "analyzer/sim/mca/registers.h"

#include <assert.h>
#include <string.h>

uint16_t register_renamed(const struct machine *machine, uint16_t reg) {
    uint16_t rename_as = machine->registers[reg].rename_as;
    return rename_as != 0 ? rename_as : reg;
}

// State of splitting classes: registers of a set leave their class for a new one, together.
struct splitter {
    struct register_classes *classes;
    uint16_t *split_to; // by class: where members of the current set go
    uint32_t *split_at; // by class: the set for which split_to holds
    uint8_t *done[N_FAMILIES];
    uint32_t set;
};

static void move_register(struct splitter *splitter, uint16_t reg) {
    struct register_classes *classes = splitter->classes;
    uint16_t old = classes->class_of[reg];
    if (splitter->split_at[old] != splitter->set) {
        splitter->split_at[old] = splitter->set;
        splitter->split_to[old] = (uint16_t)classes->n_classes++;
    }
    classes->class_of[reg] = splitter->split_to[old];
}

static void split_by(struct splitter *splitter, uint16_t reg, enum family family) {
    if (splitter->done[family][reg])
        return;
    splitter->done[family][reg] = 1;
    splitter->set++;
    const struct machine_register *r = &splitter->classes->machine->registers[reg];
    move_register(splitter, reg);
    for (unsigned i = 0; i < r->n_sub; i++)
        move_register(splitter, r->sub[i]);
    for (unsigned i = 0; family == FAMILY_ALL && i < r->n_super; i++)
        move_register(splitter, r->super[i]);
}

static void split_by_write(struct splitter *splitter, const struct insn_write *write) {
    uint16_t renamed = register_renamed(splitter->classes->machine, write->reg);
    split_by(splitter, renamed, FAMILY_INSIDE);
    if (write->clears_supers)
        split_by(splitter, renamed, FAMILY_ALL);
    else
        split_by(splitter, write->reg, FAMILY_INSIDE);
}

// Each family splits every class it meets at most once, so this many class numbers suffice.
static size_t class_limit(const struct machine *machine, const struct block *block) {
    size_t limit = 1;
    for (unsigned i = 0; i < block->n_insns; i++)
        for (unsigned w = 0; w < block->insns[i].n_writes; w++) {
            uint16_t reg = block->insns[i].writes[w].reg;
            const struct machine_register *r = &machine->registers[reg];
            const struct machine_register *renamed = &machine->registers[register_renamed(machine, reg)];
            limit += 3 + (size_t)r->n_sub + 2 * (size_t)renamed->n_sub + renamed->n_super;
        }
    return limit;
}

void register_classes_build(struct register_classes *classes, const struct machine *machine, const struct block *block,
                            struct stash *stash) {
    *classes = (struct register_classes){.machine = machine, .n_classes = 1, .stash = stash};
    classes->class_of = STASH_ZEROED(stash, uint16_t, machine->n_registers);
    struct splitter splitter = {.classes = classes};
    size_t limit = class_limit(machine, block);
    splitter.split_to = STASH_ZEROED(stash, uint16_t, limit);
    splitter.split_at = STASH_ZEROED(stash, uint32_t, limit);
    for (unsigned f = 0; f < N_FAMILIES; f++) {
        splitter.done[f] = STASH_ZEROED(stash, uint8_t, machine->n_registers);
        classes->set_of[f] = STASH_ZEROED(stash, uint32_t, machine->n_registers);
    }
    classes->sets = STASH_ARRAY(stash, struct class_set, 1 + (size_t)N_FAMILIES * machine->n_registers);
    classes->n_sets = 1;
    for (unsigned i = 0; i < block->n_insns; i++)
        for (unsigned w = 0; w < block->insns[i].n_writes; w++)
            if (block->insns[i].writes[w].reg != 0)
                split_by_write(&splitter, &block->insns[i].writes[w]);
    assert(classes->n_classes <= UINT16_MAX);
}

static void add_class(struct class_set *set, uint16_t *members, uint16_t class) {
    if (class == 0)
        return;
    for (unsigned i = 0; i < set->n; i++)
        if (members[i] == class)
            return;
    members[set->n++] = class;
}

struct class_set register_classes_of(struct register_classes *classes, uint16_t reg, enum family family) {
    uint32_t *place = &classes->set_of[family][reg];
    if (*place != 0)
        return classes->sets[*place];
    *place = classes->n_sets++;
    struct class_set *set = &classes->sets[*place];
    *set = (struct class_set){.n = 0};
    const struct machine_register *r = &classes->machine->registers[reg];
    uint16_t *members = STASH_ARRAY(classes->stash, uint16_t, (size_t)1 + r->n_sub + r->n_super);
    add_class(set, members, classes->class_of[reg]);
    for (unsigned i = 0; i < r->n_sub; i++)
        add_class(set, members, classes->class_of[r->sub[i]]);
    for (unsigned i = 0; family == FAMILY_ALL && i < r->n_super; i++)
        add_class(set, members, classes->class_of[r->super[i]]);
    set->classes = members;
    return *set;
}
