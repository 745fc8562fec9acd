// How often a loop turns: which register decides, and which initial value of it gives a requested number of turns.
// Found by reading the loop's instructions. Where its count is not a linear one, a reason.
#ifndef BLOCKS_TURNS_H
#define BLOCKS_TURNS_H

#include "analyzer/code/block.h"
#include "analyzer/sched/machine.h"
#include "base/arena.h"
#include "gen/block.h"
#include "gen/isa.h"

#include <stdbool.h>
#include <stdint.h>

enum { TURNS_REGISTERS = 32 };

struct turns_request {
    const struct isa *isa;
    const struct machine *machine; // names of the registers in `block`
    const struct block *block;     // the loop: its last instruction branches to its first
    const uint64_t *starts;        // initial values of the general registers, TURNS_REGISTERS of them
    // For each instruction, the general registers that the function changes which it calls, a bit each. Null: all.
    const uint32_t *called;
    const struct link *link; // its entries are where jumps by a table lead in the block; null: nowhere
};

// Returns the reason, one clause, why the number of turns cannot be set; null: `turns` is set.
const char *turns_find(struct arena *arena, const struct turns_request *request, struct block_turns *turns);

// Number of a general register, or a part of it, of this machine; -1: it is something else.
int turns_register(const struct isa *isa, const struct machine *machine, uint16_t reg);

// Whether the last instruction of a block branches to its first one.
bool turns_is_loop(const struct block *block);

#endif
