// Private to this folder.
// Predictions of values under the changes of a repair, remembered from one round to the next. A value's programs are
// simulated again only where the numbers of an opcode in them have changed since.
#ifndef REPAIR_REPAIR_MEMORY_H
#define REPAIR_REPAIR_MEMORY_H

#include "repair/repair_state.h"

struct remembered_value;
struct remembered_opcode;

struct repair_memory {
    struct arena *arena;
    struct remembered_value *values; // by number of the repair's values
    struct remembered_opcode *opcodes;
    size_t n_opcodes;
    struct index names; // of the opcodes
    unsigned width;     // dispatch width of this round
    size_t n_simulated; // values whose programs were simulated, in all rounds
};

void repair_memory_open(struct repair_memory *memory, struct arena *arena, size_t n_values);
// Begins a round: notes what the repair changes of each opcode now.
void repair_memory_begin(struct repair_memory *memory, const struct repair *repair);
// Predicts value `i` as `predictor` would, whose overlay has the repair's changes of this round. Of what limits a
// program, and why there is no number, the result says nothing.
struct predicted repair_memory_predict(struct repair_memory *memory, const struct repair *repair, size_t i,
                                       struct predictor *predictor);

#endif
