// Turns kernels and blocks into programs, and programs into bytes:
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

// Options of gen_expand.
struct gen_request {
    enum program_mode mode;
    enum program_form form;
    unsigned streams;                 // throughput: number of streams; 0: as many as fit, at most GEN_MAX_STREAMS
    unsigned arc;                     // latency: index of the kernel's arc
    enum program_placement placement; // throughput with places: where they are; PLACEMENT_NONE: own lines
    unsigned rotation;                // registers of each class to skip at first, so that roles get others
    unsigned unroll; // unrolled form: copies of the body; 0: about GEN_UNROLLED_INSTRUCTIONS instructions
};

// Unrolled lines are not as long as can be. After other code, a front end needs passes through a loop before it is at
// full speed, and a round has fewer of a long one: a Golden Cove takes a third longer for cmov where 1000 are in a row
// than where 256 are. The loop's own end is in both: about a cycle a pass.
enum { GEN_MAX_STREAMS = 16, GEN_UNROLLED_INSTRUCTIONS = 256 };
// Most of a block's line, where it is of more than one copy. In longer ones, which instructions stay decoded, and which
// loads are renamed, differs between processes; code that is not unrolled never meets that state.
enum { GEN_BLOCK_INSTRUCTIONS = 200, GEN_BLOCK_BYTES = 1024 };

// Expands a kernel into the text of a program. Fails (FAIL_INPUT) where the kernel has no chain for latency mode, its
// streams are not independent, or registers or the buffer do not suffice for the streams (with the number that fit).
bool gen_expand(struct arena *arena, const struct kernel *kernel, const struct gen_request *request,
                struct program *program, struct fail *fail);

// Returns how many streams of the kernel, up to `most`, can access memory in that placement; `most` without places.
unsigned gen_placement_streams(const struct kernel *kernel, enum program_placement placement, unsigned most);

// Makes one kernel of two: the body of `first`, then that of `second`, on other registers. It has no chain. Fails where
// their ISAs or syntaxes differ.
bool gen_pair(struct arena *arena, const struct kernel *first, const struct kernel *second, struct kernel *pair,
              struct fail *fail);

// Writes a readable assembly file of some programs for `as`.
void gen_emit(struct arena *arena, const struct program *const *programs, size_t n_programs, struct text *out);

// Mistakes that keep programs from being assembled.
struct gen_errors {
    struct fail *items; // one per line of a kernel's body or block that has a mistake, with as's message
    size_t n;
    const char **mistakes; // the first of each program, which has no bytes; null: it has none
};

// Assembles programs of one ISA with GNU as, mostly in one run, and fills in the bytes of those without mistakes. Fails
// where as cannot do its work; where it is missing with FAIL_UNAVAILABLE and the package to install.
bool gen_assemble_each(struct arena *arena, struct program *const *programs, size_t n_programs,
                       struct gen_errors *errors, struct fail *fail);

// Assembles a user's text into an object. `name`: its name in messages. Fails at the first mistake, or as above.
// `errors` gets the mistakes that have a line; null: nobody needs them.
bool gen_assemble_text(struct arena *arena, const struct isa *isa, const char *name, const char *text,
                       const void **object, size_t *n_bytes, struct gen_errors *errors, struct fail *fail);

// As gen_assemble_each, but fails at the first mistake.
bool gen_assemble(struct arena *arena, struct program *const *programs, size_t n_programs, struct fail *fail);

#endif
