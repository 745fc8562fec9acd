#include "lab/chains.h"

#include <string.h>

// Copies of the body: enough to make the loop's own instructions negligible, and so few that all chains together leave
// room in the cache for the code under test.
enum { COPIES = 256 };

// Kernels of the ratio clock's reference and of the checks, by ISA.
//  - A step of the reference takes one cycle unless the user states another number.
//  - Not every model of an Arm core knows nops. There, independent adds serve for two checks.
//  - MIPS has no check of vectors: on cores without such a unit, the operating system emulates it.
static const struct {
    const char *isa, *reference, *checks[BENCH_N_CHECKS];
} kernels_of[] = {
    {"x86_64",
     "add-r64",
     {"imul-r64", "nop", "sign-extend", "vector-logic", "load-r64", "store-lines", "compare-into-mask"}},
    {"aarch64", "add-x", {"mul-x", "add-x", NULL, "vector-mix", "load-x", "store-lines"}},
    {"armv7", "add-r", {"mul-r", "add-r", NULL, "vector-mix", "load-r", "store-lines"}},
    {"mips", "addu-r", {"mul-r", "nop", "addu-r", NULL, "load-r", "store-lines"}},
    {"mipsel", "addu-r", {"mul-r", "nop", "addu-r", NULL, "load-r", "store-lines"}},
    {"riscv64", "add-x", {"mul-x", "nop", "add-x", "float-mix", "load-x", "store-lines"}},
};

// Loads access one line: on a Zen 5, the time of loads from several lines differs between processes.
static struct program *make(struct arena *arena, const struct kernel_set *set, const char *name, enum program_mode mode,
                            struct fail *fail) {
    struct program *program = ARENA_NEW(arena, struct program);
    const struct kernel *kernel = kernel_find(arena, set, name, fail);
    struct gen_request request = {.mode = mode, .form = PROGRAM_UNROLLED, .placement = PLACEMENT_SAME_LINE};
    if (!kernel || !gen_expand(arena, kernel, &request, program, fail))
        return NULL;
    request.unroll = (COPIES + program->instructions - 1) / program->instructions;
    return gen_expand(arena, kernel, &request, program, fail) ? program : NULL;
}

static bool make_checks(struct arena *arena, const struct kernel_set *set, const char *const names[BENCH_N_CHECKS],
                        struct program *checks[BENCH_N_CHECKS], struct fail *fail) {
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        enum program_mode mode = i == CHECK_MULTIPLY ? PROGRAM_LATENCY : PROGRAM_THROUGHPUT;
        checks[i] = names[i] ? make(arena, set, names[i], mode, fail) : NULL;
        if (names[i] && !checks[i])
            return false;
    }
    return true;
}

// Always uses the installed kernels: the unit of time must not depend on a user's folder.
bool chains_make(struct arena *arena, const struct isa *isa, struct program *chains[N_CHAINS], struct fail *fail) {
    for (size_t i = 0; i < sizeof kernels_of / sizeof *kernels_of; i++) {
        if (strcmp(kernels_of[i].isa, isa->name) != 0)
            continue;
        struct kernel_set set = {0};
        if (!kernel_load_installed(arena, isa->name, &set, fail))
            return false;
        chains[CHAIN_REFERENCE] = make(arena, &set, kernels_of[i].reference, PROGRAM_LATENCY, fail);
        return chains[CHAIN_REFERENCE] && make_checks(arena, &set, kernels_of[i].checks, &chains[CHAIN_CHECKS], fail);
    }
    return fail_set(fail, FAIL_UNAVAILABLE, "no reference chain is known for %s, so its cycles cannot be measured",
                    isa->name);
}

size_t chains_list(struct program *const chains[N_CHAINS], struct program **list) {
    size_t n = 0;
    for (unsigned i = 0; i < N_CHAINS; i++)
        if (chains[i])
            list[n++] = chains[i];
    return n;
}
