#include "analyzer/predict/stack_pointer.h"

#include "analyzer/predict/addresses.h"

static bool writes_stack_pointer(const struct cpu *cpu, const struct block *block) {
    for (unsigned i = 0; i < block->n_insns; i++)
        for (unsigned w = 0; w < block->insns[i].n_writes; w++)
            if (cpu->units[block->insns[i].writes[w].reg] == cpu->stack)
                return true;
    return false;
}

bool stack_pointer_returns(struct arena *arena, const struct cpu *cpu, const struct block *block) {
    if (!cpu->is_x86) // of which addresses are not followed
        return !writes_stack_pointer(cpu, block);
    const struct bounds_request request = {.cpu = cpu, .block = block, .is_loop = true, .registers = BOUNDS_APART};
    const struct cpu_recipe *recipes = cpu_recipes(arena, cpu, block);
    struct address_walk *walk = address_walk_open(arena, &request);
    struct place from, to;
    for (unsigned i = 0; i < block->n_insns; i++)
        address_walk_step(walk, &recipes[i], &from, &to);
    return address_walk_is_at_start(walk, cpu->stack);
}
