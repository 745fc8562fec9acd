#include "cli/chains.h"

#include "cli/cli.h"

#include <string.h>

// The kernels that the ratio clock's reference (a step of which takes one cycle unless told otherwise) and its checks
// are made of, by ISA. The last runs in many streams; not every model of an Arm core knows nops.
static const struct {
    const char *isa, *kernels[N_CHAINS];
} kernels_of[] = {
    {"x86_64", {"add-r64", "imul-r64", "nop"}}, {"aarch64", {"add-x", "mul-x", "add-x"}},
    {"armv7", {"add-r", "mul-r", "add-r"}},     {"mips", {"addu-r", "mul-r", "nop"}},
    {"mipsel", {"addu-r", "mul-r", "nop"}},     {"riscv64", {"add-x", "mul-x", "nop"}},
};

static struct program *make(struct arena *arena, const struct kernel_set *set, const char *name, enum chain which,
                            struct fail *fail) {
    struct program *program = ARENA_NEW(arena, struct program);
    struct gen_request request = {.mode = PROGRAM_LATENCY, .form = PROGRAM_UNROLLED};
    if (which == CHAIN_ISSUE)
        request.mode = PROGRAM_THROUGHPUT;
    const struct kernel *kernel = kernel_find(arena, set, name, fail);
    return kernel && gen_expand(arena, kernel, &request, program, fail) ? program : NULL;
}

// From the installed kernels always: the unit of time must not depend on what a user's folder holds.
bool chains_make(struct arena *arena, const struct isa *isa, struct program *chains[N_CHAINS], struct fail *fail) {
    for (size_t i = 0; i < sizeof kernels_of / sizeof *kernels_of; i++) {
        if (strcmp(kernels_of[i].isa, isa->name) != 0)
            continue;
        struct kernel_set set = {0};
        if (!cli_load_kernels(arena, NULL, isa->name, &set, fail))
            return false;
        for (enum chain c = CHAIN_REFERENCE; c < N_CHAINS; c++) {
            chains[c] = make(arena, &set, kernels_of[i].kernels[c], c, fail);
            if (!chains[c])
                return false;
        }
        return true;
    }
    return fail_set(fail, FAIL_UNAVAILABLE, "no reference chain is known for %s, so its cycles cannot be measured",
                    isa->name);
}
