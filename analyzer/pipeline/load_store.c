#include "analyzer/pipeline/load_store.h"

#include <assert.h>

void memory_unit_init(struct memory_unit *unit, uint64_t n_groups, struct arena *arena) {
    unit->groups = ARENA_ARRAY(arena, struct memory_group, n_groups);
    unit->links = ARENA_ARRAY(arena, struct memory_link, n_groups * MAX_OLDER_GROUPS);
    unit->free_groups = ARENA_ARRAY(arena, int32_t, n_groups);
    unit->n_free = (unsigned)n_groups;
    for (uint64_t i = 0; i < n_groups; i++)
        unit->free_groups[i] = (int32_t)(n_groups - 1 - i);
}

enum memory_queue memory_unit_queues(const struct memory_unit *unit, const struct insn *insn) {
    if (insn->may_load && unit->load_queue != 0 && unit->loads == unit->load_queue)
        return QUEUE_LOADS_FULL;
    if (insn->may_store && unit->store_queue != 0 && unit->stores == unit->store_queue)
        return QUEUE_STORES_FULL;
    return QUEUE_FREE;
}

static bool is_executing(const struct memory_group *group) {
    return group->started != 0 && group->started == group->insns - group->done;
}

static bool has_waiting(const struct memory_group *group) {
    return group->older > group->older_started + group->older_done;
}

static struct memory_current create_group(struct memory_unit *unit) {
    assert(unit->n_free != 0);
    int32_t index = unit->free_groups[--unit->n_free];
    unit->groups[index] =
        (struct memory_group){.id = ++unit->last_id, .order_waiters = NOT_YET, .data_waiters = NOT_YET, .insns = 1};
    return (struct memory_current){.id = unit->last_id, .group = index};
}

// `waiter` waits until `older` is done (data), or only has started. `which` of its links to use.
static void wait_for(struct memory_unit *unit, int32_t waiter, struct memory_current older, bool is_data) {
    struct memory_group *group = &unit->groups[older.group];
    if (!is_data && is_executing(group))
        return;
    struct memory_group *waiting = &unit->groups[waiter];
    int32_t link = waiter * MAX_OLDER_GROUPS + (int32_t)waiting->older++;
    assert(waiting->older <= MAX_OLDER_GROUPS);
    waiting->older_started += is_executing(group);
    int32_t *first = is_data ? &group->data_waiters : &group->order_waiters;
    unit->links[link].next = *first;
    *first = link;
    group->n_waiters++;
}

// The younger of the last load and the last load barrier.
static struct memory_current last_load(const struct memory_unit *unit) {
    return unit->load.id > unit->load_barrier.id ? unit->load : unit->load_barrier;
}

// A store passes no older load, store or barrier.
static int32_t dispatch_store(struct memory_unit *unit, const struct insn *insn) {
    struct memory_current created = create_group(unit);
    struct memory_current load = last_load(unit);
    if (load.id != 0)
        wait_for(unit, created.group, load, unit->assume_alias);
    if (unit->store_barrier.id != 0)
        wait_for(unit, created.group, unit->store_barrier, true);
    if (unit->store.id != 0 && unit->store.id != unit->store_barrier.id)
        wait_for(unit, created.group, unit->store, unit->assume_alias);
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

static int32_t dispatch_load(struct memory_unit *unit, const struct insn *insn) {
    struct memory_current last = last_load(unit);
    if (!needs_own_group(unit, insn, last)) {
        unit->groups[unit->load.group].insns++;
        return unit->load.group;
    }
    struct memory_current created = create_group(unit);
    if (unit->assume_alias && unit->store.id != 0)
        wait_for(unit, created.group, unit->store, true);
    struct memory_current older = insn->load_barrier ? last : unit->load_barrier;
    if (older.id != 0)
        wait_for(unit, created.group, older, true);
    unit->load = created;
    if (insn->load_barrier)
        unit->load_barrier = created;
    return created.group;
}

void memory_unit_dispatch(struct memory_unit *unit, struct in_flight *insn) {
    const struct insn *described = insn->plan->insn;
    assert(insn->plan->is_memory);
    unit->loads += described->may_load;
    unit->stores += described->may_store;
    insn->memory_group = described->may_store ? dispatch_store(unit, described) : dispatch_load(unit, described);
}

void memory_unit_issue(struct memory_unit *unit, const struct in_flight *insn) {
    struct memory_group *group = &unit->groups[insn->memory_group];
    group->started++;
    if (!is_executing(group))
        return;
    for (int32_t link = group->order_waiters; link != NOT_YET; link = unit->links[link].next)
        unit->groups[link / MAX_OLDER_GROUPS].older_done++;
    for (int32_t link = group->data_waiters; link != NOT_YET; link = unit->links[link].next)
        unit->groups[link / MAX_OLDER_GROUPS].older_started++;
    unit->has_changed |= group->n_waiters != 0;
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
    if (group->done != group->insns)
        return;
    for (int32_t link = group->data_waiters; link != NOT_YET; link = unit->links[link].next) {
        unit->groups[link / MAX_OLDER_GROUPS].older_started--;
        unit->groups[link / MAX_OLDER_GROUPS].older_done++;
    }
    unit->has_changed |= group->data_waiters != NOT_YET;
    unit->free_groups[unit->n_free++] = insn->memory_group;
    forget_if(&unit->load, group->id);
    forget_if(&unit->store, group->id);
    forget_if(&unit->load_barrier, group->id);
    forget_if(&unit->store_barrier, group->id);
}

void memory_unit_retire(struct memory_unit *unit, const struct in_flight *insn) {
    unit->loads -= insn->plan->insn->may_load;
    unit->stores -= insn->plan->insn->may_store;
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

bool memory_unit_has_waiters(const struct memory_unit *unit, const struct in_flight *insn) {
    const struct memory_group *group = &unit->groups[insn->memory_group];
    return group->done != group->insns && group->n_waiters != 0;
}
