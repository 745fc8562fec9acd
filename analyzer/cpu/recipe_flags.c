#include "analyzer/cpu/recipe_flags.h"

#include "analyzer/cpu/opcode.h"

static bool is(const struct cpu_recipe *recipe, uint32_t kinds) {
    return recipe->opcode->kinds & kinds;
}

// Of a jump, set or move: x86's condition, which is in the opcode's low half.
static unsigned condition_of(const struct cpu_recipe *recipe) {
    return recipe->encoding.opcode & 0xf;
}

// Of x86's conditions, a condition and its opposite: overflow, below, equal, not above, sign, parity, less, not
// greater.
static unsigned flags_of_condition(unsigned condition) {
    static const unsigned of_pairs[] = {CPU_OVERFLOW,
                                        CPU_CARRY,
                                        CPU_OTHER_FLAGS,
                                        CPU_CARRY | CPU_OTHER_FLAGS,
                                        CPU_OTHER_FLAGS,
                                        CPU_OTHER_FLAGS,
                                        CPU_OVERFLOW | CPU_OTHER_FLAGS,
                                        CPU_OVERFLOW | CPU_OTHER_FLAGS};
    return of_pairs[condition / 2];
}

unsigned recipe_flags_unit(const struct cpu *cpu, unsigned which) {
    const unsigned units[RECIPE_N_FLAGS] = {cpu->carry, cpu->overflow, cpu->flags};
    return units[which];
}

void recipe_flags_find(const struct cpu *cpu, struct cpu_recipe *recipe) {
    recipe->flags_read = recipe->flags_written = CPU_ALL_FLAGS;
    if (!cpu->is_x86)
        return;
    bool is_overflow = recipe->opcode->flow == CPU_FLOWS_OVERFLOW;
    bool is_conditional = is(recipe, CPU_JUMPS | CPU_SELECTS) && !recipe->is_x87; // fcmov has no such encoding
    recipe->reads_as_logic = is(recipe, CPU_SELECTS);
    recipe->flags_read = is_conditional            ? flags_of_condition(condition_of(recipe))
                         : is(recipe, CPU_CARRIES) ? CPU_CARRY
                         : is_overflow             ? CPU_OVERFLOW
                                                   : CPU_ALL_FLAGS;
    recipe->flags_written = is(recipe, CPU_STEPS)          ? CPU_ALL_FLAGS & ~CPU_CARRY
                            : is(recipe, CPU_WRITES_CARRY) ? CPU_CARRY
                            : is_overflow                  ? CPU_OVERFLOW
                                                           : CPU_ALL_FLAGS;
}

// A cmov whose condition needs flags of several registers has them a cycle later; setcc, which reads nothing else, has
// not.
void recipe_flags_delay(const struct cpu *cpu, struct cpu_recipe *recipe) {
    const double more = cpu_value(cpu, CPU_CONDITIONAL_FLAGS_MORE);
    const bool is_joined = __builtin_popcount(recipe->flags_read) > 1 && is(recipe, CPU_SELECTS) &&
                           is(recipe, CPU_SPLITS_INDEXED); // cmov of both
    for (unsigned i = 0; i < recipe->n_reads && is_joined; i++)
        if (cpu_is_flag(cpu, recipe->reads[i].unit))
            recipe->reads[i].early -= more;
}
