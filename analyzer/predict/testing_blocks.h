// Random blocks of common instructions, for tests of what holds whatever the block.
#ifndef ANALYZER_PREDICT_TESTING_BLOCKS_H
#define ANALYZER_PREDICT_TESTING_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

enum { TESTING_BLOCK_INSNS = 12, TESTING_BLOCK_BYTES = 15 * TESTING_BLOCK_INSNS };

// Writes at least one instruction, at most TESTING_BLOCK_INSNS. Returns the bytes.
size_t testing_block_make(uint64_t *random, uint8_t bytes[TESTING_BLOCK_BYTES]);

#endif
