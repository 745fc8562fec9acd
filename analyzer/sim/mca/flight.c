#include "analyzer/sim/mca/flight.h"

#include <assert.h>
#include <string.h>

void flight_init(struct flight *flight, const struct simulation_plan *plan, uint64_t n_slots, bool has_dependences,
                 struct stash *stash) {
    uint64_t capacity = 1;
    while (capacity < n_slots)
        capacity *= 2;
    *flight = (struct flight){.plan = plan, .slot_mask = capacity - 1};
    flight->slots = STASH_ARRAY(stash, struct in_flight, capacity);
    flight->first_edge = STASH_ARRAY(stash, int32_t, capacity);
    flight->edges = STASH_ARRAY(stash, struct edge, capacity * plan->max_edges + 1);
    flight->woken = STASH_ARRAY(stash, uint32_t, capacity + 1); // one is written before it is known to count
    flight->bumped = STASH_ARRAY(stash, uint32_t, (size_t)plan->max_edges + 1);
    if (has_dependences)
        flight->dependences = STASH_ARRAY(stash, struct operand_dependence, capacity * plan->max_operands + 1);
    for (uint64_t i = 0; i < capacity; i++) {
        flight->slots[i].index = EMPTY_SLOT;
        flight->slots[i].stage = STAGE_RETIRED;
    }
}

void flight_forget_notes(struct flight *flight, const struct in_flight *insn) {
    memset(&flight->dependences[flight_slot(flight, insn) * (size_t)flight->plan->max_operands], 0,
           (insn->plan->n_reads + insn->plan->n_writes) * sizeof *flight->dependences);
}

static int64_t max_cycle(int64_t a, int64_t b) {
    return a > b ? a : b;
}

int64_t flight_cycles_left(const struct in_flight *insn, unsigned write, int64_t now) {
    assert(insn->issue_cycle != NOT_YET);
    int64_t age = (now < insn->done_cycle ? now : insn->done_cycle) - insn->issue_cycle;
    return (int64_t)insn->plan->writes[write].latency - age;
}

__attribute__((noinline)) void flight_note(struct flight *flight, const struct in_flight *waiter,
                                           const struct in_flight *producer, struct wait wait, int64_t now,
                                           int64_t cycles) {
    if (flight->dependences == NULL)
        return;
    uint64_t first = (waiter->index & flight->slot_mask) * flight->plan->max_operands;
    struct operand_dependence *noted = &flight->dependences[first + wait.operand];
    bool is_read = wait.operand < waiter->plan->n_reads;
    if (is_read && now + cycles <= max_cycle(noted->until, now))
        return;
    *noted = (struct operand_dependence){
        .on = {.index = producer->index,
               .cycles = (unsigned)cycles,
               .reg = producer->plan->insn->writes[wait.write].reg},
        .until = now + cycles,
    };
}

// A write that merges counts the whole time until the older one is complete (WriteState in llvm/lib/MCA).
static int64_t noted_cycles(const struct in_flight *waiter, struct wait wait, int64_t left) {
    bool is_read = wait.operand < waiter->plan->n_reads;
    return max_cycle(is_read ? left - wait.advance : left, 0);
}

void flight_wait(struct flight *flight, struct in_flight *waiter, struct in_flight *producer, struct wait wait,
                 int64_t now) {
    if (producer->issue_cycle != NOT_YET) {
        int64_t left = flight_cycles_left(producer, wait.write, now);
        waiter->ready_cycle = max_cycle(waiter->ready_cycle, now + max_cycle(left - wait.advance, 0));
        flight_note(flight, waiter, producer, wait, now, noted_cycles(waiter, wait, left));
        return;
    }
    assert(waiter->n_edges < flight->plan->max_edges);
    uint32_t edge = flight_slot(flight, waiter) * flight->plan->max_edges + waiter->n_edges++;
    int32_t *first = &flight->first_edge[flight_slot(flight, producer)];
    flight->edges[edge] = (struct edge){
        .next = producer->users != 0 ? *first : NOT_YET,
        .waiter = flight_slot(flight, waiter),
        .advance = wait.advance,
        .write = (uint16_t)wait.write,
        .operand = (uint16_t)wait.operand,
    };
    *first = (int32_t)edge;
    waiter->unknown++;
    producer->users++;
    if (producer->stage == STAGE_READY)
        flight->bumped[flight->n_bumped++] = flight_slot(flight, producer);
}

// Notes are taken in the order of the results: of those that come at once, the first counts.
static void note_users(struct flight *flight, const struct in_flight *insn, int64_t now) {
    for (unsigned w = 0; w < insn->plan->n_writes; w++)
        for (int32_t e = flight->first_edge[flight_slot(flight, insn)]; e != NOT_YET; e = flight->edges[e].next) {
            const struct edge *edge = &flight->edges[e];
            const struct in_flight *waiter = &flight->slots[edge->waiter];
            struct wait wait = {.write = w, .advance = edge->advance, .operand = edge->operand};
            if (edge->write == w)
                flight_note(flight, waiter, insn, wait, now, noted_cycles(waiter, wait, insn->plan->writes[w].latency));
        }
}

void flight_wake_users(struct flight *flight, const struct in_flight *insn, int64_t now) {
    for (int32_t e = flight->first_edge[flight_slot(flight, insn)]; e != NOT_YET; e = flight->edges[e].next) {
        const struct edge *edge = &flight->edges[e];
        struct in_flight *waiter = &flight->slots[edge->waiter];
        int64_t left = (int64_t)insn->plan->writes[edge->write].latency - edge->advance;
        waiter->ready_cycle = max_cycle(waiter->ready_cycle, now + max_cycle(left, 0));
        flight->woken[flight->n_woken] = edge->waiter;
        flight->n_woken += --waiter->unknown == 0;
    }
    if (flight->dependences != NULL)
        note_users(flight, insn, now);
}

struct event_dependence flight_critical(const struct flight *flight, const struct in_flight *insn) {
    const struct operand_dependence *noted =
        &flight->dependences[(insn->index & flight->slot_mask) * flight->plan->max_operands];
    unsigned n_reads = insn->plan->n_reads, n_operands = n_reads + insn->plan->n_writes;
    for (unsigned i = n_reads; i-- > 0;)
        if (noted[i].on.cycles != 0)
            return noted[i].on;
    for (unsigned i = n_operands; i-- > n_reads;)
        if (noted[i].on.cycles != 0)
            return noted[i].on;
    return (struct event_dependence){.cycles = 0};
}

// Cycles from now, negative before; one that is over for long is like any other.
static uint64_t cycles_from(const struct flight *flight, const struct coder *coder, int64_t cycle) {
    int64_t from = cycle - coder->now, least = -(int64_t)flight->plan->max_delay - 1;
    return (uint64_t)(from > least ? from : least);
}

static void put_users(const struct flight *flight, const struct in_flight *insn, struct coder *coder) {
    coder_put(coder, insn->users);
    if (insn->users == 0)
        return;
    for (int32_t e = flight->first_edge[flight_slot(flight, insn)]; e != NOT_YET; e = flight->edges[e].next) {
        const struct edge *edge = &flight->edges[e];
        coder_put(coder, coder_insns_ago(coder, flight->slots[edge->waiter].index) << 32 | (uint32_t)edge->advance);
        coder_put(coder, (uint64_t)edge->write << 16 | edge->operand);
    }
}

static void put_notes(const struct flight *flight, const struct in_flight *insn, struct coder *coder) {
    const struct operand_dependence *noted =
        &flight->dependences[(size_t)flight_slot(flight, insn) * flight->plan->max_operands];
    for (unsigned i = 0; i < insn->plan->n_reads + insn->plan->n_writes; i++) {
        coder_put(coder, noted[i].on.cycles);
        if (noted[i].on.cycles == 0)
            continue;
        coder_put(coder, coder_insns_ago(coder, noted[i].on.index) << 32 | noted[i].on.reg);
        coder_put_ahead(coder, noted[i].until);
    }
}

// Where the plan is fixed, who waits for whom follows from it and from what is issued.
void flight_put_insn(const struct flight *flight, const struct in_flight *insn, struct coder *coder) {
    uint64_t cycles = 0;
    if (insn->stage >= STAGE_ISSUED)
        cycles = cycles_from(flight, coder, insn->done_cycle);
    else if (insn->stage != STAGE_READY && insn->ready_cycle > coder->now)
        cycles = (uint64_t)(insn->ready_cycle - coder->now);
    coder_put(coder, cycles << 8 | (uint64_t)insn->stage << 1 | insn->is_eliminated);
    if (insn->stage >= STAGE_ISSUED)
        return;
    if (!flight->plan->is_fixed)
        put_users(flight, insn, coder);
    if (flight->dependences != NULL)
        put_notes(flight, insn, coder);
}

void flight_put_history(const struct flight *flight, uint64_t first, uint64_t most, struct coder *coder) {
    unsigned max_delay = flight->plan->max_delay;
    for (uint64_t i = first; max_delay != 0 && i > 0 && first - i < most && !coder->differs; i--) {
        const struct in_flight *insn = flight_at(flight, i - 1);
        bool is_late = insn->index == i - 1 && insn->stage == STAGE_RETIRED;
        coder_put(coder, is_late ? flight_cycles_ago(flight, coder, insn->done_cycle) : max_delay);
    }
}
