// Code of a linked program, or of an object, refers to memory that comes with it: constants, variables, tables, other
// functions. A link places both at fixed addresses and fills in the references, as a linker does. It knows no symbol:
// who reads the file has found what each reference means.
#ifndef GEN_LINK_H
#define GEN_LINK_H

#include "base/segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Segments begin at multiples of this, and no two share such a page.
enum { LINK_PAGE_BYTES = 1 << 12 };

// A reference in the block's machine code. `type`: ELF's number of the relocation, such as R_X86_64_PC32.
struct link_fixup {
    size_t offset; // from the block's start, bytes
    unsigned type; // how to fill it in
    // Address that it refers to; a relocation's addend is in it. Of the second half of RISC-V's distances, which the
    // first half measures: that much further on as it is behind the first.
    uint64_t target;
};

// A reference in a segment to the block itself: an entry of a jump table, an address of a function.
struct link_entry {
    size_t segment; // number of the segment
    size_t offset;  // from its start, bytes
    unsigned type;
    size_t target;  // offset in the block, where an instruction begins
    int64_t addend; // bytes to add to its address
};

struct link {
    unsigned machine;               // ELF's number of the ISA, such as EM_X86_64
    uint64_t code_address;          // where the program's code must start, above all segments and the code's frame
    const struct segment *segments; // memory of the program that the code is from, in the order of addresses
    size_t n_segments;
    const struct link_fixup *fixups; // in the order of their offsets
    size_t n_fixups;
    const struct link_entry *entries;
    size_t n_entries;
};

// Name of a relocation in assembly, for `.reloc`; null: not one that link_apply can fill in.
const char *link_type_name(unsigned machine, unsigned type);
// Name and number of the relocation that does nothing.
const char *link_nothing_name(unsigned machine);
bool link_is_nothing(unsigned machine, unsigned type);
// Bytes that a relocation changes.
unsigned link_type_bytes(unsigned machine, unsigned type);

// Fills in a reference to `target` in the bytes at `address`. False: it is too far away, or the type is not known.
struct link_place {
    uint8_t *bytes;
    uint64_t address, target;
};
bool link_apply(unsigned machine, unsigned type, const struct link_place *place);

#endif
