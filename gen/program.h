// A program: a kernel expanded for one mode and one number of streams, first as assembly text, then as bytes.
// Everything downstream reads this struct: bench runs the bytes, the analyzer simulates them. It holds no
// timing and no expectation.
//
// The code of a program is one function by the C ABI of its ISA,
//     void program(uint64_t iterations, void *memory);
// where `memory` is the middle of a buffer of PROGRAM_MEMORY_BYTES. iterations must be at least 1. It saves what the
// ABI asks for, sets the initial values, and runs the loop: `unroll` copies of the body, then the loop's own
// instructions (count down, branch back).
//
// A block may do anything to its registers, the stack pointer included. So it gets a stack of its own, and what it must
// come back to is kept where it does not look: in its frame, words of the width of a general register, that lie
// PROGRAM_FRAME_DISTANCE bytes before its exit. Whoever runs it puts writable memory there. [0] is the caller's stack
// pointer; [1 + i] becomes general register i at the end, but for the few that the exit itself needs; where the block
// leaves no register free, [PROGRAM_FRAME_COUNTER] counts the loop down. Of a program that runs once, what else its
// block used follows where the ISA can store it (x86-64): 64 bytes for vector register i from word
// PROGRAM_FRAME_VECTORS + 8 i on, and word PROGRAM_FRAME_MASKS + i for mask i.
#ifndef GEN_PROGRAM_H
#define GEN_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRAM_MEMORY_BYTES = 1 << 16, PROGRAM_FRAME_DISTANCE = 1 << 16, PROGRAM_EXIT_OFFSET = 32 };
enum { PROGRAM_FRAME_COUNTER = 33, PROGRAM_FRAME_VECTORS = 34, PROGRAM_FRAME_MASKS = PROGRAM_FRAME_VECTORS + 32 * 8 };

// A number, as labels of as that may be defined again and again are: `.long 899999f - .` is the distance to the data.
#define PROGRAM_DATA_LABEL "899999"

enum program_mode {
    PROGRAM_LATENCY,    // one stream, the chain's two ends are the same register
    PROGRAM_THROUGHPUT, // n independent streams side by side
    PROGRAM_BLOCK,      // the body as it stands
};

// unrolled: many copies of the body between two branches; looped: one copy, branch after each.
enum program_form { PROGRAM_UNROLLED, PROGRAM_LOOPED };

// How the memory lies that a program's streams load from and store to, each at its own displacement from one pointer.
enum program_placement {
    PLACEMENT_NONE, // of no meaning: there are not two accesses whose place the kernel leaves open
    PLACEMENT_SAME_ADDRESS,
    PLACEMENT_SAME_LINE, // side by side in one cache line
    PLACEMENT_OWN_LINES, // one after the other, each in a cache line of its own
    PLACEMENT_OWN_PAGES, // each in a page of its own, and in another set of the first-level cache
    PROGRAM_N_PLACEMENTS,
};

// A range of bytes of struct program's code.
struct program_range {
    size_t offset, length; // bytes
};

struct register_class;

struct program {
    // What it is.
    const char *kernel; // name of the kernel, or the file or text a block came from
    const char *isa;    // "x86_64", "aarch64": as in the kernel files
    const char *symbol; // its function's name in the assembly text
    enum program_mode mode;
    enum program_form form;
    unsigned streams; // independent copies of the kernel's body in one body of the program; 1 in latency and block mode
    enum program_placement placement;
    const char *arc;   // latency mode: the chain measured, "d->x"; null otherwise
    const char *label; // for people: the first instruction without its registers, such as "vfmadd231ps zmm"
    unsigned unroll;   // copies of the body per loop iteration; 1 when looped
    // The loop's own instructions leave the condition flags alone: the body reads flags that a copy of before wrote.
    bool preserves_flags;
    unsigned loop_instructions, loop_branches; // of its own that each iteration executes
    unsigned instructions; // in program_simulated_range: one body, and the loop's own where looped. From the text; from
                           // the bytes, once there are some, where the ISA can tell

    // As text: lines of assembly for the ISA's GNU as.
    const char *syntax;             // "intel", "att" or "" (the ISA has one syntax)
    const char *setup;              // initial values, one instruction a line
    const char *body;               // all streams, one instruction a line
    unsigned body_lines;            // of those
    const char *file;               // the body came from, for messages: a kernel file, or the name of a block
    const unsigned *lines;          // in that file, of each line of the body
    const char *loop_counter;       // register that counts the loop down; null: a word of the frame does
    const char *data;               // behind the code, at the label PROGRAM_DATA_LABEL; null: none
    bool has_own_stack;             // and a frame: a block
    bool runs_once;                 // there is no loop: whatever the number of iterations, the body runs once
    const struct program_register { // vector and mask registers that a block which runs once uses, as wide as it does
        const struct register_class *class;
        unsigned index;
    } * used;
    unsigned n_used;
    bool resets_stack;             // the stack pointer begins each iteration where it began the first one
    uint64_t stack_start;          // which is there
    const char *const *features;   // CPU features the body needs, LLVM's names; null-terminated
    const unsigned *feature_lines; // in that file, of each; null: not known

    // As bytes, once assembled (null before).
    const uint8_t *code; // the whole function
    size_t code_bytes;
    struct program_range body_range; // the first copy of the body
    struct program_range loop_range; // from the loop's label to the end of its branch: what one iteration executes
    size_t exit_offset;              // of a program with its own stack: PROGRAM_EXIT_OFFSET; else 0
};

const char *program_mode_name(enum program_mode mode); // "latency", "throughput", "block"
const char *program_form_name(enum program_form form); // "unrolled", "looped"
bool program_mode_parse(const char *name, enum program_mode *mode);
bool program_form_parse(const char *name, enum program_form *form);
const char *program_placement_name(enum program_placement placement); // "own-lines"; "" for PLACEMENT_NONE
bool program_placement_parse(const char *name, enum program_placement *placement);

// Bytes that one iteration of the simulation executes: the loop where the form is looped, one body where it is
// unrolled (the copies are identical, and the branch is one in `unroll` bodies).
struct program_range program_simulated_range(const struct program *program);

// Instructions that one iteration of the function's loop retires: all copies of the body, and the loop's own.
unsigned program_iteration_instructions(const struct program *program);

#endif
