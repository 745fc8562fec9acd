// Bytes as text, two hexadecimal digits each, and back; and a hash of them.
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Lower-case digits, zero-terminated.
const char *bytes_to_hex(struct arena *arena, const uint8_t *bytes, size_t n_bytes);

// The first 2 * n_bytes characters; false where one is no such digit, as is a string's end: it is not read beyond.
bool bytes_from_hex(const char *hex, size_t n_bytes, uint8_t *bytes);

// As somebody may have written them, in either case: returns how many of the `n` characters are digits before the first
// that is not; `bytes` has room for n / 2.
size_t bytes_from_digits(const char *digits, size_t n, uint8_t *bytes);

// FNV-1a of 64 bits (G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm", RFC
// 9923): tells texts apart and shows what a bad transfer did; keeps nobody from making another text of the same hash.
uint64_t bytes_hash(const void *data, size_t n_bytes);

#endif
