#include "lab/callees.h"

#include "gen/registers.h"

#include <string.h>

static const char *const *extended(struct arena *arena, const char *const *names, size_t *n, const char *name) {
    const char **more = ARENA_ARRAY(arena, const char *, *n + 1);
    memcpy(more, names, *n * sizeof *names);
    more[(*n)++] = name;
    return more;
}

static void add(struct arena *arena, struct block_facts *facts, const char *name) {
    facts->inputs = extended(arena, facts->inputs, &facts->n_inputs, name);
    facts->changed = extended(arena, facts->changed, &facts->n_changed, name);
    facts->registers = extended(arena, facts->registers, &facts->n_registers, name);
}

void callees_add_changes(struct arena *arena, struct lab_block *block, enum block_alias alias,
                         const struct block_start *start) {
    const struct isa *isa = block->source.isa;
    const struct start_state *state = &block->options.state;
    struct register_name found;
    if (!block->was_tried[alias] || block->trials[alias].outcome != BENCH_OK)
        return;
    for (const char *const *name = isa->arguments; *name; name++)
        if (register_find(isa, (struct slice){*name, strlen(*name)}, &found) && found.class->file == 'g' &&
            block->trials[alias].frame[1 + found.index] != block_start_value(isa, start, found.index))
            add(arena, &block->facts, *name);
    for (size_t i = 0; i < state->n_registers; i++)
        if (state->registers[i].class)
            add(arena, &block->facts, state->registers[i].class->registers[state->registers[i].index]);
}
