#include "analyzer/predict/bounds.h"

bool bounds_is_doubtful(const struct cpu_recipe *recipe, enum bounds_doubt doubt) {
    const bool doubts[BOUNDS_N_DOUBTS] = {[DOUBT_TIME] = recipe->is_unknown,
                                          [DOUBT_X87] = recipe->is_x87,
                                          [DOUBT_QUOTIENT] = recipe->divides,
                                          [DOUBT_COUNT] = recipe->is_repeated};
    return doubts[doubt];
}

const char *bounds_doubt_name(enum bounds_doubt doubt) {
    static const char *const names[BOUNDS_N_DOUBTS] = {[DOUBT_TIME] = "unknown-time",
                                                       [DOUBT_X87] = "x87-chains",
                                                       [DOUBT_QUOTIENT] = "quotient",
                                                       [DOUBT_COUNT] = "count"};
    return names[doubt];
}

const char *bounds_doubt_sentence(enum bounds_doubt doubt) {
    static const char *const sentences[BOUNDS_N_DOUBTS] = {
        [DOUBT_TIME] = "nobody has stated how long this takes; LLVM's latency stands for that",
        [DOUBT_X87] = "chains through the stack of x87 are not followed; its latencies count for nothing",
        [DOUBT_QUOTIENT] = "how long a division takes may depend on its quotient; one time stands for all",
        [DOUBT_COUNT] = "how long a repeated string instruction takes depends on rcx; one time stands for all",
    };
    return sentences[doubt];
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
