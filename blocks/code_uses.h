// Which kinds of units a piece of code keeps busy, read from its bytes by LLVM's instruction tables. They decide which
// checks are timed with it. Knows no scheduling model, and so nothing of pipes.
#ifndef BLOCKS_CODE_USES_H
#define BLOCKS_CODE_USES_H

#include "analyzer/model/backend.h"
#include "bench/bench.h"
#include "gen/isa.h"

struct code_uses {
    const struct isa *isa;
    const struct backend *backend; // null: nothing can be decoded
    struct backend_cpu *cpu;       // null likewise
};

// `llvm`: as in backend_load. Without LLVM, or where it does not know the ISA, all code uses everything.
void code_uses_open(struct code_uses *uses, struct arena *arena, const struct isa *isa, const char *llvm);
void code_uses_close(struct code_uses *uses);

// Sets the uses of `code` from its body's bytes. Everything, where they cannot be decoded.
void code_uses_find(const struct code_uses *uses, struct bench_code *code);

#endif
