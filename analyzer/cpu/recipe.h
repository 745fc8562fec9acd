// What one instruction costs on a CPU of ours: its base's numbers, changed by the CPU's rules for forms, and by what
// its parameters do at rename.
#ifndef ANALYZER_CPU_RECIPE_H
#define ANALYZER_CPU_RECIPE_H

#include "analyzer/code/x86_encoding.h"
#include "analyzer/cpu/cpu.h"
#include "analyzer/cpu/dispatch_group.h"
#include "analyzer/sched/insn.h"

// What rename does with an instruction: all but the first take no pipe.
enum cpu_rename {
    CPU_EXECUTES,
    CPU_ZEROES,  // an idiom: its result is known
    CPU_MOVES,   // its result is another name of its source
    CPU_IS_IDLE, // nop
};

// How an instruction may fuse with a conditional jump behind it.
enum cpu_fuses { CPU_FUSES_NEVER, CPU_FUSES_ALWAYS, CPU_FUSES_COMPARE, CPU_FUSES_INCREMENT };

// What of an instruction's numbers may come from somewhere else than the others.
enum cpu_cost { CPU_COST_SLOTS, CPU_COST_LATENCY, CPU_COST_PIPES, CPU_N_COSTS };

// Condition flags that are renamed together.
enum cpu_flags {
    CPU_CARRY = 1,
    CPU_OVERFLOW = 2,
    CPU_OTHER_FLAGS = 4,
    CPU_ALL_FLAGS = CPU_CARRY | CPU_OVERFLOW | CPU_OTHER_FLAGS
};

enum { CPU_MOST_USES = 24, CPU_MOST_READS = 12, CPU_MOST_WRITES = 8, CPU_MOST_PARTS = 3 };

struct cpu_recipe {
    const struct insn *insn;
    const struct cpu_opcode *opcode;
    struct x86_encoding encoding;
    int64_t immediate; // of x86's encoding; 0: it has none
    enum cpu_rename rename;
    enum cpu_fuses fuses;
    enum cpu_trust trusts[CPU_N_COSTS]; // CPU_LLVM: nothing in the file states it, so it is the base's
    bool is_by_base[CPU_N_COSTS];       // so it is, and it counts: a latency needs a result, pipes an execution
    bool is_fused;                      // into the instruction before it: it has no slot of its own
    bool is_vector;                     // it writes or reads a vector register
    bool merges_load;                   // it loads into a part of a general register, and does nothing else
    bool is_plain_load;                 // of general registers: it loads, and does nothing else
    bool reads_as_logic;                // cmov or setcc: it waits for flags of logic operations
    bool reads_nothing;                 // whatever its operands are: an idiom that is executed, or clc
    bool is_x87;                        // of the stack of x87, where nothing follows it
    bool is_unknown;                    // its cycles: see cpu_recipe_make
    bool divides;                       // whole numbers: its time may depend on the quotient
    bool alternates;                    // it takes a slot more in every other pass
    bool is_repeated;                   // a string instruction, as often as rcx says
    // Several of enum cpu_flags: what an instruction that reads LLVM's one register of flags reads of it, or writes.
    unsigned flags_read, flags_written;

    unsigned slots;         // of rename and dispatch; 0: fused into another one
    unsigned decoded_slots; // the same before some are split at rename
    struct dispatch_need dispatch;
    unsigned n_loads, n_stores; // accesses to memory
    struct cpu_string {
        unsigned bytes; // of an element; 0: no string is accessed
        bool loads_rsi, loads_rdi;
    } string;
    int stack_change;    // bytes that push or pop add to the stack pointer; 0: it is neither
    double lost;         // cycles that its pipes lose by it where operations crowd before them
    bool waits_for_load; // seldom before it could go: it waits for a load, too

    double load_latency; // cycles from its address to what it has loaded; 0: it does not load
    double latency;      // from its sources, loaded ones included, to its slowest result
    double store_delay;  // from its sources, loaded ones included, to the data it stores
    // A rule, from 1, whose instructions have each other's results after so many cycles; 0: none.
    unsigned own;
    double own_latency;
    double serial; // cycles between two such instructions; 0: they are independent
    // Results that wait for some of the sources only. Part 0 is what waits for all, and what is stored. 1: no others.
    unsigned n_parts;
    bool part_loads[CPU_MOST_PARTS]; // it waits for what is loaded; of part 0 unused
    // The lists come last: known_recipes.c copies no more of them than there is.
    unsigned n_uses, n_reads, n_writes;
    struct cpu_use uses[CPU_MOST_USES];
    struct cpu_read {
        uint16_t unit;
        bool is_address, is_vector;
        uint8_t parts; // a bit each of those, beside the first, that wait for it
        // The instruction's read, from 1, whose advances say how much earlier a result of some class may come; 0: none.
        uint8_t advances;
        int operand;  // LLVM's number of it among those that are read; below 0: LLVM has no such operand
        double early; // cycles that it may come after the instruction's start
    } reads[CPU_MOST_READS];
    struct cpu_write {
        uint16_t unit;
        uint8_t part;
        double latency;       // from its sources, loaded ones included
        int operand;          // LLVM's number of it among those that are written; of the carry, that of the flags
        enum cpu_trust trust; // of its latency
    } writes[CPU_MOST_WRITES];
};

// `insn` was described by the CPU's base, with its address. Cycles are unknown where LLVM's number is a placeholder
// that no rule replaces, and of a repeated string instruction, which takes as many as rcx says.
void cpu_recipe_make(const struct cpu *cpu, const struct insn *insn, struct cpu_recipe *recipe);

// Cycles that a source may come later where it is a result of that class (struct sched_write).
static inline double cpu_recipe_advance(const struct cpu_recipe *recipe, const struct cpu_read *read,
                                        unsigned write_class) {
    const struct sched_read *of = read->advances ? &recipe->insn->cost->reads[read->advances - 1] : NULL;
    for (unsigned i = 0; of && i < of->n_advances; i++)
        if (!of->advances[i].write_class || of->advances[i].write_class == write_class)
            return of->advances[i].cycles;
    return 0;
}
// The class of a result; 0 where no source asks for it.
static inline unsigned cpu_recipe_class(const struct cpu *cpu, const struct cpu_recipe *recipe,
                                        const struct cpu_write *write) {
    return cpu->is_x86 || write->operand < 0 ? 0 : recipe->insn->cost->writes[write->operand].write_class;
}

static inline bool cpu_recipe_writes(const struct cpu_recipe *recipe, unsigned unit) {
    for (unsigned i = 0; i < recipe->n_writes; i++)
        if (recipe->writes[i].unit == unit)
            return true;
    return false;
}

// Immediates and displacements that it takes along; an immediate of 64 bits counts as two.
static inline unsigned cpu_recipe_fields(const struct cpu_recipe *recipe) {
    enum { FIELD_BYTES = 4 };
    const struct x86_encoding *encoding = &recipe->encoding;
    return recipe->rename == CPU_IS_IDLE
               ? 0
               : (encoding->displacement_bytes ? 1U : 0U) + (encoding->immediate_bytes ? 1U : 0U) +
                     (encoding->immediate_bytes > FIELD_BYTES ? 1U : 0U);
}

// Whether it goes through the schedulers of general registers, and is more than a load.
static inline bool cpu_is_operation(const struct cpu_recipe *recipe) {
    return recipe->rename == CPU_EXECUTES && !recipe->is_vector && !recipe->is_plain_load && recipe->n_uses > 0;
}

// Whether a number that counts is the base's.
bool cpu_recipe_needs_base(const struct cpu_recipe *recipe);
const char *cpu_cost_name(enum cpu_cost cost); // "slots": for people and files
// Fails at the first instruction that needs the base, where the CPU refuses that.
bool cpu_states_all(const struct cpu *cpu, const struct cpu_recipe *recipes, unsigned n, struct fail *fail);

// Of a whole block: fuses its compares with its jumps, and the last instruction with nothing.
struct cpu_recipe *cpu_recipes(struct arena *arena, const struct cpu *cpu, const struct block *block);

// Fails at the first instruction that the CPU does not execute.
bool cpu_executes(struct arena *arena, const struct cpu *cpu, const struct cpu_recipe *recipes, unsigned n,
                  struct fail *fail);
// The same of a block without recipes.
bool cpu_executes_block(const struct cpu *cpu, const struct block *block, struct fail *fail);

#endif
