#include "analyzer/pipeline/resources.h"

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

void resource_unit_init(struct resource_unit *unit, const struct machine *machine, struct arena *arena) {
    *unit = (struct resource_unit){.next_release = INT64_MAX};
    unsigned n_units = 0;
    for (unsigned i = 1; i < machine->n_resources; i++) {
        const struct resource *resource = &machine->resources[i];
        if (resource->mask == 0)
            continue;
        struct pipe *pipe = &unit->pipes[top_bit(resource->mask)];
        init_pipe(pipe, resource, i);
        unit->free |= 1ULL << top_bit(resource->mask);
        n_units += pipe->is_group ? 1 : resource->units;
        unit->plain |= pipe->is_group ? 0 : resource->mask;
    }
    unit->holds = ARENA_ARRAY(arena, struct hold, n_units);
    for (unsigned bit = 0; bit < MAX_RESOURCES; bit++) {
        uint64_t members = unit->pipes[bit].is_group ? unit->pipes[bit].all_units : 0;
        for (; members != 0; members &= members - 1)
            unit->pipes[__builtin_ctzll(members)].groups |= 1ULL << bit;
    }
}

static bool takes_no_buffer(const struct pipe *pipe) {
    return pipe->buffer_size == 0;
}

static bool has_ready(const struct pipe *pipe, unsigned units) {
    if (pipe->is_reserved && !takes_no_buffer(pipe))
        return false;
    return units == 1 ? pipe->ready != 0 : count(pipe->ready) >= units;
}

static void note_free(struct resource_unit *unit, unsigned bit) {
    uint64_t own = 1ULL << bit;
    unit->free = has_ready(&unit->pipes[bit], 1) ? unit->free | own : unit->free & ~own;
}

// Round robin from the highest unit down. Units used ahead of their turn are left out of the next round.
static uint64_t pick_in_round(struct pipe *pipe) {
    uint64_t candidates = pipe->ready & pipe->next_in_round;
    if (candidates == 0) {
        pipe->next_in_round = pipe->all_units ^ pipe->used_ahead;
        pipe->used_ahead = 0;
        candidates = pipe->ready & pipe->next_in_round;
    }
    if (candidates == 0) {
        pipe->next_in_round = pipe->all_units;
        candidates = pipe->ready;
    }
    uint64_t picked = 1ULL << top_bit(candidates);
    pipe->next_in_round &= picked | (picked - 1);
    return picked;
}

static void note_used(struct pipe *pipe, uint64_t used) {
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

// Resolves groups down to a unit of a pipe. No unit (0) is left only where overlapping groups of one instruction took
// each other's members in an unlucky order, which resource_unit_busy cannot foresee; llvm-mca 19 is undefined there.
static struct hold pick(struct resource_unit *unit, unsigned bit) {
    struct pipe *pipe = &unit->pipes[bit];
    while (pipe->is_group) {
        if (pipe->ready == 0)
            return (struct hold){.unit = 0};
        bit = top_bit(pick_in_round(pipe));
        pipe = &unit->pipes[bit];
    }
    uint64_t picked = has_one(pipe->all_units) ? pipe->ready : pick_in_round(pipe);
    return (struct hold){.bit = (uint8_t)bit, .unit = picked};
}

static void add_hold(struct resource_unit *unit, struct hold hold) {
    unit->holds[unit->n_holds++] = hold;
    if (hold.until < unit->next_release)
        unit->next_release = hold.until;
}

static void take(struct resource_unit *unit, struct hold hold) {
    struct pipe *pipe = &unit->pipes[hold.bit];
    assert((pipe->ready & hold.unit) != 0);
    pipe->ready ^= hold.unit;
    if (!has_one(pipe->all_units))
        note_used(pipe, hold.unit);
    add_hold(unit, hold);
    if (has_ready(pipe, 1))
        return;
    uint64_t own = 1ULL << hold.bit;
    unit->free &= ~own;
    for (uint64_t groups = pipe->groups; groups != 0; groups &= groups - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(groups);
        unit->pipes[bit].ready ^= own;
        note_used(&unit->pipes[bit], own);
        note_free(unit, bit);
    }
}

static void release_unit(struct resource_unit *unit, const struct hold *hold) {
    struct pipe *pipe = &unit->pipes[hold->bit];
    bool was_full = !has_ready(pipe, 1);
    pipe->ready ^= hold->unit;
    for (uint64_t groups = was_full ? pipe->groups : 0; groups != 0; groups &= groups - 1) {
        unit->pipes[__builtin_ctzll(groups)].ready ^= 1ULL << hold->bit;
        note_free(unit, (unsigned)__builtin_ctzll(groups));
    }
}

static void release(struct resource_unit *unit, const struct hold *hold) {
    struct pipe *pipe = &unit->pipes[hold->bit];
    uint64_t own = 1ULL << hold->bit;
    if (pipe->is_group)
        unit->reserved_groups ^= own;
    else
        release_unit(unit, hold);
    pipe->is_reserved = false;
    note_free(unit, hold->bit);
    if (takes_no_buffer(pipe))
        unit->blocked_buffers ^= own;
}

void resource_unit_cycle(struct resource_unit *unit, int64_t now) {
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
        uint64_t ready = unit->pipes[use->bit].ready & ~trial->consumed;
        if (ready == 0) {
            busy |= unit->pipes[use->bit].ready;
            continue;
        }
        unsigned bit = top_bit(ready);
        uint64_t own = 1ULL << bit;
        if (!(trial->known & own))
            trial->left[bit] = count(unit->pipes[bit].ready);
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
        if (!has_ready(&unit->pipes[insn->uses[i].bit], insn->uses[i].units))
            busy |= unit->pipes[insn->uses[i].bit].mask;
    return busy & unit->plain;
}

uint64_t resource_unit_busy(const struct resource_unit *unit, const struct plan_insn *insn) {
    uint64_t busy = busy_uses(unit, insn);
    if (busy != 0)
        return busy;
    busy = insn->insn->used_groups & unit->reserved_groups;
    if (!insn->insn->has_partially_overlapping_groups || busy != 0)
        return busy;
    struct trial trial = {.known = 0};
    for (unsigned i = 0; i < insn->n_uses; i++) {
        const struct plan_use *use = &insn->uses[i];
        if (use->is_group)
            continue;
        trial.left[use->bit] = count(unit->pipes[use->bit].ready) - use->units;
        trial.known |= 1ULL << use->bit;
        if (trial.left[use->bit] == 0)
            trial.consumed |= 1ULL << use->bit;
    }
    return busy_in_overlap(unit, insn, &trial);
}

bool resource_unit_is_free(const struct resource_unit *unit, const struct plan_insn *insn) {
    if (!insn->takes_single_units)
        return resource_unit_busy(unit, insn) == 0;
    return (insn->needs & ~unit->free) == 0 && (insn->insn->used_groups & unit->reserved_groups) == 0;
}

unsigned resource_unit_issue(struct resource_unit *unit, const struct plan_insn *insn, int64_t now,
                             struct event_use *uses) {
    unsigned n = 0;
    for (unsigned i = 0; i < insn->n_uses; i++) {
        const struct plan_use *use = &insn->uses[i];
        int64_t until = now + use->cycles;
        if (use->reserves) {
            struct pipe *group = &unit->pipes[use->bit];
            assert(group->is_group && !group->is_reserved);
            group->is_reserved = true;
            unit->reserved_groups ^= 1ULL << use->bit;
            note_free(unit, use->bit);
            add_hold(unit, (struct hold){.bit = use->bit, .unit = group->mask, .until = until});
            continue;
        }
        struct hold hold = pick(unit, use->bit);
        if (hold.unit == 0)
            continue;
        hold.until = until;
        take(unit, hold);
        uses[n++] = (struct event_use){
            .resource = unit->pipes[hold.bit].resource,
            .unit = (unsigned)__builtin_ctzll(hold.unit),
            .cycles = use->cycles,
        };
    }
    return n;
}
