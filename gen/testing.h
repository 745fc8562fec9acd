// Functions that the tests of gen/ share. Not part of the module.
#ifndef GEN_TESTING_H
#define GEN_TESTING_H

#include "gen/gen.h"

// Writes `yaml` to a new file, loads it, removes it.
bool testing_load(struct arena *arena, const char *yaml, struct kernel_set *set, struct fail *fail);

// Returns the only kernel of `yaml`; a failure ends the test.
const struct kernel *testing_kernel(struct arena *arena, const char *yaml);

// Returns an x86-64 kernel of `keys`, one per line: "body: nop\nchain: x".
const struct kernel *testing_kernel_of(struct arena *arena, const char *keys);

// Calls gen_block for a text. All general registers start as TESTING_BLOCK_ADDRESS, the middle of a buffer like that of
// kernels.
enum { TESTING_BLOCK_BUFFER = 0x2300000, TESTING_BLOCK_ADDRESS = TESTING_BLOCK_BUFFER + PROGRAM_MEMORY_BYTES / 2 };
bool testing_block(struct arena *arena, const struct isa *isa, const char *syntax, const char *name, const char *text,
                   enum program_form form, struct program *program, struct fail *fail);

// Programs of all kernels of an ISA's folder, in all modes and forms, for all arcs and numbers of streams.
struct testing_set {
    struct arena arena;
    struct kernel_set kernels;
    struct program **programs;
    size_t n_programs;
};
void testing_expand_all(struct testing_set *all, const char *isa);

// Whether a program of that name can be started.
bool testing_has_tool(const char *name);

// Runs a command to its end and returns its exit status; 128 and up where a signal ended it.
int testing_run(const char *const *arguments);

#endif
