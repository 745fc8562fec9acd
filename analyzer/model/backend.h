// The table of functions behind which a version of LLVM stands. It is a loadable module (cyclops-llvm-19.so), so the
// C core starts without LLVM, and several versions can be open at once. Nothing here names an LLVM type.
#ifndef ANALYZER_MODEL_BACKEND_H
#define ANALYZER_MODEL_BACKEND_H

#include "analyzer/model/insn.h"
#include "analyzer/model/machine.h"
#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BACKEND_ABI = 1 }; // of this header; a module of another ABI is refused

// Which CPU to describe. Null members stand for the host.
struct backend_options {
    const char *triple;    // "x86_64-unknown-linux-gnu"
    const char *arch;      // as llvm-mca's -march; null: from the triple
    const char *cpu;       // null or "native": the host's
    const char *features;  // "+avx512f,-sse4a"; null: the CPU's own
    int output_syntax;     // variant the instructions are printed in: 0 AT&T, 1 Intel; -1: as the input
    unsigned call_latency; // cycles assumed for a call; 0: llvm-mca's 100
    bool print_hex;        // immediates in hexadecimal
};

// Regions of an assembly file, each a block (llvm-mca's markers LLVM-MCA-BEGIN and -END).
struct backend_source {
    const struct block *blocks;
    size_t n_blocks;
};

struct backend_cpu; // an open CPU: subtarget tables, parser, disassembler

struct backend {
    unsigned abi;        // BACKEND_ABI
    const char *version; // "19.1.7"
    unsigned major;      // 19

    const char *(*host_cpu)(void); // LLVM's name of this machine's CPU; "" or "generic" if it knows none
    const char *(*host_triple)(void);
    // Names of all CPUs (or features) of a triple that have a scheduling model; the array lives in the arena.
    size_t (*list_cpus)(struct arena *arena, const char *triple, const char *const **names, struct fail *fail);

    // Fails with the nearest names where the CPU is unknown, and where it has no scheduling model.
    struct backend_cpu *(*open)(struct arena *arena, const struct backend_options *options, struct fail *fail);
    void (*close)(struct backend_cpu *cpu);
    const struct machine *(*machine)(const struct backend_cpu *cpu); // lives as long as `cpu`
    // A feature of the open CPU by LLVM's name: "avx512f".
    bool (*has_feature)(const struct backend_cpu *cpu, const char *feature);

    // Decodes and describes machine code. Results live in `arena`.
    bool (*describe_bytes)(struct backend_cpu *cpu, struct arena *arena, const uint8_t *bytes, size_t n_bytes,
                           struct block *block, struct fail *fail);
    // Parses assembly text in its regions. `name` is what messages call the text. Syntax directives inside it count.
    bool (*describe_text)(struct backend_cpu *cpu, struct arena *arena, const char *name, const char *text,
                          struct backend_source *source, struct fail *fail);
};

// The one symbol that a module exports.
typedef const struct backend *backend_entry_function(void);
#define BACKEND_ENTRY "cyclops_backend"

// Loads a module. `llvm`: null for the newest installed one, a major version ("19"), or a path to a module or a folder
// that holds one. FAIL_UNAVAILABLE, with what to install, where there is none. Modules stay loaded.
const struct backend *backend_load(struct arena *arena, const char *llvm, struct fail *fail);

#endif
