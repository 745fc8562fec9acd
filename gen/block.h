// A block: a run of instructions as it stands, as assembly text or as machine code. Nobody knows what it does, so what
// surrounds it is chosen by what its bytes use, where a decoder says that, and else by what its text names.
#ifndef GEN_BLOCK_H
#define GEN_BLOCK_H

#include "base/arena.h"
#include "base/fail.h"
#include "gen/isa.h"
#include "gen/program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a decoder finds in a block's bytes.
struct block_facts {
    unsigned n_instructions;
    const unsigned char *lengths; // bytes of each instruction
    // Registers that it reads or writes, named or implied, by their names in the assembly, in any case. Names that the
    // ISA's classes do not have are passed over.
    const char *const *registers;
    size_t n_registers;
    bool reads_flags_of_before; // condition flags that the copy before has left
};

// What the general registers hold when a block begins: number i of the ISA's first class `first` + i * `distance`, and
// the stack pointer likewise, a multiple of 16; vector registers and masks hold zero.
struct block_start {
    uint64_t first, distance;
};
uint64_t block_stack_start(const struct isa *isa, const struct block_start *start);

// Four bytes of a block's machine code that are a distance: from them to a place in its data.
struct block_fixup {
    size_t offset;  // in the block, bytes
    int64_t addend; // to the start of the data, bytes
};

struct block_source {
    const struct isa *isa;
    const char *name; // what messages and tables call it
    // Assembly: statements are separated by newlines or ';'. Of a file with llvm-mca's markers, what stands between
    // them.
    const char *text;
    const char *syntax; // null: what a directive in the text says, or what it looks like
    // Or, where `text` is null, machine code.
    const uint8_t *bytes;
    size_t n_bytes;
    // Data that machine code may read, by its distance: it lies behind the code. Fixups in the order of their offsets.
    const uint8_t *data;
    size_t n_data;
    const struct block_fixup *fixups;
    size_t n_fixups;
    unsigned line; // it stands at, where it is machine code in a file; 0: none
};

struct block_request {
    enum program_form form;
    unsigned unroll; // unrolled form: copies of the body; 0 = about GEN_UNROLLED_INSTRUCTIONS instructions
    const struct block_facts *facts; // null: not known yet
    struct block_start start;
    bool runs_once, resets_stack; // as in struct program
};

// Makes a program of a block. The loop counter is a register that the block does not use. Fails at the place where the
// text is no block: a directive that makes data, an instruction that leaves the loop, no register left.
bool gen_block(struct arena *arena, const struct block_source *source, const struct block_request *request,
               struct program *program, struct fail *fail);

#endif
