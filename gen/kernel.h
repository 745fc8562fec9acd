// Kernel files: small bodies of instructions with the roles of their registers, as data. Only this module knows the
// format. There is a folder per ISA and a file per family of kernels; adding a kernel changes no C.
//
//     isa: x86_64
//     syntax: intel                 # or att; x86 only
//     requires: [avx512f]           # CPU features, LLVM's names; a kernel may add its own
//     kernels:
//       - name: fma-zmm-ps
//         about: fused multiply-add of 16 floats, accumulator is source and destination
//         body: vfmadd231ps {acc:zmm}, {a:zmm}, {b:zmm} # {acc} alone means the same register
//         chain: acc                # read and written: latency acc->acc; or [d->x, d->y]: a latency per arc
//         init: {acc: 0.0, a: f32 1.5, b: 0.0} # a number, or `memory`: the address of the memory buffer
//         setup: fninit             # instructions that run once, after the initial values
//         writes: []                # written roles that are not in a chain: see below
//         implicit: [rax, rdx]      # registers that the body uses without naming them; each is a role
//         expect: {cascadelake: {latency: 4, rthroughput: 0.5}}
//
// Shared registers: a role on the left of a chain arc, or under `writes`, is written. Each stream has a separate
// register for it. All other roles are only read, and all streams share their registers.
//
// Fixed roles are always the same register: {d:rax} in the body, those under `implicit`, and `flags`. All streams share
// them. Where a chain goes through one, streams would wait for each other: such a kernel has no throughput. A kernel
// with `flags` gets a loop whose own instructions do not change them.
//
// Memory: {at:8} is a number, the displacement at which a stream accesses its 8 bytes, as in [{p:r64} + {at:8}], where
// `p` starts as `memory`. For throughput, the program's placement chooses the displacements (program.h). Otherwise the
// first place is at displacement 0. Each name is another place. {at:16,504}: the instruction reaches 504 bytes only.
//
// Braces in the body:
//  - {role:class} and {role} are registers.
//  - {word} goes to the assembler where it is a register ({k1}) or a word of the ISA's syntax ({z}), and not a role.
//    Any other word is a mistake.
//  - {acc:xmm} after {acc:zmm} is the same register in another width.
//  - Other text in braces ({rn-sae}, {v0.4s}) stays as it is.
//  - {{d:z}.s} is a register in the assembler's braces.
//
// Initial values: a role without one starts as zero. In a vector register, a number other than zero needs the type of
// its lanes in front of it: i8, i16, i32, i64, f32 or f64.
//
// A chase: {p: chase 64M} as an initial value points into a ring of addresses of that size in memory, with one address
// in each line of 64 bytes. An instruction that names the role twice, as `mov {p:r64}, [{p}]`, is a step: it loads the
// next address. Each role of each stream has its own ring, and goes on where its last run has ended. So a ring that is
// larger than the caches makes each step miss them. {p: chase 1M in blocks} goes through blocks of 128 KiB in turn, so
// that few pages are in use at a time. {p: chase 16M by page} has one address in each page of 4 KiB.
#ifndef GEN_KERNEL_H
#define GEN_KERNEL_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/text.h"
#include "gen/program.h"

#include <stdbool.h>
#include <stddef.h>

struct isa;

// The role of a register in the body. Within one stream, a role is always the same register.
struct kernel_role {
    const char *name;                   // "acc"
    const struct register_class *class; // its class in struct isa, of its first mention
    unsigned
        n_registers; // registers of the class that it may be, from the first one: those of all its mentions' classes
    bool is_fixed;   // it is always register `index` of its class
    unsigned index;
    enum kernel_init { INIT_NONE, INIT_INTEGER, INIT_FLOAT, INIT_MEMORY, INIT_CHASE } init;
    unsigned place;     // INIT_MEMORY: number of the place that each stream's register points to, from 1; 0: none
    double value;       // initial value of INIT_INTEGER and INIT_FLOAT
    size_t chase_bytes; // INIT_CHASE: size of the ring
    enum chase_layout chase_layout;
    unsigned lane_bits; // width of a vector's lanes, where its value is not zero: 8 to 64
    bool written; // it is written, chases or points to a place: each stream has a separate register, unless it is fixed
};

// A dependence that latency mode closes into a chain: a copy writes `from`, and the next one reads the result as `to`.
struct kernel_arc {
    unsigned from, to; // indices of roles; equal when one register is read and written
};

// Memory that the body accesses at a displacement from a pointer that all streams share. The program's placement
// chooses a displacement for each stream.
struct kernel_place {
    const char *name; // "at"
    unsigned bytes;   // size of the access, 1 to KERNEL_MOST_PLACE_BYTES
    unsigned most;    // reach of its instruction in either direction, bytes; 0: that of the ISA's loads and stores
    bool is_pointer;  // a register points there, so it can be anywhere
};
enum { KERNEL_MOST_PLACE_BYTES = 4096 };

// The body as a list of pieces.
struct kernel_piece {
    enum { PIECE_TEXT, PIECE_ROLE, PIECE_PLACE } kind;
    const char *text;                   // text of PIECE_TEXT; else null
    unsigned index;                     // index of the role or place; the piece is its register or displacement
    const struct register_class *class; // PIECE_ROLE: class in which the register is named
};

struct kernel {
    const char *name, *about;
    const char *file;   // file that it was read from
    unsigned line;      // line of its name in that file, from 1
    unsigned body_line; // line of its body in that file, for the assembler's messages
    const struct isa *isa;
    const char *syntax; // "intel", "att", or ""
    const char *setup;  // lines of assembly that run once, before the loop; or ""
    struct kernel_role *roles;
    unsigned n_roles;
    struct kernel_place *places;
    unsigned n_places;
    struct kernel_piece *pieces;
    unsigned n_pieces;
    unsigned *lines;         // line in the file of each line of the body
    unsigned n_lines;        // lines of the body without comments and empty lines
    unsigned n_instructions; // lines of the body that hold an instruction
    struct kernel_arc *arcs;
    unsigned n_arcs;
    const char **features;   // CPU features that it needs, LLVM's names; null-terminated
    unsigned *feature_lines; // line in the file of each feature; null: unknown
    struct kernel_expectation {
        const char *cpu;             // LLVM's name of the CPU
        double latency, rthroughput; // published latency and reciprocal throughput, cycles; 0: unknown
    } * expectations;
    unsigned n_expectations;
};

// A kernel by the keys of a file. Lists are words with ", " between them: "d->x, d->y". Null: the key is missing.
struct kernel_text {
    const char *name, *about, *body, *setup, *implicit, *init, *chain, *writes, *requires;
};
struct kernel_text kernel_text_copy(struct arena *arena, const struct kernel_text *kernel);

struct kernel_set {
    struct kernel *kernels;
    size_t n_kernels;
    struct fail *refused; // mistakes of refused files, one per file; the set has no kernel of these
    size_t n_refused;
};

// Adds all kernel files (*.yaml) of folder `root`/ISA (null: the installed ones), for one ISA or (null) for all. An ISA
// of a family (mipsel) uses the family's folder (mips). Refuses a file with a mistake, with all its kernels. Fails
// where the ISA is unknown or there is no file.
bool kernel_load_folder(struct arena *arena, const char *root, const char *isa, struct kernel_set *set,
                        struct fail *fail);

// Adds the kernels of a kernel file's text. `path`: its name in messages. Fails at any mistake.
bool kernel_load_text(struct arena *arena, const char *path, const char *text, const struct isa *isa,
                      struct kernel_set *set, struct fail *fail);

// Adds the kernel that the texts describe, in assembly of `syntax` (null: the ISA's first one). `path`: its name in
// messages. Does not look whether the set has a kernel of that name. Fails as reading a file does, without a line.
bool kernel_add(struct arena *arena, const char *path, const struct isa *isa, const char *syntax,
                const struct kernel_text *kernel, struct kernel_set *set, struct fail *fail);

// Adds the beginning of a file's text, and a kernel: as one line, unless its assembly has several. `comment`: the
// file's first line.
void kernel_put_head(const char *comment, const struct isa *isa, const char *syntax, struct text *out);
void kernel_put(const struct kernel_text *kernel, struct text *out);

// Returns the fixed role through which a chain goes, so that streams would wait for each other; null: streams are
// independent.
const struct kernel_role *kernel_shared_chain(const struct kernel *kernel);

// Whether it has the role `flags`: the loop around it must not change them.
bool kernel_uses_flags(const struct kernel *kernel);

// Returns the kernel of that name. Fails with similar names (null) where there is none.
const struct kernel *kernel_find(struct arena *arena, const struct kernel_set *set, const char *name,
                                 struct fail *fail);

// Loads the installed kernels of an ISA. Fails where any file is refused, with the last one's mistake.
bool kernel_load_installed(struct arena *arena, const char *isa, struct kernel_set *set, struct fail *fail);

#endif
