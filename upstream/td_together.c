#include "upstream/td_together.h"

#include "analyzer/predict/port_spread.h"

#include <math.h>

// Reciprocal throughput that the pipes allow, where each part takes the best one by itself.
static double apart(const struct td_export *export) {
    struct cpu_use work[TD_EXPORT_MOST_USES];
    for (unsigned u = 0; u < export->n_uses; u++)
        work[u] = (struct cpu_use){export->uses[u].pipes, export->uses[u].cycles};
    return port_spread(work, export->n_uses, NULL);
}

// Takes a free pipe of each set. False: there are not enough.
static bool start(const struct td_export *export, unsigned now, unsigned free_at[64]) {
    unsigned taken[TD_EXPORT_MOST_USES];
    uint64_t busy = 0;
    for (unsigned p = 0; p < 64; p++)
        busy |= free_at[p] > now ? UINT64_C(1) << p : 0;
    for (unsigned size = 1; size <= 64; size++) // the smallest first, as LLVM has it
        for (unsigned u = 0; u < export->n_uses; u++) {
            const uint64_t pipes = export->uses[u].pipes & ~busy;
            if (__builtin_popcountll(export->uses[u].pipes) != (int)size)
                continue;
            if (!pipes)
                return false;
            taken[u] = (unsigned)__builtin_ctzll(pipes);
            busy |= pipes & -pipes;
        }
    for (unsigned u = 0; u < export->n_uses; u++)
        free_at[taken[u]] = now + export->uses[u].cycles;
    return true;
}

static bool is_idle(unsigned now, const unsigned free_at[64]) {
    bool is = true;
    for (unsigned p = 0; p < 64; p++)
        is &= free_at[p] <= now;
    return is;
}

// The same where all parts start in one cycle; infinite: there are more parts than pipes for them.
static double together(const struct td_export *export) {
    enum { MANY = 60 };
    unsigned free_at[64] = {0}, now = 0;
    for (unsigned i = 0; i < MANY; i++)
        for (; !start(export, now, free_at); now++)
            if (is_idle(now, free_at))
                return INFINITY;
    return (double)(now + 1) / MANY;
}

static struct td_export joined(const struct td_export *export, unsigned a, unsigned b) {
    struct td_export result = *export;
    result.uses[a].pipes |= export->uses[b].pipes;
    result.uses[a].cycles += export->uses[b].cycles;
    result.uses[b] = result.uses[--result.n_uses];
    for (unsigned u = 0; u < result.n_uses; u++)
        if (u != a && result.uses[u].pipes == result.uses[a].pipes) {
            result.uses[a].cycles += result.uses[u].cycles;
            result.uses[u] = result.uses[--result.n_uses];
            break;
        }
    return result;
}

static void sort_uses(struct td_export *export) {
    for (unsigned i = 1; i < export->n_uses; i++)
        for (unsigned k = i; k && export->uses[k].pipes < export->uses[k - 1].pipes; k--) {
            const struct td_use use = export->uses[k];
            export->uses[k] = export->uses[k - 1];
            export->uses[k - 1] = use;
        }
}

bool td_join_uses(struct td_export *export) {
    enum { MOST = 8 }; // sets; of more, none are joined
    static const double better = 0.02;
    bool does = false;
    for (bool is_better = export->n_uses <= MOST; is_better;) {
        const double wanted = apart(export);
        struct td_export best = *export;
        is_better = false;
        for (unsigned a = 0; a < export->n_uses; a++)
            for (unsigned b = a + 1; b < export->n_uses; b++) {
                if (!(export->uses[a].pipes & export->uses[b].pipes))
                    continue;
                const struct td_export one = joined(export, a, b);
                if (fabs(apart(&one) - wanted) > better * wanted || together(&one) > together(&best) - better)
                    continue;
                best = one;
                is_better = true;
            }
        if (is_better)
            *export = best;
        does |= is_better;
    }
    sort_uses(export);
    return does;
}
