// The table of functions behind which a version of LLVM stands. It is a loadable module (cyclops-llvm-19.so), so the
// C core starts without LLVM, and several versions can be open at once. Nothing here names an LLVM type.
#ifndef ANALYZER_MODEL_BACKEND_H
#define ANALYZER_MODEL_BACKEND_H

#include "analyzer/code/form.h"
#include "analyzer/sched/insn.h"
#include "analyzer/sched/machine.h"
#include "analyzer/sched/mca_rules.h"
#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BACKEND_ABI = 19 }; // of this header; a module of another ABI is refused

// Which CPU to describe. Null members stand for the host.
struct backend_options {
    const char *triple; // "x86_64-unknown-linux-gnu"
    const char *arch;   // as llvm-mca's -march; null: from the triple
    // "native": the host's. Null: the host's where it is one of the triple's CPUs, else LLVM's generic one.
    const char *cpu;
    const char *overlay;   // for model_open; null: none but what `cpu` may name
    const char *features;  // "+avx512f,-sse4a"; null: the CPU's own
    int output_syntax;     // variant the instructions are printed in: 0 AT&T, 1 Intel; -1: as the input
    unsigned call_latency; // cycles assumed for a call; 0: llvm-mca's 100, unless calls_are_free
    bool calls_are_free;   // a call takes 0 cycles
    bool print_hex;        // immediates in hexadecimal
    // What stands in llvm-mca's way is told in its words, without our advice; features that LLVM does not know are
    // left to LLVM, which warns of them on stderr.
    bool as_llvm_mca;
    bool no_instruments;      // llvm-mca's -disable-im: comments that the target knows mean nothing
    bool no_custom_behaviour; // llvm-mca's -disable-cb: without what the target adds to instructions (X86: fences)
    bool skip_parse_failures; // lines of a text that do not parse are left out; notes tell of them
    bool skip_unscheduled;    // so are instructions that the model does not describe
    // LLVM's scheduling model, if there is one, is not asked: the machine has registers and nothing else, instructions
    // have what they read and write, and no cost.
    bool without_model;
    // What the caller has no use for takes no time:
    bool no_text;     // struct insn's text stays null
    bool no_encoding; // its bytes stay null where it was given as text
    bool no_names;    // those of the registers it writes stay null
    bool full_info;   // struct sched_insn's `tables` is wanted
    bool forms;       // struct insn's `form` is wanted
    bool addresses;   // so is its `address`, which is always there without a model
};

// What LLVM says besides the failure, in the order llvm-mca prints it: warnings, notes, further errors.
enum backend_severity { BACKEND_ERROR, BACKEND_WARNING, BACKEND_NOTE };

struct backend_note {
    enum backend_severity severity;
    size_t block;     // it is about, or comes before; see struct backend_source
    const char *text; // with the place, where it has one
};

// Regions of an assembly file, each a block (llvm-mca's markers LLVM-MCA-BEGIN and -END).
struct backend_source {
    const struct block *blocks;
    size_t n_blocks;
    const struct backend_note *notes; // also where describe_text fails
    size_t n_notes;
};

// Numbers of an opcode in a CPU's table, whatever its operands.
struct opcode_cost {
    const char *opcode; // LLVM's name
    unsigned uops;
    unsigned latency;      // cycles: the longest of its writes
    double rthroughput;    // cycles
    const char *resources; // as in struct sched_tables
};

struct backend_cpu; // an open CPU: subtarget tables, parser, disassembler

struct backend {
    unsigned abi;          // BACKEND_ABI
    const char *version;   // of the library that is loaded: "19.1.7"
    const char *built_for; // version of the headers that the module was built with; loaded where both are 19.1
    unsigned major;        // 19
    const struct mca_rules *rules;

    // LLVM's name of this machine's CPU; "" or "generic" if it knows none. On x86, that of the CPU with the nearest
    // features where LLVM's choice lacks many of this machine's: a hypervisor may state another family and model.
    const char *(*host_cpu)(void);
    const char *(*llvm_host_cpu)(void); // LLVM's own choice
    const char *(*host_triple)(void);
    // Names of all CPUs of a triple that have a scheduling model, sorted. `schedules_as` (or null): of each, the first
    // of the names that have the same model. The arrays live in the arena.
    size_t (*list_cpus)(struct arena *arena, const char *triple, const char *const **names,
                        const char *const **schedules_as, struct fail *fail);
    // Writes all CPUs and features to stderr, as LLVM's -mcpu=help does.
    bool (*print_cpus)(const char *triple, const char *arch, struct fail *fail);

    // Fails with the nearest names where the CPU is unknown, and where it has no scheduling model.
    struct backend_cpu *(*open)(struct arena *arena, const struct backend_options *options, struct fail *fail);
    void (*close)(struct backend_cpu *cpu);
    const struct machine *(*machine)(const struct backend_cpu *cpu); // lives as long as `cpu`
    // A feature of the open CPU by LLVM's name: "avx512f".
    bool (*has_feature)(const struct backend_cpu *cpu, const char *feature);
    // Names of all features of the open CPU's target, also of those it lacks; the array lives in the arena.
    size_t (*list_features)(struct arena *arena, const struct backend_cpu *cpu, const char *const **names);
    // LLVM's name of each opcode of the open CPU's target, also of those the CPU lacks; null from the number of them
    // on.
    const char *(*opcode_name)(const struct backend_cpu *cpu, size_t index);
    // Costs of the opcodes that the CPU's table describes, also of those that the CPU lacks; not of those whose numbers
    // depend on their operands. The array lives in the arena.
    size_t (*opcode_costs)(const struct backend_cpu *cpu, struct arena *arena, const struct opcode_cost **costs);

    // All opcodes of the open CPU's target as forms, by index; arrays live in the arena. On x86, those that the CPU
    // lacks are usable too: LLVM's assembler takes them.
    bool (*forms)(struct backend_cpu *cpu, struct arena *arena, const struct form **forms, size_t *n_forms,
                  struct fail *fail);
    // The same of RISC-V's vector opcodes with each pair of element and group, also of pairs that the manual does not
    // allow: "VADD_VV-e32m2".
    size_t (*vector_costs)(const struct backend_cpu *cpu, struct arena *arena, const struct opcode_cost **costs);
    // Sets the scheduling class that a form has with its vector configuration.
    void (*set_vector_class)(const struct backend_cpu *cpu, struct form *form);

    // Decodes machine code; 0 and a failure where that is not possible, or where there is none.
    size_t (*count_insns)(struct backend_cpu *cpu, const uint8_t *bytes, size_t n_bytes, struct fail *fail);
    // Bytes of the first instruction of machine code, with its prefixes; what is behind it need not be code. 0: none
    // begins there.
    size_t (*first_length)(struct backend_cpu *cpu, const uint8_t *bytes, size_t n_bytes);
    // Decodes machine code into llvm-exegesis's words, one text for each instruction: the opcode's and the registers'
    // LLVM names, immediates in hexadecimal: "VADDPSYrm YMM0 YMM1 RDI i_0x1 %noreg i_0x40 %noreg". The array lives in
    // the arena. 0 and a failure as count_insns.
    size_t (*exegesis_keys)(struct backend_cpu *cpu, struct arena *arena, const uint8_t *bytes, size_t n_bytes,
                            const char *const **keys, struct fail *fail);
    // Decodes and describes machine code. What an instruction means is resolved once and kept with the CPU, so results
    // live as long as both `arena` and `cpu`.
    bool (*describe_bytes)(struct backend_cpu *cpu, struct arena *arena, const uint8_t *bytes, size_t n_bytes,
                           struct block *block, struct fail *fail);
    // The same of `length` bytes behind `offset`. What is in front of them runs first: it may set a state that costs
    // depend on, RISC-V's vector type.
    bool (*describe_part)(struct backend_cpu *cpu, struct arena *arena, const uint8_t *code, size_t offset,
                          size_t length, struct block *block, struct fail *fail);
    // Parses assembly text in its regions. Where it fails at one, those before it are in `source`. `name` is what
    // messages call the text. Syntax directives inside it count.
    bool (*describe_text)(struct backend_cpu *cpu, struct arena *arena, const char *name, const char *text,
                          struct backend_source *source, struct fail *fail);
};

// The one symbol that a module exports.
typedef const struct backend *backend_entry_function(void);
#define BACKEND_ENTRY "cyclops_backend"

// Loads a module. `llvm`: null for what backend_asked returns, or the newest installed one; a major version ("19"), or
// a path to a module or a folder that holds one. FAIL_UNAVAILABLE, with what to install, where there is none. Modules
// stay loaded. A program may have one linked in; that one is not loaded by version again.
const struct backend *backend_load(struct arena *arena, const char *llvm, struct fail *fail);

// Which LLVM to load where `llvm` asks for none: the one that CYCLOPS_LLVM in the environment names; null: the newest.
const char *backend_asked(const char *llvm);

// Major versions of LLVM that there are modules for, newest first; the array lives in the arena.
size_t backend_versions(struct arena *arena, const unsigned **majors);

#endif
