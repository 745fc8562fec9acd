// A pack: programs as bytes, with their properties, to measure where there is no assembler. Plain text, one "key value"
// per line, in a separate file or appended to the runner. Only this module knows the format. A pack has no measurements
// and no models.
//
//     cyclops-pack 4
//     isa aarch64
//     rule 7 20 21.5 …      a rule of conditions (bench/condition.h): number of a program, least, most
//     program
//     role reference        chains of the clock: reference, and the checks by name; other programs have no role
//     kernel add-x
//     …
//     uses vector load      units that it uses, and `wide` for vectors of more than 128 bits
//     process_set 1         blocks only, with struct bench_foreign: exit_offset, pages, frames, fill,
//     …                     lowest, stores; a loop also has turns_word, turns_bits, turns_factor, turns_addend
//     address 268959744     where the code must be; and memory at fixed addresses: address, size in bytes, may be
//     segment 268435456 …   written (w) or not (r) and executed (x) or not (-), content
//     when 0 12 0 3.5 …     a case in which it is measured: number of a rule, then program, least, most
//     chase lines 67108864 1 1    rings that it chases through (struct bench_chase): layout, bytes, steps in each
//     code 000401d6… 12-96  as base/repeats.h has it, behind the code of the program before
#ifndef RUNNER_PACK_H
#define RUNNER_PACK_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/condition.h"

#include <stdbool.h>
#include <stddef.h>

struct pack_program {
    const char *role;                                                 // role of a chain; null: to be measured
    const char *kernel, *mode, *form, *arc, *placement, *instruction; // as in struct record; null: unknown
    const char *setup;                                                // as in struct record
    unsigned streams, instructions;                                   // as in struct record
    unsigned loop_instructions, loop_branches;                        // as in struct record; 0: the usual number
    struct bench_code code;
    const struct bench_case *cases; // in which it is measured; none: always
    size_t n_cases;
};

struct pack {
    const char *isa; // "aarch64"
    struct pack_program *programs;
    size_t n_programs;
    // Their terms are of programs that are always measured; those of a program's cases, of programs before it.
    const struct bench_rule *rules;
    size_t n_rules;
};

void pack_write(const struct pack *pack, struct text *out);
// Reads a pack. `name`: its name in messages. Fails at any line that does not fit the format. Ignores unknown keys.
bool pack_read(struct arena *arena, const char *name, const char *text, size_t length, struct pack *pack,
               struct fail *fail);

// Write and find a runner with its pack in one file. The last line has the length of the pack, and a checksum of all
// before the checksum. pack_find sets `text` and `n_text` where it finds the pack.
void pack_append(const struct pack *pack, const char *runner, size_t n_runner, struct text *out);
enum pack_found { PACK_NONE, PACK_DAMAGED, PACK_FOUND };
enum pack_found pack_find(const char *file, size_t length, const char **text, size_t *n_text);

#endif
