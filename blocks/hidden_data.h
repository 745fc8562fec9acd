// Private to this folder.
// Data between the instructions of x86, as constants behind a jump: read as instructions, they are nonsense, and the
// code behind them begins in the middle of one. This finds them, and shows nops in their place to whoever decodes.
//
// Data are what no way from the block's start reaches, and what is no instruction, ends in the middle of one that is
// reached, is accessed by an instruction, or has references of its own that nobody follows. Where a jump goes to an
// address that a register or memory holds, anything may be reached: then nothing is taken for data.
#ifndef BLOCKS_HIDDEN_DATA_H
#define BLOCKS_HIDDEN_DATA_H

#include "analyzer/model/backend.h"
#include "base/arena.h"

struct code_reader {
    const struct backend *backend; // null: there is none, and nothing is hidden
    struct backend_cpu *cpu;
    const struct machine *machine;
};

// Returns the bytes to decode: `bytes`, or a copy of them without data.
const uint8_t *hidden_data_bytes(struct arena *arena, const struct code_reader *reader, const uint8_t *bytes,
                                 size_t n_bytes);

#endif
