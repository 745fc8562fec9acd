// Kernel files: a small body of instructions with the roles of its registers, as data. This is the one owner
// of the format; one file a family, one folder an ISA, adding a kernel touches no C.
//
//     isa: x86_64
//     syntax: intel                 # or att; x86 only
//     requires: [avx512f]           # CPU features, LLVM's names; a kernel may add its own
//     kernels:
//       - name: fma-zmm-ps
//         about: fused multiply-add of 16 floats, accumulator is source and destination
//         body: vfmadd231ps {acc:zmm}, {a:zmm}, {b:zmm} # {acc} alone is the same register again
//         chain: acc                # read and written: latency acc->acc; or [d->x, d->y]: one latency per arc
//         init: {acc: 0.0, a: f32 1.5, b: 0.0} # a number, or `memory`: the address of the memory buffer
//         setup: fninit             # instructions that run once, behind the initial values
//         writes: []                # roles that are written and in no chain: see below
//         implicit: [rax, rdx]      # registers that the body uses without naming them; each is a role of that name
//         expect: {cascadelake: {latency: 4, rthroughput: 0.5}}
//
// Which registers streams share: a role on the left of a chain arc, or listed under `writes`, is written, and each
// stream has its own register for it. All other roles are only read: all streams share one register.
//
// Roles that are always one register: {d:rax} in the body, those under `implicit`, and `flags`. All streams share them.
// Where a chain goes through one of them, streams would wait for each other: such a kernel has no throughput. A kernel
// that has `flags` gets a loop whose own instructions leave them alone.
//
// Memory: {at:8} is a number, the displacement at which a stream accesses its 8 bytes, as in [{p:r64} + {at:8}], where
// `p` starts as `memory`. Throughput is measured with the streams' accesses placed in several ways (program.h); all
// else has the first at displacement 0. Each name is a place of its own. {at:16,504}: the instruction reaches 504 bytes
// only.
//
// Braces in the body: {role:class} and {role} are registers. {word} is left to the assembler where it is a register
// ({k1}) or a word of the ISA's syntax ({z}) and no role has that name; any other word is a mistake. What else stands
// in braces ({rn-sae}, {v0.4s}) is left as it is, and {{d:z}.s} is a register in the assembler's braces.
//
// Initial values: a role without one starts as zero. A number that is not zero says in a vector register what its
// lanes are: i8, i16, i32, i64, f32 or f64 in front of it.
#ifndef GEN_KERNEL_H
#define GEN_KERNEL_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>

struct isa;

// A register of the body, by the part it plays. The same role is the same register within one stream.
struct kernel_role {
    const char *name;                   // "acc"
    const struct register_class *class; // of struct isa
    bool is_fixed;                      // always the register `index` of its class
    unsigned index;
    enum kernel_init { INIT_NONE, INIT_INTEGER, INIT_FLOAT, INIT_MEMORY } init;
    unsigned place; // of INIT_MEMORY, where each stream points to its own: number of the kernel's place, from 1; else 0
    double value;   // of INIT_INTEGER and INIT_FLOAT
    unsigned lane_bits; // of a vector's value, where it is not zero: 8 to 64
    bool written;       // or points to a place: each stream has its own register, unless it is fixed
};

// A dependence that latency mode closes into a chain: what `from` writes, the next copy reads as `to`.
struct kernel_arc {
    unsigned from, to; // indices of roles; equal when one register is read and written
};

// Memory that the body accesses where the program's placement says, as a displacement from a pointer that all streams
// share. Each stream has its own.
struct kernel_place {
    const char *name; // "at"
    unsigned bytes;   // of the access, 1 to KERNEL_MOST_PLACE_BYTES
    unsigned most;    // bytes that its instruction can reach in either direction; 0: as the ISA's loads and stores do
    bool is_pointer;  // a register points there, so that it can be anywhere
};
enum { KERNEL_MOST_PLACE_BYTES = 4096 };

// The body as a list of pieces.
struct kernel_piece {
    enum { PIECE_TEXT, PIECE_ROLE, PIECE_PLACE } kind;
    const char *text; // of PIECE_TEXT; else null
    unsigned index;   // of the role or the place, whose register or displacement it is
};

struct kernel {
    const char *name, *about;
    const char *file;   // it was read from
    unsigned line;      // of its name in that file
    unsigned body_line; // of its body in that file, for the assembler's messages
    const struct isa *isa;
    const char *syntax; // "intel", "att", or ""
    const char *setup;  // lines of assembly that run once, before the loop; or ""
    struct kernel_role *roles;
    unsigned n_roles;
    struct kernel_place *places;
    unsigned n_places;
    struct kernel_piece *pieces;
    unsigned n_pieces;
    unsigned *lines;         // in the file, of each line of the body
    unsigned n_lines;        // in the body as its pieces make it: no comments, no empty lines
    unsigned n_instructions; // lines of the body that hold one
    struct kernel_arc *arcs;
    unsigned n_arcs;
    const char **features;   // CPU features it needs, LLVM's names; null-terminated
    unsigned *feature_lines; // in the file, of each; null: not known
    struct kernel_expectation {
        const char *cpu;             // LLVM's name of the CPU
        double latency, rthroughput; // published cycles; 0: not given
    } * expectations;
    unsigned n_expectations;
};

struct kernel_set {
    struct kernel *kernels;
    size_t n_kernels;
    struct fail *refused; // what is wrong with files of a folder; none of their kernels is here
    size_t n_refused;
};

// Adds the kernels of one file. Every mistake in it (unknown key, class, role or ISA, name used twice) is a
// failure with file, line and column.
bool kernel_load(struct arena *arena, const char *path, struct kernel_set *set, struct fail *fail);

// Adds all kernel files (*.yaml) of folder `root`/ISA, for one ISA or (null) for all. One of a family (mipsel) has the
// kernels of the family's folder (mips), as its own. A file with a mistake is refused, and costs its own kernels. Fails
// where there is no file.
bool kernel_load_folder(struct arena *arena, const char *root, const char *isa, struct kernel_set *set,
                        struct fail *fail);

// The fixed role that the kernel both reads and writes, so that streams would wait for each other through it; null:
// they are independent.
const struct kernel_role *kernel_shared_chain(const struct kernel *kernel);

// Whether its copies read flags of before, so that the loop around them must not touch those.
bool kernel_uses_flags(const struct kernel *kernel);

// Null, and a failure that names the nearest kernels, when there is none of that name.
const struct kernel *kernel_find(struct arena *arena, const struct kernel_set *set, const char *name,
                                 struct fail *fail);

// The installed kernels of an ISA, where none may be refused: the last of the mistakes is the failure.
bool kernel_load_installed(struct arena *arena, const char *isa, struct kernel_set *set, struct fail *fail);

#endif
