#include "analyzer/pipeline/scheduler.h"

#include <assert.h>

enum { MIN_WHEEL = 64, MAX_WHEEL = 1024, WORD_BITS = 64 };

static void init_wheel(struct wheel *wheel, uint64_t longest, struct stash *stash) {
    uint64_t size = MIN_WHEEL;
    while (size <= longest && size < MAX_WHEEL)
        size *= 2;
    wheel->first = STASH_ARRAY(stash, uint32_t, size);
    wheel->mask = size - 1;
    for (uint64_t i = 0; i < size; i++)
        wheel->first[i] = NO_SLOT;
}

void scheduler_init(struct scheduler *scheduler, uint64_t n_slots, bool is_heard, struct stash *stash) {
    const struct plan *plan = scheduler->flight->plan;
    struct slot_set *sets[] = {&scheduler->became_pending, &scheduler->became_ready, &scheduler->became_done};
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++)
        *sets[i] = (struct slot_set){.slots = STASH_ARRAY(stash, uint32_t, n_slots)};
    scheduler->ready = STASH_ARRAY(stash, struct ready_list, plan->n_issue_classes);
    for (unsigned c = 0; c < plan->n_issue_classes; c++)
        scheduler->ready[c] =
            (struct ready_list){.first = NO_SLOT, .last = NO_SLOT, .alike = &plan->insns[plan->class_position[c]]};
    scheduler->n_words = (plan->n_issue_classes + WORD_BITS - 1) / WORD_BITS;
    scheduler->has_ready = STASH_ZEROED(stash, uint64_t, scheduler->n_words);
    scheduler->n_classes = plan->n_issue_classes;
    scheduler->all_lists = STASH_ARRAY(stash, struct ready_list *, plan->n_issue_classes);
    scheduler->n_waiting = scheduler->n_pending = 0;
    scheduler->is_heard = is_heard;
    init_wheel(&scheduler->pending, (uint64_t)plan->max_latency + plan->max_delay, stash);
    init_wheel(&scheduler->issued, plan->max_latency, stash);
}

static void note(const struct scheduler *scheduler, struct slot_set *set, uint32_t slot) {
    if (scheduler->is_heard)
        set->slots[set->n++] = slot;
}

static void wheel_add(struct wheel *wheel, struct in_flight *insn, uint32_t slot, int64_t cycle) {
    uint32_t *first = &wheel->first[(uint64_t)cycle & wheel->mask];
    insn->after = *first;
    *first = slot;
}

// The list of a cycle, taken out. It may hold instructions for the same place in a later turn of the wheel.
static uint32_t wheel_take(struct wheel *wheel, int64_t cycle) {
    uint32_t *first = &wheel->first[(uint64_t)cycle & wheel->mask];
    uint32_t slot = *first;
    *first = NO_SLOT;
    return slot;
}

// Age, less the number of instructions known to wait for the result; the smallest goes first. Of equals the older
// one: it has fewer users.
static int64_t rank_of(const struct in_flight *insn) {
    enum { MOST_USERS = 1 << 24 };
    return ((int64_t)insn->index - insn->users) * MOST_USERS + insn->users;
}

static void set_has_ready(struct scheduler *scheduler, const struct ready_list *list, bool has) {
    size_t class = (size_t)(list - scheduler->ready);
    uint64_t bit = 1ULL << class % WORD_BITS, *word = &scheduler->has_ready[class / WORD_BITS];
    *word = has ? *word | bit : *word & ~bit;
}

static inline void ready_remove_first(struct scheduler *scheduler, struct ready_list *list,
                                      const struct in_flight *insn) {
    list->first = insn->after;
    if (insn->after != NO_SLOT) {
        scheduler->flight->slots[insn->after].before = NO_SLOT;
        return;
    }
    list->last = NO_SLOT;
    set_has_ready(scheduler, list, false);
}

static void ready_remove(struct scheduler *scheduler, const struct in_flight *insn) {
    struct in_flight *slots = scheduler->flight->slots;
    struct ready_list *list = &scheduler->ready[insn->plan->issue_class];
    if (insn->before == NO_SLOT) {
        ready_remove_first(scheduler, list, insn);
        return;
    }
    slots[insn->before].after = insn->after;
    if (insn->after != NO_SLOT)
        slots[insn->after].before = insn->before;
    else
        list->last = insn->before;
}

// Sorted by rank; most come in at the end.
static void ready_add(struct scheduler *scheduler, struct in_flight *insn, uint32_t slot) {
    struct in_flight *slots = scheduler->flight->slots;
    struct ready_list *list = &scheduler->ready[insn->plan->issue_class];
    uint32_t before = list->last, after = NO_SLOT;
    insn->rank = rank_of(insn);
    while (before != NO_SLOT && slots[before].rank > insn->rank) {
        after = before;
        before = slots[before].before;
    }
    insn->before = before;
    insn->after = after;
    *(after != NO_SLOT ? &slots[after].before : &list->last) = slot;
    if (before != NO_SLOT) {
        slots[before].after = slot;
        return;
    }
    list->first = slot;
    scheduler->is_ordered = false;
    set_has_ready(scheduler, list, true);
}

// Ready instructions that got users may go earlier now.
static void rank_again(struct scheduler *scheduler) {
    struct flight *flight = scheduler->flight;
    for (unsigned i = 0; i < flight->n_bumped; i++) {
        struct in_flight *insn = &flight->slots[flight->bumped[i]];
        ready_remove(scheduler, insn);
        ready_add(scheduler, insn, flight->bumped[i]);
    }
    flight->n_bumped = 0;
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
    ready_add(scheduler, insn, slot);
}

bool scheduler_dispatch(struct scheduler *scheduler, struct in_flight *insn, int64_t now) {
    uint32_t slot = flight_slot(scheduler->flight, insn);
    if (scheduler->flight->n_bumped != 0)
        rank_again(scheduler);
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
    if (scheduler->is_heard)
        scheduler->became_done.n = scheduler->became_pending.n = scheduler->became_ready.n = 0;
}

void scheduler_cycle(struct scheduler *scheduler, int64_t now) {
    forget_notes(scheduler);
    resource_unit_cycle(scheduler->resources, now);
    scheduler->is_ordered = false;
    finish_due(scheduler, now);
    promote_due(scheduler, now);
    promote_woken(scheduler, now);
}

// The list goes back to its place, behind those that go first.
static inline void order_first(struct scheduler *scheduler) {
    const struct in_flight *slots = scheduler->flight->slots;
    struct ready_list **at = scheduler->order, *list = *at;
    int64_t rank = slots[list->first].rank;
    for (; at + 1 < scheduler->order_end && slots[at[1]->first].rank < rank; at++)
        at[0] = at[1];
    *at = list;
}

static void order_lists(struct scheduler *scheduler) {
    struct ready_list **at = scheduler->order_end = scheduler->all_lists + scheduler->n_classes;
    scheduler->order = at;
    for (unsigned w = 0; w < scheduler->n_words; w++)
        for (uint64_t classes = scheduler->has_ready[w]; classes != 0; classes &= classes - 1) {
            *--scheduler->order = &scheduler->ready[w * WORD_BITS + (unsigned)__builtin_ctzll(classes)];
            order_first(scheduler);
        }
    scheduler->is_ordered = true;
}

struct in_flight *scheduler_select(struct scheduler *scheduler, int64_t now) {
    if (!scheduler->is_ordered)
        order_lists(scheduler);
    for (; scheduler->order != scheduler->order_end; scheduler->order++) {
        struct ready_list *list = *scheduler->order;
        if (!resource_unit_is_free(scheduler->resources, list->alike, now))
            continue;
        struct in_flight *insn = &scheduler->flight->slots[list->first];
        ready_remove_first(scheduler, list, insn);
        if (list->first == NO_SLOT)
            scheduler->order++;
        else
            order_first(scheduler);
        return insn;
    }
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
        if (is_memory || scheduler->is_heard)
            wheel_add(&scheduler->issued, insn, flight_slot(scheduler->flight, insn), insn->done_cycle);
    } else if (is_memory) {
        memory_unit_execute(scheduler->memory, insn);
    }
    promote_woken(scheduler, now);
    return n_uses;
}
