#include "analyzer/sim/core/settled.h"

#include "analyzer/sim/core/units.h"

#include <math.h>

enum { MOST_KEPT = 24, MOST_SEEN = 256, PARTS = 16, MOST_CYCLES = 256, MOST_WALKED = 1 << 11, FEW_WORDS = 256 };

// A state at the end of an iteration.
struct kept {
    uint64_t signature, n_entered, next;
    int64_t cycle;
    struct front_end front_end; // that the words leave out
    uint64_t *words;
    size_t n_words, room;
};

struct settled {
    double least;
    int64_t back;         // cycles that a state looks back
    unsigned kept_stores; // that it looks back at
    struct stash *stash;
    struct kept kept[MOST_KEPT]; // the newest ones
    unsigned n_kept;             // in all
    size_t most_words;           // of any
    uint64_t seen[MOST_SEEN];    // signatures, by their last bits
    // By cycle, of the newest MOST_CYCLES: how many instructions had been dispatched behind it.
    uint64_t dispatched[MOST_CYCLES];
    int64_t last;      // cycle that was looked at
    int64_t waited;    // the last cycle in which dispatch waited for the front end, or is known to
    unsigned n_walked; // cycles, of the front end alone
};

// Whether a uop that computes needs no pipe: it begins when it could have, however long ago that is.
static bool computes_without_pipe(const struct core_insn *insn) {
    for (unsigned u = 0; u < insn->n_uops; u++)
        if (insn->uops[u].part == CORE_COMPUTES && !insn->uops[u].pipes)
            return true;
    return false;
}

static int64_t larger(int64_t one, int64_t other) {
    return one > other ? one : other;
}

// Ticks by which a time that is over may be moved into the time to come, when somebody reads it.
static int64_t ticks_back(const struct core_plan *plan) {
    int64_t uops = 0, reads = 0, stores = 0, met = 0;
    for (unsigned i = 0; i < plan->n; i++) {
        const struct core_insn *insn = &plan->insns[i];
        // Such instructions add up what others before them add.
        if ((!insn->n_of_part[CORE_COMPUTES] && insn->latency > 0) || computes_without_pipe(insn))
            return INT64_MAX;
        if (insn->n_of_part[CORE_COMPUTES] > 1)
            uops = larger(uops, insn->latency);
        stores = larger(stores, insn->store_delay);
        for (unsigned r = 0; r < insn->n_reads; r++) {
            if (insn->reads[r].advanced)
                return INT64_MAX;
            reads = larger(reads, larger(-insn->reads[r].early, 0) + larger(-insn->own_early, 0));
        }
    }
    for (unsigned i = 0; i < plan->n_turns * plan->n; i++) {
        if (plan->accesses[i].sync || plan->accesses[i].gap)
            return INT64_MAX;
        met = larger(met, plan->accesses[i].meets == CORE_MEETS_NOTHING ? 0 : plan->accesses[i].more);
    }
    return uops + reads + stores + met;
}

static unsigned stores_back(const struct core_plan *plan) {
    unsigned most = 0;
    for (unsigned i = 0; i < plan->n_turns * plan->n; i++)
        if (plan->accesses[i].meets != CORE_MEETS_NOTHING && plan->accesses[i].stores_back > most)
            most = plan->accesses[i].stores_back;
    return most;
}

struct settled *settled_open(const struct units *units, double least, struct stash *stash) {
    struct settled *settled = STASH_ZEROED(stash, struct settled, 1);
    const int64_t ticks = ticks_back(units->plan);
    settled->least = least;
    settled->stash = stash;
    settled->most_words = FEW_WORDS;
    settled->back = ticks < ticks_at(LONGEST_LOOK_BACK - 2) ? ticks_cycle(ticks) + 2 : LONGEST_LOOK_BACK;
    settled->kept_stores = stores_back(units->plan);
    settled->last = settled->waited = -1;
    return settled;
}

// Of counts, several one behind the other: sooner done than signature_mix.
static uint64_t add_count(uint64_t hash, unsigned count) {
    enum { BITS = 5, ALL_BITS = 64 };
    return (hash << BITS | hash >> (ALL_BITS - BITS)) ^ count;
}

static uint64_t signature_of(const struct units *units) {
    const struct core *core = &units->core;
    const struct station *station = &units->station;
    const uint64_t next = station_number(station, units->flights.next, 0);
    uint64_t hash = signature_mix(core->next_position, core->next - units->flights.oldest);
    hash = signature_mix(hash, units->turn | (uint64_t)station->n_in_wheel << 32);
    hash = signature_mix(hash, (uint64_t)(units->dispatch.busy_until - ticks_at(core->now)));
    for (unsigned i = 0; i < CORE_N_SCHEDULERS; i++)
        hash = add_count(hash, station->n_entries[i]);
    for (uint64_t left = station->filled; left; left &= left - 1) {
        const struct station_queue *queue = &station->queues[__builtin_ctzll(left)];
        hash = signature_mix(hash, (next - queue->oldest) << 32 | queue->n);
    }
    hash = signature_mix(hash, station->filled);
    for (unsigned p = 0; p < units->ports.n_pipes && units->plan->binds_at_rename; p++)
        hash = add_count(hash, units->ports.n_bound[p]);
    return signature_mix(hash, units->ports.history);
}

static void put(const struct settled *settled, const struct units *units, struct coder *coder) {
    coder->now = units->core.now + 1;
    coder->next = units->core.next;
    coder->oldest = units->flights.oldest;
    coder->back = settled->back;
    coder_put(coder, units->core.next_position);
    units_put_back_end(units, coder, settled->kept_stores);
}

static void keep(struct settled *settled, const struct units *units, uint64_t signature) {
    struct kept *kept = &settled->kept[settled->n_kept++ % MOST_KEPT];
    if (!kept->room) { // as much as any so far has needed, and a little more
        kept->room = settled->most_words + settled->most_words / 4;
        kept->words = STASH_ARRAY(settled->stash, uint64_t, kept->room);
    }
    struct coder coder = {.stash = settled->stash, .words = kept->words, .n_words = kept->room};
    put(settled, units, &coder);
    settled->most_words = coder.n > settled->most_words ? coder.n : settled->most_words;
    *kept = (struct kept){.signature = signature,
                          .n_entered = units->core.n_entered,
                          .next = units->core.next,
                          .cycle = units->core.now,
                          .front_end = units->front_end,
                          .words = coder.words,
                          .n_words = coder.n,
                          .room = coder.n_words};
}

static bool is_kept_state(const struct settled *settled, const struct units *units, const struct kept *kept) {
    struct coder coder = {.words = kept->words, .n_words = kept->n_words};
    put(settled, units, &coder);
    return !coder.differs && coder.n == kept->n_words;
}

// Two front ends, each at the end of a cycle with so many instructions dispatched.
static bool is_front_end(const struct front_end *one, int64_t cycle_one, uint64_t next_one,
                         const struct front_end *other, int64_t cycle_other, uint64_t next_other) {
    for (unsigned i = 0; i < one->plan->n_supplies; i++) {
        const struct front_end_part *a = &one->parts[i], *b = &other->parts[i];
        if (a->step != b->step || a->delivered - next_one != b->delivered - next_other ||
            ticks_since(a->gate.busy_until, ticks_at(cycle_one + 1)) !=
                ticks_since(b->gate.busy_until, ticks_at(cycle_other + 1)))
            return false;
    }
    return true;
}

// Per iteration, since the state was kept. What differs from `least` by how that was computed is `least`.
static double cycles_since(const struct settled *settled, const struct kept *kept, const struct core *core) {
    const double cycles = (double)(core->now - kept->cycle) / (double)(core->n_entered - kept->n_entered);
    return fabs(cycles - settled->least) < 1e-9 ? settled->least : cycles;
}

// Walks the front end alone, while dispatch takes what it took since the state was kept, again and again. Returns
// whether it always has more than that, until its own state comes again.
static bool keeps_up(struct settled *settled, const struct units *units, const struct kept *kept) {
    struct front_end front = units->front_end, before = front;
    int64_t cycle = units->core.now, cycle_before = cycle;
    uint64_t next = units->core.next, next_before = next;
    front.total = before.total = UINT64_MAX / 2;
    for (unsigned period = 1, again = 2; settled->n_walked < MOST_WALKED; period++) {
        const uint64_t ahead = next - kept->next;
        for (int64_t i = kept->cycle + 1; i <= units->core.now; i++) {
            const uint64_t taken = settled->dispatched[i % MOST_CYCLES] + ahead;
            settled->n_walked++;
            cycle++;
            if (front_end_delivered(&front) <= taken) {
                settled->waited = cycle;
                return false;
            }
            front_end_cycle(&front, cycle, taken);
        }
        next = units->core.next + ahead;
        if (is_front_end(&front, cycle, next, &before, cycle_before, next_before))
            return true;
        if (period == again) {
            before = front;
            cycle_before = cycle;
            next_before = next;
            again *= 2;
        }
    }
    return false;
}

// Where dispatch has not waited for the front end, its state may be left out if nothing could be faster.
static bool comes_again(struct settled *settled, const struct units *units, const struct kept *kept) {
    const struct core *core = &units->core;
    if (is_front_end(&units->front_end, core->now, core->next, &kept->front_end, kept->cycle, kept->next))
        return is_kept_state(settled, units, kept);
    return cycles_since(settled, kept, core) == settled->least && settled->waited <= kept->cycle &&
           core->now - kept->cycle <= MOST_CYCLES && settled->n_walked < MOST_WALKED &&
           is_kept_state(settled, units, kept) && keeps_up(settled, units, kept);
}

// Cycles in which nothing moved were left out.
static void note_dispatched(struct settled *settled, const struct core *core) {
    const uint64_t before = settled->last < 0 ? 0 : settled->dispatched[settled->last % MOST_CYCLES];
    if (core->now - settled->last > MOST_CYCLES)
        settled->last = core->now - MOST_CYCLES;
    while (++settled->last < core->now)
        settled->dispatched[settled->last % MOST_CYCLES] = before;
    settled->dispatched[core->now % MOST_CYCLES] = core->next;
}

// To keep a state takes as long as to walk a part of what is in flight. The longer a run goes on, the more a period is
// worth, and the longer it may be.
static bool is_time_to_keep(const struct settled *settled, const struct units *units) {
    enum { FEW = 64, EARLY = 6 };
    const struct core *core = &units->core;
    const uint64_t since = core->next - (settled->n_kept ? settled->kept[(settled->n_kept - 1) % MOST_KEPT].next : 0),
                   in_flight = core->next - units->flights.oldest;
    const bool is_early = core->next < core->total / EARLY;
    const uint64_t least = is_early && in_flight > FEW ? 2 * in_flight - FEW : in_flight;
    return since >= least && since >= core->next / PARTS;
}

void settled_look(struct settled *settled, struct units *units, const struct settled_cycle *what) {
    struct core *core = &units->core;
    note_dispatched(settled, core);
    if (what->waits && settled->waited < core->now)
        settled->waited = core->now;
    // At the begin, times before it cannot be looked back at; at the end, nothing comes any more.
    if (!what->ends_iteration || core->now < settled->back || core->next >= core->total ||
        front_end_entered(&units->front_end) >= core->total)
        return;
    const uint64_t signature = signature_of(units);
    const unsigned n = settled->n_kept < MOST_KEPT ? settled->n_kept : MOST_KEPT;
    for (unsigned i = 1; i <= n; i++) {
        const struct kept *kept = &settled->kept[(settled->n_kept - i) % MOST_KEPT];
        if (kept->signature == signature && comes_again(settled, units, kept)) {
            core->settled_cycles = cycles_since(settled, kept, core);
            return;
        }
    }
    // A state whose signature was not there before may still be on its way to a period.
    uint64_t *seen = &settled->seen[signature % MOST_SEEN];
    if (*seen == signature && is_time_to_keep(settled, units))
        keep(settled, units, signature);
    *seen = signature;
}
