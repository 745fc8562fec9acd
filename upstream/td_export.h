// Private to this folder.
// What a CPU file has of an opcode, in LLVM's terms: whole cycles, a latency for each result, reads that come early,
// pipes and how long each set of them is held. What LLVM has no number for is marked.
#ifndef UPSTREAM_TD_EXPORT_H
#define UPSTREAM_TD_EXPORT_H

#include "analyzer/model/model.h"
#include "upstream/td_memory.h"

enum { TD_EXPORT_MOST_LATENCIES = 8, TD_EXPORT_MOST_READS = 16, TD_EXPORT_MOST_USES = CPU_MOST_USES + TD_N_ACCESSES };
// Cycles that a read comes early which waits for no result: LLVM's models have as many for a latency that is unknown.
enum { TD_EXPORT_NO_WAIT = 100 };

struct td_use {
    uint64_t pipes; // as in struct cpu, or one of struct td_memory
    unsigned cycles;
};

struct td_export {
    const char *opcode;
    unsigned slots;
    // Of results by LLVM's number; one that is not there has the longest.
    unsigned latencies[TD_EXPORT_MOST_LATENCIES], n_latencies;
    int advances[TD_EXPORT_MOST_READS];      // by LLVM's number of the operand that is read
    unsigned n_advances;                     // 0 behind these
    struct td_use uses[TD_EXPORT_MOST_USES]; // by pipes
    unsigned n_uses;
    unsigned serial;                                           // cycles between two such; 0: they are independent
    enum td_idiom { TD_NO_IDIOM, TD_ZEROES, TD_BREAKS } idiom; // of one register in all operands
    bool is_move;                                              // eliminated
    bool is_of_stack; // it pushes or pops: LLVM's core drops its write of the stack pointer, which has no latency here
    bool has_results; // without that
    bool rounds_latency, rounds_cycles; // a number was no whole one
    bool has_own_latency;               // its own kind has the result earlier
};

// False: the form has no example, or the model cannot decode it.
bool td_export(const struct model *model, const struct td_memory *memory, const struct form *form,
               struct td_export *export);

#endif
