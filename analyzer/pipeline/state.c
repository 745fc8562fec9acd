#include "analyzer/pipeline/state.h"

#include "analyzer/pipeline/segments.h"
#include "analyzer/pipeline/simulation.h"

// Writes words, or compares them with words written before.
struct coder {
    uint64_t *out;            // null: compares
    const uint64_t *expected; // null: writes
    size_t n, n_expected;
    bool differs;
};

static void put(struct coder *coder, uint64_t word) {
    if (coder->out != NULL)
        coder->out[coder->n] = word;
    else if (coder->n >= coder->n_expected || coder->expected[coder->n] != word)
        coder->differs = true;
    coder->n++;
}

// Cycles from now; those that are over are all alike.
static uint64_t cycles_ahead(const struct simulation *sim, int64_t cycle) {
    return cycle > sim->now ? (uint64_t)(cycle - sim->now) : 0;
}

// Cycles that a result has been there; from `max_delay` on no reader is late any more.
static uint64_t cycles_ago(const struct simulation *sim, int64_t cycle) {
    uint64_t ago = (uint64_t)(sim->now - cycle);
    return ago < sim->plan.max_delay ? ago : sim->plan.max_delay;
}

// Cycles from now, negative before; one that is over for long is like any other.
static uint64_t cycles_from(const struct simulation *sim, int64_t cycle) {
    int64_t from = cycle - sim->now, least = -(int64_t)sim->plan.max_delay - 1;
    return (uint64_t)(from > least ? from : least);
}

static uint64_t insns_ago(const struct simulation *sim, uint64_t index) {
    return sim->next - index;
}

static void put_front(struct coder *coder, const struct simulation *sim) {
    put(coder, sim->next_position);
    put(coder, sim->carried_uops);
    put(coder, sim->queue.used);
    put(coder, sim->queue.size != 0 ? sim->queue.end - sim->next : 0);
    put(coder, sim->reorder_buffer.used);
    put(coder, sim->pressure.was_full);
    int64_t redirected = redirected_until(sim);
    put(coder, redirected == NEVER ? UINT64_MAX : cycles_ahead(sim, redirected));
}

static void put_in_order(struct coder *coder, const struct in_order_stage *stage) {
    put(coder, stage->stall);
    put(coder, (uint64_t)stage->stall_cycles);
    put(coder, stage->is_carrying);
    put(coder, stage->carried_uops);
    put(coder, (uint64_t)stage->last_write_back);
    put(coder, stage->n_issued);
}

static void put_segments(struct coder *coder, const struct simulation *sim, const struct segments *segments) {
    put(coder, cycles_ahead(sim, segments->last));
    for (int64_t cycle = sim->now; cycle < segments->last; cycle++)
        for (unsigned bit = 0; bit < MAX_RESOURCES; bit++)
            put(coder, segments->taken[((uint64_t)cycle & (segments->n_rows - 1)) * MAX_RESOURCES + bit]);
}

// Whose turn it is matters for groups in use, and for several equal pipes.
static void put_resources(struct coder *coder, const struct simulation *sim) {
    const struct resource_unit *unit = sim->resources;
    put(coder, unit->free);
    put(coder, unit->reserved_groups);
    put(coder, unit->full_buffers);
    put(coder, unit->has_buffers ? unit->blocked_buffers : 0);
    for (uint64_t left = (unit->plain & ~unit->single) | sim->plan.groups; left != 0; left &= left - 1) {
        const struct resource_pipe *pipe = &unit->pipes[__builtin_ctzll(left)];
        put(coder, pipe->next_in_round);
        put(coder, pipe->used_ahead);
        put(coder, pipe->is_group ? pipe->is_reserved : pipe->ready);
    }
    put(coder, cycles_ahead(sim, unit->last_soon));
    for (int64_t cycle = sim->now; cycle <= unit->last_soon; cycle++)
        put(coder, unit->free_soon[cycle % SOON_CYCLES]);
    put(coder, unit->n_holds);
    for (unsigned i = 0; i < unit->n_holds; i++) {
        put(coder, unit->holds[i].bit);
        put(coder, unit->holds[i].unit);
        put(coder, cycles_ahead(sim, unit->holds[i].until));
    }
    if (unit->segments != NULL)
        put_segments(coder, sim, unit->segments);
}

// The oldest instruction that may be in flight.
static uint64_t oldest_of(const struct simulation *sim) {
    if (!sim->machine->in_order)
        return sim->reorder_buffer.oldest;
    uint64_t most = sim->flight.slot_mask + 1;
    return sim->next > most ? sim->next - most : 0;
}

static void put_definition(struct coder *coder, const struct simulation *sim, struct definition definition) {
    const struct in_flight *producer = flight_at(&sim->flight, definition.index);
    bool is_retired = producer->stage == STAGE_RETIRED;
    if (producer->index != definition.index ||
        (is_retired && cycles_ago(sim, producer->done_cycle) == sim->plan.max_delay)) {
        put(coder, 0);
        return;
    }
    put(coder, insns_ago(sim, definition.index));
    put(coder, definition.write);
    if (is_retired)
        put(coder, cycles_ago(sim, producer->done_cycle));
}

// Retired instructions that may still delay a reader. In-order machines retire out of order.
static void put_history(struct coder *coder, const struct simulation *sim) {
    uint64_t most = (uint64_t)(sim->plan.max_delay + 1) * sim->plan.most_per_cycle;
    uint64_t first = sim->machine->in_order ? sim->next : sim->reorder_buffer.oldest;
    most = sim->machine->in_order ? sim->flight.slot_mask + 1 : most;
    for (uint64_t i = first; sim->plan.max_delay != 0 && i > 0 && first - i < most; i--) {
        const struct in_flight *insn = flight_at(&sim->flight, i - 1);
        bool is_late = insn->index == i - 1 && insn->stage == STAGE_RETIRED;
        put(coder, is_late ? cycles_ago(sim, insn->done_cycle) : sim->plan.max_delay);
    }
}

static void put_registers(struct coder *coder, const struct simulation *sim) {
    const struct register_unit *unit = &sim->registers;
    for (unsigned f = 0; f < unit->n_files; f++)
        put(coder, unit->files[f].used);
    for (unsigned c = 1; c < sim->plan.n_classes && !sim->plan.is_fixed; c++) {
        put(coder, (uint64_t)unit->alias[c] << 1 | unit->is_zero[c]);
        put_definition(coder, sim, unit->definitions[c]);
    }
    if (sim->plan.is_fixed)
        put_history(coder, sim);
}

static void put_current(struct coder *coder, const struct memory_unit *unit, struct memory_current current) {
    put(coder, current.id != 0 ? unit->last_id - current.id + 1 : 0);
}

static void put_memory(struct coder *coder, const struct memory_unit *unit) {
    put(coder, unit->loads);
    put(coder, unit->stores);
    put_current(coder, unit, unit->load);
    put_current(coder, unit, unit->load_barrier);
    put_current(coder, unit, unit->store);
    put_current(coder, unit, unit->store_barrier);
}

static void put_waiters(struct coder *coder, const struct memory_unit *unit, int32_t link) {
    for (; link != NOT_YET; link = unit->links[link].next)
        put(coder, unit->last_id - unit->groups[link / MAX_OLDER_GROUPS].id);
    put(coder, UINT64_MAX);
}

static void put_group_dependence(struct coder *coder, const struct simulation *sim, const struct memory_group *group) {
    const struct in_flight *slots = sim->flight.slots;
    put(coder, group->slowest != NO_SLOT ? insns_ago(sim, slots[group->slowest].index) : 0);
    put(coder, group->critical.cycles);
    if (group->critical.cycles == 0)
        return;
    put(coder, insns_ago(sim, group->critical.index));
    put(coder, (uint64_t)(sim->now - group->counted_to));
}

// How many are done already does not matter: a group of loads may go on for ever.
static void put_group(struct coder *coder, const struct simulation *sim, const struct memory_group *group) {
    put(coder, group->older - group->older_done);
    put(coder, group->older_started);
    put(coder, group->insns - group->done);
    put(coder, group->started);
    bool has_started = group->started != 0 && group->started == group->insns - group->done;
    put_waiters(coder, &sim->memory, has_started ? NOT_YET : group->order_waiters);
    put_waiters(coder, &sim->memory, group->data_waiters);
    if (sim->pressure.criticals != NULL)
        put_group_dependence(coder, sim, group);
}

static void put_users(struct coder *coder, const struct simulation *sim, const struct in_flight *insn) {
    const struct flight *flight = &sim->flight;
    put(coder, insn->users);
    if (insn->users == 0)
        return;
    for (int32_t e = flight->first_edge[flight_slot(flight, insn)]; e != NOT_YET; e = flight->edges[e].next) {
        const struct edge *edge = &flight->edges[e];
        put(coder, insns_ago(sim, flight->slots[edge->waiter].index) << 32 | (uint32_t)edge->advance);
        put(coder, (uint64_t)edge->write << 16 | edge->operand);
    }
}

static void put_dependences(struct coder *coder, const struct simulation *sim, const struct in_flight *insn) {
    const struct event_critical *critical = &sim->pressure.criticals[flight_slot(&sim->flight, insn)];
    put(coder, critical->resources);
    put(coder, critical->resource_cycles);
    put(coder, critical->register_cycles);
    put(coder, critical->memory_cycles);
    const struct operand_dependence *noted =
        &sim->flight.dependences[(size_t)flight_slot(&sim->flight, insn) * sim->plan.max_operands];
    for (unsigned i = 0; i < insn->plan->n_reads + insn->plan->n_writes; i++) {
        put(coder, noted[i].on.cycles);
        if (noted[i].on.cycles == 0)
            continue;
        put(coder, insns_ago(sim, noted[i].on.index) << 32 | noted[i].on.reg);
        put(coder, cycles_ahead(sim, noted[i].until));
    }
}

// In-order machines retire out of order, and write back later than after the latency where uops took longer to issue.
static void put_times_in_order(struct coder *coder, const struct simulation *sim, const struct in_flight *insn) {
    put(coder, insns_ago(sim, insn->index));
    put(coder, insn->stage >= STAGE_ISSUED ? (uint64_t)(sim->now - insn->issue_cycle) : 0);
}

// Out of order, all that are younger than the oldest follow each other, so their indices need not be told. Where the
// plan is fixed, who waits for whom follows from it and from what is issued.
static void put_insn(struct coder *coder, const struct simulation *sim, const struct in_flight *insn) {
    uint64_t cycles = 0;
    if (insn->stage >= STAGE_ISSUED)
        cycles = cycles_from(sim, insn->done_cycle);
    else if (insn->stage != STAGE_READY)
        cycles = cycles_ahead(sim, insn->ready_cycle);
    put(coder, cycles << 8 | (uint64_t)insn->stage << 1 | insn->is_eliminated);
    if (sim->machine->in_order)
        put_times_in_order(coder, sim, insn);
    if (insn->stage >= STAGE_ISSUED)
        return;
    if (!sim->plan.is_fixed)
        put_users(coder, sim, insn);
    if (sim->pressure.criticals != NULL)
        put_dependences(coder, sim, insn);
}

// The youngest first: they differ soonest. Memory operations of a group follow each other but for operations that are
// done, so each group is met once, or several times in a row.
static void put_insns(struct coder *coder, const struct simulation *sim) {
    uint64_t last_group = 0;
    uint64_t oldest = oldest_of(sim);
    for (uint64_t i = sim->next; i-- > oldest && !coder->differs;) {
        const struct in_flight *insn = flight_at(&sim->flight, i);
        if (insn->stage == STAGE_RETIRED || insn->index != i)
            continue;
        put_insn(coder, sim, insn);
        bool is_done = insn->stage >= STAGE_ISSUED && insn->done_cycle < sim->now;
        if (!insn->plan->is_memory || is_done)
            continue;
        const struct memory_group *group = &sim->memory.groups[insn->memory_group];
        put(coder, sim->memory.last_id - group->id);
        if (group->id != last_group)
            put_group(coder, sim, group);
        last_group = group->id;
    }
    put(coder, UINT64_MAX);
}

static void put_state(struct coder *coder, const struct simulation *sim) {
    put_front(coder, sim);
    if (sim->machine->in_order)
        put_in_order(coder, &sim->in_order);
    put_resources(coder, sim);
    put_memory(coder, &sim->memory);
    if (coder->differs)
        return;
    put_registers(coder, sim);
    if (!coder->differs)
        put_insns(coder, sim);
}

size_t state_max_words(const struct simulation *sim) {
    size_t n_slots = sim->flight.slot_mask + 1, n_groups = sim->memory.group_mask + 1;
    size_t words = 64 + sim->machine->n_register_files + (size_t)4 * sim->plan.n_classes;
    words += (size_t)(sim->plan.max_delay + 1) * sim->plan.most_per_cycle + n_slots;
    words += n_slots * (5 + (size_t)2 * sim->plan.max_edges);
    words += n_groups * (16 + MAX_OLDER_GROUPS);
    words += MAX_RESOURCES * 3 + SOON_CYCLES + (size_t)3 * sim->resources->max_holds;
    if (sim->resources->segments != NULL)
        words += sim->resources->segments->n_rows * MAX_RESOURCES;
    if (sim->pressure.criticals != NULL)
        words += n_slots * (4 + (size_t)3 * sim->plan.max_operands) + n_groups * 4;
    return words;
}

size_t state_write(const struct simulation *sim, uint64_t *words) {
    struct coder coder = {.n = 0};
    coder.out = words;
    put_state(&coder, sim);
    return coder.n;
}

bool state_is(const struct simulation *sim, const uint64_t *words, size_t n_words) {
    struct coder coder = {.expected = words, .n_expected = n_words};
    put_state(&coder, sim);
    return !coder.differs && coder.n == n_words;
}
