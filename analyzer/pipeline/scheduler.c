#include "analyzer/pipeline/scheduler.h"

#include <assert.h>

void scheduler_init(struct scheduler *scheduler, uint64_t n_slots, struct arena *arena) {
    struct slot_set *sets[] = {
        &scheduler->waiting,        &scheduler->pending,      &scheduler->ready,       &scheduler->issued,
        &scheduler->became_pending, &scheduler->became_ready, &scheduler->became_done,
    };
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++)
        *sets[i] = (struct slot_set){.slots = ARENA_ARRAY(arena, uint32_t, n_slots)};
    scheduler->next_ready = scheduler->next_done = INT64_MAX;
}

static void add(struct slot_set *set, const struct in_flight *insn) {
    set->slots[set->n++] = insn->slot;
}

static void remove_at(struct slot_set *set, unsigned i) {
    set->slots[i] = set->slots[--set->n];
}

static struct in_flight *at(const struct scheduler *scheduler, const struct slot_set *set, unsigned i) {
    return &scheduler->flight->slots[set->slots[i]];
}

bool scheduler_can_dispatch(const struct scheduler *scheduler, const struct plan_insn *insn, enum event_stall *why) {
    enum buffer_state buffers = resource_unit_buffers(scheduler->resources, insn->insn->buffers);
    if (buffers != BUFFER_FREE) {
        *why = buffers == BUFFER_FULL ? STALL_SCHEDULER : STALL_DISPATCH_GROUP;
        return false;
    }
    enum memory_queue queue = memory_unit_queues(scheduler->memory, insn->insn);
    if (queue != QUEUE_FREE)
        *why = queue == QUEUE_LOADS_FULL ? STALL_LOAD_QUEUE : STALL_STORE_QUEUE;
    return queue == QUEUE_FREE;
}

bool scheduler_dispatch(struct scheduler *scheduler, struct in_flight *insn, int64_t now) {
    bool is_memory = insn->plan->is_memory;
    resource_unit_take_buffers(scheduler->resources, insn->plan->insn->buffers);
    if (is_memory)
        memory_unit_dispatch(scheduler->memory, insn);
    if (insn->unknown != 0 || (is_memory && memory_unit_is_waiting(scheduler->memory, insn))) {
        add(&scheduler->waiting, insn);
        return false;
    }
    if (insn->ready_cycle > now || (is_memory && memory_unit_is_pending(scheduler->memory, insn))) {
        add(&scheduler->pending, insn);
        scheduler->look_at_pending = true;
        return false;
    }
    if (!insn->plan->issues_at_dispatch)
        add(&scheduler->ready, insn);
    return true;
}

static void promote_waiting(struct scheduler *scheduler) {
    struct slot_set *waiting = &scheduler->waiting;
    for (unsigned i = 0; i < waiting->n;) {
        struct in_flight *insn = at(scheduler, waiting, i);
        if (insn->unknown != 0 || (insn->plan->is_memory && memory_unit_is_waiting(scheduler->memory, insn))) {
            i++;
            continue;
        }
        add(&scheduler->became_pending, insn);
        add(&scheduler->pending, insn);
        remove_at(waiting, i);
    }
}

static void promote_pending(struct scheduler *scheduler, int64_t now) {
    struct slot_set *pending = &scheduler->pending;
    scheduler->next_ready = INT64_MAX;
    for (unsigned i = 0; i < pending->n;) {
        struct in_flight *insn = at(scheduler, pending, i);
        bool has_operands = insn->ready_cycle <= now;
        if (!has_operands && insn->ready_cycle < scheduler->next_ready)
            scheduler->next_ready = insn->ready_cycle;
        if (!has_operands || (insn->plan->is_memory && !memory_unit_is_ready(scheduler->memory, insn))) {
            i++;
            continue;
        }
        add(&scheduler->became_ready, insn);
        add(&scheduler->ready, insn);
        remove_at(pending, i);
    }
}

// Goes through the sets only when something can have changed: an instruction's last unknown operand got its time, or
// a memory operation no longer waits. Within a cycle, pending instructions are looked at only when others joined them.
static void promote(struct scheduler *scheduler, int64_t now, bool is_cycle) {
    bool has_changed = scheduler->flight->n_woken != 0 || scheduler->memory->has_changed;
    if (has_changed)
        promote_waiting(scheduler);
    bool became_pending = scheduler->became_pending.n != 0;
    scheduler->look_at_pending |= became_pending || scheduler->memory->has_changed;
    scheduler->flight->n_woken = 0;
    scheduler->memory->has_changed = false;
    if (!is_cycle && !became_pending)
        return;
    if (scheduler->look_at_pending || now >= scheduler->next_ready)
        promote_pending(scheduler, now);
    scheduler->look_at_pending = false;
}

static void finish(struct scheduler *scheduler, int64_t now) {
    struct slot_set *issued = &scheduler->issued;
    if (now < scheduler->next_done)
        return;
    scheduler->next_done = INT64_MAX;
    for (unsigned i = 0; i < issued->n;) {
        struct in_flight *insn = at(scheduler, issued, i);
        if (insn->done_cycle > now) {
            if (insn->done_cycle < scheduler->next_done)
                scheduler->next_done = insn->done_cycle;
            i++;
            continue;
        }
        if (insn->plan->is_memory)
            memory_unit_execute(scheduler->memory, insn);
        insn->is_executed = true;
        add(&scheduler->became_done, insn);
        remove_at(issued, i);
    }
}

void scheduler_cycle(struct scheduler *scheduler, int64_t now) {
    scheduler->became_done.n = scheduler->became_pending.n = scheduler->became_ready.n = 0;
    resource_unit_cycle(scheduler->resources, now);
    finish(scheduler, now);
    promote(scheduler, now, true);
}

// Age, less the number of instructions known to wait for the result.
static int64_t rank_of(const struct in_flight *insn) {
    return (int64_t)insn->index - insn->users;
}

static bool goes_before(const struct in_flight *a, const struct in_flight *b) {
    int64_t rank_a = rank_of(a), rank_b = rank_of(b);
    return rank_a != rank_b ? rank_a < rank_b : a->index < b->index;
}

struct in_flight *scheduler_select(struct scheduler *scheduler) {
    struct slot_set *ready = &scheduler->ready;
    struct in_flight *best = NULL;
    unsigned best_at = 0;
    for (unsigned i = 0; i < ready->n; i++) {
        struct in_flight *insn = at(scheduler, ready, i);
        if ((best != NULL && !goes_before(insn, best)) || !resource_unit_is_free(scheduler->resources, insn->plan))
            continue;
        best = insn;
        best_at = i;
    }
    if (best != NULL)
        remove_at(ready, best_at);
    return best;
}

unsigned scheduler_issue(struct scheduler *scheduler, struct in_flight *insn, int64_t now, struct event_use *uses) {
    bool is_memory = insn->plan->is_memory;
    bool has_waiters = insn->users != 0 || (is_memory && memory_unit_has_waiters(scheduler->memory, insn));
    scheduler->became_done.n = scheduler->became_pending.n = scheduler->became_ready.n = 0;
    resource_unit_free_buffers(scheduler->resources, insn->plan->insn->buffers);
    unsigned n_uses = resource_unit_issue(scheduler->resources, insn->plan, now, uses);
    flight_issue(scheduler->flight, insn, now);
    if (is_memory)
        memory_unit_issue(scheduler->memory, insn);
    insn->is_executed = insn->done_cycle <= now;
    if (!insn->is_executed) {
        add(&scheduler->issued, insn);
        if (insn->done_cycle < scheduler->next_done)
            scheduler->next_done = insn->done_cycle;
    } else if (is_memory) {
        memory_unit_execute(scheduler->memory, insn);
    }
    if (has_waiters)
        promote(scheduler, now, false);
    return n_uses;
}
