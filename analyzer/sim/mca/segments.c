#include "analyzer/sim/mca/segments.h"

#include "analyzer/sim/mca/pipes.h"

#include <assert.h>
#include <string.h>

struct segments *segments_new(const struct simulation_plan *plan, struct stash *stash) {
    struct segments *segments = STASH_ZEROED(stash, struct segments, 1);
    segments->n_rows = 2;
    while (segments->n_rows < plan->longest_use + 1ULL)
        segments->n_rows *= 2;
    segments->taken = STASH_ZEROED(stash, uint64_t, segments->n_rows * MAX_RESOURCES);
    segments->tried = STASH_ARRAY(stash, struct segment, plan->max_uses);
    return segments;
}

static uint64_t *row_of(const struct segments *segments, int64_t cycle) {
    return &segments->taken[((uint64_t)cycle & (segments->n_rows - 1)) * MAX_RESOURCES];
}

__attribute__((noinline)) void segments_cycle(struct segments *segments, int64_t now) {
    if (now > 0)
        memset(row_of(segments, now - 1), 0, MAX_RESOURCES * sizeof *segments->taken);
}

bool segments_are_idle(const struct segments *segments, int64_t now) {
    return segments->last <= now;
}

void segments_put(const struct segments *segments, struct coder *coder) {
    coder_put_ahead(coder, segments->last);
    for (int64_t cycle = coder->now; cycle < segments->last; cycle++)
        for (unsigned bit = 0; bit < MAX_RESOURCES; bit++)
            coder_put(coder, row_of(segments, cycle)[bit]);
}

// Units of a pipe that nobody has within the segment, the instruction's own other uses included.
static uint64_t free_units(const struct segments *segments, const struct resource_unit *unit, unsigned bit,
                           struct segment when) {
    uint64_t taken = 0;
    for (int64_t cycle = when.from; cycle < when.to; cycle++)
        taken |= row_of(segments, cycle)[bit];
    for (unsigned i = 0; i < segments->n_tried; i++) {
        const struct segment *tried = &segments->tried[i];
        if (tried->bit == bit && tried->from < when.to && when.from < tried->to)
            taken |= tried->unit;
    }
    return unit->pipes[bit].all_units & ~taken;
}

// What pipe_pick_in_round is going to pick.
static uint64_t next_in_round(const struct resource_pipe *pipe, uint64_t free) {
    uint64_t candidates = free & pipe->next_in_round;
    if (candidates == 0)
        candidates = free & (pipe->all_units ^ pipe->used_ahead);
    if (candidates == 0)
        candidates = free;
    return 1ULL << (63 - __builtin_clzll(candidates));
}

// Finds a unit for one use; false where there is none.
static bool try_use(struct segments *segments, const struct resource_unit *unit, const struct plan_use *use,
                    int64_t now) {
    struct segment found = {.bit = use->bit, .from = now + use->acquire, .to = now + use->cycles};
    if (use->is_group) {
        uint64_t ready = 0;
        for (uint64_t members = use->pipes & unit->plain; members != 0; members &= members - 1)
            if (free_units(segments, unit, (unsigned)__builtin_ctzll(members), found) != 0)
                ready |= members & -members;
        if (ready == 0)
            return false;
        found.bit = (uint8_t)__builtin_ctzll(next_in_round(&unit->pipes[use->bit], ready));
    }
    uint64_t free = free_units(segments, unit, found.bit, found);
    if (free == 0 || (!use->is_group && (unsigned)__builtin_popcountll(free) < use->units))
        return false;
    found.unit = next_in_round(&unit->pipes[found.bit], free);
    segments->tried[segments->n_tried++] = found;
    return true;
}

static bool holds_something(const struct plan_use *use) {
    return !use->reserves && use->cycles > use->acquire;
}

uint64_t segments_busy(struct segments *segments, const struct resource_unit *unit, const struct plan_insn *insn,
                       int64_t now) {
    segments->n_tried = 0;
    if ((insn->used_groups & unit->reserved_groups) != 0)
        return insn->used_groups & unit->reserved_groups;
    for (unsigned i = 0; i < insn->n_uses; i++)
        if (holds_something(&insn->uses[i]) && !try_use(segments, unit, &insn->uses[i], now))
            return unit->pipes[insn->uses[i].bit].mask;
    return 0;
}

static void take_segment(struct segments *segments, struct resource_unit *unit, const struct segment *segment) {
    struct resource_pipe *pipe = &unit->pipes[segment->bit];
    for (int64_t cycle = segment->from; cycle < segment->to; cycle++)
        row_of(segments, cycle)[segment->bit] |= segment->unit;
    if (segment->to > segments->last)
        segments->last = segment->to;
    if (!(unit->single >> segment->bit & 1)) {
        pipe_pick_in_round(pipe, segment->unit);
        pipe_note_used(pipe, segment->unit);
    }
    if (free_units(segments, unit, segment->bit, *segment) != 0)
        return;
    for (uint64_t groups = pipe->groups; groups != 0; groups &= groups - 1)
        pipe_note_used(&unit->pipes[__builtin_ctzll(groups)], 1ULL << segment->bit);
}

unsigned segments_issue(struct segments *segments, struct resource_unit *unit, const struct plan_insn *insn,
                        int64_t now, struct event_use *uses) {
    uint64_t busy = segments_busy(segments, unit, insn, now);
    assert(busy == 0);
    (void)busy;
    unsigned n = segments->n_tried, next = 0;
    segments->n_tried = 0;
    for (unsigned i = 0; i < insn->n_uses; i++) {
        if (insn->uses[i].reserves)
            pipes_reserve(unit, insn->uses[i].bit, now + insn->uses[i].cycles);
        if (!holds_something(&insn->uses[i]))
            continue;
        const struct segment *segment = &segments->tried[next++];
        if (insn->uses[i].is_group)
            pipe_pick_in_round(&unit->pipes[insn->uses[i].bit], 1ULL << segment->bit);
        take_segment(segments, unit, segment);
        pipes_block_until(unit, segment->bit, segment->to);
        uses[next - 1] = (struct event_use){
            .resource = unit->pipes[segment->bit].resource,
            .unit = (unsigned)__builtin_ctzll(segment->unit),
            .cycles = (unsigned)(segment->to - segment->from),
        };
    }
    return n;
}
