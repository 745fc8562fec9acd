// Private to this folder.
// What stands behind the public header's opaque structs. Machines, descriptions and predictions each own one arena,
// which they lie in themselves.
#ifndef LIBRARY_INTERNAL_H
#define LIBRARY_INTERNAL_H

#include "analyzer/model/backend.h"
#include "analyzer/sim/pipeline.h"
#include "base/arena.h"
#include "base/fail.h"
#include "library/cyclops.h"

struct cyclops_machine {
    struct arena arena;
    const struct backend *backend;
    struct backend_cpu *cpu;
    const struct machine *model;
    struct pipeline *pipeline; // of `iterations`; null: not opened yet
    uint64_t iterations;
};

// Descriptions, shared by the blocks that are picked from one another.
struct descriptions {
    struct arena arena;
    size_t users; // blocks
};

struct cyclops_block {
    struct cyclops_machine *machine;
    struct descriptions *descriptions;
    struct block block;
    struct insn insns[]; // of `block`
};

// Copies the failure to the caller's error, which may be null.
void library_tell(const struct fail *fail, struct cyclops_error *error);

// Loads the module that `llvm` asks for. Where file_installed looks belongs to the program that runs, not to this
// library, so its own place is tried first; environment variable CYCLOPS_PREFIX goes before both.
const struct backend *library_load(struct arena *arena, const char *llvm, struct fail *fail);

#endif
