// Words of memory that an instruction changes at an address without a register: a global counter, thread-local data.
// On a Zen 4 such a word is kept in a register only while the loop goes on right behind a store to it. A loop of
// `add [x], rax` took 1.0 cycles a turn where it was entered again right behind itself, and 6.0 to 6.3 where work of
// 1,000 cycles, or a fence, lay in between, for all of its 20,000 turns. With a register in the address it took 1.0
// always. So both are times of the same code, and which one is seen does not make it the only one.
#ifndef BLOCKS_UNNAMED_WORDS_H
#define BLOCKS_UNNAMED_WORDS_H

#include "analyzer/code/block.h"
#include "analyzer/sched/machine.h"

#include <stdbool.h>

// Whether such a word may decide what an iteration of x86-64's code takes: no more than the slower of both times.
bool unnamed_words_decide(const struct machine *machine, const struct block *block, double cycles);

#endif
