#include "analyzer/sim/mca/pipes.h"

#include <assert.h>
#include <string.h>

static unsigned top_bit(uint64_t mask) {
    assert(mask != 0);
    return 63 - (unsigned)__builtin_clzll(mask);
}

static bool has_one(uint64_t mask) {
    return (mask & (mask - 1)) == 0;
}

static void init_pipe(struct resource_pipe *pipe, const struct resource *resource, unsigned index) {
    uint64_t own = 1ULL << top_bit(resource->mask);
    bool is_group = !has_one(resource->mask);
    uint64_t units = is_group ? resource->mask ^ own : (1ULL << resource->units) - 1;
    *pipe = (struct resource_pipe){
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
void pipes_init(struct resource_unit *unit, const struct simulation_plan *plan, bool is_wanted, struct stash *stash) {
    const struct machine *machine = plan->machine;
    unsigned n_units = 0;
    unit->all = unit->plain = unit->single = 0;
    unit->has_buffers = plan->has_buffers;
    unit->serves_scarce_groups_first = machine->serves_scarce_groups_first;
    unit->is_wanted = is_wanted;
    unit->reserved_groups = unit->full_buffers = unit->blocked_buffers = 0;
    for (unsigned i = 1; i < machine->n_resources; i++) {
        const struct resource *resource = &machine->resources[i];
        if (resource->mask == 0)
            continue;
        uint64_t own = 1ULL << top_bit(resource->mask);
        struct resource_pipe *pipe = &unit->pipes[top_bit(resource->mask)];
        init_pipe(pipe, resource, i);
        n_units += pipe->is_group ? 1 : resource->units;
        unit->all |= own;
        unit->plain |= pipe->is_group ? 0 : own;
        unit->single |= !pipe->is_group && resource->units == 1 ? own : 0;
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
}

uint64_t pipes_ready(const struct resource_unit *unit, unsigned bit) {
    const struct resource_pipe *pipe = &unit->pipes[bit];
    if (pipe->is_group)
        return pipe->all_units & unit->free;
    return unit->single >> bit & 1 ? unit->free >> bit & 1 : pipe->ready;
}

unsigned pipes_count_ready(const struct resource_unit *unit, unsigned bit) {
    return (unsigned)__builtin_popcountll(pipes_ready(unit, bit));
}

uint64_t pipe_begin_round(struct resource_pipe *pipe, uint64_t free) {
    pipe->next_in_round = pipe->all_units ^ pipe->used_ahead;
    pipe->used_ahead = 0;
    if ((free & pipe->next_in_round) == 0)
        pipe->next_in_round = pipe->all_units;
    return free & pipe->next_in_round;
}

// Resolves groups down to a unit of a pipe; 0: none is free.
static struct hold pick(struct resource_unit *unit, unsigned bit) {
    struct resource_pipe *pipe = &unit->pipes[bit];
    while (pipe->is_group) {
        uint64_t ready = pipes_ready(unit, bit);
        if (ready == 0)
            return (struct hold){.unit = 0};
        bit = top_bit(pipe_pick_in_round(pipe, ready));
        pipe = &unit->pipes[bit];
    }
    uint64_t ready = pipes_ready(unit, bit);
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

static void take(struct resource_unit *unit, struct hold hold) {
    struct resource_pipe *pipe = &unit->pipes[hold.bit];
    uint64_t own = 1ULL << hold.bit;
    bool is_single = (unit->single & own) != 0;
    if (!is_single) {
        pipe->ready ^= hold.unit;
        pipe_note_used(pipe, hold.unit);
    }
    add_hold(unit, hold);
    if (is_single || pipe->ready == 0)
        pipes_note_taken(unit, own);
}

static void release(struct resource_unit *unit, const struct hold *hold) {
    struct resource_pipe *pipe = &unit->pipes[hold->bit];
    uint64_t own = 1ULL << hold->bit;
    if (pipe->is_group) {
        unit->reserved_groups ^= own;
    } else {
        pipe->ready |= hold->unit;
        unit->free |= own;
    }
    pipe->is_reserved = false;
    if (unit->has_buffers && pipe->buffer_size == 0)
        unit->blocked_buffers ^= own;
}

void pipes_cycle(struct resource_unit *unit, int64_t now) {
    uint64_t *soon = &unit->free_soon[now % SOON_CYCLES];
    unit->free |= *soon;
    *soon = 0;
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

void pipes_reserve(struct resource_unit *unit, unsigned bit, int64_t until) {
    struct resource_pipe *group = &unit->pipes[bit];
    assert(group->is_group && !group->is_reserved);
    group->is_reserved = true;
    unit->reserved_groups ^= 1ULL << bit;
    add_hold(unit, (struct hold){.bit = (uint8_t)bit, .unit = group->mask, .until = until});
}

static bool issue_simply(struct resource_unit *unit, const struct plan_use *use, int64_t now,
                         struct event_use *reported) {
    uint64_t own = pipes_take(unit, use, now);
    if (own != 0)
        *reported = (struct event_use){
            .resource = unit->pipes[__builtin_ctzll(own)].resource, .unit = 0, .cycles = use->cycles};
    return own != 0;
}

bool pipes_issue_use(struct resource_unit *unit, const struct plan_use *use, int64_t now, struct event_use *reported) {
    if (use->is_simple)
        return issue_simply(unit, use, now, reported);
    struct hold hold = pick(unit, use->bit);
    if (hold.unit == 0)
        return false;
    hold.until = now + use->cycles;
    take(unit, hold);
    *reported = (struct event_use){
        .resource = unit->pipes[hold.bit].resource,
        .unit = (unsigned)__builtin_ctzll(hold.unit),
        .cycles = use->cycles,
    };
    return true;
}

bool pipes_issue_in_turn(struct resource_unit *unit, const struct plan_insn *insn, int64_t now, struct event_use *uses,
                         unsigned *n) {
    bool is_complete = true;
    for (unsigned i = 0; i < insn->n_uses; i++) {
        if (insn->uses[i].reserves)
            pipes_reserve(unit, insn->uses[i].bit, now + insn->uses[i].cycles);
        else if (pipes_issue_use(unit, &insn->uses[i], now, &uses[*n]))
            ++*n;
        else
            is_complete = false;
    }
    return is_complete;
}

void pipes_block_until(struct resource_unit *unit, unsigned bit, int64_t until) {
    if (unit->has_buffers && unit->pipes[bit].buffer_size == 0)
        add_hold(unit, (struct hold){.bit = (uint8_t)bit, .unit = 0, .until = until});
}

static void put_holds(const struct resource_unit *unit, struct coder *coder) {
    coder_put(coder, unit->n_holds);
    for (unsigned i = 0; i < unit->n_holds; i++) {
        coder_put(coder, unit->holds[i].bit);
        coder_put(coder, unit->holds[i].unit);
        coder_put_ahead(coder, unit->holds[i].until);
    }
}

// Whose turn it is matters for groups in use, and for several equal pipes.
void pipes_put(const struct resource_unit *unit, const struct simulation_plan *plan, struct coder *coder) {
    coder_put(coder, unit->free);
    coder_put(coder, unit->reserved_groups);
    coder_put(coder, unit->full_buffers);
    coder_put(coder, unit->has_buffers ? unit->blocked_buffers : 0);
    for (uint64_t left = (unit->plain & ~unit->single) | plan->groups; left != 0; left &= left - 1) {
        const struct resource_pipe *pipe = &unit->pipes[__builtin_ctzll(left)];
        coder_put(coder, pipe->next_in_round);
        coder_put(coder, pipe->used_ahead);
        coder_put(coder, pipe->is_group ? pipe->is_reserved : pipe->ready);
    }
    coder_put_ahead(coder, unit->last_soon);
    for (int64_t cycle = coder->now; cycle <= unit->last_soon; cycle++)
        coder_put(coder, unit->free_soon[cycle % SOON_CYCLES]);
    put_holds(unit, coder);
}
