#include "analyzer/cpu/recipe_operands.h"

#include "analyzer/cpu/opcode.h"
#include "analyzer/cpu/recipe_flags.h"
#include "analyzer/cpu/recipe_rules.h"

#include <math.h>

enum { RBP = 5 }; // a number of general registers

static bool is(const struct cpu_recipe *recipe, uint32_t kinds) {
    return recipe->opcode->kinds & kinds;
}

static bool is_ignored(const struct cpu *cpu, const struct cpu_recipe *recipe, unsigned unit, unsigned reg) {
    bool is_new = recipe->opcode->flow == CPU_FLOWS_FRAME; // leave: what it makes the stack pointer does not come of it
    return recipe_rules_ignore(cpu, recipe, reg) ||
           (unit == cpu->stack && (is_new || (recipe->stack_change && cpu_does(cpu, CPU_STACK_ENGINE))));
}

void recipe_add_read(struct cpu_recipe *recipe, unsigned unit, bool is_address, double early) {
    if (unit && recipe->n_reads < CPU_MOST_READS)
        recipe->reads[recipe->n_reads++] =
            (struct cpu_read){.unit = (uint16_t)unit, .is_address = is_address, .operand = -1, .early = early};
}

// The most that the base's advances let it come early; 0: they do not.
static double early_of(const struct sched_read *read) {
    int most = read->n_advances ? read->advances[0].cycles : 0;
    for (unsigned i = 1; i < read->n_advances; i++)
        most = read->advances[i].cycles > most ? read->advances[i].cycles : most;
    return most;
}

// Which of the reads are the address's base and index: of loads LLVM lists these behind other sources, of stores
// before.
static void find_address_reads(const struct cpu *cpu, const struct cpu_recipe *recipe, bool *is_address) {
    const struct insn *insn = recipe->insn;
    const struct insn_address *address = insn->address;
    if (recipe->opcode->flow == CPU_FLOWS_FRAME) // which loads from rbp
        for (unsigned i = 0; i < insn->n_reads; i++)
            is_address[i] = cpu->units[insn->reads[i].reg] == cpu->general[RBP];
    for (unsigned i = 0; i < insn->n_reads && recipe->opcode->flow == CPU_FLOWS_LOOKUP; i++)
        is_address[i] = true;
    if (!address || !(insn->may_load || insn->may_store || is(recipe, CPU_LEA)))
        return;
    uint16_t wanted[] = {address->base, address->index};
    for (unsigned w = 0; w < 2; w++)
        for (unsigned i = 0; wanted[w] && i < insn->n_reads; i++) {
            unsigned at = insn->may_store ? i : insn->n_reads - 1 - i;
            if (insn->reads[at].reg == wanted[w] && !is_address[at]) {
                is_address[at] = true;
                break;
            }
        }
}

// AArch64: general registers behind those that are stored. LLVM's operands of it are not marked as an address.
static void find_aarch64_address_reads(const struct cpu *cpu, const struct cpu_recipe *recipe, bool *is_address) {
    const struct insn *insn = recipe->insn;
    const unsigned n_stored = insn->may_store ? cpu_aarch64_stored(recipe->insn->opcode) : 0;
    for (unsigned i = 0; i < insn->n_reads && (insn->may_load || insn->may_store); i++)
        is_address[i] = cpu->bits[insn->reads[i].reg] && insn->reads[i].operand >= n_stored;
}

// Of a register of several units.
static void add_reads_of_tuple(const struct cpu *cpu, struct cpu_recipe *recipe, unsigned i) {
    const struct insn_read *read = &recipe->insn->reads[i];
    uint16_t units[CPU_MOST_OF_TUPLE];
    const unsigned n = cpu_units_of(cpu, read->reg, units);
    for (unsigned u = 0; u < n && recipe->n_reads < CPU_MOST_READS; u++) {
        recipe_add_read(recipe, units[u], false, 0);
        recipe->reads[recipe->n_reads - 1].is_vector = !cpu->bits[read->reg];
        recipe->reads[recipe->n_reads - 1].operand = read->operand;
    }
}

void recipe_take_reads(const struct cpu *cpu, struct cpu_recipe *recipe) {
    const struct insn *insn = recipe->insn;
    bool is_address[64] = {false};
    if (insn->n_reads <= 64 && cpu->is_x86)
        find_address_reads(cpu, recipe, is_address);
    else if (insn->n_reads <= 64)
        find_aarch64_address_reads(cpu, recipe, is_address);
    for (unsigned i = 0; i < insn->n_reads && !recipe->reads_nothing; i++) {
        unsigned reg = insn->reads[i].reg, unit = cpu->units[reg];
        const struct sched_read *read = &insn->cost->reads[i];
        if (read->independent || is_ignored(cpu, recipe, unit, reg) || recipe->rename == CPU_ZEROES)
            continue;
        if (cpu->is_tuple && cpu->is_tuple[reg]) {
            add_reads_of_tuple(cpu, recipe, i);
            continue;
        }
        if (unit && unit == cpu->flags) {
            for (unsigned f = RECIPE_N_FLAGS; f-- > 0;)
                if (recipe->flags_read >> f & 1)
                    recipe_add_read(recipe, recipe_flags_unit(cpu, f), false, 0);
            continue;
        }
        double early = cpu->is_x86 ? early_of(read) : 0;
        // LLVM counts from the load's start. Only the address is wanted then: whatever else is read without an advance
        // meets what was loaded.
        if (early > 0 && insn->may_load)
            recipe->load_latency = early;
        recipe_add_read(recipe, unit, i < 64 && is_address[i] && insn->may_load + insn->may_store > 0,
                        insn->may_load ? 0 : early);
        if (recipe->n_reads) {
            recipe->reads[recipe->n_reads - 1].is_vector = cpu->is_vector[reg];
            recipe->reads[recipe->n_reads - 1].operand = insn->reads[i].operand;
            if (!cpu->is_x86 && unit && read->n_advances && i < UINT8_MAX)
                recipe->reads[recipe->n_reads - 1].advances = (uint8_t)(i + 1);
        }
    }
}

bool recipe_writes_part(const struct cpu *cpu, const struct insn_write *write) {
    bool is_general = false;
    if (!cpu->is_x86 || !cpu->machine->registers[write->reg].n_super || write->clears_supers)
        return false;
    for (unsigned i = 0; i < sizeof cpu->general / sizeof *cpu->general; i++)
        is_general |= cpu->general[i] == cpu->units[write->reg];
    return is_general;
}

static void write_flags(const struct cpu *cpu, struct cpu_recipe *recipe, double latency, unsigned operand) {
    for (unsigned f = 0; f < RECIPE_N_FLAGS && recipe->n_writes + 1 < CPU_MOST_WRITES; f++)
        if (recipe->flags_written >> f & 1)
            recipe->writes[recipe->n_writes++] = (struct cpu_write){.unit = (uint16_t)recipe_flags_unit(cpu, f),
                                                                    .latency = latency,
                                                                    .operand = (int)operand,
                                                                    .trust = CPU_LLVM};
}

void recipe_take_writes(const struct cpu *cpu, struct cpu_recipe *recipe) {
    const struct insn *insn = recipe->insn;
    for (unsigned i = 0; i < insn->n_writes && recipe->n_writes + 1 < CPU_MOST_WRITES; i++) {
        unsigned reg = insn->writes[i].reg, unit = cpu->units[reg];
        double latency = recipe->rename == CPU_EXECUTES ? insn->cost->writes[i].latency - recipe->load_latency : 0;
        if (!unit || (unit == cpu->stack && recipe->stack_change && cpu_does(cpu, CPU_STACK_ENGINE) &&
                      !(recipe->stack_change > 0 && i == 0 && insn->writes[0].reg != reg)))
            continue;
        latency = latency > 0 ? latency : 0;
        if (unit == cpu->flags) {
            write_flags(cpu, recipe, latency, i);
            continue;
        }
        uint16_t units[CPU_MOST_OF_TUPLE];
        const unsigned n = cpu->is_tuple && cpu->is_tuple[reg] ? cpu_units_of(cpu, reg, units) : 1;
        for (unsigned u = 1; u < n && recipe->n_writes + 1 < CPU_MOST_WRITES; u++)
            recipe->writes[recipe->n_writes++] =
                (struct cpu_write){.unit = units[u], .latency = latency, .operand = (int)i, .trust = CPU_LLVM};
        recipe->writes[recipe->n_writes++] =
            (struct cpu_write){.unit = (uint16_t)unit, .latency = latency, .operand = (int)i, .trust = CPU_LLVM};
        if ((recipe_rules_wait_for_result(cpu, recipe) || recipe_writes_part(cpu, &insn->writes[i])) &&
            recipe->rename == CPU_EXECUTES) {
            recipe_add_read(recipe, unit, false, 0); // it merges
            struct cpu_write *write = &recipe->writes[recipe->n_writes - 1];
            write->latency = fmax(write->latency, 1);
        }
    }
}
