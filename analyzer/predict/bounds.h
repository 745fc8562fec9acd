// Bounds of a block on a CPU of ours: cycles per iteration, each from one part of the machine. The largest one explains
// the block. Those of widths, pipes and dependences through registers are proved: no execution takes less, if the CPU's
// numbers are true. Others are rules that were measured: docs/how-it-works/cpu-files.md says which.
#ifndef ANALYZER_PREDICT_BOUNDS_H
#define ANALYZER_PREDICT_BOUNDS_H

#include "analyzer/code/execution.h"
#include "analyzer/cpu/recipe.h"
#include "base/arena.h"
#include "base/fail.h"

enum bound_kind {
    BOUND_DISPATCH,  // slots of rename and dispatch
    BOUND_PREDECODE, // windows of bytes in which instructions are found
    BOUND_DECODE,    // decoders
    BOUND_CACHE,     // lines of decoded instructions
    BOUND_PORTS,     // pipes
    BOUND_LOADS,     // loads and banks of the first-level cache
    BOUND_STORES,    // stores and lines
    BOUND_LATENCY,   // a dependence from one iteration to the next
    BOUND_RETIRE,
    BOUND_BUFFER, // chains that end in their iteration, of which the reorder buffer holds a part at a time
    BOUND_N
};

// What general registers and memory hold at the start.
enum bounds_start {
    BOUNDS_APART, // each register an address of its own, memory unknown
    BOUNDS_SAME,  // one address; rsp and rbp apart in the same page; memory holds it too: as in BHive
};

struct bounds_request {
    const struct cpu *cpu;
    const struct block *block; // not empty; described by the CPU's base, with addresses
    bool is_loop;              // it ends with its own branch; else copies stand one after the other
    bool is_decoded;           // copies are too long for a cache of decoded instructions: decoders deliver them
    unsigned copies;           // that follow each other and are repeated together, of what is no loop; 0: very many
    unsigned start;            // place of the first copy's first byte in its window
    enum bounds_start registers;
    bool pages_are_one; // behind all pages stands the same memory
    bool pages_are_new; // those that an address moves on to have not been used for some time
    // Turns that ran: steps in the order of the block's instructions, whole turns. Turn i of a walk has their accesses,
    // and begins anew behind the last one. Null: nothing ran. What a run does not know is followed from turn to turn.
    const struct execution *run;
};

// What a file does not know of a block, so that its bounds may be far off.
enum bounds_doubt { DOUBT_TIME, DOUBT_X87, DOUBT_QUOTIENT, DOUBT_COUNT, BOUNDS_N_DOUBTS };

// What a block's bounds stand on: of how many instructions.
struct bounds_basis {
    unsigned n_insns;
    unsigned n_by_base;                   // with a number that counts and that the file does not state: it is LLVM's
    unsigned n_doubtful[BOUNDS_N_DOUBTS]; // by enum bounds_doubt
};

struct bounds {
    double cycles[BOUND_N]; // per iteration; 0: the CPU's model does not have it
    enum bound_kind largest, next;
    double most;         // the largest
    double slots;        // of rename and dispatch, per iteration
    double vector_slots; // of these, those of vector instructions
    uint64_t pipes;      // of the bound of ports
    bool by_pipes;       // the bound of dispatch: groups end before operations that have no pipe left
    bool counts_stores;  // the bound of loads: as many accesses take longer than the loads alone
    double longest;      // cycles of the longest chain, beyond what it repeats: the bound of windows
    double crowded;      // cycles of it, per iteration, that accesses lose beside operations, or behind chains of loads
    double full;         // cycles up to which memory is so busy that each store goes to the cache alone; 0: it never is
    double alone;        // cycles that stores take then
    // Accesses of all turns that were looked at whose address could not be followed: each is taken to be apart.
    unsigned n_unfollowed;
};

// Fails where the block cannot be described.
bool bounds_find(const struct bounds_request *request, struct bounds *bounds, struct fail *fail);

// Of the instructions of a block, each once.
struct bounds_basis bounds_basis_of(const struct cpu_recipe *recipes, unsigned n);
bool bounds_is_doubtful(const struct cpu_recipe *recipe, enum bounds_doubt doubt);
const char *bounds_doubt_name(enum bounds_doubt doubt);     // for files: "unknown-time"
const char *bounds_doubt_sentence(enum bounds_doubt doubt); // for people: what that means for instructions

// Whether the bound of dispatch is that of vector instructions.
bool bounds_are_of_vectors(const struct cpu *cpu, const struct bounds *bounds);

const char *bound_name(enum bound_kind kind); // for people and files: "dispatch"

#endif
