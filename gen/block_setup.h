// Private to this folder.
// The set-up of a block: which registers it gets, and which values they have. Inside gen/ only.
#ifndef GEN_BLOCK_SETUP_H
#define GEN_BLOCK_SETUP_H

#include "gen/block.h"
#include "gen/registers.h"

// The registers of a block, and the widest class in which it uses each entry of the register files; null: unused.
struct used_registers {
    struct register_set all;
    const struct register_class *widest[REGISTER_N_FILES][64];
};

struct block_setup {
    struct arena *arena;
    const struct isa *isa;
    const char *syntax;
    const struct block_request *request;
};

void block_note_register(struct used_registers *used, const struct register_name *found);
void block_note_state(const struct block_setup *setup, struct used_registers *used);

// Fails where this ISA's set-up cannot give a register the user's value.
bool block_check_state(const struct block_setup *setup, struct fail *fail);

// Returns the instructions, one per line. `counter`: the register that counts the loop, or the turns; null: none does.
const char *block_make_setup(const struct block_setup *setup, const struct used_registers *used, const char *counter);

void block_add_bytes(struct text *out, const uint8_t *bytes, size_t n); // ".byte 0x01, 0x02\n"

#endif
