// Whether a generated program is what it claims to be: a chain in latency mode, independent streams in throughput mode.
// A kernel file can be wrong about its registers (a role that is written but not declared, an implicit operand, a
// same-register idiom that breaks the chain), and the number it then gives is a number of something else.
#ifndef ANALYZER_PREDICT_DEPENDENCE_H
#define ANALYZER_PREDICT_DEPENDENCE_H

#include "analyzer/code/block.h"
#include "analyzer/sched/machine.h"

#include <stdbool.h>

struct dependence {
    bool is_carried;           // some instruction waits for a register of the iteration before
    const char *carried_flags; // condition flags that one reads as the iteration before wrote them; null: none does
    const char *crossing;      // register through which one stream waits for another; null: none does
};

// `n_streams` streams stand one after the other in the block, each of `per_stream` instructions; behind each of them
// stands one of `per_other` instructions, where there are two kinds of them (0: there are not). What follows (the
// loop's own instructions) is not looked at.
struct dependence dependence_find(const struct machine *machine, const struct block *block, unsigned n_streams,
                                  unsigned per_stream, unsigned per_other);

#endif
