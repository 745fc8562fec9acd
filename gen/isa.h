// What the generator must know of an instruction set: its registers, how a function begins and ends, how to
// load a constant, how to count a loop down, and which GNU assembler to call. Tables, one file an ISA.
#ifndef GEN_ISA_H
#define GEN_ISA_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct program;
struct register_set;

// Registers of one width and kind, in the order in which they are handed out.
struct register_class {
    const char *name;             // as in kernel files: "r64", "zmm", "x", "v"
    const char *const *registers; // null-terminated
    // Index into `registers` is also the number of the architectural register file entry: rax, eax, ax and al
    // have the same index in their classes, so a taken register is taken in every class of its file.
    char file;      // 'g' general, 'v' vector, 'f' floating point (where that is no part of 'v'), 'k' mask,
                    // 'a' accumulator,
                    // 'c' condition flags; classes of one file alias by index
    unsigned bits;  // width; of scalable vectors and their masks the least
    unsigned span;  // entries of the file that each covers, from index * span on. Armv7: d1 is s2 and s3
    unsigned first; // index of the first that roles get; those before it are taken only by name
};

// Another name of a register or of a part of it: "ah" is in "rax".
struct register_alias {
    const char *name, *reg;
};

// What a register starts as. A general or mask register gets the low bits; a vector register gets the pattern
// in each of its lanes.
struct isa_value {
    uint64_t bits;
    unsigned lane_bits; // 8, 16, 32 or 64; of no meaning outside vectors, or where bits is 0
};

uint64_t isa_value_repeated(struct isa_value value); // 64 bits of it: lanes of fewer bits side by side

// Displacements that the loads and stores of some width take, besides a base register.
struct isa_reach {
    int least, most; // bytes
};

// What a loop's end executes each time that it goes back.
struct isa_loop_end {
    unsigned instructions, branches;
};

struct isa {
    const char *name;                     // "x86_64"
    const char *family;                   // folder and `isa` of its kernel files, where not `name`; null: `name`
    const char *const *names;             // other names users know ("x86-64", "amd64"); null-terminated
    const char *triple;                   // LLVM's: "x86_64-unknown-linux-gnu"
    const char *assembler;                // when cross-assembling: "aarch64-linux-gnu-as"; on its own machine, "as"
    const char *assembler_package;        // Debian's, that holds `assembler`
    const char *preamble;                 // lines at the top of an assembly file, or ""
    const char *const *syntaxes;          // "intel", "att"; null-terminated, empty where there is one syntax
    const char *const *syntax_directives; // that switch to them, in the same order
    const char *comment;                  // starts a comment in its assembly: "#", "//"
    const struct register_class *classes; // up to one with a null name
    const struct register_alias *aliases; // up to one with a null name
    const char *const *brace_words;       // that its assembly writes in braces: "z", "1to16"; null-terminated
    // The condition flags: one register that no text names. Null: kernels may not use them, and why.
    const struct register_class *flags;
    const char *no_flags;
    const char *const *loop_counters; // candidates, best first; null-terminated
    // Where a block leaves none of them: its stack pointer, if it leaves that, and else a word of its frame; see
    // program.h.
    bool counts_in_frame;
    // The best one where the loop's end must not touch the flags; any other costs more. Null: all are alike.
    const char *flag_free_counter;
    const char *stack_pointer;
    unsigned
        stack_number;   // of the stack pointer among the general registers, as encoded; its word in a frame is 1 + that
    const char *memory; // register that holds the second argument until the loop begins
    const char *const *reserved; // registers no role may get (stack pointer, `memory`, …); null-terminated
    // Waits until nothing of the set-up is in flight. Without it a store of the set-up, such as the buffer's own
    // address or a saved register, can slow down the loop's loads from there for tens of microseconds: Zen 4 predicts
    // that they are forwarded from it, and does two such loads a cycle instead of three.
    const char *settle;                                             // instructions, one a line
    struct isa_loop_end (*loop_end)(const struct program *program); // what emit_loop_end makes
    // Of the plain loads and stores of so many bytes. Some instructions have another reach: their kernels state it.
    struct isa_reach (*reach)(unsigned bytes);
    // Length of the instruction at `code`, 1 to 8 bytes. So the bytes tell the number of instructions, whatever macros
    // of the assembler the text holds. Null: it cannot be told without a decoder.
    unsigned (*instruction_bytes)(const uint8_t *code);
    const char *const *leaves_loop; // instructions that end the function a loop is in; null-terminated
    // The same where the name alone does not tell; and adds to `set` the registers that an instruction uses without
    // naming them, because of those that it names. Null: there are none such.
    bool (*would_leave_loop)(struct slice instruction);
    void (*add_implied)(const struct isa *isa, struct slice instruction, struct register_set *set);

    void (*emit_entry)(struct text *out, const struct program *program); // save registers, take the arguments
    void (*emit_exit)(struct text *out, const struct program *program);
    // Counts down and branches to the loop's label; where the program says so, without touching the flags.
    void (*emit_loop_end)(struct text *out, const struct program *program);
    // Of programs with a stack of their own; see program.h. They begin with emit_start, which ends with a branch to
    // label `.entry`; emit_stack_leave stands behind emit_entry and emit_stack_return, at label `.exit`, before
    // emit_exit.
    void (*emit_start)(struct text *out, const struct program *program);
    void (*emit_stack_leave)(struct text *out, const struct program *program);
    void (*emit_stack_return)(struct text *out, const struct program *program);
    void (*emit_branch_to_exit)(struct text *out, const struct program *program);
    void (*emit_stack_pointer)(struct text *out, uint64_t value, const char *syntax); // sets it; touches nothing else
    // Sets `reg` of `class` to a value. May use the memory below the buffer's middle as scratch.
    void (*emit_constant)(struct text *out, const struct register_class *class, const char *reg, struct isa_value value,
                          const char *syntax);
    void (*emit_move_memory)(struct text *out, const char *reg,
                             const char *syntax); // reg = address of the buffer, whose first word holds its own address
    void (*emit_displace)(struct text *out, const char *reg, int bytes, const char *syntax); // reg += bytes, no flags
};

const struct isa *isa_find(const char *name);  // null if unknown
const char *isa_family(const struct isa *isa); // "mips" of mipsel; mostly its name
// What to say of a name that isa_find does not know: "unknown ISA 'x86' (did you mean 'x86_64'?)".
const char *isa_unknown(struct arena *arena, const char *name);
const struct isa *isa_native(void);     // of this machine; null where none is known
const struct isa *const *isa_all(void); // null-terminated
const struct register_class *isa_class(const struct isa *isa, const char *name);

#endif
