#include "analyzer/sim/core/settled.h"

#include "analyzer/sim/core/units.h"

#include <string.h>

enum { SEEN_PLACES = 32, MOST_CYCLES = 256, FIRST_COMPARED = 2, MOST_COMPARED = 16, MOST_WALKED = 1 << 11 };

// The end of an iteration.
struct moment {
    uint64_t signature, n_entered;
    int64_t cycle;
};

struct settled {
    double least;
    int64_t back;         // cycles that a state looks back
    unsigned kept_stores; // that it looks back at
    struct moment seen[SEEN_PLACES];
    // A state that was kept; n_state 0: none. By cycle since, how many instructions had been dispatched then.
    struct stash *stash;
    uint64_t *state;
    size_t n_state, room;
    struct moment kept;
    unsigned n_compared, most_compared; // with it so far, and until another one takes its place
    unsigned n_walked;                  // cycles, of the front end alone
    struct front_end front_end;
    uint64_t next;
    uint16_t taken[MOST_CYCLES];
    unsigned n_taken;
    bool has_waited; // dispatch, for the front end
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
    settled->back = ticks < ticks_at(LONGEST_LOOK_BACK - 2) ? ticks_cycle(ticks) + 2 : LONGEST_LOOK_BACK;
    settled->kept_stores = stores_back(units->plan);
    settled->most_compared = FIRST_COMPARED;
    return settled;
}

static uint64_t signature_of(const struct units *units) {
    const struct core *core = &units->core;
    uint64_t hash = signature_mix(core->next_position, core->next - units->flights.oldest);
    hash = signature_mix(hash, units->turn | (uint64_t)units->station.n_in_wheel << 32);
    hash = signature_mix(hash, (uint64_t)(units->dispatch.busy_until - ticks_at(core->now)));
    hash = signature_mix(hash, units->station.filled);
    for (unsigned i = 0; i < CORE_N_SCHEDULERS; i++)
        hash = signature_mix(hash, units->station.n_entries[i]);
    return signature_mix(hash, units->ports.history);
}

// Whether all between two ends took as long as it has to.
static bool is_least(const struct settled *settled, const struct moment *from, const struct moment *to) {
    return to->n_entered > from->n_entered &&
           (double)(to->cycle - from->cycle) / (double)(to->n_entered - from->n_entered) == settled->least;
}

static void put(const struct settled *settled, const struct units *units, struct coder *coder) {
    coder->now = units->core.now + 1;
    coder->next = units->core.next;
    coder->oldest = units->flights.oldest;
    coder->back = settled->back;
    coder_put(coder, units->core.next_position);
    units_put_back_end(units, coder, settled->kept_stores);
}

static void keep(struct settled *settled, const struct units *units, const struct moment *moment) {
    struct coder coder = {.stash = settled->stash, .words = settled->state, .n_words = settled->room};
    put(settled, units, &coder);
    settled->state = coder.words;
    settled->n_state = coder.n;
    settled->room = coder.n_words;
    settled->kept = *moment;
    settled->front_end = units->front_end;
    settled->next = units->core.next;
    settled->n_taken = settled->n_compared = 0;
    settled->has_waited = false;
}

static bool is_kept_state(const struct settled *settled, const struct units *units) {
    struct coder coder = {.words = settled->state, .n_words = settled->n_state};
    put(settled, units, &coder);
    return !coder.differs && coder.n == settled->n_state;
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

// Walks the front end alone, while dispatch takes what it took since the state was kept, again and again. Returns
// whether it always has more than that, until its own state comes again.
static bool keeps_up(struct settled *settled, const struct units *units) {
    struct front_end front = units->front_end, before = front;
    int64_t cycle = units->core.now, cycle_before = cycle;
    uint64_t next = units->core.next, next_before = next;
    front.total = before.total = UINT64_MAX / 2;
    for (unsigned period = 1, again = 2; settled->n_walked < MOST_WALKED; period++) {
        settled->n_walked += settled->n_taken;
        for (unsigned i = 0; i < settled->n_taken; i++) {
            cycle++;
            if (front_end_delivered(&front) <= next + settled->taken[i])
                return false;
            front_end_cycle(&front, cycle, next + settled->taken[i]);
        }
        next += settled->taken[settled->n_taken - 1];
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

static bool is_settled(struct settled *settled, const struct units *units) {
    const struct core *core = &units->core;
    const bool is_whole =
        is_front_end(&units->front_end, core->now, core->next, &settled->front_end, settled->kept.cycle, settled->next);
    if (!is_whole && (settled->has_waited || settled->n_walked >= MOST_WALKED))
        return false;
    settled->n_compared++;
    return is_kept_state(settled, units) && (is_whole || keeps_up(settled, units));
}

// Cycles in which nothing moved were left out.
static void note_taken(struct settled *settled, const struct units *units) {
    const struct core *core = &units->core;
    const uint64_t n = (uint64_t)(core->now - settled->kept.cycle), taken = core->next - settled->next;
    if (n > MOST_CYCLES || taken > UINT16_MAX) {
        settled->n_state = 0;
        return;
    }
    const uint16_t before = settled->n_taken ? settled->taken[settled->n_taken - 1] : 0;
    while (settled->n_taken + 1 < n)
        settled->taken[settled->n_taken++] = before;
    settled->taken[settled->n_taken++] = (uint16_t)taken;
}

void settled_look(struct settled *settled, struct units *units, const struct settled_cycle *what) {
    struct core *core = &units->core;
    if (settled->n_state)
        note_taken(settled, units);
    settled->has_waited |= what->waits;
    // At the begin, times before it cannot be looked back at; at the end, nothing comes any more.
    if (!what->ends_iteration || core->now < settled->back || core->next >= core->total ||
        front_end_entered(&units->front_end) >= core->total)
        return;
    const struct moment now = {signature_of(units), core->n_entered, core->now};
    struct moment *before = &settled->seen[now.signature % SEEN_PLACES];
    const bool is_again = before->signature == now.signature && is_least(settled, before, &now);
    *before = now;
    if (!is_again || settled->most_compared > MOST_COMPARED)
        return;
    if (!settled->n_state) {
        keep(settled, units, &now);
    } else if (settled->kept.signature == now.signature && is_least(settled, &settled->kept, &now)) {
        core->is_settled = is_settled(settled, units);
        if (core->is_settled || settled->n_compared < settled->most_compared)
            return;
        settled->most_compared *= 2;
        keep(settled, units, &now);
    }
}
