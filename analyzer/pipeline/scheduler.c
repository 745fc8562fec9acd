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

void scheduler_init(struct scheduler *scheduler, uint64_t n_slots, struct stash *stash) {
    const struct plan *plan = scheduler->flight->plan;
    struct slot_set *sets[] = {&scheduler->became_pending, &scheduler->became_ready, &scheduler->became_done};
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++)
        *sets[i] = (struct slot_set){.slots = STASH_ARRAY(stash, uint32_t, n_slots)};
    scheduler->ready = STASH_ARRAY(stash, struct ready_list, plan->n_issue_classes);
    for (unsigned c = 0; c < plan->n_issue_classes; c++)
        scheduler->ready[c] = (struct ready_list){.first = NO_SLOT, .last = NO_SLOT};
    scheduler->n_words = (plan->n_issue_classes + WORD_BITS - 1) / WORD_BITS;
    scheduler->has_ready = STASH_ZEROED(stash, uint64_t, scheduler->n_words);
    scheduler->is_blocked = STASH_ZEROED(stash, uint64_t, scheduler->n_words);
    scheduler->n_waiting = scheduler->n_pending = scheduler->n_ready = scheduler->n_issued = 0;
    init_wheel(&scheduler->pending, (uint64_t)plan->max_latency + plan->max_delay, stash);
    init_wheel(&scheduler->issued, plan->max_latency, stash);
}

static void add(struct slot_set *set, uint32_t slot) {
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

static void ready_remove(struct scheduler *scheduler, const struct in_flight *insn) {
    unsigned class = insn->plan->issue_class;
    struct in_flight *slots = scheduler->flight->slots;
    struct ready_list *list = &scheduler->ready[class];
    if (insn->after != NO_SLOT)
        slots[insn->after].before = insn->before;
    else
        list->last = insn->before;
    if (insn->before != NO_SLOT) {
        slots[insn->before].after = insn->after;
        return;
    }
    list->first = insn->after;
    if (insn->after != NO_SLOT)
        list->rank = rank_of(&slots[insn->after]);
    else
        scheduler->has_ready[class / WORD_BITS] &= ~(1ULL << class % WORD_BITS);
}

// Sorted by rank; most come in at the end.
static void ready_add(struct scheduler *scheduler, struct in_flight *insn, uint32_t slot) {
    unsigned class = insn->plan->issue_class;
    struct in_flight *slots = scheduler->flight->slots;
    struct ready_list *list = &scheduler->ready[class];
    int64_t rank = rank_of(insn);
    uint32_t before = list->last;
    while (before != NO_SLOT && rank_of(&slots[before]) > rank)
        before = slots[before].before;
    insn->before = before;
    insn->after = before != NO_SLOT ? slots[before].after : list->first;
    if (insn->after != NO_SLOT)
        slots[insn->after].before = slot;
    else
        list->last = slot;
    if (before != NO_SLOT) {
        slots[before].after = slot;
        return;
    }
    list->first = slot;
    list->rank = rank;
    scheduler->has_ready[class / WORD_BITS] |= 1ULL << class % WORD_BITS;
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
    if (!insn->is_memory)
        return true;
    enum memory_queue queue = memory_unit_queues(scheduler->memory, insn);
    if (queue != QUEUE_FREE)
        *why = queue == QUEUE_LOADS_FULL ? STALL_LOAD_QUEUE : STALL_STORE_QUEUE;
    return queue == QUEUE_FREE;
}

static void make_ready(struct scheduler *scheduler, struct in_flight *insn, uint32_t slot) {
    insn->stage = STAGE_READY;
    scheduler->n_ready++;
    ready_add(scheduler, insn, slot);
}

bool scheduler_dispatch(struct scheduler *scheduler, struct in_flight *insn, int64_t now) {
    bool is_memory = insn->plan->is_memory;
    uint32_t slot = flight_slot(scheduler->flight, insn);
    if (scheduler->flight->n_bumped != 0)
        rank_again(scheduler);
    resource_unit_take_buffers(scheduler->resources, insn->plan->buffers);
    if (is_memory)
        memory_unit_dispatch(scheduler->memory, insn, now);
    if (insn->unknown != 0 || (is_memory && memory_unit_is_waiting(scheduler->memory, insn))) {
        scheduler->n_waiting++;
        return false;
    }
    if (insn->ready_cycle > now || (is_memory && memory_unit_is_pending(scheduler->memory, insn))) {
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
        add(&scheduler->became_pending, slot);
        if (insn->ready_cycle > now)
            wheel_add(&scheduler->pending, insn, slot, insn->ready_cycle);
    }
    if (insn->stage != STAGE_PENDING || insn->ready_cycle > now)
        return;
    if (is_memory && !memory_unit_is_ready(scheduler->memory, insn))
        return;
    scheduler->n_pending--;
    add(&scheduler->became_ready, slot);
    make_ready(scheduler, insn, slot);
}

static void promote_woken(struct scheduler *scheduler, int64_t now) {
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

static void finish(struct scheduler *scheduler, int64_t now) {
    uint32_t slot = wheel_take(&scheduler->issued, now);
    while (slot != NO_SLOT) {
        struct in_flight *insn = &scheduler->flight->slots[slot];
        uint32_t after = insn->after;
        if (insn->done_cycle > now) {
            wheel_add(&scheduler->issued, insn, slot, insn->done_cycle);
        } else {
            if (insn->plan->is_memory)
                memory_unit_execute(scheduler->memory, insn);
            insn->stage = STAGE_EXECUTED;
            scheduler->n_issued--;
            add(&scheduler->became_done, slot);
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

void scheduler_cycle(struct scheduler *scheduler, int64_t now) {
    scheduler->became_done.n = scheduler->became_pending.n = scheduler->became_ready.n = 0;
    resource_unit_cycle(scheduler->resources, now);
    for (unsigned w = 0; w < scheduler->n_words; w++)
        scheduler->is_blocked[w] = 0;
    finish(scheduler, now);
    promote_due(scheduler, now);
    promote_woken(scheduler, now);
}

// Of the lists of one word that are not blocked, the one whose first goes first, if it goes before `best`.
static int better_class(const struct scheduler *scheduler, unsigned word, int best) {
    int64_t best_rank = best >= 0 ? scheduler->ready[best].rank : INT64_MAX;
    uint64_t classes = scheduler->has_ready[word] & ~scheduler->is_blocked[word];
    for (; classes != 0; classes &= classes - 1) {
        unsigned class = word * WORD_BITS + (unsigned)__builtin_ctzll(classes);
        if (scheduler->ready[class].rank >= best_rank)
            continue;
        best = (int)class;
        best_rank = scheduler->ready[class].rank;
    }
    return best;
}

struct in_flight *scheduler_select(struct scheduler *scheduler, int64_t now) {
    while (scheduler->n_ready != 0) {
        int class = -1;
        for (unsigned w = 0; w < scheduler->n_words; w++)
            class = better_class(scheduler, w, class);
        if (class < 0)
            return NULL;
        struct in_flight *insn = &scheduler->flight->slots[scheduler->ready[class].first];
        if (resource_unit_is_free(scheduler->resources, insn->plan, now)) {
            ready_remove(scheduler, insn);
            scheduler->n_ready--;
            return insn;
        }
        scheduler->is_blocked[class / WORD_BITS] |= 1ULL << class % WORD_BITS;
    }
    return NULL;
}

unsigned scheduler_issue(struct scheduler *scheduler, struct in_flight *insn, int64_t now, struct event_use *uses) {
    bool is_memory = insn->plan->is_memory;
    scheduler->became_done.n = scheduler->became_pending.n = scheduler->became_ready.n = 0;
    resource_unit_free_buffers(scheduler->resources, insn->plan->buffers);
    unsigned n_uses = resource_unit_issue(scheduler->resources, insn->plan, now, uses);
    flight_issue(scheduler->flight, insn, now);
    if (is_memory)
        memory_unit_issue(scheduler->memory, insn, now);
    if (insn->done_cycle > now) {
        insn->stage = STAGE_ISSUED;
        scheduler->n_issued++;
        wheel_add(&scheduler->issued, insn, flight_slot(scheduler->flight, insn), insn->done_cycle);
    } else {
        insn->stage = STAGE_EXECUTED;
        if (is_memory)
            memory_unit_execute(scheduler->memory, insn);
    }
    promote_woken(scheduler, now);
    return n_uses;
}
