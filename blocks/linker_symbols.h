// Private to this folder.
// References in an object that is not linked, and the symbols that they name.
#ifndef BLOCKS_LINKER_SYMBOLS_H
#define BLOCKS_LINKER_SYMBOLS_H

#include "blocks/linker.h"

// A relocation on its way: of which section, its place there, and what it refers to.
struct linker_reference {
    size_t section;
    uint64_t offset; // in the section
    unsigned type;
    size_t symbol;
    int64_t addend;
    uint64_t from; // address that its distance counts from; 0: its own place
};

struct linker_worker {
    struct object_linker *linker;
    struct reached { // ranges of sections whose references are filled in, or will be
        size_t section;
        uint64_t begin, end;
        const char *who; // function that it is, or that refers to it
    } * reached;
    size_t n_reached;
    uint64_t *tables; // addresses that code of the file refers to: a table may begin there
    size_t n_tables;
    const char *who;   // of the range at hand
    size_t sure_bytes; // of the piece, from its start: up to its first branch
};

const char *linker_who(const struct linker_worker *worker); // who refers to it, for messages
const char *linker_name_of(const struct object_linker *linker, const GElf_Sym *symbol);
bool linker_refuse(const struct linker_worker *worker, const char *name, const char *why); // false
// How a relocation is filled in: by another type, perhaps through a word that holds the symbol's address.
struct linker_meaning {
    unsigned machine, type, as;
    bool by_word;
};
// Null: as it stands.
const struct linker_meaning *linker_meaning_of(const struct object_linker *linker, unsigned type);
// The type by which a relocation is filled in.
unsigned linker_type_of(const struct object_linker *linker, unsigned type);
// Finds the symbol of a reference and its address. `is_absent`: nothing is to be filled in.
bool linker_find_address(const struct linker_worker *worker, const struct linker_reference *reference, GElf_Sym *symbol,
                         uint64_t *address, bool *is_absent);

#endif
