// An x86-64 decoder for a group of cmocka's tests.
#ifndef LAB_TESTING_DECODER_H
#define LAB_TESTING_DECODER_H

#include "lab/decoder.h"

extern struct arena testing_arena;     // of the group
extern struct decoder testing_decoder; // open from testing_decoder_open to testing_decoder_close

int testing_decoder_open(void **state);
int testing_decoder_close(void **state);

// Decodes a block in hexadecimal into the group's arena.
struct block testing_decode(const char *hex);

#endif
