#include "analyzer/cpu/recipe_rules.h"

#include "analyzer/cpu/opcode.h"

#include <math.h>
#include <string.h>

static bool has_shape(const struct cpu *cpu, const struct cpu_recipe *recipe, enum cpu_shape shape) {
    const struct insn_address *address = recipe->insn->address;
    if (shape == CPU_ANY_SHAPE || !address)
        return shape == CPU_ANY_SHAPE;
    if (shape == CPU_INDEXED)
        return address->index;
    bool has_parts = address->base && address->index && recipe->encoding.displacement_bytes;
    return cpu_is_counter(cpu, address->base) || (shape == CPU_THREE_PART && has_parts);
}

// Whether a rule that matches the opcode is of this instruction.
static bool is_of(const struct cpu *cpu, const struct cpu_recipe *recipe, const struct cpu_rule *rule) {
    bool has = !rule->has_immediate || (recipe->encoding.immediate_bytes && rule->immediate == recipe->immediate);
    return has && has_shape(cpu, recipe, rule->shape);
}

// The i-th of the opcode's rules; null: it is of other addresses or immediates.
static const struct cpu_rule *rule_at(const struct cpu *cpu, const struct cpu_recipe *recipe, unsigned i) {
    const struct cpu_rule *rule = &cpu->rules[recipe->opcode->rules[i]];
    return is_of(cpu, recipe, rule) ? rule : NULL;
}

bool recipe_rules_wait_for_result(const struct cpu *cpu, const struct cpu_recipe *recipe) {
    for (unsigned i = 0; i < recipe->opcode->n_rules; i++) {
        const struct cpu_rule *rule = rule_at(cpu, recipe, i);
        if (rule && rule->waits_for_result)
            return true;
    }
    return false;
}

bool recipe_rules_ignore(const struct cpu *cpu, const struct cpu_recipe *recipe, unsigned reg) {
    for (unsigned r = 0; r < recipe->opcode->n_rules; r++) {
        const struct cpu_rule *rule = rule_at(cpu, recipe, r);
        for (unsigned i = 0; rule && i < rule->n_ignores; i++)
            if (rule->ignored[i] == reg)
                return true;
    }
    return false;
}

// Whether a name in a file that is that unit means this one: the flags' means all flags.
static bool is_meant(const struct cpu *cpu, unsigned named, unsigned unit) {
    return unit == named || (named && named == cpu->flags && cpu_is_flag(cpu, unit));
}

static void take_results(const struct cpu *cpu, const struct cpu_rule *rule, struct cpu_recipe *recipe) {
    for (unsigned i = 0; i < rule->n_results; i++) {
        const struct cpu_end *end = &rule->results[i];
        for (unsigned w = 0; w < recipe->n_writes; w++) {
            struct cpu_write *write = &recipe->writes[w];
            bool is_named = end->operand >= 0 ? write->operand == end->operand
                            : end->unit       ? is_meant(cpu, end->unit, write->unit)
                                              : cpu->is_vector[recipe->insn->writes[write->operand].reg];
            if (is_named && !end->is_memory) {
                write->latency = end->latency;
                write->trust = rule->trust;
            }
        }
        if (end->is_memory)
            recipe->store_delay = end->latency;
    }
}

void recipe_rules_take(const struct cpu *cpu, struct cpu_recipe *recipe) {
    for (unsigned i = 0; i < recipe->opcode->n_rules; i++) {
        const struct cpu_rule *rule = rule_at(cpu, recipe, i);
        if (!rule)
            continue;
        if (rule->slots.is_known) {
            recipe->slots = recipe->decoded_slots = (unsigned)rule->slots.value;
            recipe->trusts[CPU_COST_SLOTS] = rule->slots.trust;
        }
        if (rule->serial.is_known)
            recipe->serial = fmax(rule->serial.value, recipe->encoding.is_atomic ? recipe->serial : 0);
        bool takes = rule->latency.is_known && recipe->rename == CPU_EXECUTES;
        for (unsigned w = 0; w < recipe->n_writes && takes; w++) {
            recipe->writes[w].latency = rule->latency.value;
            recipe->writes[w].trust = rule->latency.trust;
        }
        if (takes)
            recipe->trusts[CPU_COST_LATENCY] = rule->latency.trust;
        if (recipe->rename == CPU_EXECUTES)
            take_results(cpu, rule, recipe);
        for (unsigned r = 0; r < recipe->n_reads && takes; r++)
            recipe->reads[r].early = 0;
        if (rule->own_latency.is_known) {
            recipe->own = recipe->opcode->rules[i] + 1;
            recipe->own_latency = rule->own_latency.value;
        }
        if (rule->uses && recipe->rename == CPU_EXECUTES) {
            recipe->n_uses = rule->n_uses < CPU_MOST_USES ? rule->n_uses : CPU_MOST_USES;
            memcpy(recipe->uses, rule->uses, recipe->n_uses * sizeof *rule->uses);
            recipe->trusts[CPU_COST_PIPES] = rule->trust;
        }
    }
}

static bool is_end(const struct cpu *cpu, const struct cpu_end *end, const struct cpu_read *read) {
    if (end->operand >= 0)
        return read->operand == end->operand;
    if (!end->unit)
        return read->is_vector;
    return is_meant(cpu, end->unit, read->unit);
}

void recipe_rules_delay_sources(const struct cpu *cpu, struct cpu_recipe *recipe) {
    for (unsigned r = 0; r < recipe->opcode->n_rules; r++) {
        const struct cpu_rule *rule = rule_at(cpu, recipe, r);
        for (unsigned i = 0; rule && i < recipe->n_reads; i++)
            for (unsigned s = 0; s < rule->n_sources; s++) {
                struct cpu_read *read = &recipe->reads[i];
                if (is_end(cpu, &rule->sources[s], read) && !read->is_address)
                    read->early = fmax(recipe->latency - rule->sources[s].latency, 0);
            }
    }
}
