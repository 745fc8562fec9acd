// A pack: programs as bytes, with what is known of them, ready to be measured where there is no assembler. Plain text,
// one "key value" a line, appended to the runner (which ends with how long the pack is) or a file of its own. Reader
// and writer side by side; the only owner of the format. Holds no measurement and no model.
//
//     cyclops-pack 3
//     isa aarch64
//     program
//     role reference        chains of the clock: reference, and the checks by name; other programs have none
//     kernel add-x
//     …
//     uses vector load      what it keeps busy, and `wide` for vectors of more than 128 bits
//     process_set 1         of a block; and what it finds (struct bench_foreign): exit_offset, pages, frames, fill,
//     …                     lowest, stores. Known code has none of these
//     code 000401d6…
#ifndef RUNNER_PACK_H
#define RUNNER_PACK_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/text.h"
#include "bench/bench.h"

#include <stdbool.h>
#include <stddef.h>

struct pack_program {
    const char *role;                                                 // null: to be measured
    const char *kernel, *mode, *form, *arc, *placement, *instruction; // as in struct record; null where not known
    const char *setup;                                                // likewise
    unsigned streams, instructions;                                   // likewise
    unsigned loop_instructions, loop_branches;                        // likewise; 0: as many as usual
    struct bench_code code;
};

struct pack {
    const char *isa; // "aarch64"
    struct pack_program *programs;
    size_t n_programs;
};

void pack_write(const struct pack *pack, struct text *out);
// `name` is what messages call the text. Anything that does not fit the format is a failure at its line.
bool pack_read(struct arena *arena, const char *name, const char *text, size_t length, struct pack *pack,
               struct fail *fail);

// A runner with its pack, as one file: its last line says how long the pack is, and a checksum of all that stands
// before the checksum. `text` and `n_text` are set where the pack is found.
void pack_append(const struct pack *pack, const char *runner, size_t n_runner, struct text *out);
enum pack_found { PACK_NONE, PACK_DAMAGED, PACK_FOUND };
enum pack_found pack_find(const char *file, size_t length, const char **text, size_t *n_text);

#endif
