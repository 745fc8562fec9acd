#include "analyzer/predict/bounds.h"

bool bounds_is_doubtful(const struct cpu_recipe *recipe, enum bounds_doubt doubt) {
    return doubt == DOUBT_TIME ? recipe->is_unknown : recipe->is_x87;
}

const char *bounds_doubt_name(enum bounds_doubt doubt) {
    return doubt == DOUBT_TIME ? "unknown-time" : "x87-chains";
}

const char *bounds_doubt_sentence(enum bounds_doubt doubt) {
    return doubt == DOUBT_TIME ? "nobody has stated how long this takes; LLVM's latency stands for that"
                               : "chains through the stack of x87 are not followed; its latencies count for nothing";
}

struct bounds_basis bounds_basis_of(const struct cpu_recipe *recipes, unsigned n) {
    struct bounds_basis basis = {.n_insns = n};
    for (unsigned i = 0; i < n; i++) {
        basis.n_by_base += cpu_recipe_needs_base(&recipes[i]);
        for (unsigned d = 0; d < BOUNDS_N_DOUBTS; d++)
            basis.n_doubtful[d] += bounds_is_doubtful(&recipes[i], (enum bounds_doubt)d);
    }
    return basis;
}
