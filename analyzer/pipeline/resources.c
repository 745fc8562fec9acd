#include "analyzer/pipeline/resources.h"

#include "analyzer/pipeline/segments.h"

#include <assert.h>
#include <string.h>

static unsigned top_bit(uint64_t mask) {
    assert(mask != 0);
    return 63 - (unsigned)__builtin_clzll(mask);
}

static bool has_one(uint64_t mask) {
    return (mask & (mask - 1)) == 0;
}

static unsigned count(uint64_t mask) {
    return (unsigned)__builtin_popcountll(mask);
}

static void init_pipe(struct pipe *pipe, const struct resource *resource, unsigned index) {
    uint64_t own = 1ULL << top_bit(resource->mask);
    bool is_group = !has_one(resource->mask);
    uint64_t units = is_group ? resource->mask ^ own : (1ULL << resource->units) - 1;
    *pipe = (struct pipe){
        .mask = resource->mask,
        .all_units = units,
        .ready = units,
        .next_in_round = units,
        .buffer_size = resource->buffer_size,
        .slots = resource->buffer_size > 0 ? (unsigned)resource->buffer_size : 0,
        .resource = index,
        .is_group = is_group,
    };
}

// Groups that no instruction of the block asks for need not follow what their members do.
void resource_unit_init(struct resource_unit *unit, const struct plan *plan, struct stash *stash) {
    const struct machine *machine = plan->machine;
    unsigned n_units = 0;
    unit->all = unit->plain = unit->single = unit->simple = 0;
    unit->has_buffers = !machine->in_order;
    unit->reserved_groups = unit->full_buffers = unit->blocked_buffers = 0;
    for (unsigned i = 1; i < machine->n_resources; i++) {
        const struct resource *resource = &machine->resources[i];
        if (resource->mask == 0)
            continue;
        uint64_t own = 1ULL << top_bit(resource->mask);
        struct pipe *pipe = &unit->pipes[top_bit(resource->mask)];
        init_pipe(pipe, resource, i);
        n_units += pipe->is_group ? 1 : resource->units;
        unit->all |= own;
        unit->plain |= pipe->is_group ? 0 : own;
        unit->single |= !pipe->is_group && resource->units == 1 ? own : 0;
        unit->simple |= unit->single & (unit->has_buffers && resource->buffer_size == 0 ? 0 : own);
    }
    for (uint64_t groups = plan->groups; groups != 0; groups &= groups - 1) {
        uint64_t members = unit->pipes[__builtin_ctzll(groups)].all_units;
        for (; members != 0; members &= members - 1)
            unit->pipes[__builtin_ctzll(members)].groups |= groups & -groups;
    }
    unit->free = unit->all;
    memset(unit->free_soon, 0, sizeof unit->free_soon);
    unit->last_soon = 0;
    unit->max_holds = n_units + plan->max_uses * MAX_RESOURCES;
    unit->holds = STASH_ARRAY(stash, struct hold, unit->max_holds);
    unit->n_holds = 0;
    unit->next_release = INT64_MAX;
    unit->segments = plan->has_segments ? segments_new(plan, stash) : NULL;
}

static bool takes_no_buffer(const struct pipe *pipe) {
    return pipe->buffer_size == 0;
}

static uint64_t ready_units(const struct resource_unit *unit, unsigned bit) {
    const struct pipe *pipe = &unit->pipes[bit];
    if (pipe->is_group)
        return pipe->all_units & unit->free;
    return unit->single >> bit & 1 ? unit->free >> bit & 1 : pipe->ready;
}

static bool has_ready(const struct resource_unit *unit, unsigned bit, unsigned units) {
    const struct pipe *pipe = &unit->pipes[bit];
    if (pipe->is_reserved && !takes_no_buffer(pipe))
        return false;
    return count(ready_units(unit, bit)) >= units;
}

// Round robin from the highest unit down. Units used ahead of their turn are left out of the next round.
uint64_t pipe_pick_in_round(struct pipe *pipe, uint64_t free) {
    uint64_t candidates = free & pipe->next_in_round;
    if (candidates == 0) {
        pipe->next_in_round = pipe->all_units ^ pipe->used_ahead;
        pipe->used_ahead = 0;
        candidates = free & pipe->next_in_round;
    }
    if (candidates == 0) {
        pipe->next_in_round = pipe->all_units;
        candidates = free;
    }
    uint64_t picked = 1ULL << top_bit(candidates);
    pipe->next_in_round &= picked | (picked - 1);
    return picked;
}

void pipe_note_used(struct pipe *pipe, uint64_t used) {
    if (used > pipe->next_in_round) {
        pipe->used_ahead |= used;
        return;
    }
    pipe->next_in_round &= ~used;
    if (pipe->next_in_round != 0)
        return;
    pipe->next_in_round = pipe->all_units ^ pipe->used_ahead;
    pipe->used_ahead = 0;
}

// Resolves groups down to a unit of a pipe; 0: none is free.
static struct hold pick(struct resource_unit *unit, unsigned bit) {
    struct pipe *pipe = &unit->pipes[bit];
    while (pipe->is_group) {
        uint64_t ready = ready_units(unit, bit);
        if (ready == 0)
            return (struct hold){.unit = 0};
        bit = top_bit(pipe_pick_in_round(pipe, ready));
        pipe = &unit->pipes[bit];
    }
    uint64_t ready = ready_units(unit, bit);
    if (ready == 0)
        return (struct hold){.unit = 0};
    bool is_single = unit->single >> bit & 1;
    return (struct hold){.bit = (uint8_t)bit, .unit = is_single ? 1 : pipe_pick_in_round(pipe, ready)};
}

static void add_hold(struct resource_unit *unit, struct hold hold) {
    assert(unit->n_holds < unit->max_holds);
    unit->holds[unit->n_holds++] = hold;
    if (hold.until < unit->next_release)
        unit->next_release = hold.until;
}

static void note_taken(struct resource_unit *unit, const struct pipe *pipe, uint64_t own) {
    unit->free &= ~own;
    for (uint64_t groups = pipe->groups; groups != 0; groups &= groups - 1)
        pipe_note_used(&unit->pipes[__builtin_ctzll(groups)], own);
}

static void take(struct resource_unit *unit, struct hold hold) {
    struct pipe *pipe = &unit->pipes[hold.bit];
    uint64_t own = 1ULL << hold.bit;
    bool is_single = (unit->single & own) != 0;
    if (!is_single) {
        pipe->ready ^= hold.unit;
        pipe_note_used(pipe, hold.unit);
    }
    add_hold(unit, hold);
    if (is_single || pipe->ready == 0)
        note_taken(unit, pipe, own);
}

static void release(struct resource_unit *unit, const struct hold *hold) {
    struct pipe *pipe = &unit->pipes[hold->bit];
    uint64_t own = 1ULL << hold->bit;
    if (pipe->is_group) {
        unit->reserved_groups ^= own;
    } else {
        pipe->ready |= hold->unit;
        unit->free |= own;
    }
    pipe->is_reserved = false;
    if (unit->has_buffers && takes_no_buffer(pipe))
        unit->blocked_buffers ^= own;
}

void resource_unit_cycle(struct resource_unit *unit, int64_t now) {
    uint64_t *soon = &unit->free_soon[now % SOON_CYCLES];
    unit->free |= *soon;
    *soon = 0;
    if (unit->segments != NULL)
        segments_cycle(unit->segments, now);
    if (now < unit->next_release)
        return;
    unit->next_release = INT64_MAX;
    unsigned kept = 0;
    for (unsigned i = 0; i < unit->n_holds; i++) {
        struct hold hold = unit->holds[i];
        if (hold.until <= now) {
            release(unit, &hold);
            continue;
        }
        unit->holds[kept++] = hold;
        if (hold.until < unit->next_release)
            unit->next_release = hold.until;
    }
    unit->n_holds = kept;
}

bool resource_unit_is_idle(const struct resource_unit *unit, int64_t now) {
    return unit->n_holds == 0 && unit->last_soon <= now &&
           (unit->segments == NULL || segments_are_idle(unit->segments, now));
}

enum buffer_state resource_unit_buffers(const struct resource_unit *unit, uint64_t buffers) {
    if (buffers & unit->blocked_buffers)
        return BUFFER_BLOCKED;
    return buffers & unit->full_buffers ? BUFFER_FULL : BUFFER_FREE;
}

void resource_unit_take_buffers(struct resource_unit *unit, uint64_t buffers) {
    for (; buffers != 0; buffers &= buffers - 1) {
        uint64_t own = buffers & -buffers;
        struct pipe *pipe = &unit->pipes[__builtin_ctzll(own)];
        if (takes_no_buffer(pipe))
            unit->blocked_buffers ^= own; // until its pipes are free again
        else if (pipe->buffer_size > 0 && --pipe->slots == 0)
            unit->full_buffers |= own;
    }
}

void resource_unit_free_buffers(struct resource_unit *unit, uint64_t buffers) {
    unit->full_buffers &= ~buffers;
    for (; buffers != 0; buffers &= buffers - 1) {
        struct pipe *pipe = &unit->pipes[__builtin_ctzll(buffers)];
        if (pipe->buffer_size > 0)
            pipe->slots++;
    }
}

// What is left of each resource while the uses of one instruction are tried.
struct trial {
    unsigned left[MAX_RESOURCES];
    uint64_t known;    // own bits of resources that `left` holds for
    uint64_t consumed; // of resources with nothing left
};

// Tries to give each group of the instruction a unit that its other uses leave.
static uint64_t busy_in_overlap(const struct resource_unit *unit, const struct plan_insn *insn, struct trial *trial) {
    uint64_t busy = 0;
    for (unsigned i = 0; i < insn->n_uses; i++) {
        const struct plan_use *use = &insn->uses[i];
        if (use->reserves || !use->is_group)
            continue;
        uint64_t ready = ready_units(unit, use->bit) & ~trial->consumed;
        if (ready == 0) {
            busy |= ready_units(unit, use->bit);
            continue;
        }
        unsigned bit = top_bit(ready);
        uint64_t own = 1ULL << bit;
        if (!(trial->known & own))
            trial->left[bit] = count(ready_units(unit, bit));
        trial->known |= own;
        if (trial->left[bit] == 0)
            busy |= own;
        else if (--trial->left[bit] == 0)
            trial->consumed |= own;
    }
    return busy;
}

static uint64_t busy_uses(const struct resource_unit *unit, const struct plan_insn *insn) {
    uint64_t busy = 0;
    for (unsigned i = 0; i < insn->n_uses; i++)
        if (!has_ready(unit, insn->uses[i].bit, insn->uses[i].units))
            busy |= unit->pipes[insn->uses[i].bit].mask;
    return busy & unit->plain;
}

uint64_t resource_unit_busy(const struct resource_unit *unit, const struct plan_insn *insn, int64_t now) {
    if (unit->segments != NULL)
        return segments_busy(unit->segments, unit, insn, now);
    uint64_t busy = busy_uses(unit, insn);
    if (busy != 0)
        return busy;
    busy = insn->used_groups & unit->reserved_groups;
    if (!insn->insn->has_partially_overlapping_groups || busy != 0)
        return busy;
    struct trial trial = {.known = 0};
    for (unsigned i = 0; i < insn->n_uses; i++) {
        const struct plan_use *use = &insn->uses[i];
        if (use->is_group)
            continue;
        trial.left[use->bit] = count(ready_units(unit, use->bit)) - use->units;
        trial.known |= 1ULL << use->bit;
        if (trial.left[use->bit] == 0)
            trial.consumed |= 1ULL << use->bit;
    }
    return busy_in_overlap(unit, insn, &trial);
}

bool resource_unit_is_free(const struct resource_unit *unit, const struct plan_insn *insn, int64_t now) {
    if (!insn->takes_single_units || unit->segments != NULL)
        return resource_unit_busy(unit, insn, now) == 0;
    for (unsigned g = 0; g < insn->n_groups; g++)
        if ((insn->groups[g] & unit->free) == 0)
            return false;
    return (insn->needs & ~unit->free) == 0 && (insn->used_groups & unit->reserved_groups) == 0;
}

static void reserve_group(struct resource_unit *unit, unsigned bit, int64_t until) {
    struct pipe *group = &unit->pipes[bit];
    assert(group->is_group && !group->is_reserved);
    group->is_reserved = true;
    unit->reserved_groups ^= 1ULL << bit;
    add_hold(unit, (struct hold){.bit = (uint8_t)bit, .unit = group->mask, .until = until});
}

// Most uses are of this kind: a single pipe, or one of a group of such, for a short time. Returns the pipe's own bit;
// 0 where it is another kind.
static uint64_t issue_simply(struct resource_unit *unit, const struct plan_use *use, int64_t now) {
    uint64_t own = 1ULL << use->bit;
    if (use->cycles - 1U >= SOON_CYCLES - 1U)
        return 0;
    if (use->is_group) {
        uint64_t ready = use->members & unit->free;
        if (ready == 0 || (use->members & ~unit->simple) != 0)
            return 0;
        own = pipe_pick_in_round(&unit->pipes[use->bit], ready);
    } else if ((own & unit->simple & unit->free) == 0) {
        return 0;
    }
    int64_t until = now + use->cycles;
    unit->free_soon[until % SOON_CYCLES] |= own;
    unit->last_soon = until > unit->last_soon ? until : unit->last_soon;
    note_taken(unit, &unit->pipes[__builtin_ctzll(own)], own);
    return own;
}

// Takes what one use asks for; false where no unit is left.
static bool issue_use(struct resource_unit *unit, const struct plan_use *use, int64_t now, struct event_use *told) {
    uint64_t own = issue_simply(unit, use, now);
    if (own != 0) {
        *told = (struct event_use){
            .resource = unit->pipes[__builtin_ctzll(own)].resource, .unit = 0, .cycles = use->cycles};
        return true;
    }
    struct hold hold = pick(unit, use->bit);
    if (hold.unit == 0)
        return false;
    hold.until = now + use->cycles;
    take(unit, hold);
    *told = (struct event_use){
        .resource = unit->pipes[hold.bit].resource,
        .unit = (unsigned)__builtin_ctzll(hold.unit),
        .cycles = use->cycles,
    };
    return true;
}

static bool issue_one_by_one(struct resource_unit *unit, const struct plan_insn *insn, int64_t now,
                             struct event_use *uses, unsigned *n) {
    bool is_complete = true;
    for (unsigned i = 0; i < insn->n_uses; i++) {
        if (insn->uses[i].reserves)
            reserve_group(unit, insn->uses[i].bit, now + insn->uses[i].cycles);
        else if (issue_use(unit, &insn->uses[i], now, &uses[*n]))
            ++*n;
        else
            is_complete = false;
    }
    return is_complete;
}

// The use with the fewest units left; pipes have none to choose, and come first.
static unsigned scarcest(const struct resource_unit *unit, const struct plan_insn *insn, uint64_t left) {
    unsigned best = (unsigned)__builtin_ctzll(left), fewest = UINT32_MAX;
    for (; left != 0; left &= left - 1) {
        const struct plan_use *use = &insn->uses[__builtin_ctzll(left)];
        unsigned n = use->is_group ? count(ready_units(unit, use->bit)) : 0;
        if (n >= fewest)
            continue;
        best = (unsigned)__builtin_ctzll(left);
        fewest = n;
    }
    return best;
}

static void issue_scarcest_first(struct resource_unit *unit, const struct plan_insn *insn, int64_t now,
                                 struct event_use *uses, unsigned *n) {
    uint64_t left = 0;
    for (unsigned i = 0; i < insn->n_uses; i++) {
        if (insn->uses[i].reserves)
            reserve_group(unit, insn->uses[i].bit, now + insn->uses[i].cycles);
        else
            left |= 1ULL << i;
    }
    while (left != 0) {
        unsigned i = scarcest(unit, insn, left);
        *n += issue_use(unit, &insn->uses[i], now, &uses[*n]);
        left ^= 1ULL << i;
    }
}

// Overlapping groups, taken one after the other, may leave nothing to the last one, though there is enough for all.
// llvm-mca 19 is undefined there; later versions serve the group with the fewest units first, always.
static unsigned issue_overlapping(struct resource_unit *unit, const struct plan_insn *insn, int64_t now,
                                  struct event_use *uses) {
    struct resource_unit before = *unit;
    unsigned n = 0;
    if (issue_one_by_one(unit, insn, now, uses, &n) || insn->n_uses > 64)
        return n;
    *unit = before;
    n = 0;
    issue_scarcest_first(unit, insn, now, uses, &n);
    return n;
}

static unsigned issue_segments(struct resource_unit *unit, const struct plan_insn *insn, int64_t now,
                               struct event_use *uses) {
    unsigned n = segments_issue(unit->segments, unit, insn, now, uses);
    for (unsigned i = 0; i < insn->n_uses; i++)
        if (insn->uses[i].reserves)
            reserve_group(unit, insn->uses[i].bit, now + insn->uses[i].cycles);
    return n;
}

unsigned resource_unit_issue(struct resource_unit *unit, const struct plan_insn *insn, int64_t now,
                             struct event_use *uses) {
    if (unit->segments != NULL)
        return issue_segments(unit, insn, now, uses);
    if (insn->insn->has_partially_overlapping_groups)
        return issue_overlapping(unit, insn, now, uses);
    unsigned n = 0;
    issue_one_by_one(unit, insn, now, uses, &n);
    return n;
}

void resource_unit_block_until(struct resource_unit *unit, unsigned bit, int64_t until) {
    if (unit->has_buffers && takes_no_buffer(&unit->pipes[bit]))
        add_hold(unit, (struct hold){.bit = (uint8_t)bit, .unit = 0, .until = until});
}
