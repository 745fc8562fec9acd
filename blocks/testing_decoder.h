// An x86-64 decoder for a group of cmocka's tests.
#ifndef BLOCKS_TESTING_DECODER_H
#define BLOCKS_TESTING_DECODER_H

#include "blocks/decoder.h"

extern struct arena testing_arena;     // of the group
extern struct decoder testing_decoder; // open from testing_decoder_open to testing_decoder_close

int testing_decoder_open(void **state);
int testing_decoder_close(void **state);

// Decodes a block in hexadecimal into the group's arena.
struct block testing_decode(const char *hex);

#endif
