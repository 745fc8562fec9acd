// What stands behind the pages of blocks, by the user's word.
#ifndef BLOCKS_BLOCK_MEMORY_H
#define BLOCKS_BLOCK_MEMORY_H

#include <stdbool.h>

// What stands behind the pages that a block touches. Own: each is memory of its own, as far as the first-level cache
// holds them (enum bench_memory). Shared: they are views of four real pages, or of one where registers hold one
// address.
enum block_memory { BLOCK_MEMORY_DEFAULT, BLOCK_MEMORY_OWN, BLOCK_MEMORY_SHARED };

// Null: the default. False: another word than "own" and "shared".
bool block_memory_parse(const char *name, enum block_memory *memory);
// `is_same`: registers hold one address.
bool block_memory_is_own(enum block_memory memory, bool is_same);
const char *block_memory_name(enum block_memory memory, bool is_same); // "own", "shared"

#endif
