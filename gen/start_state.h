// The state that a user gives a block to start with: values of registers, words of memory, and code that runs before
// it. What it does not state stays as struct block_start has it. Written as text, items with commas between them:
//
//     rcx=7   xmm0=0x3ff0000000000000   k1=-1   mxcsr=0x1f80   mem[rdi+8]=5   mem[0x10000:4096]=0x7fffffff
//
//  - A number is decimal, with a sign or not, or hexadecimal behind 0x. A negative one has the sign in all bits.
//  - A register has the bits of the number, and zeros above. A 32-bit name of a general register clears the upper half.
//  - mem[PLACE] holds a word of 8 bytes (4 where registers have 32 bits); mem[PLACE:N] holds N bytes, in which the
//    number's bytes repeat. These are as many as its hexadecimal digits have, else a word's.
//  - PLACE is an address, or a general register with or without a displacement: its value when the block starts.
#ifndef GEN_START_STATE_H
#define GEN_START_STATE_H

#include "base/arena.h"
#include "base/fail.h"
#include "gen/isa.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STATE_VALUE_BYTES = 64,     // of the widest register
    STATE_MOST_MEMORY = 1 << 20 // bytes that one item of memory may have
};

// Bytes of a value, the lowest first, whatever the machine's order.
struct state_value {
    uint8_t bytes[STATE_VALUE_BYTES]; // the rest is zero
    unsigned n;                       // bytes that were written: those of the digits, or of a decimal number's word
    bool is_negative;                 // the sign fills what is above
};

struct state_register {
    const char *name;                   // "rcx", "xmm0", "mxcsr"
    const struct register_class *class; // null: mxcsr
    unsigned index;                     // in the class
    struct state_value value;
};

struct state_memory {
    const char *base;     // general register whose value is added, in the widest class; null: none
    unsigned base_number; // its index in the ISA's first class
    uint64_t offset;      // bytes from there; without a base, the address
    uint64_t n_bytes;     // from 1 to STATE_MOST_MEMORY
    struct state_value value;
};

struct start_state {
    struct state_register *registers; // no two of one register: the last one counts
    size_t n_registers;
    struct state_memory *memory; // written in this order
    size_t n_memory;
    // Assembly that runs before the block, after the registers have their values, and its bytes; null: none.
    const char *init;
    const uint8_t *init_bytes;
    size_t n_init_bytes;
};

// Adds the items of a text. On failure sets `fail` with the item, and the state holds what came before.
bool start_state_parse(struct arena *arena, const struct isa *isa, const char *text, struct start_state *state,
                       struct fail *fail);

// Reads a number as above, or hexadecimal digits without 0x where `is_hex`. False: it is none, or is too long.
bool state_value_parse(const char *text, size_t length, bool is_hex, const struct isa *isa, struct state_value *value);

// Add one item. A register that has a value, by any of its names, gets the new one instead. Fail where the ISA has no
// such register that can be set, or the value does not fit.
bool start_state_set(struct arena *arena, const struct isa *isa, const char *reg, const struct state_value *value,
                     struct start_state *state, struct fail *fail);
// `base`: a general register's name; null: `offset` is an address.
bool start_state_set_memory(struct arena *arena, const struct isa *isa, const char *base, uint64_t offset,
                            uint64_t n_bytes, const struct state_value *value, struct start_state *state,
                            struct fail *fail);

// Returns the registers and the memory as such a text, always the same one for the same state; null: the state has no
// such values.
const char *start_state_text(struct arena *arena, const struct isa *isa, const struct start_state *state);

// Returns the lowest 8 bytes of a value, with its sign above.
uint64_t state_value_bits(const struct state_value *value);

#endif
