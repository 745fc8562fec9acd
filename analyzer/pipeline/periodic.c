#include "analyzer/pipeline/periodic.h"

#include "analyzer/pipeline/simulation.h"
#include "analyzer/pipeline/state.h"

#include <string.h>

// A state beyond this is not worth keeping: 32 MiB.
enum { MOST_WORDS = 4 << 20, FIRST_KEPT_FOR = 2 };

// Listeners that do not know of repetition must hear everything.
static bool all_can_skip(const struct simulation *sim) {
    for (struct event_listener *const *l = sim->listeners; *l != NULL; l++)
        if ((*l)->repeated == NULL)
            return false;
    return true;
}

void periodic_init(struct simulation *sim, const struct pipeline_options *options, struct stash *stash) {
    struct periodic *periodic = &sim->periodic;
    *periodic = (struct periodic){.is_on = false};
    size_t words = state_max_words(sim);
    if (options->walk_all || words > MOST_WORDS || !all_can_skip(sim))
        return;
    periodic->is_on = true;
    periodic->walk_insns = options->walk_iterations < sim->total / sim->plan.n_insns
                               ? options->walk_iterations * sim->plan.n_insns
                               : sim->total;
    periodic->max_cycles = options->max_cycles;
    periodic->keep_for = FIRST_KEPT_FOR;
    periodic->state = STASH_ARRAY(stash, uint64_t, words);
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

// What tells most states apart, and is at hand. Includes how long the last iteration took.
static uint64_t signature_of(const struct simulation *sim) {
    const struct scheduler *scheduler = &sim->scheduler;
    uint64_t hash = mix(sim->next_position, (uint64_t)(sim->now - sim->periodic.last_end));
    hash = mix(hash, (uint64_t)sim->reorder_buffer.used << 32 | sim->carried_uops);
    hash = mix(hash, sim->next - sim->reorder_buffer.oldest);
    hash = mix(hash, (uint64_t)scheduler->n_waiting << 32 | scheduler->n_pending);
    hash = mix(hash, (uint64_t)sim->memory.loads << 32 | sim->memory.stores);
    return mix(hash, sim->resources->free);
}

static uint64_t signature_in_order(const struct simulation *sim) {
    const struct in_order_stage *stage = &sim->in_order;
    uint64_t hash = mix(sim->next_position, (uint64_t)(sim->now - sim->periodic.last_end));
    hash = mix(hash, (uint64_t)stage->n_issued << 32 | stage->carried_uops);
    hash = mix(hash, (uint64_t)stage->stall << 32 ^ (uint64_t)stage->stall_cycles);
    hash = mix(hash, (uint64_t)stage->last_write_back);
    return mix(hash, sim->resources->free);
}

static void keep(struct simulation *sim, uint64_t signature, uint64_t apart) {
    struct periodic *periodic = &sim->periodic;
    periodic->n_state = state_write(sim, periodic->state);
    periodic->signature = signature;
    periodic->insns = sim->next;
    periodic->n_forgotten = sim->n_forgotten;
    periodic->cycles = sim->now;
    periodic->keep_until = periodic->n_ends + (2 * apart > periodic->keep_for ? 2 * apart : periodic->keep_for);
    periodic->keep_for *= 2;
    for (struct event_listener *const *l = sim->listeners; *l != NULL; l++)
        if ((*l)->marked != NULL)
            (*l)->marked((*l)->self);
}

// Periods are left out while at least one instruction remains to enter after them: without any, dispatch no longer
// asks for room, and no longer tells of stalls.
static void skip(struct simulation *sim) {
    struct periodic *periodic = &sim->periodic;
    uint64_t insns = sim->next - periodic->insns, cycles = (uint64_t)(sim->now - periodic->cycles);
    uint64_t entered = sim->queue.size != 0 ? sim->queue.end : sim->next;
    uint64_t times = entered < sim->total ? (sim->total - 1 - entered) / insns : 0;
    if (periodic->max_cycles != 0) {
        uint64_t left = periodic->max_cycles > (uint64_t)sim->now ? periodic->max_cycles - (uint64_t)sim->now : 0;
        times = left / cycles < times ? left / cycles : times;
    }
    periodic->is_on = false;
    if (times == 0)
        return;
    sim->total -= times * insns;
    sim->skipped_insns = times * insns;
    sim->skipped_cycles = times * cycles;
    TELL(sim, repeated, times, times * cycles, times * insns);
}

static bool has_walked_enough(const struct simulation *sim) {
    if (!sim->machine->in_order)
        return sim->reorder_buffer.oldest >= sim->periodic.walk_insns;
    return sim->next >= sim->periodic.walk_insns + (sim->periodic.walk_insns != 0 ? sim->flight.slot_mask + 1 : 0);
}

// What is not told, as a mistake of llvm-mca, makes the counts of listeners drift.
static bool is_repetition(const struct simulation *sim) {
    const struct periodic *periodic = &sim->periodic;
    bool is_drifting = sim->n_forgotten != periodic->n_forgotten && (sim->heard.executed || sim->heard.retired);
    return !is_drifting && sim->next != periodic->insns && state_is(sim, periodic->state, periodic->n_state);
}

// Notes that a signature was seen now; returns when it was before, 0 for never.
static uint64_t see(struct periodic *periodic, uint64_t signature) {
    struct seen_signature *seen = periodic->seen[signature % SIGNATURE_PLACES];
    unsigned i = 0;
    while (i < SIGNATURES_AT_PLACE - 1 && seen[i].signature != signature)
        i++;
    uint64_t before = seen[i].signature == signature ? seen[i].end : 0;
    for (; i > 0; i--)
        seen[i] = seen[i - 1];
    seen[0] = (struct seen_signature){.signature = signature, .end = periodic->n_ends};
    return before;
}

void periodic_look(struct simulation *sim) {
    struct periodic *periodic = &sim->periodic;
    if (!has_walked_enough(sim))
        return;
    uint64_t signature = sim->machine->in_order ? signature_in_order(sim) : signature_of(sim);
    uint64_t end = ++periodic->n_ends;
    periodic->last_end = sim->now;
    if (periodic->n_state != 0 && signature == periodic->signature && is_repetition(sim)) {
        skip(sim);
        return;
    }
    uint64_t before = see(periodic, signature);
    if (before != 0 && end >= periodic->keep_until)
        keep(sim, signature, end - before);
}
