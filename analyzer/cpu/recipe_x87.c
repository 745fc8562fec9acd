#include "analyzer/cpu/recipe_x87.h"

#include "analyzer/code/x87_effect.h"
#include "analyzer/cpu/recipe_operands.h"

// As they lie behind each other, whatever the stack's top is: a bit each.
static unsigned physical(uint8_t places, int top) {
    const unsigned by = (unsigned)top % X87_REGISTERS;
    const unsigned all = places;
    return (all << by | all >> (X87_REGISTERS - by)) & UINT8_MAX;
}

static void write_register(const struct cpu *cpu, struct cpu_recipe *recipe, unsigned at, unsigned part) {
    if (recipe->n_writes + 1 < CPU_MOST_WRITES)
        recipe->writes[recipe->n_writes++] = (struct cpu_write){.unit = (uint16_t)(cpu->x87 + at),
                                                                .part = (uint8_t)part,
                                                                .latency = part ? 0 : recipe->latency,
                                                                .operand = -1,
                                                                .trust = recipe->trusts[CPU_COST_LATENCY]};
}

// Two registers become each other's: each waits for the other one only, and takes no time.
static void exchange(const struct cpu *cpu, struct cpu_recipe *recipe, unsigned both) {
    for (unsigned at = 0, part = 1; at < X87_REGISTERS; at++) {
        if (!(both >> at & 1))
            continue;
        write_register(cpu, recipe, at, part);
        for (unsigned r = 0; r < recipe->n_reads; r++)
            if (recipe->reads[r].unit == cpu->x87 + at)
                recipe->reads[r].parts = (uint8_t)(1U << (3 - part));
        part++;
    }
    recipe->n_parts = CPU_MOST_PARTS;
}

// What the stack's top moves by in a pass; X87_REGISTERS: something sets the whole stack.
static int pass_step(const struct cpu_recipe *recipes, unsigned n) {
    int step = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct x87_effect effect = x87_effect_of(recipes[i].insn->bytes, recipes[i].insn->n_bytes);
        if (effect.sets_all)
            return X87_REGISTERS;
        step += effect.step;
    }
    return step;
}

void recipe_x87_follow(const struct cpu *cpu, struct cpu_recipe *recipes, unsigned n) {
    const int step = pass_step(recipes, n);
    unsigned known = step ? 0 : UINT8_MAX;
    int top = 0;
    for (unsigned i = 0; i < n && step < X87_REGISTERS; i++) {
        struct cpu_recipe *recipe = &recipes[i];
        const struct x87_effect effect = x87_effect_of(recipe->insn->bytes, recipe->insn->n_bytes);
        const unsigned reads = physical(effect.reads, top) & known;
        top -= effect.step;
        const unsigned writes = physical(effect.writes, top);
        for (unsigned at = 0; at < X87_REGISTERS; at++)
            if (reads >> at & 1)
                recipe_add_read(recipe, cpu->x87 + at, false, 0);
        if (effect.exchanges && (writes & (writes - 1)))
            exchange(cpu, recipe, writes);
        for (unsigned at = 0; at < X87_REGISTERS && !effect.exchanges; at++)
            if (writes >> at & 1)
                write_register(cpu, recipe, at, 0);
        known |= writes;
        recipe->is_x87 &= step != 0;
    }
}
