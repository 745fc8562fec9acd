// Code of an ELF object or executable: which bytes of it a user means.
#ifndef LAB_OBJECT_CODE_H
#define LAB_OBJECT_CODE_H

#include "base/arena.h"
#include "base/fail.h"
#include "gen/block.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool object_is_elf(const void *data, size_t n_bytes); // by its first bytes

struct object_file {
    const char *path; // for messages
    const void *data; // its content
    size_t n_bytes;
    const char *triple; // of the machine code that is wanted, LLVM's name
};

// Which code. Addresses are those that `objdump -d` shows; of an object file that is not linked, offsets in the
// section. Zeroed: every function; where the file names no function, what its code sections hold.
struct object_range {
    const char *symbol;      // that function
    const char *section;     // that section; with addresses, ".text" stands for null
    const char *start, *end; // addresses in decimal or, with 0x, hexadecimal; null: from the first, to the last
};

struct object_piece {
    const char *name; // of its symbol or section
    const uint8_t *bytes;
    size_t n_bytes;
    uint64_t address; // of its first byte
    size_t section;   // its index
};

// All lives in the arena. Fails where there is no such code, and where it is another machine's.
bool object_code_read(struct arena *arena, const struct object_file *file, const struct object_range *range,
                      const struct object_piece **pieces, size_t *n_pieces, struct fail *fail);

// The data that a piece of an object refers to by distances that are not filled in yet, whole sections, and where it
// does: sets the data and the fixups of `source`. Fails where only a linker could place what it refers to. x86-64; of
// other machines, and of executables, code is taken as it is.
bool object_data_read(struct arena *arena, const struct object_file *file, const struct object_piece *piece,
                      struct block_source *source, struct fail *fail);

#endif
