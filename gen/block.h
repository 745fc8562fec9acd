// A block: unknown instructions as assembly text or machine code. Its set-up and loop avoid the registers that it uses.
// A decoder finds these in the bytes; without one, they are those that the text names.
#ifndef GEN_BLOCK_H
#define GEN_BLOCK_H

#include "base/arena.h"
#include "base/fail.h"
#include "gen/isa.h"
#include "gen/link.h"
#include "gen/program.h"
#include "gen/start_state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A decoder's findings on a block's bytes.
struct block_facts {
    unsigned n_instructions;
    const unsigned char *lengths; // length of each instruction, bytes
    // Names of the registers that it reads or writes, named or implied, in upper or lower case. Unknown names are
    // ignored.
    const char *const *registers;
    size_t n_registers;
    const char *const *inputs, *const *changed; // likewise: read before they are written; written
    size_t n_inputs, n_changed;
    bool reads_flags_of_before; // reads condition flags that the previous copy left
    // For each instruction: null, or text for the assembler instead of its bytes: a branch to the block's end, by
    // BLOCK_END_LABEL, or to one of `are_targets`. Null: none. Where not null, the end of a routine returns.
    const char *const *exits;
    // For each instruction, and for the block's end: whether text in `exits` leads there, by the label
    // BLOCK_FIRST_LABEL and its index. Null: none does.
    const bool *are_targets;
    // Machine code that a routine's caller runs behind each call, to take what the routine leaves. Null: none.
    const uint8_t *behind_call;
    size_t n_behind_call;
};

// Label of the end of a copy of the body, as PROGRAM_ROUTINE_LABEL.
#define BLOCK_END_LABEL "899998"
enum { BLOCK_FIRST_LABEL = 900000 }; // number of the first label in a block, far above those that people write

// A loop that runs for a requested number of turns: general register `reg` begins with  factor * turns + addend.
// At the end, general register `proof` then holds  proof_factor * turns + proof_addend.  All of so many bits.
struct block_turns {
    bool is_set;
    unsigned reg, proof; // numbers of registers, as in the ISA's first class
    unsigned bits;       // 32 or 64
    int64_t factor, addend;
    int64_t proof_factor, proof_addend;
};

// Initial registers of a block, where `state` does not give them values. General register i, in the order of the ISA's
// first class, is `first` + i * `distance`. The stack pointer is, too, rounded down to a multiple of 16. Without a
// distance, the stack pointer and the frame pointer are in the middle of the others' page, as in BHive's harness: 2048
// and 2032 bytes further. Vector registers are zero, all bits of masks are set.
struct block_start {
    uint64_t first, distance;
    bool is_routine; // the registers of arguments have the same values, but ascend in the order of arguments
    const struct start_state *state; // what the user gives; null: nothing
};
// Returns the value of a general register. `number`: as it is encoded.
uint64_t block_start_value(const struct isa *isa, const struct block_start *start, unsigned number);
uint64_t block_stack_start(const struct isa *isa, const struct block_start *start); // that of the stack pointer

// What machine code refers to and nobody has: accesses to these addresses trap, or jumps to them lead to no code.
struct block_absent {
    uint64_t address;
    size_t size;
    const char *what; // a clause: who refers to what, and why it is not there
};

// A general register of 64 bits, by its name in upper case, and a value.
struct block_register {
    const char *name;
    uint64_t value;
};

struct block_source {
    const struct isa *isa;
    const char *name; // name in messages and tables
    const char *text; // assembly text; newlines or ';' separate statements
    // The block is the text between these offsets, bytes; 0, 0: all of it.
    size_t region_begin, region_end;
    const char *syntax; // "intel" or "att"; null: by a directive in the text, or by its look
    // Machine code, where `text` is null.
    const uint8_t *bytes;
    size_t n_bytes;
    const struct link *link; // memory to which machine code refers; null: none
    // Symbols that it refers to and nothing defines: their addresses are made up.
    const char *const *made_up;
    size_t n_made_up;
    const char *way_out;               // where a jump table leads out of it, to its end here, a clause; null: nowhere
    const struct block_register *held; // registers that hold a jump table's address, which code before the block sets
    size_t n_held;
    const struct block_absent *absent; // explain a run that comes there
    size_t n_absent;
    unsigned line; // line in the file, for machine code; 0: unknown
    // Offset of the machine code from a line of 64 bytes, where the program has it: its loop is there, too.
    unsigned line_offset;
    unsigned alignment; // of what a linker will choose for it, bytes; 0: its place is for good, or nothing is known
};

enum { BLOCK_CALLER_BYTES = 8 };

struct block_request {
    enum program_form form;
    unsigned unroll;                 // unrolled form: copies of the body; 0 = about GEN_BLOCK_INSTRUCTIONS instructions
    const struct block_facts *facts; // null: unknown yet
    struct block_start start;
    bool runs_once, resets_stack; // as in struct program
    bool is_routine;              // it returns: the body calls it
    // What the loop around the calls of a routine has besides them: nothing; a jump to the call; BLOCK_CALLER_BYTES of
    // no-operations behind it.
    enum block_caller { CALLER_PLAIN, CALLER_BRANCHES, CALLER_IDLES } caller;
    unsigned further; // distance by which its place in a line is moved, bytes
    bool is_pass;     // each iteration begins with what the user gave: there is one copy of the body
    // Where the block is a loop: the program's loop is that one, without instructions of its own. Null: it counts.
    const struct block_turns *turns;
};

// Copies in the line of the unrolled form of a block of so many instructions and bytes.
unsigned block_copies(unsigned n_instructions, unsigned n_bytes);

// Whether an instruction of a text may refer to what the text does not define; false: surely none does.
bool block_names_others(struct arena *arena, const struct isa *isa, const char *text);

// Whether a block that returns can be called again and again, each time with the same start. Fails where it changes a
// register that the user gave, or --init may set, and this ISA's programs cannot set it again.
bool block_can_be_called(const struct isa *isa, const struct block_start *start, const struct block_facts *facts,
                         struct fail *fail);

// Whether it changes a register that the user gave.
bool block_changes_given(const struct isa *isa, const struct block_start *start, const struct block_facts *facts);

// Makes a program of a block. The loop counter is a register that the block does not use, or a word of the frame. Fails
// at the place of a mistake: a directive for another section, an instruction that leaves the loop, no register left for
// the counter.
bool gen_block(struct arena *arena, const struct block_source *source, const struct block_request *request,
               struct program *program, struct fail *fail);

#endif
