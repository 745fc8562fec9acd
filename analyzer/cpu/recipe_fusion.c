#include "analyzer/cpu/recipe_fusion.h"

#include "analyzer/cpu/opcode.h"

#include <string.h>

static bool is(const struct cpu_recipe *recipe, uint32_t kinds) {
    return recipe->opcode->kinds & kinds;
}

// Whether the second register of an operation of AArch64 is shifted: LLVM's opcode is the same where it is not.
static bool is_shifted(const struct insn *insn) {
    enum { BYTES = 4, AMOUNT_AT = 2, AMOUNT = 0x3f }; // the amount: bits 10 to 15, in the second byte
    const size_t n = strlen(insn->opcode);
    return insn->bytes && insn->n_bytes == BYTES && n > 2 && strcmp(insn->opcode + n - 2, "rs") == 0 &&
           (insn->bytes[1] >> AMOUNT_AT & AMOUNT);
}

// cmp, cmn or tst: their result goes to a zero register, which has no unit.
static enum cpu_fuses fuses_on_aarch64(const struct cpu *cpu, const struct cpu_recipe *recipe) {
    const struct insn *insn = recipe->insn;
    for (unsigned i = 0; i < insn->n_writes; i++)
        if (cpu->units[insn->writes[i].reg] && cpu->units[insn->writes[i].reg] != cpu->flags)
            return CPU_FUSES_NEVER;
    if (is_shifted(insn))
        return CPU_FUSES_NEVER;
    return is(recipe, CPU_FUSES_AS_CMP) && cpu_does(cpu, CPU_MACRO_FUSION) ? CPU_FUSES_ALWAYS : CPU_FUSES_NEVER;
}

enum cpu_fuses recipe_fusion_of(const struct cpu *cpu, const struct cpu_recipe *recipe) {
    if (!cpu->is_x86)
        return fuses_on_aarch64(cpu, recipe);
    bool stores = recipe->insn->may_store && !is(recipe, CPU_COMPARES);
    if (!cpu_does(cpu, CPU_MACRO_FUSION) || stores || is(recipe, CPU_HAS_MEMORY_AND_IMMEDIATE))
        return CPU_FUSES_NEVER;
    bool is_wide = cpu_does(cpu, CPU_MACRO_FUSION_LOGIC);
    if (is(recipe, CPU_FUSES_AS_TEST) || (is_wide && is(recipe, CPU_FUSES_AS_LOGIC)))
        return CPU_FUSES_ALWAYS;
    if (is(recipe, CPU_FUSES_AS_CMP))
        return is_wide ? CPU_FUSES_ALWAYS : CPU_FUSES_COMPARE;
    return is(recipe, CPU_STEPS) ? CPU_FUSES_INCREMENT : CPU_FUSES_NEVER;
}

bool recipe_fuses_with(const struct cpu_recipe *first, const struct cpu_recipe *jump) {
    if (!jump->insn->is_conditional || !is(jump, CPU_JUMPS))
        return false;
    unsigned kind = jump->encoding.opcode & 0xe; // o, b, e, be, s, p, l, le
    bool is_sign = kind == 0 || kind == 8 || kind == 10, is_carry = kind == 2 || kind == 6;
    return first->fuses == CPU_FUSES_ALWAYS || (first->fuses == CPU_FUSES_COMPARE && !is_sign) ||
           (first->fuses == CPU_FUSES_INCREMENT && !is_sign && !is_carry);
}
