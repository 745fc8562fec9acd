#include "analyzer/sim/mca/scheduler.h"

void scheduler_init(struct scheduler *scheduler, uint64_t n_slots, bool is_wanted, struct stash *stash) {
    const struct simulation_plan *plan = scheduler->flight->plan;
    struct slot_set *sets[] = {&scheduler->became_pending, &scheduler->became_ready, &scheduler->became_done};
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++)
        *sets[i] = (struct slot_set){.slots = STASH_ARRAY(stash, uint32_t, n_slots)};
    ready_lists_init(&scheduler->ready, scheduler->flight, stash);
    scheduler->n_waiting = scheduler->n_pending = 0;
    scheduler->is_wanted = is_wanted;
    wheel_init(&scheduler->pending, (uint64_t)plan->max_latency + plan->max_delay, stash);
    wheel_init(&scheduler->issued, plan->max_latency, stash);
}

static void note(const struct scheduler *scheduler, struct slot_set *set, uint32_t slot) {
    if (scheduler->is_wanted)
        set->slots[set->n++] = slot;
}

bool scheduler_can_dispatch(const struct scheduler *scheduler, const struct plan_insn *insn, enum event_stall *why) {
    enum buffer_state buffers = resource_unit_buffers(scheduler->resources, insn->buffers);
    if (buffers != BUFFER_FREE) {
        *why = buffers == BUFFER_FULL ? STALL_SCHEDULER : STALL_DISPATCH_GROUP;
        return false;
    }
    enum memory_queue queue = memory_unit_queues(scheduler->memory, insn);
    if (queue != QUEUE_FREE)
        *why = queue == QUEUE_LOADS_FULL ? STALL_LOAD_QUEUE : STALL_STORE_QUEUE;
    return queue == QUEUE_FREE;
}

static void make_ready(struct scheduler *scheduler, struct in_flight *insn, uint32_t slot) {
    insn->stage = STAGE_READY;
    ready_lists_add(&scheduler->ready, scheduler->flight, insn, slot);
}

bool scheduler_dispatch(struct scheduler *scheduler, struct in_flight *insn, int64_t now) {
    uint32_t slot = flight_slot(scheduler->flight, insn);
    if (scheduler->flight->n_bumped != 0)
        ready_lists_rank_again(&scheduler->ready, scheduler->flight);
    resource_unit_take_buffers(scheduler->resources, insn->plan->buffers);
    bool is_waiting = insn->unknown != 0, is_pending = insn->ready_cycle > now;
    if (insn->plan->is_memory) {
        memory_unit_dispatch(scheduler->memory, insn, now);
        is_waiting |= memory_unit_is_waiting(scheduler->memory, insn);
        is_pending |= memory_unit_is_pending(scheduler->memory, insn);
    }
    if (is_waiting) {
        scheduler->n_waiting++;
        return false;
    }
    if (is_pending) {
        insn->stage = STAGE_PENDING;
        insn->is_new = true;
        scheduler->n_pending++;
        if (insn->ready_cycle > now)
            wheel_add(&scheduler->pending, insn, slot, insn->ready_cycle);
        return false;
    }
    if (!insn->plan->issues_at_dispatch)
        make_ready(scheduler, insn, slot);
    return true;
}

// Moves an instruction on as far as what it waits for allows.
static void promote(struct scheduler *scheduler, uint32_t slot, int64_t now) {
    struct in_flight *insn = &scheduler->flight->slots[slot];
    bool is_memory = insn->plan->is_memory;
    if (insn->stage == STAGE_WAITING) {
        if (insn->unknown != 0 || (is_memory && memory_unit_is_waiting(scheduler->memory, insn)))
            return;
        insn->stage = STAGE_PENDING;
        scheduler->n_waiting--;
        scheduler->n_pending++;
        note(scheduler, &scheduler->became_pending, slot);
        if (insn->ready_cycle > now)
            wheel_add(&scheduler->pending, insn, slot, insn->ready_cycle);
    }
    if (insn->stage != STAGE_PENDING || insn->ready_cycle > now)
        return;
    if (is_memory && !memory_unit_is_ready(scheduler->memory, insn))
        return;
    scheduler->n_pending--;
    note(scheduler, &scheduler->became_ready, slot);
    make_ready(scheduler, insn, slot);
}

static void promote_all_woken(struct scheduler *scheduler, int64_t now) {
    struct flight *flight = scheduler->flight;
    struct memory_unit *memory = scheduler->memory;
    for (unsigned i = 0; i < flight->n_woken; i++)
        promote(scheduler, flight->woken[i], now);
    flight->n_woken = 0;
    for (unsigned i = 0; i < memory->n_woken; i++) {
        uint32_t slot = memory->groups[memory->woken[i]].first_insn;
        for (; slot != NO_SLOT; slot = memory->next_insn[slot])
            promote(scheduler, slot, now);
    }
    memory->n_woken = 0;
}

static inline void promote_woken(struct scheduler *scheduler, int64_t now) {
    if ((scheduler->flight->n_woken | scheduler->memory->n_woken) != 0)
        promote_all_woken(scheduler, now);
}

static void finish_due(struct scheduler *scheduler, int64_t now) {
    uint32_t slot = wheel_take(&scheduler->issued, now);
    while (slot != NO_SLOT) {
        struct in_flight *insn = &scheduler->flight->slots[slot];
        uint32_t after = insn->after;
        if (insn->done_cycle > now) {
            wheel_add(&scheduler->issued, insn, slot, insn->done_cycle);
        } else {
            if (insn->plan->is_memory)
                memory_unit_execute(scheduler->memory, insn);
            note(scheduler, &scheduler->became_done, slot);
        }
        slot = after;
    }
}

static void promote_due(struct scheduler *scheduler, int64_t now) {
    uint32_t slot = wheel_take(&scheduler->pending, now);
    while (slot != NO_SLOT) {
        struct in_flight *insn = &scheduler->flight->slots[slot];
        uint32_t after = insn->after;
        if (insn->ready_cycle > now)
            wheel_add(&scheduler->pending, insn, slot, insn->ready_cycle);
        else
            promote(scheduler, slot, now);
        slot = after;
    }
}

static inline void forget_notes(struct scheduler *scheduler) {
    if (scheduler->is_wanted)
        scheduler->became_done.n = scheduler->became_pending.n = scheduler->became_ready.n = 0;
}

void scheduler_cycle(struct scheduler *scheduler, int64_t now) {
    forget_notes(scheduler);
    resource_unit_cycle(scheduler->resources, now);
    scheduler->ready.is_ordered = false;
    finish_due(scheduler, now);
    promote_due(scheduler, now);
    promote_woken(scheduler, now);
}

struct in_flight *scheduler_select(struct scheduler *scheduler, int64_t now) {
    struct ready_lists *ready = &scheduler->ready;
    if (!ready->is_ordered)
        ready_lists_order(ready, scheduler->flight);
    for (; ready->order != ready->order_end; ready->order++)
        if (resource_unit_is_free(scheduler->resources, (*ready->order)->alike, now))
            return ready_lists_take(ready, scheduler->flight);
    return NULL;
}

unsigned scheduler_issue(struct scheduler *scheduler, struct in_flight *insn, int64_t now, struct event_use *uses) {
    bool is_memory = insn->plan->is_memory;
    forget_notes(scheduler);
    insn->stage = STAGE_ISSUED;
    resource_unit_free_buffers(scheduler->resources, insn->plan->buffers);
    unsigned n_uses = resource_unit_issue(scheduler->resources, insn->plan, now, uses);
    flight_issue(scheduler->flight, insn, now);
    if (is_memory)
        memory_unit_issue(scheduler->memory, insn, now);
    if (insn->done_cycle > now) {
        if (is_memory || scheduler->is_wanted)
            wheel_add(&scheduler->issued, insn, flight_slot(scheduler->flight, insn), insn->done_cycle);
    } else if (is_memory) {
        memory_unit_execute(scheduler->memory, insn);
    }
    promote_woken(scheduler, now);
    return n_uses;
}
