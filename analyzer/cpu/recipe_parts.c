#include "analyzer/cpu/recipe_parts.h"

#include "analyzer/cpu/opcode.h"

#include <math.h>

// Adds a part that waits for nothing yet but, where `loads`, for what it loads.
static unsigned add_part(struct cpu_recipe *recipe, bool loads) {
    recipe->part_loads[recipe->n_parts] = loads && recipe->n_loads;
    return recipe->n_parts++;
}

static void take_source(struct cpu_recipe *recipe, unsigned part, unsigned unit) {
    for (unsigned i = 0; i < recipe->n_reads; i++)
        if (recipe->reads[i].unit == unit)
            recipe->reads[i].parts = (uint8_t)(recipe->reads[i].parts | 1U << part);
}

// A register that depends on `from` alone, by a plain addition. What an instruction computes otherwise takes longer.
static void add_to_register(struct cpu_recipe *recipe, unsigned to, unsigned from, bool is_last_only) {
    unsigned part = 0;
    for (unsigned i = recipe->n_writes; i-- > 0;) {
        struct cpu_write *write = &recipe->writes[i];
        if (write->unit != to || (part && is_last_only))
            continue;
        part = part ? part : add_part(recipe, false);
        write->part = (uint8_t)part;
        write->latency = fmin(write->latency, 1);
    }
    if (part)
        take_source(recipe, part, from);
}

// The registers that it writes first and second, as LLVM lists them.
static void part_exchange(struct cpu_recipe *recipe) {
    struct cpu_write *one = &recipe->writes[0], *other = &recipe->writes[1];
    if (recipe->n_loads && recipe->n_writes == 1) {
        one->part = (uint8_t)add_part(recipe, true);
    } else if (!recipe->n_loads && recipe->n_writes == 2 && one->unit != other->unit) {
        one->part = (uint8_t)add_part(recipe, false);
        take_source(recipe, one->part, other->unit);
        other->part = (uint8_t)add_part(recipe, false);
        take_source(recipe, other->part, one->unit);
    }
}

// The sum is of both; the other register gets what was there before.
static void part_sum(const struct cpu *cpu, struct cpu_recipe *recipe) {
    struct cpu_write *sum = NULL, *old = NULL;
    for (unsigned i = 0; i < recipe->n_writes; i++) {
        struct cpu_write *write = &recipe->writes[i];
        if (cpu_is_flag(cpu, write->unit))
            continue;
        sum = sum || recipe->n_loads ? sum : write;
        old = write;
    }
    if (!old || old == sum || (sum && old->unit == sum->unit))
        return;
    old->part = (uint8_t)add_part(recipe, true);
    if (sum)
        take_source(recipe, old->part, sum->unit);
}

// Flags and what rax has then come of the comparison. The registers that it may store do not take part in it.
static void part_comparison(const struct cpu *cpu, struct cpu_recipe *recipe) {
    enum { RAX = 0, RCX = 1, RDX = 2, RBX = 3 };
    const struct insn *insn = recipe->insn;
    const bool is_pair = recipe->n_loads && insn->n_writes && insn->n_reads > 3; // cmpxchg8b, cmpxchg16b
    const int stored = insn->n_reads ? insn->reads[0].operand : -1;
    unsigned part = 0;
    for (unsigned i = 0; i < recipe->n_writes; i++) {
        struct cpu_write *write = &recipe->writes[i];
        if (!cpu_is_flag(cpu, write->unit) && write->unit != cpu->general[RAX] && write->unit != cpu->general[RDX])
            continue;
        part = part ? part : add_part(recipe, true);
        write->part = (uint8_t)part;
    }
    for (unsigned i = 0; i < recipe->n_reads && part; i++) {
        struct cpu_read *read = &recipe->reads[i];
        bool is_stored = is_pair ? read->unit == cpu->general[RBX] || read->unit == cpu->general[RCX]
                                 : read->operand >= 0 && read->operand == stored;
        if (!read->is_address && !is_stored)
            read->parts = (uint8_t)(read->parts | 1U << part);
    }
}

static void part_string(const struct cpu *cpu, struct cpu_recipe *recipe) {
    enum { RSI = 6, RDI = 7 };
    add_to_register(recipe, cpu->general[RSI], cpu->general[RSI], false);
    add_to_register(recipe, cpu->general[RDI], cpu->general[RDI], false);
}

void recipe_part_results(const struct cpu *cpu, struct cpu_recipe *recipe) {
    enum { RBP = 5 };
    if (recipe->string.bytes)
        part_string(cpu, recipe);
    switch (recipe->opcode->flow) {
    case CPU_FLOWS_CROSSWISE:
        part_exchange(recipe);
        break;
    case CPU_FLOWS_OLD:
        part_sum(cpu, recipe);
        break;
    case CPU_FLOWS_COMPARED:
        part_comparison(cpu, recipe);
        break;
    case CPU_FLOWS_STACK:
        add_to_register(recipe, cpu->stack, cpu->stack, true);
        break;
    case CPU_FLOWS_FRAME:
        add_to_register(recipe, cpu->stack, cpu->general[RBP], false);
        break;
    case CPU_FLOWS_TO_ALL:
    case CPU_FLOWS_LOOKUP:
    case CPU_FLOWS_OVERFLOW:
        break;
    }
}

void recipe_part_aarch64(struct cpu_recipe *recipe) {
    const struct insn *insn = recipe->insn;
    if (!cpu_aarch64_writes_back(insn->opcode))
        return;
    unsigned part = 0;
    for (unsigned i = 0; i < recipe->n_writes; i++) {
        struct cpu_write *write = &recipe->writes[i];
        bool is_base = false;
        for (unsigned r = 0; r < recipe->n_reads; r++)
            is_base |= recipe->reads[r].is_address && recipe->reads[r].unit == write->unit;
        if (!is_base || write->operand < 0 || part)
            continue;
        part = add_part(recipe, false);
        write->part = (uint8_t)part;
        write->latency = fmax(insn->cost->writes[write->operand].latency, 1);
    }
    for (unsigned r = 0; r < recipe->n_reads && part; r++)
        if (recipe->reads[r].is_address)
            recipe->reads[r].parts = (uint8_t)(recipe->reads[r].parts | 1U << part);
}
