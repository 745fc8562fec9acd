// From kernels and blocks to programs, and from programs to bytes:
//     kernel ── gen_expand ──► program (text) ── gen_assemble ──► program (bytes)
// Knows no CPU timing. See kernel.h for the files, program.h for the result.
#ifndef GEN_GEN_H
#define GEN_GEN_H

#include "base/arena.h"
#include "base/fail.h"
#include "gen/block.h"
#include "gen/isa.h"
#include "gen/kernel.h"
#include "gen/program.h"

#include <stdbool.h>
#include <stddef.h>

// What to make of a kernel.
struct gen_request {
    enum program_mode mode;
    enum program_form form;
    unsigned streams; // throughput: 1 and up, 0 = as many as there are registers (at most GEN_MAX_STREAMS)
    unsigned arc;     // latency: which of the kernel's arcs
    enum program_placement placement; // throughput of kernels with places; PLACEMENT_NONE: own lines
    unsigned rotation;                // registers of each class that are passed over at first, so that others are taken
    unsigned unroll; // unrolled form: copies of the body; 0 = about GEN_UNROLLED_INSTRUCTIONS instructions
};

enum { GEN_MAX_STREAMS = 16, GEN_UNROLLED_INSTRUCTIONS = 1000 };

// Expands a kernel into the text of a program. Fails (FAIL_INPUT) when the kernel has no chain for latency
// mode or there are not enough registers for the streams (it says how many fit).
bool gen_expand(struct arena *arena, const struct kernel *kernel, const struct gen_request *request,
                struct program *program, struct fail *fail);

// How many streams of the kernel, `most` at most, can access memory in that placement. All, where it has no places.
unsigned gen_placement_streams(const struct kernel *kernel, enum program_placement placement, unsigned most);

// Two kernels as one, without a chain: the first one's body and the second one's behind it, on registers of their own.
// Fails where one is written in another syntax.
bool gen_pair(struct arena *arena, const struct kernel *first, const struct kernel *second, struct kernel *pair,
              struct fail *fail);

// The assembly file of some programs, readable, for plain `as`.
void gen_emit(struct arena *arena, const struct program *const *programs, size_t n_programs, struct text *out);

// What cannot be assembled of some programs.
struct gen_errors {
    struct fail *items; // one for each line of a kernel's body or block that has a mistake, with as's own words
    size_t n;
    bool *is_refused; // of each program: it has such a mistake, and no bytes
};

// Assembles programs of one ISA with GNU as, mostly in one run, and fills in the bytes of those that have no mistake.
// False where nothing could be assembled; a missing assembler is FAIL_UNAVAILABLE with the package to install.
bool gen_assemble_each(struct arena *arena, struct program *const *programs, size_t n_programs,
                       struct gen_errors *errors, struct fail *fail);

// A whole text as the user wrote it, as an object; `name` is what messages call it.
bool gen_assemble_text(struct arena *arena, const struct isa *isa, const char *name, const char *text,
                       const void **object, size_t *n_bytes, struct fail *fail);

// As gen_assemble_each, where the first mistake is a failure.
bool gen_assemble(struct arena *arena, struct program *const *programs, size_t n_programs, struct fail *fail);

#endif
