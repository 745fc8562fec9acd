// Private to this folder.
// The keys of a pack's lines: one table for what writes a pack and what reads it.
#ifndef RUNNER_PACK_KEYS_H
#define RUNNER_PACK_KEYS_H

#include "base/repeats.h"
#include "runner/pack.h"

#define PACK_FIRST_LINE "cyclops-pack 4"
#define PACK_WIDE "wide"
extern const char *const pack_use_names[BENCH_N_USES];
enum { PACK_N_LAYOUTS = BENCH_CHASE_PAGES + 1 };
extern const char *const pack_layout_names[PACK_N_LAYOUTS]; // of chases

// What a pack has of a program.
struct pack_entry {
    struct pack_program program;
    uint64_t body_offset; // from the code's first byte
};

// The texts and numbers of a program, in the order in which a pack has them.
enum { PACK_N_TEXTS = 8, PACK_N_NUMBERS = 22 };
struct pack_text_key {
    const char *key;
    size_t place; // of a const char * in struct pack_entry, bytes
};
extern const struct pack_text_key pack_text_keys[PACK_N_TEXTS];

struct pack_number_key {
    const char *key;
    uint64_t most;
    enum pack_owner { OF_ALL, OF_CHAINS, OF_LOOPS, OF_SETS, OF_FOREIGN, OF_TURNS, OF_PLACED } owner;
    enum pack_number_kind { NUMBER_UNSIGNED, NUMBER_SIZE, NUMBER_64, NUMBER_FLAG } kind;
    size_t place; // in struct pack_entry, bytes
};
extern const struct pack_number_key pack_number_keys[PACK_N_NUMBERS];

// The code of the program before program `number`, which is mostly alike.
struct repeats_before pack_code_before(const struct pack *pack, size_t number);

#endif
