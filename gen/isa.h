// What the generator needs of an instruction set: its registers, how a function begins and ends, how to load a
// constant, how to count a loop down, and which GNU assembler to call. Each ISA has a file with its table.
#ifndef GEN_ISA_H
#define GEN_ISA_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct program;
struct register_set;

// Registers of one width and kind, in the order in which roles get them.
struct register_class {
    const char *name;             // as in kernel files: "r64", "zmm", "x", "v"
    const char *const *registers; // null-terminated
    // Classes of one file alias by index: rax, eax, ax and al have the same index in their classes. A register that is
    // taken is taken in each of them.
    char file;      // 'g' general, 'v' vector, 'f' floating point (where not part of 'v'), 'k' mask,
                    // 'a' accumulator, 'c' condition flags, 'm' MMX, 's' x87's stack
    unsigned bits;  // width; for scalable vectors and their masks the least one
    unsigned span;  // entries of the file that a register covers, from index * span on. Armv7: d1 is s2 and s3
    unsigned first; // index of the first register that roles get; those before it are only taken by name
};

// Another name of a register or of its part: "ah" is in "rax".
struct register_alias {
    const char *name, *reg;
};

// Initial value of a register. A general or mask register gets the low bits, a vector register the pattern in each
// lane.
struct isa_value {
    uint64_t bits;
    unsigned lane_bits; // 8, 16, 32 or 64; has no meaning outside of vectors, or where bits is 0
};

uint64_t isa_value_repeated(struct isa_value value); // returns 64 bits: the pattern, repeated in each lane

// The shortest instruction that does nothing, as bytes in the order of the ISA's code.
struct isa_nop {
    uint8_t bytes[4];
    unsigned n_bytes;
};

// Displacements that loads and stores of some width can add to a base register.
struct isa_reach {
    int least, most; // bytes
};

// Instructions, and branches among them, that a loop's end executes each time it goes back.
struct isa_loop_end {
    unsigned instructions, branches;
};

// Registers of a product and a sum.
struct isa_turns {
    const char *turns, *factor, *addend;
    unsigned bits; // 32 or 64
};

struct isa {
    const char *name;                     // "x86_64"
    const char *family;                   // folder and `isa` of its kernel files; null: same as `name`
    const char *const *names;             // other names that users know ("x86-64", "amd64"); null-terminated
    const char *triple;                   // LLVM's triple: "x86_64-unknown-linux-gnu"
    const char *assembler;                // on machines of other ISAs: "aarch64-linux-gnu-as"; on its own, "as"
    const char *assembler_package;        // Debian's package of `assembler`
    const char *preamble;                 // lines at the top of an assembly file, or ""
    const char *const *syntaxes;          // "intel", "att"; null-terminated, empty: one syntax only
    const char *const *syntax_directives; // directives that switch to these syntaxes, in the same order
    const char *comment;                  // starts a comment in its assembly: "#", "//"
    const struct register_class *classes; // up to one with a null name
    const struct register_alias *aliases; // up to one with a null name
    const char *const *brace_words;       // words that its assembly writes in braces: "z", "1to16"; null-terminated
    // Class of the condition flags, one register that text does not name; null: kernels may not use them, because of
    // `no_flags`.
    const struct register_class *flags;
    const char *no_flags;
    const char *const *loop_counters; // candidates, best first; null-terminated
    // Where a block uses all of them: the stack pointer counts, or else a word of the frame; see program.h.
    bool counts_in_frame;
    // Best counter where the loop's end must not change the flags; others cost more. Null: all cost the same.
    const char *flag_free_counter;
    const char *stack_pointer;
    unsigned stack_number;       // encoded number of the stack pointer, a general register; its frame word is 1 + that
    unsigned frame_number;       // the same of the register that often points into the stack (x86: rbp); 0: none
    const char *memory;          // register that holds the second argument until the loop begins
    const char *const *reserved; // registers that roles may not get (stack pointer, `memory`, …); null-terminated
    const char *jump;            // instruction that branches to a label of the program
    struct isa_nop nop;
    const char *delay_slot; // line to put behind a branch; null: none
    // Waits until no instruction of the set-up is in flight. Otherwise a store of the set-up, such as a saved register,
    // can slow the loop's loads from there for tens of microseconds: Zen 4 predicts that they are forwarded from it,
    // and executes two such loads per cycle instead of three.
    const char *settle; // instructions, one per line
    // Counts of what emit_loop_end writes, behind program->unroll copies of program->instructions.
    struct isa_loop_end (*loop_end)(const struct program *program);
    // Reach of plain loads and stores of so many bytes. Other instructions' kernels state their reach.
    struct isa_reach (*reach)(unsigned bytes);
    // Returns the length of the instruction at `code`, 1 to 8 bytes. So the bytes give the number of instructions, even
    // where the text has macros of the assembler. Null: lengths need a decoder.
    unsigned (*instruction_bytes)(const uint8_t *code);
    const char *const *returns; // instructions that return from a function, the plain one first; null-terminated
    // Registers in which functions get their arguments, in order: general ones, then others. Null-terminated.
    const char *const *arguments;
    const char *call;               // instruction that calls a label of the program; null: functions are not measured
    const char *const *leaves_loop; // instructions that end the function around a loop; null-terminated
    // Whether an instruction leaves the loop, where the name alone does not show it. Null: the names suffice.
    bool (*would_leave_loop)(struct slice instruction);
    // Whether a mnemonic is a branch, not a call, whose last operand can be a label. Null: unknown.
    bool (*is_jump)(struct slice mnemonic);
    // Adds to `set` the registers that an instruction uses in addition to those it names. Null: there are none.
    void (*add_implied)(const struct isa *isa, struct slice instruction, struct register_set *set);

    // Each of these writes assembly text to `out`.
    void (*emit_entry)(struct text *out, const struct program *program); // saves registers, takes the arguments
    void (*emit_exit)(struct text *out, const struct program *program);
    // Counts down and branches to the loop's label; where program->preserves_flags, without changing the flags.
    void (*emit_loop_end)(struct text *out, const struct program *program);
    // For programs with their own stack (program.h). They begin with emit_start, which ends with a branch to label
    // `.entry`. emit_stack_leave follows emit_entry. emit_stack_return, at label `.exit`, comes before emit_exit.
    void (*emit_start)(struct text *out, const struct program *program);
    void (*emit_stack_leave)(struct text *out, const struct program *program);
    void (*emit_stack_return)(struct text *out, const struct program *program);
    void (*emit_stack_pointer)(struct text *out, uint64_t value, const char *syntax); // sets only the stack pointer
    // Sets `reg` of `class` to a value. May use the memory below the buffer's middle as scratch.
    void (*emit_constant)(struct text *out, const struct register_class *class, const char *reg, struct isa_value value,
                          const char *syntax);
    // Sets a vector register of `class` to the bytes of its width, lowest first; `class` null: control register `reg`,
    // which has 4. Uses the same scratch. Null: this ISA's set-up cannot.
    void (*emit_bytes)(struct text *out, const struct register_class *class, const char *reg, const uint8_t *bytes,
                       const char *syntax);
    // Moves a general, vector or mask register from its words of the frame (program.h), or to them. Only in programs
    // with a routine. Null: this ISA's cannot.
    void (*emit_frame_move)(struct text *out, const struct register_class *class, unsigned index, bool is_load,
                            const char *syntax);
    void (*emit_move_memory)(struct text *out, const char *reg,
                             const char *syntax); // reg = address of the buffer, whose first word holds its own address
    // reg = the word at the address that it holds. Flags stay.
    void (*emit_follow)(struct text *out, const char *reg, const char *syntax);
    // reg = turns * factor + addend, all of them registers; `factor` may change. Where bits is 32, the upper half of
    // `reg` becomes zero, or its sign, as the ISA's own 32-bit additions leave it. Null: no such loops on this ISA.
    void (*emit_turns)(struct text *out, const char *reg, const struct isa_turns *turns, const char *syntax);
    // Adds `bytes` to `reg` without changing the flags.
    void (*emit_displace)(struct text *out, const char *reg, int bytes, const char *syntax);
};

const struct isa *isa_find(const char *name);  // null if unknown
const char *isa_family(const struct isa *isa); // returns "mips" for mipsel; for most ISAs their name
// Returns a message about an unknown name: "unknown ISA 'x86' (did you mean 'x86_64'?)".
const char *isa_unknown(struct arena *arena, const char *name);
const struct isa *isa_native(void);     // returns this machine's ISA; null: unknown
const struct isa *const *isa_all(void); // null-terminated
const struct register_class *isa_class(const struct isa *isa, const char *name);

#endif
