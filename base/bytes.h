// Bytes as text, two hexadecimal digits each, and back; and a hash of them.
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns lower-case digits, zero-terminated.
const char *bytes_to_hex(struct arena *arena, const uint8_t *bytes, size_t n_bytes);

// Reads the first 2 * n_bytes characters. Returns false where one is not a lower-case digit. Does not read beyond the
// end of the string.
bool bytes_from_hex(const char *hex, size_t n_bytes, uint8_t *bytes);

// Reads digits in upper or lower case, up to the first other character. Returns how many of the `n` characters are
// digits before it. `bytes`: room for n / 2.
size_t bytes_from_digits(const char *digits, size_t n, uint8_t *bytes);

// Reads bytes as people write them: "48 01 d8", "0x4801d8", "\x48\x01\xd8". Blanks, 0x and \x may stand before each.
// Sets the number of digits; an odd one means that half a byte is left over. Returns how many of the `n` characters are
// read, up to the first that does not fit. `bytes`: room for n / 2 + 1.
size_t bytes_from_people(const char *text, size_t n, uint8_t *bytes, size_t *n_digits);

// Returns FNV-1a of 64 bits: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm",
// RFC 9923. Distinguishes texts and shows damage in transfer. Not cryptographic: anybody can make another text with the
// same hash.
uint64_t bytes_hash(const void *data, size_t n_bytes);
uint32_t bytes_hash_32(const void *data, size_t n_bytes); // the same of 32 bits

// Returns the first number that splitmix64 draws from this state: G. Steele, D. Lea, C. Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014. Neighbouring numbers have unrelated results.
uint64_t bytes_scramble(uint64_t number);

#endif
