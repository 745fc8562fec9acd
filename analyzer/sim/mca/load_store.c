#include "analyzer/sim/mca/load_store.h"

#include <assert.h>

// Ids of groups with instructions in flight span no more than these instructions: a group's youngest member is younger
// than every group created before, and while it is dispatched no other group is.
void memory_unit_init(struct memory_unit *unit, struct flight *flight, uint64_t n_groups, struct stash *stash) {
    uint64_t capacity = 1;
    while (capacity < n_groups + 1)
        capacity *= 2;
    unit->flight = flight;
    unit->groups = STASH_ARRAY(stash, struct memory_group, capacity);
    unit->links = STASH_ARRAY(stash, struct memory_link, capacity * MAX_OLDER_GROUPS);
    unit->group_mask = capacity - 1;
    unit->next_insn = STASH_ARRAY(stash, uint32_t, flight->slot_mask + 1);
    unit->woken = STASH_ARRAY(stash, int32_t, 2 * capacity * MAX_OLDER_GROUPS);
}

static bool is_executing(const struct memory_group *group) {
    return group->started != 0 && group->started == group->insns - group->done;
}

static bool has_waiting(const struct memory_group *group) {
    return group->older > group->older_started + group->older_done;
}

static struct memory_current create_group(struct memory_unit *unit) {
    uint64_t id = ++unit->last_id;
    int32_t index = (int32_t)(id & unit->group_mask);
    unit->groups[index] = (struct memory_group){
        .id = id, .order_waiters = NOT_YET, .data_waiters = NOT_YET, .first_insn = NO_SLOT, .slowest = NO_SLOT};
    return (struct memory_current){.id = id, .group = index};
}

// A dependence counts down only while some older group has not started.
static void count_down(struct memory_group *group, int64_t now) {
    int64_t passed = now - group->counted_to;
    if (has_waiting(group))
        group->critical.cycles -= passed < group->critical.cycles ? (unsigned)passed : group->critical.cycles;
    group->counted_to = now;
}

// An older group was issued.
static void note_older(const struct memory_unit *unit, struct memory_group *waiting, const struct memory_group *older,
                       bool is_data, int64_t now) {
    count_down(waiting, now);
    waiting->older_started++;
    if (!is_data || older->slowest == NO_SLOT)
        return;
    const struct in_flight *slowest = &unit->flight->slots[older->slowest];
    int64_t left = slowest->done_cycle - now;
    if (left > waiting->critical.cycles)
        waiting->critical = (struct event_dependence){.index = slowest->index, .cycles = (unsigned)left};
}

static void wake(struct memory_unit *unit, int32_t waiting) {
    if (!has_waiting(&unit->groups[waiting]))
        unit->woken[unit->n_woken++] = waiting;
}

// `waiter` waits until `older` is done (data), or only has started. `which` of its links to use.
static void wait_for(struct memory_unit *unit, int32_t waiter, struct memory_current older, bool is_data, int64_t now) {
    struct memory_group *group = &unit->groups[older.group];
    if (!is_data && is_executing(group))
        return;
    struct memory_group *waiting = &unit->groups[waiter];
    int32_t link = waiter * MAX_OLDER_GROUPS + (int32_t)waiting->older++;
    assert(waiting->older <= MAX_OLDER_GROUPS);
    if (is_executing(group))
        note_older(unit, waiting, group, is_data, now);
    int32_t *first = is_data ? &group->data_waiters : &group->order_waiters;
    unit->links[link].next = *first;
    *first = link;
}

// The younger of the last load and the last load barrier.
static struct memory_current last_load(const struct memory_unit *unit) {
    return unit->load.id > unit->load_barrier.id ? unit->load : unit->load_barrier;
}

// A store passes no older load, store or barrier.
static int32_t dispatch_store(struct memory_unit *unit, const struct insn *insn, int64_t now) {
    struct memory_current created = create_group(unit);
    struct memory_current load = last_load(unit);
    if (load.id != 0)
        wait_for(unit, created.group, load, unit->assume_alias, now);
    if (unit->store_barrier.id != 0)
        wait_for(unit, created.group, unit->store_barrier, true, now);
    if (unit->store.id != 0 && unit->store.id != unit->store_barrier.id)
        wait_for(unit, created.group, unit->store, unit->assume_alias, now);
    unit->store = created;
    if (insn->store_barrier)
        unit->store_barrier = created;
    if (insn->may_load) {
        unit->load = created;
        if (insn->load_barrier)
            unit->load_barrier = created;
    }
    return created.group;
}

// Loads pass each other, so they share a group, until a barrier or a store comes between or the group has started.
static bool needs_own_group(const struct memory_unit *unit, const struct insn *insn, struct memory_current last) {
    return insn->load_barrier || last.id == 0 || last.id == unit->load_barrier.id || last.id <= unit->store.id ||
           is_executing(&unit->groups[last.group]);
}

static int32_t dispatch_load(struct memory_unit *unit, const struct insn *insn, int64_t now) {
    struct memory_current last = last_load(unit);
    if (!needs_own_group(unit, insn, last))
        return unit->load.group;
    struct memory_current created = create_group(unit);
    if (unit->assume_alias && unit->store.id != 0)
        wait_for(unit, created.group, unit->store, true, now);
    struct memory_current older = insn->load_barrier ? last : unit->load_barrier;
    if (older.id != 0)
        wait_for(unit, created.group, older, true, now);
    unit->load = created;
    if (insn->load_barrier)
        unit->load_barrier = created;
    return created.group;
}

void memory_unit_dispatch(struct memory_unit *unit, struct in_flight *insn, int64_t now) {
    const struct insn *described = insn->plan->insn;
    assert(insn->plan->is_memory);
    unit->loads += insn->plan->may_load;
    unit->stores += insn->plan->may_store;
    insn->memory_group =
        described->may_store ? dispatch_store(unit, described, now) : dispatch_load(unit, described, now);
    struct memory_group *group = &unit->groups[insn->memory_group];
    uint32_t slot = flight_slot(unit->flight, insn);
    group->insns++;
    unit->next_insn[slot] = group->first_insn;
    group->first_insn = slot;
}

static void note_slowest(const struct memory_unit *unit, struct memory_group *group, const struct in_flight *insn) {
    const struct in_flight *slots = unit->flight->slots;
    if (group->slowest == NO_SLOT || slots[group->slowest].done_cycle < insn->done_cycle)
        group->slowest = flight_slot(unit->flight, insn);
}

void memory_unit_issue(struct memory_unit *unit, const struct in_flight *insn, int64_t now) {
    struct memory_group *group = &unit->groups[insn->memory_group];
    group->started++;
    note_slowest(unit, group, insn);
    if (!is_executing(group))
        return;
    for (int32_t link = group->order_waiters; link != NOT_YET; link = unit->links[link].next) {
        struct memory_group *waiting = &unit->groups[link / MAX_OLDER_GROUPS];
        note_older(unit, waiting, group, false, now);
        waiting->older_started--;
        waiting->older_done++;
        wake(unit, link / MAX_OLDER_GROUPS);
    }
    for (int32_t link = group->data_waiters; link != NOT_YET; link = unit->links[link].next) {
        note_older(unit, &unit->groups[link / MAX_OLDER_GROUPS], group, true, now);
        wake(unit, link / MAX_OLDER_GROUPS);
    }
}

static void forget_if(struct memory_current *current, uint64_t id) {
    if (current->id == id)
        *current = (struct memory_current){.id = 0};
}

void memory_unit_execute(struct memory_unit *unit, const struct in_flight *insn) {
    struct memory_group *group = &unit->groups[insn->memory_group];
    assert(group->started != 0);
    group->started--;
    group->done++;
    if (group->slowest == flight_slot(unit->flight, insn))
        group->slowest = NO_SLOT;
    if (group->done != group->insns)
        return;
    for (int32_t link = group->data_waiters; link != NOT_YET; link = unit->links[link].next) {
        unit->groups[link / MAX_OLDER_GROUPS].older_started--;
        unit->groups[link / MAX_OLDER_GROUPS].older_done++;
        wake(unit, link / MAX_OLDER_GROUPS);
    }
    forget_if(&unit->load, group->id);
    forget_if(&unit->store, group->id);
    forget_if(&unit->load_barrier, group->id);
    forget_if(&unit->store_barrier, group->id);
}

bool memory_unit_is_waiting(const struct memory_unit *unit, const struct in_flight *insn) {
    return has_waiting(&unit->groups[insn->memory_group]);
}

bool memory_unit_is_pending(const struct memory_unit *unit, const struct in_flight *insn) {
    const struct memory_group *group = &unit->groups[insn->memory_group];
    return group->older_started != 0 && !has_waiting(group);
}

bool memory_unit_is_ready(const struct memory_unit *unit, const struct in_flight *insn) {
    const struct memory_group *group = &unit->groups[insn->memory_group];
    return group->older_done == group->older;
}

struct event_dependence memory_unit_critical(const struct memory_unit *unit, const struct in_flight *insn) {
    return unit->groups[insn->memory_group].critical;
}

static void put_current(struct coder *coder, const struct memory_unit *unit, struct memory_current current) {
    coder_put(coder, current.id != 0 ? unit->last_id - current.id + 1 : 0);
}

void memory_unit_put(const struct memory_unit *unit, struct coder *coder) {
    coder_put(coder, unit->loads);
    coder_put(coder, unit->stores);
    put_current(coder, unit, unit->load);
    put_current(coder, unit, unit->load_barrier);
    put_current(coder, unit, unit->store);
    put_current(coder, unit, unit->store_barrier);
}

static void put_waiters(struct coder *coder, const struct memory_unit *unit, int32_t link) {
    for (; link != NOT_YET; link = unit->links[link].next)
        coder_put(coder, unit->last_id - unit->groups[link / MAX_OLDER_GROUPS].id);
    coder_put(coder, UINT64_MAX);
}

static void put_dependence(struct coder *coder, const struct memory_unit *unit, const struct memory_group *group) {
    const struct in_flight *slots = unit->flight->slots;
    coder_put(coder, group->slowest != NO_SLOT ? coder_insns_ago(coder, slots[group->slowest].index) : 0);
    coder_put(coder, group->critical.cycles);
    if (group->critical.cycles == 0)
        return;
    coder_put(coder, coder_insns_ago(coder, group->critical.index));
    coder_put(coder, (uint64_t)(coder->now - group->counted_to));
}

// How many are done already does not matter: a group of loads may go on for ever.
static void put_group(struct coder *coder, const struct memory_unit *unit, const struct memory_group *group) {
    coder_put(coder, group->older - group->older_done);
    coder_put(coder, group->older_started);
    coder_put(coder, group->insns - group->done);
    coder_put(coder, group->started);
    put_waiters(coder, unit, is_executing(group) ? NOT_YET : group->order_waiters);
    put_waiters(coder, unit, group->data_waiters);
    if (unit->notes_dependences)
        put_dependence(coder, unit, group);
}

// Memory operations of a group follow each other but for operations that are done, so each group is met once, or
// several times in a row.
void memory_unit_put_insn(const struct memory_unit *unit, const struct in_flight *insn, uint64_t *last_group,
                          struct coder *coder) {
    if (insn->stage >= STAGE_ISSUED && insn->done_cycle < coder->now)
        return;
    const struct memory_group *group = &unit->groups[insn->memory_group];
    coder_put(coder, unit->last_id - group->id);
    if (group->id != *last_group)
        put_group(coder, unit, group);
    *last_group = group->id;
}
