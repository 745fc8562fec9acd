// A model of our own of one CPU: parameters of its machine, and what its instructions cost, each number with where it
// is from. What a file does not state of instructions comes from its base, a scheduling model of LLVM's or an overlay.
//
//     cpu: 1                        # version of the format
//     name: skylake
//     about: one line for people
//     isa: aarch64                  # or x86_64: what a file is of that does not say
//     base: skylake                 # a model of LLVM's, also "llvm-22/skylake"; or an overlay's file, beside this one
//     identity:                     # of which CPUs it is; by it a program finds the file of the CPU that it runs on
//       - {vendor: GenuineIntel, family: 6, models: [78, 94, 0x55]}  # also "0x00-0x4f"
//     evidence: [survey, pairs]     # what it was made from: paths, from the file's folder
//     parameters:                   # parameters.def lists them; one that is left out is a mechanism that is not there
//       dispatch-width: {value: 4, trust: published, source: "Intel's optimization manual, 2.5.1"}
//       length-change-stall: 3      # trust: assumed
//     resources: {Zn4ALU0123: 6}    # pipes of a resource of the base, where these are more than the base says; of one
//                                   # within an earlier one, they are pipes of that
//     ports: [P0, P1]               # pipes that the base does not have, each by its name
//     forms:                        # what differs from the base; a later rule changes what an earlier one set
//       - match: "SH[LR](32|64)rCL" # regular expression on LLVM's whole opcode name
//         slots: 2
//         address: three-part       # only where its address is so: cpu_shape
//         immediate: 0              # only where its immediate is this
//         latency: 2                # cycles, from each source to each result
//         latency-to: {RDX: 4}      # to this result, where that differs: a register; `carry`, that flag alone; "1",
//                                   # LLVM's number of an operand among those that are written; `memory`, what it
//                                   stores
//         latency-from: {EFLAGS: 1} # from this source, where that is less: a register, `vector` for any such, or
//                                   # "1", LLVM's number of an operand among those that are read, from 0
//         own-latency: 1            # cycles, to instructions of the same rule
//         ignores: [EFLAGS]         # registers that it reads, and does not wait for
//         waits-for-result: 1       # it reads what its results' registers held before, although it need not
//         pipes: [{on: SKLPort06, cycles: 2}]  # in place of the base's; `on`: a resource of the base, or "A|B": one,
//                                              # as versions of LLVM call it; or of `ports`; "A.1": the second pipe
//                                              # of several of a resource; "A+B": a pipe of either
//         serial: 18                # cycles between two such, whatever they read
//         trust: measured           # of all these numbers, with `source`
//       - trust: measured           # rules that share these
//         source: survey
//         llvm: 22                  # whose opcodes they name: in another version, one may have no such opcode
//         forms: [{match: CLD, serial: 3}]
//     lacks:                        # instructions that the CPU does not execute: a block with one is refused
//       - {match: "ANDN.*", feature: BMI}
#ifndef ANALYZER_CPU_CPU_H
#define ANALYZER_CPU_CPU_H

#include "analyzer/code/block.h"
#include "analyzer/code/opcode_pattern.h"
#include "analyzer/sched/machine.h"
#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stdint.h>

// Where a number is from.
enum cpu_trust { CPU_MEASURED, CPU_BOUND, CPU_PUBLISHED, CPU_LLVM, CPU_ASSUMED, CPU_N_TRUSTS };

struct cpu_number {
    bool is_known;
    double value;
    enum cpu_trust trust;
    const char *source; // for people; "" where the file says nothing
};

enum cpu_parameter {
#define PARAMETER(field, name, unit, meaning) CPU_##field,
#include "analyzer/cpu/parameters.def"
#undef PARAMETER
    CPU_N_PARAMETERS
};

struct cpu_parameter_row {
    const char *name, *unit, *meaning;
};
extern const struct cpu_parameter_row cpu_parameters[CPU_N_PARAMETERS];

// A name in the file, and where it stands there.
struct cpu_word {
    const char *text;
    unsigned line, column;
};

// Cycles that some pipe of a set is held.
struct cpu_use {
    uint64_t pipes; // as in struct cpu
    double cycles;
};

// What an address is made of, where that decides about what an instruction costs.
enum cpu_shape {
    CPU_ANY_SHAPE,
    CPU_INDEXED,    // it has an index
    CPU_THREE_PART, // base, index, and a displacement in the encoding; or it is relative to the instruction
    CPU_RELATIVE,   // it is relative to the instruction
    CPU_N_SHAPES
};

// Latency from one source of a form, or to one of its results.
struct cpu_end {
    struct cpu_word name; // of the register; "carry"; "vector": any such; "memory"; or an operand's number
    double latency;       // cycles
    unsigned unit;        // set by cpu_bind; 0: any vector register's, or an operand's
    int operand;          // likewise; below 0: the name is no number
    bool is_memory;       // likewise
};

// What a file says of forms, where it differs from the base.
struct cpu_rule {
    enum cpu_shape shape;
    bool has_immediate, waits_for_result;
    int64_t immediate;                                     // where it has one: of the instructions that the rule is of
    struct opcode_pattern match;                           // `line` and `column`: of it
    struct cpu_number slots, latency, own_latency, serial; // unknown: as the base has them
    struct cpu_word *ignores;                              // names of registers
    uint16_t *ignored;                                     // set by cpu_bind: these registers
    unsigned n_ignores;
    struct cpu_end *sources, *results; // of latency-from and latency-to
    unsigned n_sources, n_results;
    struct cpu_word *on;  // names of resources, of uses
    struct cpu_use *uses; // null: as the base has them
    unsigned n_uses;
    enum cpu_trust trust;
    const char *source;
    unsigned llvm; // version whose opcodes it names; 0: any
    unsigned line, column;
};

// Instructions that the CPU does not execute.
struct cpu_lack {
    struct opcode_pattern match; // `line` and `column`: of it
    const char *feature;         // which the CPU lacks, for people: "AVX2"
    unsigned line, column;
};

// What an instruction makes of general registers and memory, where it is plain.
enum cpu_operation {
    CPU_DOES_OTHER,
    CPU_DOES_ADDRESS, // lea
    CPU_DOES_MOVE,
    CPU_DOES_EXTEND, // movsx, movzx
    CPU_DOES_INC,
    CPU_DOES_DEC,
    CPU_DOES_ADD,
    CPU_DOES_SUB,
    CPU_DOES_XOR,
    CPU_DOES_AND,
    CPU_DOES_OR,
    CPU_DOES_SHL,
    CPU_DOES_SHR
};

// How sources reach results, where not each source reaches every result.
enum cpu_flow {
    CPU_FLOWS_TO_ALL,
    CPU_FLOWS_CROSSWISE, // xchg: each register has what the other one, or memory, held
    CPU_FLOWS_OLD,       // xadd: the second register has what the first one, or memory, held
    CPU_FLOWS_COMPARED,  // cmpxchg: flags and rax do not depend on what it may store
    CPU_FLOWS_STACK,     // push, pop: the stack pointer depends on itself
    CPU_FLOWS_FRAME,     // leave: the stack pointer depends on rbp, and not on what rbp is loaded with
    CPU_FLOWS_LOOKUP,    // xlat: all that it reads is its address
    CPU_FLOWS_OVERFLOW   // adox: of flags, only the overflow
};

// Which operands an operation has, by the letters behind its width.
enum cpu_operand {
    CPU_FIRST_IS_REGISTER = 1 << 0,
    CPU_FIRST_IS_MEMORY = 1 << 1,
    CPU_SECOND_IS_REGISTER = 1 << 2,
    CPU_SECOND_IS_MEMORY = 1 << 3,
    CPU_SECOND_IS_IMMEDIATE = 1 << 4,
    CPU_HAS_IMMEDIATE = 1 << 5,
    CPU_HAS_CL = 1 << 6
};

// What an opcode's name says.
struct cpu_opcode {
    enum cpu_operation operation;
    const char *operands; // the letters behind its width: "rr", "mi8"; "" where there is no width
    unsigned has;         // several of enum cpu_operand
    bool pushes_number;   // of push: an immediate
    uint32_t kinds;       // see opcode.h
    enum cpu_flow flow;
    const unsigned *rules; // those that it matches, in their order
    unsigned n_rules;
    const char *lacked; // feature that it needs and the CPU lacks; null: the CPU executes it
};
// Opcodes and instructions met so far. Filled as they come, so a CPU belongs to one thread at a time.
struct cpu_opcodes;
struct known_recipes; // see known_recipes.h

// Of which CPUs a file is, as cpuid and /proc/cpuinfo have them.
struct cpu_identity {
    const char *vendor;           // "GenuineIntel"
    unsigned family, first, last; // models: from the first to the last; of Arm's cores, part numbers
};

struct cpu {
    const char *name, *about; // about: "" where the file says nothing
    const char *isa;          // "x86_64" or "aarch64"
    bool is_x86;
    struct cpu_word base;
    const char *path; // of the file, for messages
    uint64_t hash;    // of its text: another one is another model
    struct cpu_number parameters[CPU_N_PARAMETERS];
    struct cpu_resource { // what the file says of the base's
        struct cpu_word name;
        unsigned pipes;
        uint64_t mask; // set by cpu_bind: as in struct resource
    } * resources;
    unsigned n_resources;
    struct cpu_word *ports; // pipes of its own
    unsigned n_ports;
    struct cpu_rule *rules;
    unsigned n_rules;
    struct cpu_lack *lacks;
    unsigned n_lacks;
    struct cpu_identity *identities;
    unsigned n_identities;
    const char **evidence; // paths of what the file was made from, as it states them
    size_t n_evidence;
    bool refuses_base; // a block that needs a number which the file does not state is refused. Set by who opens it

    // Set by cpu_bind.
    const struct machine *machine; // of the base
    // Of each resource, by the number of its own bit: its pipes, each one bit. A resource of several units has several.
    uint64_t pipes[64];
    uint64_t *port_pipes; // of each of `ports`: one bit
    // Pipes that a plain load, and a store, are executed on; 0: the base does not show them. memory_pipes: all of them.
    uint64_t load_pipes, store_data_pipes, store_address_pipes, memory_pipes;
    double load_latency, vector_load_latency; // cycles, of the base's plain loads
    // Registers that overlap are one unit, numbered from 1: what waits for another is found by unit. Condition flags
    // are three: the carry, the overflow, and the others.
    const uint16_t *units; // by register
    const bool *is_vector; // by register
    const bool *is_tuple;  // by register: of several units (q0_q1), `units` has the first; null: no register is
    const bool *is_x87;    // by register: x87's status and control, which each of its instructions reads or writes
    const uint8_t *bits;   // by register: 8 to 64 of a general one; 0: another one, or the high byte of one
    uint16_t general[16];  // units of x86's general registers, in the order of their numbers in encodings
    struct cpu_opcodes *opcodes;
    // Null: each recipe is made anew, as whoever changes a rule or parameter later on needs it.
    struct known_recipes *recipes;
    unsigned n_units;                // with 0, which no register has
    unsigned flags, carry, overflow; // units; 0: there are no flags
    unsigned adjuster;               // unit that add and sub of a number to the stack pointer wait for; no register's
    unsigned stack;                  // unit of the stack pointer; 0: unknown
    unsigned x87;     // the first unit of x87's eight registers; by those of LLVM, they are places in the stack
    unsigned counter; // unit of the program counter, for addresses relative to it; 0: unknown
};

// Reads and checks all of a file but what depends on its base. Null and a failure with line and column where it is
// wrong.
struct cpu *cpu_read(struct arena *arena, const char *path, struct fail *fail);
// Only the name, and of which CPUs it is: many times as fast. What else the file states may be wrong.
struct cpu *cpu_read_identity(struct arena *arena, const char *path, struct fail *fail);
struct cpu *cpu_parse(struct arena *arena, const char *name, const char *text, struct fail *fail);
void cpu_close(struct cpu *cpu); // null is allowed
bool cpu_is_of(const struct cpu *cpu, const char *vendor, unsigned family, unsigned model);

// Ties the CPU to the machine of its base. `samples`: a plain load and a store of a general register, and a plain load
// of a vector register, described by the base; null: the ISA has no such samples. Fails where a rule names what the
// base has not.
bool cpu_bind(struct cpu *cpu, struct arena *arena, const struct machine *machine, const struct block *samples,
              struct fail *fail);
enum { CPU_SAMPLE_LOAD, CPU_SAMPLE_STORE, CPU_SAMPLE_VECTOR_LOAD };

// Fails at the first rule that none of the opcodes matches: it would change nothing, unseen. `llvm`: the version that
// has these; a rule that names those of another one is not looked at.
bool cpu_check_opcodes(const struct cpu *cpu, const char *const *opcodes, size_t n, unsigned llvm, struct fail *fail);

// Whether a rule's expression matches the opcode; which addresses and immediates it is of is left out.
bool cpu_rule_matches(const struct cpu_rule *rule, const char *opcode);

// Of an opcode whose name is the same pointer each time.
const struct cpu_opcode *cpu_opcode_of(const struct cpu *cpu, const char *opcode);

// Units of a register, each once; at most as many as there is room for. Returns their number; 0: nothing waits for it.
enum { CPU_MOST_OF_TUPLE = 8 };
unsigned cpu_units_of(const struct cpu *cpu, unsigned reg, uint16_t units[CPU_MOST_OF_TUPLE]);

// Of a resource, by its mask.
uint64_t cpu_pipes(const struct cpu *cpu, uint64_t mask);
// Of condition flags.
static inline bool cpu_is_flag(const struct cpu *cpu, unsigned unit) {
    return unit && (unit == cpu->flags || unit == cpu->carry || unit == cpu->overflow);
}
// "rax", "flags", "carry flag": of a unit, as people read it; "" for unit 0.
const char *cpu_unit_name(struct arena *arena, const struct cpu *cpu, unsigned unit);

const char *cpu_trust_name(enum cpu_trust trust);
const char *cpu_shape_name(enum cpu_shape shape); // as files have it

// Whether addresses from this register are relative to the instruction; 0: it is none.
static inline bool cpu_is_counter(const struct cpu *cpu, unsigned reg) {
    return cpu->counter && cpu->units[reg] == cpu->counter;
}

static inline bool cpu_knows(const struct cpu *cpu, enum cpu_parameter parameter) {
    return cpu->parameters[parameter].is_known;
}
// 0 where it is unknown.
static inline double cpu_value(const struct cpu *cpu, enum cpu_parameter parameter) {
    return cpu->parameters[parameter].value;
}
static inline bool cpu_does(const struct cpu *cpu, enum cpu_parameter flag) {
    return cpu->parameters[flag].value != 0;
}

#endif
