#include "cli/plan_text.h"

#include "blocks/marked_text.h"

#include <string.h>

static bool is_only_one(const struct text_blocks *blocks, const struct text_block *block) {
    for (size_t i = 0; i < blocks->n; i++)
        if (&blocks->items[i] != block && strcmp(blocks->items[i].name, block->name) == 0)
            return false;
    return true;
}

static const char *label_of(struct arena *arena, const struct text_blocks *blocks, const struct text_block *block,
                            const char *label) {
    if (*block->name && is_only_one(blocks, block))
        return arena_printf(arena, "%s:%s", block->source.name, block->name);
    return blocks->n > 1 ? arena_printf(arena, "%s:%u", block->source.name, block->line) : label;
}

static bool add(struct arena *arena, struct plan *plan, const struct text_block *block, const char *label,
                const struct plan_options *options, struct fail *fail) {
    struct plan_options with_state = *options;
    with_state.block.state = block->state;
    if (block->refused.status != FAIL_NONE) {
        *fail = block->refused;
        return false;
    }
    if (!marked_text_add_state(arena, block->source.isa, &options->block.state, &with_state.block.state, fail) ||
        !plan_add_block(arena, plan, &block->source, label, &with_state, fail))
        return false;
    plan->experiments[plan->n_experiments - 1]->block->is_function = *block->name && !block->line;
    return true;
}

bool plan_add_text(struct arena *arena, struct plan *plan, const struct block_source *source, const char *label,
                   const struct text_choice *choice, const struct plan_options *options, struct fail *fail) {
    struct text_blocks blocks;
    if (!text_blocks_read(arena, source, choice, &blocks, fail))
        return false;
    for (size_t i = 0; i < blocks.n; i++) {
        struct fail why = {0};
        if (!add(arena, plan, &blocks.items[i], label_of(arena, &blocks, &blocks.items[i], label), options, &why))
            plan_refuse(arena, plan, &why);
    }
    return true;
}
