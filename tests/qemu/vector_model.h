// What a vector instruction of RISC-V does, an element at a time. It shares nothing with Cyclops, nor with the emulator
// that it judges. Source: the ISA manual, volume 1, "V" Standard Extension (version 1.0).
#ifndef TESTS_QEMU_VECTOR_MODEL_H
#define TESTS_QEMU_VECTOR_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { VECTOR_MOST_BYTES = 64, VECTOR_MEMORY = 65536, VECTOR_ALL = 32 * VECTOR_MOST_BYTES };

struct vector_state {
    uint64_t x[32], f[32];
    uint8_t v[VECTOR_ALL]; // 32 registers, one behind the other
    uint64_t saturated;
};

struct vector_model {
    // What the name of the form says: bits of an element, binary logarithm of the group's registers, policies,
    // elements.
    unsigned sew, vl;
    int lmul;
    bool keeps_tail, keeps_masked_off;
    unsigned register_bytes;
    uint32_t code; // the instruction
    const struct vector_state *old;
    struct vector_state now;
    // Bits that the manual fixes; bytes that either stay or become ones.
    uint8_t fixed[VECTOR_ALL];
    bool is_agnostic[VECTOR_ALL];
    uint8_t *memory; // VECTOR_MEMORY bytes, of which the address is `memory_at`
    uint64_t memory_at;
    bool is_memory_open[VECTOR_MEMORY]; // stored to twice, in no order
};

// Executes the instruction on a copy of `old`, and on `memory`. False: the model does not know it. These are arithmetic
// of halves, classes, estimates, and rounding to odd.
bool vector_model_run(struct vector_model *m);

// Bits of an element of the operands: destination, vs2, vs1; 0: it is a mask, or no vector of numbers.
struct vector_widths {
    unsigned d, s2, s1;
};
struct vector_widths vector_model_widths(uint32_t code, unsigned sew);

static inline bool vector_is_memory(uint32_t code) {
    return (code & 0x7f) != 0x57;
}
static inline bool vector_is_float(uint32_t code) {
    const unsigned kind = code >> 12 & 7;
    return !vector_is_memory(code) && (kind == 1 || kind == 5);
}

#endif
