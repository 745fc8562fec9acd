#include "analyzer/predict/bound_parts.h"
#include "analyzer/predict/port_spread.h"

enum { MOST_SETS = 32 };

// Whether an operation loses turns of a pipe: divisions, which hold theirs long, do not.
static bool loses_turns(const struct cpu_recipe *recipe, const struct cpu_use *use, const struct bound_crowd *crowd) {
    bool may_lose = crowd && use->pipes & crowd->pipes && use->cycles <= recipe->slots;
    return may_lose && (crowd->is_full || !recipe->waits_for_load);
}

static unsigned collect(const struct bound_code *code, const struct bound_crowd *crowd,
                        struct cpu_use sets[MOST_SETS]) {
    unsigned n = 0;
    for (unsigned i = 0; i < code->n; i++)
        for (unsigned u = 0; u < code->recipes[i].n_uses; u++) {
            const struct cpu_use *use = &code->recipes[i].uses[u];
            unsigned at = 0;
            while (at < n && sets[at].pipes != use->pipes)
                at++;
            if (at == n && n < MOST_SETS)
                sets[n++] = (struct cpu_use){use->pipes, 0};
            if (at < n)
                sets[at].cycles +=
                    use->cycles + (loses_turns(&code->recipes[i], use, crowd) ? code->recipes[i].lost : 0);
        }
    return n;
}

double bound_ports(const struct bound_code *code, const struct bound_crowd *crowd, uint64_t *pipes) {
    struct cpu_use sets[MOST_SETS];
    return port_spread(sets, collect(code, crowd, sets), pipes);
}

void bound_lose_turns(struct bound_code *code, const struct bound_crowd *crowd) {
    for (unsigned i = 0; i < code->n; i++)
        for (unsigned u = 0; u < code->recipes[i].n_uses; u++)
            if (loses_turns(&code->recipes[i], &code->recipes[i].uses[u], crowd))
                code->recipes[i].uses[u].cycles += code->recipes[i].lost;
}
