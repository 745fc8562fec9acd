#include "analyzer/cpu/recipe.h"

#include "analyzer/cpu/opcode.h"
#include "analyzer/cpu/recipe_flags.h"
#include "analyzer/cpu/recipe_fusion.h"
#include "analyzer/cpu/recipe_operands.h"
#include "analyzer/cpu/recipe_parts.h"
#include "analyzer/cpu/recipe_rules.h"
#include "analyzer/cpu/recipe_trust.h"

#include <math.h>
#include <string.h>

static bool is(const struct cpu_recipe *recipe, uint32_t kinds) {
    return recipe->opcode->kinds & kinds;
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
        // However many pipes of a group must be free for it (use->units), it takes one.
        double cycles = (double)(use->release - use->acquire);
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
    unsigned n_reads = insn->n_reads + recipe_rules_wait_for_result(cpu, recipe);
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

static bool reads_nothing(const struct cpu *cpu, const struct cpu_recipe *recipe) {
    const struct insn *insn = recipe->insn;
    bool is_same = insn->n_reads == 2 && insn->reads[0].reg == insn->reads[1].reg && !insn->may_load;
    return is(recipe, CPU_SETS_CARRY) || (is_same && is(recipe, CPU_ONES_ITSELF) && cpu_does(cpu, CPU_ONES_IDIOMS));
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
    recipe_add_read(recipe, cpu->adjuster, false, 0);
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

// Cmov and setcc of several uops: what is no flag is wanted by the last of them.
static void delay_data(const struct cpu *cpu, struct cpu_recipe *recipe) {
    double latency = cpu_value(cpu, CPU_CONDITIONAL_DATA_LATENCY);
    for (unsigned i = 0; i < recipe->n_reads && recipe->reads_as_logic && latency > 0; i++) {
        if (!cpu_is_flag(cpu, recipe->reads[i].unit) && !recipe->reads[i].is_address)
            recipe->reads[i].early = fmax(recipe->latency - latency, 0);
    }
}

// What it does before it stores takes a cycle, whatever latency the base has for its flags.
static void delay_store(const struct cpu *cpu, struct cpu_recipe *recipe) {
    bool computes = recipe->n_loads && !recipe->stack_change;
    for (unsigned i = 0; i < recipe->n_uses && !recipe->is_vector; i++)
        computes |= (recipe->uses[i].pipes & ~cpu->memory_pipes) != 0;
    recipe->store_delay = computes && recipe->n_stores ? 1 : 0;
}

// What it takes longer to add up the parts of an address.
static double address_latency(const struct cpu *cpu, const struct insn_address *address) {
    if (!address || !address->index || cpu->is_vector[address->index])
        return 0;
    if (address->scale > 1)
        return cpu_value(cpu, CPU_LOAD_SCALED_INDEX);
    return address->base && address->displacement ? cpu_value(cpu, CPU_LOAD_THREE_PARTS) : 0;
}

// In place of the base's, which all else of the base's numbers includes.
static void take_load_latency(const struct cpu *cpu, struct cpu_recipe *recipe) {
    enum cpu_parameter own = recipe->is_vector ? CPU_LOAD_LATENCY_VECTOR : CPU_LOAD_LATENCY;
    double base = recipe->is_vector ? cpu->vector_load_latency : cpu->load_latency;
    double more = recipe->is_plain_load ? recipe->load_latency - base : 0;
    if (recipe->n_loads && cpu_knows(cpu, own))
        recipe->load_latency = cpu_value(cpu, own) + (more > 0 ? more : 0);
    enum { WIDEST = 64 }; // bytes
    if (recipe->n_loads && recipe->is_vector && recipe->insn->address && recipe->insn->address->bytes == WIDEST)
        recipe->load_latency += cpu_value(cpu, CPU_LOAD_LATENCY_512);
    recipe->load_latency += address_latency(cpu, recipe->insn->address);
}

// Whether it reads or writes a register of these. `are_in`: by LLVM's number.
static bool touches(const struct insn *insn, const bool *are_in) {
    for (unsigned i = 0; i < insn->n_reads + insn->n_writes; i++)
        if (are_in[i < insn->n_reads ? insn->reads[i].reg : insn->writes[i - insn->n_reads].reg])
            return true;
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
           (recipe->insn->cost->latency >= PLACEHOLDER || recipe->is_repeated);
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
    recipe->is_plain_load = copies && !recipe->is_vector && !recipe_writes_part(cpu, &insn->writes[0]);
    recipe->merges_load = copies && recipe_writes_part(cpu, &insn->writes[0]);
    if (insn->may_load && recipe->is_plain_load)
        recipe->load_latency = insn->cost->latency < cpu->load_latency ? cpu->load_latency : insn->cost->latency;
    else if (insn->may_load)
        recipe->load_latency = recipe->is_vector ? cpu->vector_load_latency : cpu->load_latency;
}

static double slowest_result(const struct cpu *cpu, const struct cpu_recipe *recipe) {
    double slowest = 0;
    for (unsigned i = 0; i < recipe->n_writes; i++)
        if (cpu->is_x86 || !recipe->writes[i].part) // an address that is moved on is no result of what is loaded
            slowest = fmax(slowest, recipe->writes[i].latency);
    return slowest;
}

static void read_encoding(const struct insn *insn, struct cpu_recipe *recipe) {
    recipe->encoding = x86_encoding_of(insn->bytes, insn->n_bytes);
    recipe->immediate = x86_immediate(&recipe->encoding, insn->bytes, insn->n_bytes);
}

void cpu_recipe_make(const struct cpu *cpu, const struct insn *insn, struct cpu_recipe *recipe) {
    *recipe = (struct cpu_recipe){
        .insn = insn, .opcode = cpu_opcode_of(cpu, insn->opcode), .trusts = {CPU_LLVM, CPU_LLVM, CPU_LLVM}};
    if (insn->bytes && cpu->is_x86)
        read_encoding(insn, recipe);
    recipe->rename = rename_of(cpu, recipe);
    recipe->reads_nothing = reads_nothing(cpu, recipe);
    recipe->is_x87 = touches(insn, cpu->is_x87);
    recipe->is_vector = touches(insn, cpu->is_vector);
    recipe->fuses = recipe_fusion_of(cpu, recipe);
    recipe_flags_find(cpu, recipe);
    if (recipe->rename == CPU_EXECUTES) {
        count_accesses(cpu, recipe);
        take_uses(cpu, recipe);
    }
    take_slots(cpu, recipe);
    take_stack(cpu, recipe);
    describe_load(cpu, recipe);
    recipe_take_reads(cpu, recipe);
    recipe_take_writes(cpu, recipe);
    recipe->is_repeated = cpu->is_x86 && is_repeated(recipe);
    recipe->n_parts = 1;
    if (!cpu->is_x86)
        recipe_part_aarch64(recipe);
    else if (recipe->rename == CPU_EXECUTES && !recipe->is_repeated)
        recipe_part_results(cpu, recipe);
    take_load_latency(cpu, recipe);
    if (recipe->encoding.is_atomic)
        recipe->serial = cpu_value(cpu, CPU_ATOMIC);
    delay_store(cpu, recipe);
    recipe_rules_take(cpu, recipe);
    unlaminate(cpu, recipe);
    recipe->latency = slowest_result(cpu, recipe);
    delay_data(cpu, recipe);
    recipe_rules_delay_sources(cpu, recipe);
    recipe_flags_delay(cpu, recipe);
    take_adjustment(cpu, recipe);
    recipe->is_unknown = is_unknown(recipe);
    recipe->divides = is(recipe, CPU_DIVIDES);
    recipe_settle_trusts(cpu, recipe);
}
