#include "analyzer/pipeline/flight.h"

#include <assert.h>

void flight_init(struct flight *flight, const struct plan *plan, uint64_t n_slots, struct arena *arena) {
    uint64_t capacity = 1;
    while (capacity < n_slots)
        capacity *= 2;
    *flight = (struct flight){.plan = plan, .slot_mask = capacity - 1};
    flight->slots = ARENA_ARRAY(arena, struct in_flight, capacity);
    flight->first_edge = ARENA_ARRAY(arena, int32_t, capacity * plan->max_writes + 1);
    flight->edges = ARENA_ARRAY(arena, struct edge, capacity * plan->max_edges + 1);
    for (uint64_t i = 0; i < capacity; i++)
        flight->slots[i] = (struct in_flight){.index = EMPTY_SLOT, .is_executed = true, .is_retired = true};
}

struct in_flight *flight_enter(struct flight *flight, uint64_t index) {
    struct in_flight *insn = flight_at(flight, index);
    assert(insn->is_retired);
    unsigned position = (unsigned)(index % flight->plan->n_insns);
    const struct plan_insn *plan = &flight->plan->insns[position];
    *insn = (struct in_flight){
        .index = index,
        .plan = plan,
        .position = position,
        .slot = (uint32_t)(index & flight->slot_mask),
        .memory_group = NOT_YET,
        .issue_cycle = NOT_YET,
    };
    for (unsigned w = 0; w < plan->n_writes; w++)
        flight->first_edge[insn->slot * flight->plan->max_writes + w] = NOT_YET;
    return insn;
}

static int64_t max_cycle(int64_t a, int64_t b) {
    return a > b ? a : b;
}

int64_t flight_cycles_left(const struct in_flight *insn, unsigned write, int64_t now) {
    assert(insn->issue_cycle != NOT_YET);
    int64_t age = (now < insn->done_cycle ? now : insn->done_cycle) - insn->issue_cycle;
    return (int64_t)insn->plan->writes[write].latency - age;
}

void flight_wait(struct flight *flight, struct in_flight *waiter, struct in_flight *producer, unsigned write,
                 int advance, int64_t now) {
    if (producer->issue_cycle != NOT_YET) {
        int64_t left = flight_cycles_left(producer, write, now) - advance;
        waiter->ready_cycle = max_cycle(waiter->ready_cycle, now + max_cycle(left, 0));
        return;
    }
    assert(waiter->n_edges < flight->plan->max_edges);
    uint32_t edge = waiter->slot * flight->plan->max_edges + waiter->n_edges++;
    int32_t *first = &flight->first_edge[producer->slot * flight->plan->max_writes + write];
    flight->edges[edge] = (struct edge){.next = *first, .waiter = waiter->slot, .advance = advance};
    *first = (int32_t)edge;
    waiter->unknown++;
    producer->users++;
}

static void tell_waiters(struct flight *flight, const struct in_flight *insn, unsigned write, int64_t now) {
    int64_t latency = insn->plan->writes[write].latency;
    int32_t e = flight->first_edge[insn->slot * flight->plan->max_writes + write];
    while (e != NOT_YET) {
        const struct edge *edge = &flight->edges[e];
        struct in_flight *waiter = &flight->slots[edge->waiter];
        waiter->ready_cycle = max_cycle(waiter->ready_cycle, now + max_cycle(latency - edge->advance, 0));
        if (--waiter->unknown == 0)
            flight->n_woken++;
        e = edge->next;
    }
}

void flight_issue(struct flight *flight, struct in_flight *insn, int64_t now) {
    insn->issue_cycle = now;
    insn->done_cycle = now + insn->plan->insn->latency;
    for (unsigned w = 0; w < insn->plan->n_writes && insn->users != 0; w++)
        tell_waiters(flight, insn, w, now);
}
