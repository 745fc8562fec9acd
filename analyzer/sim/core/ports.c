#include "analyzer/sim/core/ports.h"

#include <limits.h>

static void rank_pipes(struct ports *ports) {
    const double *wanted = ports->plan->wanted;
    uint64_t left = ports->all;
    for (unsigned rank = 0; left; rank++) {
        uint64_t alike = 0;
        for (uint64_t pipes = left; pipes; pipes &= pipes - 1) {
            const unsigned pipe = (unsigned)__builtin_ctzll(pipes),
                           least = alike ? (unsigned)__builtin_ctzll(alike) : pipe;
            if (wanted[pipe] < wanted[least])
                alike = 0;
            if (wanted[pipe] <= wanted[least])
                alike |= UINT64_C(1) << pipe;
        }
        ports->wanted_alike[rank] = alike;
        left &= ~alike;
    }
}

void ports_open(struct ports *ports, const struct core_plan *plan) {
    *ports = (struct ports){.plan = plan};
    uint64_t all = 0;
    for (unsigned q = 1; q < plan->n_queues; q++) {
        all |= plan->queues[q];
        for (uint64_t left = plan->queues[q]; left; left &= left - 1)
            ports->served_by[__builtin_ctzll(left)] |= UINT64_C(1) << q;
        if (!(plan->queues[q] & (plan->queues[q] - 1))) {
            const unsigned pipe = (unsigned)__builtin_ctzll(plan->queues[q]);
            ports->queues[pipe] = (uint8_t)q;
            ports->served_by_it_alone[pipe] |= UINT64_C(1) << q;
        }
    }
    ports->n_pipes = all ? MOST_PIPES - (unsigned)__builtin_clzll(all) : 0;
    ports->all = ports->open = all;
    ports->served = UINT64_MAX;
    rank_pipes(ports);
}

void ports_begin(struct ports *ports, int64_t cycle) {
    for (uint64_t left = ports->all & ~ports->open; left; left &= left - 1)
        if (gate_is_open(&ports->pipes[__builtin_ctzll(left)], cycle)) {
            ports->open |= left & -left;
            ports->served |= ports->served_by[__builtin_ctzll(left)];
        }
}

// The next higher pipe, or the lowest.
static unsigned next_pipe(uint64_t pipes, unsigned last) {
    uint64_t higher = pipes & ~((UINT64_C(2) << last) - 1);
    return (unsigned)__builtin_ctzll(higher ? higher : pipes);
}

static void note_pipe(struct ports *ports, unsigned pipe) {
    enum { BITS = 4 }; // forgets all but the last 16
    ports->history = ports->history << BITS ^ pipe;
}

unsigned ports_bind(struct ports *ports, const struct core_uop *uop) {
    if (uop->part == CORE_LOADS) {
        ports->last_load = next_pipe(uop->pipes, ports->last_load);
        ports->n_bound[ports->last_load]++;
        return ports->last_load;
    }
    unsigned least = UINT_MAX; // how many wait, and behind that the number from the highest pipe on: no branch to guess
    for (uint64_t left = uop->pipes; left; left &= left - 1) {
        const unsigned pipe = (unsigned)__builtin_ctzll(left),
                       waiting = ports->n_bound[pipe] * MOST_PIPES + MOST_PIPES - 1 - pipe;
        least = waiting < least ? waiting : least;
    }
    const unsigned best = MOST_PIPES - 1 - least % MOST_PIPES;
    ports->n_bound[best]++;
    note_pipe(ports, best);
    return best;
}

// Whether a uop that is ready then wastes less of one pipe than of another, of which it begins at the same time: of
// those that become free in this cycle, the one that does so last; else the one that has been free for longest.
static bool fits_better(const struct ports *ports, unsigned pipe, unsigned best, int64_t now, int64_t ready) {
    int64_t one = ports->pipes[pipe].busy_until, other = ports->pipes[best].busy_until;
    if (ready == now) // what is free by now has been so for longer, and what is not, becomes so sooner
        return one < other;
    int64_t begin = one > ready ? one : ready, begin_other = other > ready ? other : ready;
    if (begin != begin_other)
        return begin < begin_other;
    return one > now || other > now ? one > other : one < other;
}

unsigned ports_choose(const struct ports *ports, uint64_t pipes, int64_t cycle, int64_t ready) {
    const int64_t now = ticks_at(cycle), earliest = ready > now ? ready : now;
    uint64_t left = pipes & ports->open;
    for (unsigned rank = 0; left & (left - 1); rank++)
        if (left & ports->wanted_alike[rank]) {
            left &= ports->wanted_alike[rank];
            break;
        }
    unsigned best = (unsigned)__builtin_ctzll(left);
    for (left &= left - 1; left; left &= left - 1) {
        const unsigned pipe = (unsigned)__builtin_ctzll(left);
        best = fits_better(ports, pipe, best, now, earliest) ? pipe : best;
    }
    return best;
}

static void close_pipe(struct ports *ports, unsigned pipe) {
    ports->open &= ~(UINT64_C(1) << pipe);
    ports->served &= ~ports->served_by_it_alone[pipe];
    for (uint64_t left = ports->served_by[pipe] & ports->served; left; left &= left - 1)
        if (!(ports->plan->queues[__builtin_ctzll(left)] & ports->open))
            ports->served &= ~(left & -left);
}

int64_t ports_take(struct ports *ports, const struct core_uop *uop, unsigned pipe, int64_t cycle, int64_t earliest,
                   int64_t hold) {
    int64_t begin = gate_take(&ports->pipes[pipe], cycle, earliest, hold);
    if (!gate_is_open(&ports->pipes[pipe], cycle))
        close_pipe(ports, pipe);
    ports->n_bound[pipe] -= uop->is_bound;
    note_pipe(ports, pipe);
    return begin;
}

// Of pipes that are free, it matters which of them have been so for longer: how many.
static uint64_t rank_of(const struct ports *ports, unsigned pipe, int64_t now) {
    uint64_t rank = 0;
    for (unsigned p = 0; p < ports->n_pipes && ports->pipes[pipe].busy_until < now; p++)
        rank += ports->pipes[p].busy_until < ports->pipes[pipe].busy_until;
    return rank;
}

void ports_put(const struct ports *ports, struct coder *coder) {
    for (uint64_t left = ports->all; left && !coder->differs; left &= left - 1)
        put_ticks(coder, ports->pipes[__builtin_ctzll(left)].busy_until, 0);
    // Where all uops are bound at rename, nobody chooses between pipes that are free.
    for (uint64_t left = ports->plan->binds_at_rename ? 0 : ports->all; left && !coder->differs; left &= left - 1)
        coder_put(coder, rank_of(ports, (unsigned)__builtin_ctzll(left), ticks_at(coder->now)));
    coder_put(coder, ports->last_load);
}
