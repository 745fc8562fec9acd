// Private to this folder.
// The instruction at an address of a program's memory, decoded when it is first asked for.
#ifndef HOT_INSN_BOOK_H
#define HOT_INSN_BOOK_H

#include "base/index.h"
#include "blocks/decoder.h"

#include <stdbool.h>
#include <stdint.h>

enum { INSN_BOOK_MOST_BYTES = 15 }; // of an instruction of x86

struct book_insn {
    uint64_t address;
    const struct insn *insn;
    uint8_t bytes[INSN_BOOK_MOST_BYTES];
    unsigned n_bytes;
    bool is_system_call, is_string; // is_string: movs, stos, lods, scas, cmps, with or without a repetition
    size_t first;                   // for the caller's use; SIZE_MAX at first
};

// Reads so many bytes of memory; returns how many of them are there.
typedef size_t (*book_read)(const void *context, uint64_t address, uint8_t *bytes, size_t n_bytes);

struct insn_book {
    struct arena *arena;
    const struct decoder *decoder;
    book_read read;
    const void *context;
    struct book_insn **insns; // in the order in which they were asked for
    size_t n_insns;
    struct index index;
};

void insn_book_open(struct insn_book *book, struct arena *arena, const struct decoder *decoder, book_read read,
                    const void *context);

// Null: no instruction can be read or decoded there.
struct book_insn *insn_book_find(struct insn_book *book, uint64_t address);

#endif
