// A program: a kernel expanded for one mode and one number of streams, first as assembly text, then as bytes.
// bench runs the bytes, the analyzer simulates them. The struct holds no times and no expectations.
//
// The code of a program is one function by the C ABI of its ISA,
//     void program(uint64_t iterations, void *memory);
// where `memory` is the middle of a buffer of PROGRAM_MEMORY_BYTES. iterations must be at least 1. It saves the
// registers that the ABI requires, sets the initial values, and runs the loop: `unroll` copies of the body, then the
// loop's own instructions (count down, branch back).
//
// A block may change any register, even the stack pointer. So it gets its own stack and a frame, PROGRAM_FRAME_DISTANCE
// bytes before its exit; the caller puts writable memory there. The frame's words have the width of a general register:
//  - [0] is the caller's stack pointer.
//  - [1 + i] is general register i at the end, except for the few that the exit itself needs.
//  - [PROGRAM_FRAME_COUNTER] counts the loop down where the block uses all registers.
// The set-up of a block that is called stores registers there, too, which the body loads again before each call.
// A program that runs once also stores the vector and mask registers that its block used, where the ISA can (x86-64):
//  - [PROGRAM_FRAME_VECTORS + 8 i]: 64 bytes of vector register i
//  - [PROGRAM_FRAME_MASKS + i]: mask i
#ifndef GEN_PROGRAM_H
#define GEN_PROGRAM_H

#include "base/segment.h"
#include "gen/link.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRAM_MEMORY_BYTES = 1 << 16, PROGRAM_FRAME_DISTANCE = 1 << 16, PROGRAM_EXIT_OFFSET = 32 };
// Words in the buffer with the addresses where chases begin, from its middle; the caller sets them before each call.
enum { PROGRAM_MOST_CHASES = 12, PROGRAM_CHASES = PROGRAM_MEMORY_BYTES / 2 - 8 * PROGRAM_MOST_CHASES };
enum { PROGRAM_LEAST_CHASE_BYTES = 1 << 10, PROGRAM_ALL_CHASES_BYTES = 1 << 29, PROGRAM_MOST_CHASE_BYTES = 1 << 28 };
// A ring of more addresses has a power of two of them.
enum { PROGRAM_MOST_RANDOM_STEPS = 1 << 16, PROGRAM_LINE_BYTES = 64, PROGRAM_PAGE_BYTES = 1 << 12 };
enum { PROGRAM_FRAME_COUNTER = 33, PROGRAM_FRAME_VECTORS = 34, PROGRAM_FRAME_MASKS = PROGRAM_FRAME_VECTORS + 32 * 8 };

// Labels of ours are numbers: as allows to define such labels repeatedly.
#define PROGRAM_ROUTINE_LABEL "899997"
#define PROGRAM_DETOUR_LABEL "899995" // behind a jump to it
#define PROGRAM_EXIT_LABEL "899996"   // before the body, where that calls a routine

enum program_mode {
    PROGRAM_LATENCY,    // one stream; the chain's two ends are the same register
    PROGRAM_THROUGHPUT, // n independent streams side by side
    PROGRAM_BLOCK,      // the body, unchanged
};

// Unrolled: many copies of the body between two branches. Looped: a branch after each copy.
enum program_form { PROGRAM_UNROLLED, PROGRAM_LOOPED };

// Placement of the loads and stores of a program's streams, as displacements from one pointer.
enum program_placement {
    PLACEMENT_NONE, // no placement: fewer than two accesses have a place that the kernel leaves open
    PLACEMENT_SAME_ADDRESS,
    PLACEMENT_SAME_LINE, // one after the other in one cache line
    PLACEMENT_OWN_LINES, // each in a separate cache line, in order, at offsets in the line by turns
    PLACEMENT_OWN_PAGES, // each in a separate page, in another set of the first-level cache, likewise
    PROGRAM_N_PLACEMENTS,
};

// Where the addresses of a chase's ring are.
enum chase_layout {
    CHASE_LINES,  // one in each line of 64 bytes, in an order that jumps through all of them
    CHASE_BLOCKS, // the same, but the order goes through blocks of 128 KiB in turn: so few pages are in use at a time
    CHASE_PAGES,  // one in each page of 4 KiB, in another line than in the page before; the system gives such pages
};

// A range of bytes of struct program's code.
struct program_range {
    size_t offset, length; // bytes
};

struct register_class;

struct program {
    // What it is.
    const char *kernel; // name of the kernel, or of the file or text that a block is from
    const char *isa;    // "x86_64", "aarch64": as in the kernel files
    const char *symbol; // name of its function in the assembly text
    enum program_mode mode;
    enum program_form form;
    unsigned streams; // copies of the kernel's body in one body of the program; 1 in latency and block mode
    enum program_placement placement;
    const char *arc;   // latency mode: the measured chain, "d->x"; null otherwise
    const char *label; // for people: the first instruction without its registers, such as "vfmadd231ps zmm"
    unsigned unroll;   // copies of the body per loop iteration; 1 when looped
    // The loop's own instructions do not change the condition flags: a copy of the body reads those of an earlier one.
    bool preserves_flags;
    unsigned loop_instructions, loop_branches; // the loop's own instructions per iteration, and branches among them
    unsigned instructions; // in program_simulated_range: one body, and the loop's own where looped. Counted in the
                           // text; after assembly in the bytes, where the ISA has instruction_bytes

    // Chases (kernel.h): rings, each of so many bytes, and the steps in it that one body makes.
    unsigned n_chases;
    size_t chase_bytes;
    enum chase_layout chase_layout;
    unsigned chase_steps[PROGRAM_MOST_CHASES];
    const uint8_t *are_steps; // for each instruction of the body: it is a step of a chase; null: no chases

    // As text: lines of assembly for the ISA's GNU as.
    const char *syntax;             // "intel", "att" or "" (the ISA has one syntax)
    const char *setup;              // instructions that set the initial values, one per line
    bool has_own_setup;             // the kernel's own instructions are among these
    const char *body;               // all streams, one instruction per line
    unsigned body_lines;            // number of lines of the body
    const char *file;               // source of the body, for messages: a kernel file, or the name of a block
    const unsigned *lines;          // line in that file of each line of the body
    const char *loop_counter;       // register that counts the loop down; null: a word of the frame
    const struct link *link;        // memory to which it refers, and where its code must be; null: none
    unsigned line_offset;           // offset of the loop, or of the routine, from a line of 64 bytes
    const char *routine;            // code that the body calls, at the label PROGRAM_ROUTINE_LABEL; null: no such code
    bool has_own_stack;             // has its own stack and a frame: a block
    bool runs_once;                 // has no loop: the body runs once, for any number of iterations
    bool has_own_branch;            // its loop is the body, which branches back itself; nothing else is in it
    const struct program_register { // vector and mask registers of a block that runs once, in the widest class it uses
        const struct register_class *class;
        unsigned index;
    } * used;
    unsigned n_used;
    bool resets_stack;             // each iteration begins with the same stack pointer
    uint64_t stack_start;          // that stack pointer
    const char *again;             // instructions behind the body: what the user gave, for the next pass; null: none
    const char *const *features;   // CPU features that the body needs, LLVM's names; null-terminated
    const unsigned *feature_lines; // line in that file of each feature; null: unknown

    // As bytes, once assembled (null before).
    const uint8_t *code; // the whole function
    size_t code_bytes;
    struct program_range body_range;    // the first copy of the body
    struct program_range routine_range; // the code that the body calls, behind the loop; empty: it calls none
    struct program_range loop_range;    // from the loop's label to the end of its branch: what one iteration executes
    const struct segment *segments;     // those of the link, with the addresses of this code filled in
    size_t exit_offset;                 // offset of the exit: PROGRAM_EXIT_OFFSET with its own stack, else 0
};

const char *program_mode_name(enum program_mode mode); // "latency", "throughput", "block"
const char *program_form_name(enum program_form form); // "unrolled", "looped"
bool program_mode_parse(const char *name, enum program_mode *mode);
bool program_form_parse(const char *name, enum program_form *form);
const char *program_placement_name(enum program_placement placement); // "own-lines"; "" for PLACEMENT_NONE
bool program_placement_parse(const char *name, enum program_placement *placement);

// Returns the bytes that one iteration of the simulation executes: the loop where the form is looped, one body where it
// is unrolled (copies are identical, with one branch per `unroll` bodies). Of a body that only calls, what it calls.
struct program_range program_simulated_range(const struct program *program);

// Returns the bytes that hold all code of the loop: the loop itself, and what it calls.
struct program_range program_followed_range(const struct program *program);

// Returns the bytes of a block: of the first body, or what it calls.
struct program_range program_block_range(const struct program *program);

// Returns the instructions that one iteration of the function's loop retires: all copies of the body, and the loop's
// own.
unsigned program_iteration_instructions(const struct program *program);

#endif
