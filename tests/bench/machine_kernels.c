// The kernels of a machine card's experiments for an ISA, as a kernel file:  machine_kernels ISA
// Those of forwarding, bandwidth, costs and banks: tests/machine-emulated.sh runs them under emulation.
#include "parameters/experiments.h"
#include "parameters/testing.h"

#include <stdio.h>

static double any(const char *name) {
    (void)name;
    return 1;
}

int main(int argc, char **argv) {
    struct arena arena = {0};
    struct session session = testing_session(&arena);
    struct text out = {.arena = &arena};
    session.recipe = recipe_find(argc > 1 ? argv[1] : "");
    if (!session.recipe) {
        fprintf(stderr, "machine_kernels: which ISA? x86_64, aarch64 or riscv64\n");
        return 2;
    }
    do {
        session.card = (struct card){.arena = &arena};
        forwarding_find(&session);
        bandwidth_find(&session);
        costs_find(&session);
        banks_find(&session);
    } while (testing_give(&session, any, NULL));
    session_add_kernels(&session, &out);
    fputs(out.data, stdout);
    arena_free(&arena);
    return 0;
}
