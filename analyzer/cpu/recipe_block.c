// What the instructions of a block do to each other before they are executed: they fuse, or hold pipes longer.
#include "analyzer/cpu/opcode.h"
#include "analyzer/cpu/recipe.h"

static bool is(const struct cpu_recipe *recipe, uint32_t kinds) {
    return recipe->opcode->kinds & kinds;
}

static bool fuses_with(const struct cpu_recipe *first, const struct cpu_recipe *jump) {
    if (!jump->insn->is_conditional || !is(jump, CPU_JUMPS))
        return false;
    unsigned kind = jump->encoding.opcode & 0xe; // o, b, e, be, s, p, l, le
    bool is_sign = kind == 0 || kind == 8 || kind == 10, is_carry = kind == 2 || kind == 6;
    return first->fuses == CPU_FUSES_ALWAYS || (first->fuses == CPU_FUSES_COMPARE && !is_sign) ||
           (first->fuses == CPU_FUSES_INCREMENT && !is_sign && !is_carry);
}

// What waits for a result of one cycle, of a general register, in the same turn, holds its pipes longer. A move that
// rename does is its source under another name.
static void hold_dependent(struct arena *arena, const struct cpu *cpu, struct cpu_recipe *recipes, unsigned n) {
    bool *is_fresh = ARENA_ARRAY(arena, bool, cpu->n_units);
    for (unsigned i = 0; i < n; i++) {
        struct cpu_recipe *recipe = &recipes[i];
        bool waits = false, is_quick = recipe->rename == CPU_EXECUTES && recipe->latency == 1 && !recipe->n_loads &&
                                       !recipe->is_vector && recipe->n_uses > 0;
        for (unsigned r = 0; r < recipe->n_reads; r++)
            waits |= is_fresh[recipe->reads[r].unit] && recipe->reads[r].unit != cpu->flags &&
                     recipe->reads[r].unit != cpu->carry;
        for (unsigned u = 0; u < recipe->n_uses && waits && is_quick; u++)
            recipe->uses[u].cycles += cpu_value(cpu, CPU_DEPENDENT_CYCLES);
        for (unsigned w = 0; w < recipe->n_writes; w++)
            is_fresh[recipe->writes[w].unit] = is_quick || (recipe->rename == CPU_MOVES && waits);
    }
}

// Whether `operation` changes what the move before it has copied, and reads the copy once.
static bool fuses_with_move(const struct cpu *cpu, const struct cpu_recipe *move, const struct cpu_recipe *operation) {
    const struct insn *insn = operation->insn;
    if (!cpu_does(cpu, CPU_MOVE_FUSION) || move->rename != CPU_MOVES || move->is_vector || !insn->n_writes ||
        !insn->n_reads || insn->may_load || insn->may_store || !is(operation, CPU_FUSES_WITH_MOVE))
        return false;
    unsigned copy = move->insn->writes[0].reg;
    for (unsigned i = 1; i < insn->n_reads; i++)
        if (cpu->units[insn->reads[i].reg] == cpu->units[copy])
            return false;
    return insn->writes[0].reg == copy && insn->reads[0].reg == copy;
}

struct cpu_recipe *cpu_recipes(struct arena *arena, const struct cpu *cpu, const struct block *block) {
    struct cpu_recipe *recipes = ARENA_ARRAY(arena, struct cpu_recipe, block->n_insns);
    for (unsigned i = 0; i < block->n_insns; i++) {
        cpu_recipe_make(cpu, &block->insns[i], &recipes[i]);
        if (i && fuses_with(&recipes[i - 1], &recipes[i])) {
            recipes[i].is_fused = true;
            recipes[i].slots = recipes[i].decoded_slots = 0;
            recipes[i].is_by_base[CPU_COST_SLOTS] = false;
        }
    }
    for (unsigned i = 1; i < block->n_insns; i++)
        if (fuses_with_move(cpu, &recipes[i - 1], &recipes[i]))
            recipes[i - 1].slots = recipes[i - 1].decoded_slots = 0;
    if (cpu_knows(cpu, CPU_DEPENDENT_CYCLES))
        hold_dependent(arena, cpu, recipes, block->n_insns);
    return recipes;
}
