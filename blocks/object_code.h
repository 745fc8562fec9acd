// Finds the code of an ELF object or executable that a user names.
#ifndef BLOCKS_OBJECT_CODE_H
#define BLOCKS_OBJECT_CODE_H

#include "base/arena.h"
#include "base/fail.h"
#include "gen/block.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How the symbols of marked regions begin, in objects made of a text: they name no function.
#define OBJECT_REGION "cyclops.region."
// How symbols begin that stand for a line that the assembler refuses: whatever refers to one is refused.
#define OBJECT_WRONG "cyclops.wrong."

bool object_is_elf(const void *data, size_t n_bytes); // by its first bytes

struct object_file {
    const char *path; // for messages
    const void *data; // its content
    size_t n_bytes;
    const char *triple; // LLVM's name of the target that the code must be for
    bool takes_isa;     // --isa chooses that target, not -mtriple: for messages
    bool is_text;       // assembled from a text: its branches to what nothing defines leave the block
};

// The requested code. Addresses are those that `objdump -d` prints; in an object file that is not linked, offsets in
// the section. Zeroed: every function; where the file names no function, the content of its code sections.
struct object_range {
    const char *symbol;      // name of the function; null: any
    bool is_label;           // the symbol names a place in the code, such as the start of a marked region; no function
    const char *section;     // name of the section; null: any, or ".text" with addresses
    const char *start, *end; // addresses in decimal or, with 0x, hexadecimal; null: from the first, to the last
};

struct object_piece {
    const char *name; // name of its symbol or section
    const uint8_t *bytes;
    size_t n_bytes;
    uint64_t address;   // address of its first byte
    size_t section;     // index of its section
    unsigned alignment; // of that section, bytes; 0: a linker has chosen the address
    bool is_function;   // a symbol names all of it: a jump out of it goes on in other code, which returns to its caller
};

// All lives in the arena. Fails where there is no such code, and where it is another machine's.
bool object_code_read(struct arena *arena, const struct object_file *file, const struct object_range *range,
                      const struct object_piece **pieces, size_t *n_pieces, struct fail *fail);

// Finds the memory that pieces of a file refer to, as a linker and a loader would: the sections of the file, at their
// addresses or, where the file leaves these open, at some. Code for x86-64, AArch64 and RISC-V; other ISAs' is taken as
// it is. The file must live as long as the linker. Null, with the reason: the file's memory cannot be placed.
struct object_linker *object_linker_open(struct arena *arena, const struct object_file *file, const struct isa *isa,
                                         struct fail *fail);
void object_linker_close(struct object_linker *linker);

// Sets source->link; null: the piece refers to nothing. Also source->bytes, where the piece refers to itself. A symbol
// that an object's operand names and nothing defines gets an address, and is listed in source->made_up. Fails where the
// piece, or a function that it calls, calls what is in another file, refers to what is thread-local, or does so in a
// way that is not known.
bool object_linker_read(struct object_linker *linker, const struct object_piece *piece, struct block_source *source,
                        struct fail *fail);
// The symbol that the last failure of object_linker_read is about; null: about none.
const char *object_linker_missing(const struct object_linker *linker);
// Whether it follows references: else code is taken as it is.
bool object_linker_follows(const struct object_linker *linker);

#endif
