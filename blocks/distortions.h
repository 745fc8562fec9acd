// Private to blocks/ and lab/.
// Finds what makes a block's value depend on its made-up memory: accesses across two cache lines, loads that overlap a
// store written otherwise (all pages may be one page), subnormal numbers. It follows addresses through two passes as
// far as they are plain: what it does not follow, it does not note. x86-64 only. It knows what registers hold at the
// start, and no model. analyzer/predict/addresses.h asks something else: which accesses of any start depend on each
// other, by a CPU file; blocks/turns.h: by what a register moves in a turn.
#ifndef BLOCKS_DISTORTIONS_H
#define BLOCKS_DISTORTIONS_H

#include "analyzer/code/block.h"
#include "analyzer/sched/machine.h"
#include "base/arena.h"
#include "bench/bench.h"
#include "blocks/x86_registers.h"

#include <stdbool.h>
#include <stdint.h>

struct distortions_request {
    const struct block *block;      // decoded without a model, texts in Intel's syntax
    const struct machine *machine;  // for the names of registers
    uint64_t starts[X86_REGISTERS]; // initial general registers, as they are encoded
    uint64_t fill;                  // content of each 8 bytes of memory
    bool is_patched;                // some have another content
    bool are_vectors_zero;          // all vector registers at the start
    unsigned frames;                // pages behind all others
};

// Finds the accesses that may never fault: of masks, gathers, prefetches, flushes. Their addresses in the first two
// passes give their place in each. Returns how many there are, at most DISTORTIONS_MOST_TOUCHES; leaves out what it
// cannot follow.
enum { DISTORTIONS_MOST_TOUCHES = 16 };
unsigned distortions_find_touches(const struct distortions_request *request,
                                  struct bench_touch touches[DISTORTIONS_MOST_TOUCHES]);

// Returns words with blanks between them: "aliases", "crosses", "subnormals", "sets-mxcsr"; null: nothing was found.
const char *distortions_find(struct arena *arena, const struct distortions_request *request);

#endif
