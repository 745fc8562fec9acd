#include "analyzer/cpu/recipe.h"

#include "analyzer/cpu/opcode.h"
#include "analyzer/cpu/recipe_parts.h"
#include "analyzer/cpu/recipe_trust.h"

#include <math.h>
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

static enum cpu_fuses fuses_of(const struct cpu *cpu, const struct cpu_recipe *recipe) {
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

// Of a jump, set or move: x86's condition, which is in the opcode's low half.
static unsigned condition_of(const struct cpu_recipe *recipe) {
    return recipe->encoding.opcode & 0xf;
}

static enum cpu_rename rename_of(const struct cpu *cpu, const struct cpu_recipe *recipe) {
    const struct insn *insn = recipe->insn;
    if (!cpu->is_x86) // what rename does there, the base has as no pipe and no time
        return CPU_EXECUTES;
    if (is(recipe, CPU_NOP))
        return CPU_IS_IDLE;
    bool is_zero = insn->n_writes > 0;
    for (unsigned i = 0; i < insn->n_writes; i++)
        is_zero &= insn->cost->writes[i].is_zero;
    bool is_same = insn->n_reads >= 2 && insn->reads[0].reg == insn->reads[1].reg;
    bool is_own = is_same && (is(recipe, CPU_REVERSED_ZERO) ||
                              (is(recipe, CPU_ZEROES_ITSELF) && cpu_does(cpu, CPU_ZERO_IDIOMS) && !insn->may_load));
    if ((is_zero && insn->cost->n_uses == 0) || is_own)
        return CPU_ZEROES;
    if (insn->may_load || insn->may_store || insn->n_writes != 1 || insn->n_reads != 1)
        return CPU_EXECUTES;
    unsigned to = cpu->units[insn->writes[0].reg], from = cpu->units[insn->reads[0].reg];
    const char *name = cpu->machine->registers[insn->reads[0].reg].name;
    bool is_high = strlen(name) == 2 && name[1] == 'H';
    const bool extends = recipe->opcode->operation == CPU_DOES_EXTEND;
    const bool is_apart = from == cpu->stack && cpu_does(cpu, CPU_STACK_MOVES_EXECUTED);
    if (is(recipe, CPU_MOVES_GENERAL) && !is_high && to != from && !is_apart &&
        cpu_does(cpu, extends ? CPU_BYTE_MOVES_ELIMINATED : CPU_MOVES_ELIMINATED))
        return CPU_MOVES;
    if (is(recipe, CPU_MOVES_VECTOR) && to != from && cpu_does(cpu, CPU_VECTOR_MOVES_ELIMINATED))
        return CPU_MOVES;
    return CPU_EXECUTES;
}

// Bits of the widest vector register that it names.
static unsigned vector_bits(const struct cpu *cpu, const struct insn *insn) {
    unsigned most = 0;
    for (unsigned i = 0; i < insn->n_reads + insn->n_writes; i++) {
        unsigned reg = i < insn->n_reads ? insn->reads[i].reg : insn->writes[i - insn->n_reads].reg;
        unsigned bits = !cpu->is_vector[reg]                          ? 0
                        : cpu->machine->registers[reg].name[0] == 'Z' ? 512
                        : cpu->machine->registers[reg].name[0] == 'Y' ? 256
                                                                      : 128;
        most = bits > most ? bits : most;
    }
    return most;
}

// Of a gather or scatter: one access a lane.
static unsigned lanes_of(const struct cpu *cpu, const struct cpu_recipe *recipe) {
    unsigned lane_bits = is(recipe, CPU_WIDE_LANES) ? 64 : 32, bits = vector_bits(cpu, recipe->insn);
    return bits > lane_bits ? bits / lane_bits : 1;
}

static struct cpu_string string_of(const struct cpu_recipe *recipe) {
    static const char widths[] = "BWLQ"; // the name's last letter
    const char *opcode = recipe->insn->opcode;
    if (!is(recipe, CPU_IS_STRING))
        return (struct cpu_string){.bytes = 0};
    return (struct cpu_string){.bytes = 1U << (strchr(widths, opcode[strlen(opcode) - 1]) - widths),
                               .loads_rsi = is(recipe, CPU_LOADS_RSI),
                               .loads_rdi = is(recipe, CPU_LOADS_RDI)};
}

// What an instruction is decides how often it accesses memory. Cycles on a pipe do not: it may be held for longer.
static void count_accesses(const struct cpu *cpu, struct cpu_recipe *recipe) {
    const struct insn *insn = recipe->insn;
    unsigned n = is(recipe, CPU_GATHERS) ? lanes_of(cpu, recipe) : 1;
    recipe->string = string_of(recipe);
    if (insn->load_barrier || insn->store_barrier) // LLVM lets them access anything
        return;
    if (recipe->string.bytes) { // LLVM does not say that it does
        recipe->n_loads = (unsigned)recipe->string.loads_rsi + recipe->string.loads_rdi;
        recipe->n_stores = is(recipe, CPU_STORES_RDI);
    } else if (is(recipe, CPU_PREFETCHES)) { // nothing waits for it
        recipe->n_loads = 1;
    } else {
        recipe->n_loads = insn->may_load ? n : 0;
        recipe->n_stores = insn->may_store ? n : 0;
    }
}

static void take_uses(const struct cpu *cpu, struct cpu_recipe *recipe) {
    const struct sched_insn *cost = recipe->insn->cost;
    for (unsigned i = 0; i < cost->n_uses && recipe->n_uses < CPU_MOST_USES; i++) {
        const struct sched_use *use = &cost->uses[i];
        uint64_t pipes = cpu_pipes(cpu, use->mask);
        double cycles = (double)(use->release - use->acquire) * use->units;
        if (cycles <= 0)
            continue;
        // How many accesses there are in a cycle is the CPU's to say, where it does.
        if (cpu_knows(cpu, CPU_LOADS) && !(pipes & ~cpu->memory_pipes))
            continue;
        recipe->uses[recipe->n_uses++] = (struct cpu_use){pipes, cycles};
    }
}

static bool has_index(const struct insn *insn) {
    return insn->address && insn->address->index;
}

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
    const struct insn *insn = recipe->insn;
    const struct x86_encoding *encoding = &recipe->encoding;
    bool has = !rule->has_immediate ||
               (encoding->immediate_bytes && rule->immediate == x86_immediate(encoding, insn->bytes, insn->n_bytes));
    return has && has_shape(cpu, recipe, rule->shape);
}

// The i-th of the opcode's rules; null: it is of other addresses or immediates.
static const struct cpu_rule *rule_at(const struct cpu *cpu, const struct cpu_recipe *recipe, unsigned i) {
    const struct cpu_rule *rule = &cpu->rules[recipe->opcode->rules[i]];
    return is_of(cpu, recipe, rule) ? rule : NULL;
}

// A dependence that only the hardware makes: on what its results' registers held before.
static bool waits_for_result(const struct cpu *cpu, const struct cpu_recipe *recipe) {
    for (unsigned i = 0; i < recipe->opcode->n_rules; i++) {
        const struct cpu_rule *rule = rule_at(cpu, recipe, i);
        if (rule && rule->waits_for_result)
            return true;
    }
    return false;
}

// Slots of a CPU whose base counts uops.
static void fuse_uops(const struct cpu *cpu, struct cpu_recipe *recipe) {
    const struct insn *insn = recipe->insn;
    int computed = (int)insn->cost->uops - (int)recipe->n_loads - 2 * (int)recipe->n_stores;
    unsigned slots = (computed > 0 ? (unsigned)computed : 0) + recipe->n_loads + recipe->n_stores;
    bool operates = recipe->n_loads > 0 && computed > 0 && !recipe->n_stores;
    if (recipe->n_loads > 0 && computed > 0)
        slots--;
    recipe->decoded_slots = recipe->slots = slots ? slots : 1;
    if (has_index(insn) && cpu_does(cpu, CPU_UNLAMINATES_ALL))
        recipe->slots += (unsigned)(recipe->n_stores > 0) + operates;
    unsigned n_reads = insn->n_reads + waits_for_result(cpu, recipe);
    bool keeps = recipe->encoding.is_legacy && insn->n_writes > 0 && !is(recipe, CPU_SPLITS_INDEXED) && n_reads > 2;
    if (has_index(insn) && operates && !keeps && cpu_does(cpu, CPU_UNLAMINATES_SOME))
        recipe->slots++;
}

static void take_stack(const struct cpu *cpu, struct cpu_recipe *recipe) {
    enum { WORD = 8 };
    if (is(recipe, CPU_PUSHES))
        recipe->stack_change = -WORD;
    else if (is(recipe, CPU_POPS))
        recipe->stack_change = WORD;
    if (!recipe->stack_change || !cpu_does(cpu, CPU_STACK_ENGINE))
        return;
    unsigned n = 0; // the engine's own addition takes no pipe
    for (unsigned i = 0; i < recipe->n_uses; i++) {
        uint64_t pipes = recipe->uses[i].pipes;
        if (pipes == cpu->load_pipes || pipes == cpu->store_data_pipes || pipes == cpu->store_address_pipes)
            recipe->uses[n++] = recipe->uses[i];
    }
    recipe->n_uses = n;
    if (cpu_does(cpu, CPU_MICRO_FUSION))
        recipe->slots = recipe->decoded_slots = recipe->n_loads && recipe->n_stores ? 2 : 1;
}

static bool is_ignored(const struct cpu *cpu, const struct cpu_recipe *recipe, unsigned unit, unsigned reg) {
    for (unsigned r = 0; r < recipe->opcode->n_rules; r++) {
        const struct cpu_rule *rule = rule_at(cpu, recipe, r);
        for (unsigned i = 0; rule && i < rule->n_ignores; i++)
            if (rule->ignored[i] == reg)
                return true;
    }
    bool is_new = recipe->opcode->flow == CPU_FLOWS_FRAME; // leave: what it makes the stack pointer does not come of it
    return unit == cpu->stack && (is_new || (recipe->stack_change && cpu_does(cpu, CPU_STACK_ENGINE)));
}

static bool reads_nothing(const struct cpu *cpu, const struct cpu_recipe *recipe) {
    const struct insn *insn = recipe->insn;
    bool is_same = insn->n_reads == 2 && insn->reads[0].reg == insn->reads[1].reg && !insn->may_load;
    return is(recipe, CPU_SETS_CARRY) || (is_same && is(recipe, CPU_ONES_ITSELF) && cpu_does(cpu, CPU_ONES_IDIOMS));
}

enum { N_FLAGS = 3, RBP = 5 }; // RBP: a number of general registers

// Of bit `which` of enum cpu_flags.
static unsigned flag_unit(const struct cpu *cpu, unsigned which) {
    const unsigned units[N_FLAGS] = {cpu->carry, cpu->overflow, cpu->flags};
    return units[which];
}

// Whether a name in a file that is that unit means this one: the flags' means all flags.
static bool is_meant(const struct cpu *cpu, unsigned named, unsigned unit) {
    return unit == named || (named && named == cpu->flags && cpu_is_flag(cpu, unit));
}

static void add_read(struct cpu_recipe *recipe, unsigned unit, bool is_address, double early) {
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
        add_read(recipe, units[u], false, 0);
        recipe->reads[recipe->n_reads - 1].is_vector = !cpu->bits[read->reg];
        recipe->reads[recipe->n_reads - 1].operand = read->operand;
    }
}

static void take_reads(const struct cpu *cpu, struct cpu_recipe *recipe) {
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
            for (unsigned f = N_FLAGS; f-- > 0;)
                if (recipe->flags_read >> f & 1)
                    add_read(recipe, flag_unit(cpu, f), false, 0);
            continue;
        }
        double early = cpu->is_x86 ? early_of(read) : 0;
        // LLVM counts from the load's start. Only the address is wanted then: whatever else is read without an advance
        // meets what was loaded.
        if (early > 0 && insn->may_load)
            recipe->load_latency = early;
        add_read(recipe, unit, i < 64 && is_address[i] && insn->may_load + insn->may_store > 0,
                 insn->may_load ? 0 : early);
        if (recipe->n_reads) {
            recipe->reads[recipe->n_reads - 1].is_vector = cpu->is_vector[reg];
            recipe->reads[recipe->n_reads - 1].operand = insn->reads[i].operand;
            if (!cpu->is_x86 && unit && read->n_advances && i < UINT8_MAX)
                recipe->reads[recipe->n_reads - 1].advances = (uint8_t)(i + 1);
        }
    }
}

// Of a general register: the rest stays as it was.
static bool is_part(const struct cpu *cpu, const struct insn_write *write) {
    bool is_general = false;
    if (!cpu->is_x86 || !cpu->machine->registers[write->reg].n_super || write->clears_supers)
        return false;
    for (unsigned i = 0; i < sizeof cpu->general / sizeof *cpu->general; i++)
        is_general |= cpu->general[i] == cpu->units[write->reg];
    return is_general;
}

static void write_flags(const struct cpu *cpu, struct cpu_recipe *recipe, double latency, unsigned operand) {
    for (unsigned f = 0; f < N_FLAGS && recipe->n_writes + 1 < CPU_MOST_WRITES; f++)
        if (recipe->flags_written >> f & 1)
            recipe->writes[recipe->n_writes++] = (struct cpu_write){
                .unit = (uint16_t)flag_unit(cpu, f), .latency = latency, .operand = (int)operand, .trust = CPU_LLVM};
}

static void take_writes(const struct cpu *cpu, struct cpu_recipe *recipe) {
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
        if ((waits_for_result(cpu, recipe) || is_part(cpu, &insn->writes[i])) && recipe->rename == CPU_EXECUTES) {
            add_read(recipe, unit, false, 0); // it merges
            struct cpu_write *write = &recipe->writes[recipe->n_writes - 1];
            write->latency = fmax(write->latency, 1);
        }
    }
}

// add and sub of a number to the stack pointer, one after the other whatever they read.
static void take_adjustment(const struct cpu *cpu, struct cpu_recipe *recipe) {
    enum cpu_operation does = recipe->opcode->operation;
    bool adjusts = (does == CPU_DOES_ADD || does == CPU_DOES_SUB) && recipe->opcode->operands[0] == 'r' &&
                   recipe->opcode->operands[1] == 'i' && recipe->n_writes + 1 < CPU_MOST_WRITES;
    bool writes_stack = false;
    for (unsigned i = 0; i < recipe->n_writes; i++)
        writes_stack |= recipe->writes[i].unit == cpu->stack;
    if (!adjusts || !cpu_knows(cpu, CPU_STACK_ADJUSTMENT) || !writes_stack)
        return;
    add_read(recipe, cpu->adjuster, false, 0);
    recipe->writes[recipe->n_writes++] = (struct cpu_write){.unit = (uint16_t)cpu->adjuster,
                                                            .latency = cpu_value(cpu, CPU_STACK_ADJUSTMENT),
                                                            .operand = -1,
                                                            .trust = cpu->parameters[CPU_STACK_ADJUSTMENT].trust};
    if (cpu_knows(cpu, CPU_STACK_ADJUSTMENT_SLOTS))
        recipe->slots = recipe->decoded_slots = (unsigned)cpu_value(cpu, CPU_STACK_ADJUSTMENT_SLOTS);
}

// Of general registers, what has an address of two registers and uses a pipe besides those of memory, or stores.
static void unlaminate(const struct cpu *cpu, struct cpu_recipe *recipe) {
    const struct insn_address *address = recipe->insn->address;
    bool operates = recipe->n_stores > 0;
    if (!cpu_does(cpu, CPU_UNLAMINATES_GENERAL) || recipe->is_vector || recipe->n_loads + recipe->n_stores == 0 ||
        !address || !address->base || !address->index)
        return;
    for (unsigned i = 0; i < recipe->n_uses; i++)
        operates |= (recipe->uses[i].pipes & ~cpu->memory_pipes) != 0;
    if (operates)
        recipe->slots = recipe->decoded_slots = recipe->slots > 2 ? recipe->slots : 2;
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

static void take_rules(const struct cpu *cpu, struct cpu_recipe *recipe) {
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

// Cmov and setcc of several uops: what is no flag is wanted by the last of them.
static void delay_data(const struct cpu *cpu, struct cpu_recipe *recipe) {
    double latency = cpu_value(cpu, CPU_CONDITIONAL_DATA_LATENCY);
    for (unsigned i = 0; i < recipe->n_reads && recipe->reads_as_logic && latency > 0; i++) {
        if (!cpu_is_flag(cpu, recipe->reads[i].unit) && !recipe->reads[i].is_address)
            recipe->reads[i].early = fmax(recipe->latency - latency, 0);
    }
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

static void take_flags(const struct cpu *cpu, struct cpu_recipe *recipe) {
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
static void delay_flags(const struct cpu *cpu, struct cpu_recipe *recipe) {
    const double more = cpu_value(cpu, CPU_CONDITIONAL_FLAGS_MORE);
    const bool is_joined = __builtin_popcount(recipe->flags_read) > 1 && is(recipe, CPU_SELECTS) &&
                           is(recipe, CPU_SPLITS_INDEXED); // cmov of both
    for (unsigned i = 0; i < recipe->n_reads && is_joined; i++)
        if (cpu_is_flag(cpu, recipe->reads[i].unit))
            recipe->reads[i].early -= more;
}

static bool is_end(const struct cpu *cpu, const struct cpu_end *end, const struct cpu_read *read) {
    if (end->operand >= 0)
        return read->operand == end->operand;
    if (!end->unit)
        return read->is_vector;
    return is_meant(cpu, end->unit, read->unit);
}

// What a rule says to come to its result in less time than the rest.
static void delay_sources(const struct cpu *cpu, struct cpu_recipe *recipe) {
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

// What it does before it stores takes a cycle, whatever latency the base has for its flags.
static void delay_store(const struct cpu *cpu, struct cpu_recipe *recipe) {
    bool computes = recipe->n_loads && !recipe->stack_change;
    for (unsigned i = 0; i < recipe->n_uses && !recipe->is_vector; i++)
        computes |= (recipe->uses[i].pipes & ~cpu->memory_pipes) != 0;
    recipe->store_delay = computes && recipe->n_stores ? 1 : 0;
}

// In place of the base's, which all else of the base's numbers includes.
static void take_load_latency(const struct cpu *cpu, struct cpu_recipe *recipe) {
    enum cpu_parameter own = recipe->is_vector ? CPU_LOAD_LATENCY_VECTOR : CPU_LOAD_LATENCY;
    double base = recipe->is_vector ? cpu->vector_load_latency : cpu->load_latency;
    if (!recipe->n_loads || !cpu_knows(cpu, own))
        return;
    double more = recipe->is_plain_load ? recipe->load_latency - base : 0;
    recipe->load_latency = cpu_value(cpu, own) + (more > 0 ? more : 0);
}

// Whether it reads or writes what x87 alone has.
static bool is_x87(const struct cpu *cpu, const struct insn *insn) {
    for (unsigned i = 0; i < insn->n_reads + insn->n_writes; i++) {
        unsigned reg = i < insn->n_reads ? insn->reads[i].reg : insn->writes[i - insn->n_reads].reg;
        if (cpu->is_x87[reg])
            return true;
    }
    return false;
}

static bool is_repeated(const struct cpu_recipe *recipe) {
    enum { REPNE = 0xf2, REP = 0xf3 };
    if (strncmp(recipe->insn->opcode, "REP_", 4) == 0) // movs and stos have opcodes of their own then
        return true;
    for (unsigned i = 0; recipe->string.bytes && recipe->insn->bytes && i < recipe->encoding.opcode_at; i++)
        if (recipe->insn->bytes[i] == REPNE || recipe->insn->bytes[i] == REP)
            return recipe->string.bytes;
    return false;
}

static bool is_unknown(const struct cpu_recipe *recipe) {
    enum { PLACEHOLDER = 100 }; // LLVM's latency of what it knows none of: WriteMicrocoded, WriteSystem
    bool is_base = recipe->trusts[CPU_COST_LATENCY] == CPU_LLVM && !(recipe->serial > 0);
    return recipe->rename == CPU_EXECUTES && is_base &&
           (recipe->insn->cost->latency >= PLACEHOLDER || is_repeated(recipe));
}

// Slots of the base's numbers.
static void take_slots(const struct cpu *cpu, struct cpu_recipe *recipe) {
    recipe->slots = recipe->decoded_slots = cpu_does(cpu, CPU_MICRO_FUSION) ? 1 : recipe->insn->cost->uops;
    if (cpu_does(cpu, CPU_MICRO_FUSION) && recipe->rename == CPU_EXECUTES)
        fuse_uops(cpu, recipe);
    if (cpu_value(cpu, CPU_UOPS_OF_SLOT) > 1)
        recipe->slots = recipe->decoded_slots = (unsigned)ceil(recipe->slots / cpu_value(cpu, CPU_UOPS_OF_SLOT));
}

// What kind of load it is, and the base's latency of that.
static void describe_load(const struct cpu *cpu, struct cpu_recipe *recipe) {
    const struct insn *insn = recipe->insn;
    const bool copies = recipe->n_loads == 1 && !recipe->n_stores && is(recipe, CPU_LOADS_PLAINLY) && insn->n_writes;
    recipe->is_plain_load = copies && !recipe->is_vector && !is_part(cpu, &insn->writes[0]);
    recipe->merges_load = copies && is_part(cpu, &insn->writes[0]);
    if (insn->may_load && recipe->is_plain_load)
        recipe->load_latency = insn->cost->latency < cpu->load_latency ? cpu->load_latency : insn->cost->latency;
    else if (insn->may_load)
        recipe->load_latency = recipe->is_vector ? cpu->vector_load_latency : cpu->load_latency;
}

void cpu_recipe_make(const struct cpu *cpu, const struct insn *insn, struct cpu_recipe *recipe) {
    *recipe = (struct cpu_recipe){
        .insn = insn, .opcode = cpu_opcode_of(cpu, insn->opcode), .trusts = {CPU_LLVM, CPU_LLVM, CPU_LLVM}};
    if (insn->bytes && cpu->is_x86)
        recipe->encoding = x86_encoding_of(insn->bytes, insn->n_bytes);
    recipe->rename = rename_of(cpu, recipe);
    recipe->reads_nothing = reads_nothing(cpu, recipe);
    recipe->is_x87 = is_x87(cpu, insn);
    recipe->fuses = fuses_of(cpu, recipe);
    for (unsigned i = 0; i < insn->n_writes; i++)
        recipe->is_vector |= cpu->is_vector[insn->writes[i].reg];
    for (unsigned i = 0; i < insn->n_reads; i++)
        recipe->is_vector |= cpu->is_vector[insn->reads[i].reg];
    take_flags(cpu, recipe);
    if (recipe->rename == CPU_EXECUTES) {
        count_accesses(cpu, recipe);
        take_uses(cpu, recipe);
    }
    take_slots(cpu, recipe);
    take_stack(cpu, recipe);
    describe_load(cpu, recipe);
    take_reads(cpu, recipe);
    take_writes(cpu, recipe);
    recipe->n_parts = 1;
    if (!cpu->is_x86)
        recipe_part_aarch64(recipe);
    else if (recipe->rename == CPU_EXECUTES && !is_repeated(recipe))
        recipe_part_results(cpu, recipe);
    take_load_latency(cpu, recipe);
    if (recipe->encoding.is_atomic)
        recipe->serial = cpu_value(cpu, CPU_ATOMIC);
    delay_store(cpu, recipe);
    take_rules(cpu, recipe);
    unlaminate(cpu, recipe);
    for (unsigned i = 0; i < recipe->n_writes; i++)
        if (cpu->is_x86 || !recipe->writes[i].part) // an address that is moved on is no result of what is loaded
            recipe->latency = fmax(recipe->latency, recipe->writes[i].latency);
    delay_data(cpu, recipe);
    delay_sources(cpu, recipe);
    delay_flags(cpu, recipe);
    take_adjustment(cpu, recipe);
    recipe->is_unknown = is_unknown(recipe);
    recipe->divides = is(recipe, CPU_DIVIDES);
    recipe_settle_trusts(cpu, recipe);
}
