// What front ends see of an x86-64 instruction before it is decoded: where its opcode stands, how long its fields are.
// Layout of instructions: Intel's manual, volume 2, chapter 2.
#ifndef ANALYZER_CODE_X86_ENCODING_H
#define ANALYZER_CODE_X86_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct x86_encoding {
    unsigned opcode_at;          // offset of the opcode's own byte: behind prefixes, REX, and 0f, 0f38, 0f3a, VEX, EVEX
    uint8_t opcode;              // that byte
    unsigned displacement_bytes; // 0, 1 or 4
    unsigned immediate_bytes;    // 0 to 8
    // A prefix changes the length of the immediate: 66h before an immediate of 16 bits.
    bool changes_length;
    bool is_legacy; // neither VEX nor EVEX
    bool is_atomic; // with a lock prefix, or xchg with memory
};

// `bytes` are one whole instruction, `n_bytes` of 1 to 15.
struct x86_encoding x86_encoding_of(const uint8_t *bytes, unsigned n_bytes);

// Its immediate, which stands at its end, with its sign; 0: it has none.
int64_t x86_immediate(const struct x86_encoding *encoding, const uint8_t *bytes, unsigned n_bytes);

#endif
