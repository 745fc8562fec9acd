#include "analyzer/sim/periodic.h"

#include "analyzer/sim/core.h"
#include "analyzer/sim/pipeline.h"

// A state beyond this is not worth keeping: 32 MiB.
enum { MOST_WORDS = 4 << 20, FIRST_KEPT_FOR = 2 };

// Listeners that do not know of repetition must get every event.
static bool all_can_skip(const struct core *core) {
    for (struct event_listener *const *l = core->reporter.listeners; *l != NULL; l++)
        if ((*l)->repeated == NULL)
            return false;
    return true;
}

void periodic_init(struct periodic *periodic, const struct core *core, const struct pipeline_options *options,
                   struct stash *stash) {
    unsigned n_insns = core->n_steps;
    *periodic = (struct periodic){.is_on = !options->walk_all && all_can_skip(core)};
    periodic->walk_insns =
        options->walk_iterations < core->total / n_insns ? options->walk_iterations * n_insns : core->total;
    periodic->max_cycles = options->max_cycles;
    periodic->keep_for = FIRST_KEPT_FOR;
    periodic->stash = stash;
}

// Includes how long the last iteration took.
static uint64_t signature_of(const struct periodic *periodic, const struct core *core) {
    uint64_t hash = signature_mix(core->next_position, (uint64_t)(core->now - periodic->last_end));
    return core->ops->signature(core, hash);
}

static void keep(struct periodic *periodic, struct core *core, uint64_t signature, uint64_t apart) {
    struct coder coder = {.stash = periodic->stash, .words = periodic->state, .n_words = periodic->room};
    core_put_state(core, &coder);
    periodic->state = coder.words;
    periodic->n_state = coder.n;
    periodic->room = coder.n_words;
    periodic->is_on = coder.n <= MOST_WORDS;
    periodic->signature = signature;
    periodic->insns = core->next;
    periodic->n_unreported = core->reporter.n_unreported;
    periodic->cycles = core->now;
    periodic->keep_until = periodic->n_ends + (2 * apart > periodic->keep_for ? 2 * apart : periodic->keep_for);
    periodic->keep_for *= 2;
    for (struct event_listener *const *l = core->reporter.listeners; *l != NULL; l++)
        if ((*l)->marked != NULL)
            (*l)->marked((*l)->self);
}

// Periods are left out while at least one instruction remains to enter after them: without any, dispatch no longer
// asks for room, and no longer reports stalls.
static void skip(struct periodic *periodic, struct core *core) {
    uint64_t insns = core->next - periodic->insns, cycles = (uint64_t)(core->now - periodic->cycles);
    uint64_t entered = core->next + core->n_queued;
    uint64_t times = entered < core->total ? (core->total - 1 - entered) / insns : 0;
    if (periodic->max_cycles != 0) {
        uint64_t left = periodic->max_cycles > (uint64_t)core->now ? periodic->max_cycles - (uint64_t)core->now : 0;
        times = left / cycles < times ? left / cycles : times;
    }
    periodic->is_on = false;
    if (times == 0)
        return;
    core->total -= times * insns;
    core->reporter.skipped_insns = times * insns;
    core->reporter.skipped_cycles = times * cycles;
    REPORT(&core->reporter, repeated, times, times * cycles, times * insns);
}

// What is not reported, as a mistake of llvm-mca, makes the counts of listeners drift.
static bool is_drifting(const struct periodic *periodic, const struct reporter *reporter) {
    return reporter->n_unreported != periodic->n_unreported && (reporter->wanted.executed || reporter->wanted.retired);
}

static bool is_repetition(const struct periodic *periodic, const struct core *core) {
    if (is_drifting(periodic, &core->reporter) || core->next == periodic->insns)
        return false;
    struct coder coder = {.words = periodic->state, .n_words = periodic->n_state};
    core_put_state(core, &coder);
    return !coder.differs && coder.n == periodic->n_state;
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

void periodic_look(struct periodic *periodic, struct core *core) {
    if (core->ops->oldest(core) < periodic->walk_insns)
        return;
    uint64_t signature = signature_of(periodic, core);
    uint64_t end = ++periodic->n_ends;
    periodic->last_end = core->now;
    if (periodic->n_state != 0 && signature == periodic->signature && is_repetition(periodic, core)) {
        skip(periodic, core);
        return;
    }
    uint64_t before = see(periodic, signature);
    if (before != 0 && end >= periodic->keep_until)
        keep(periodic, core, signature, end - before);
}
