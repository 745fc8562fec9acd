#include "analyzer/sim/core/watch.h"

#include "analyzer/sim/core/units.h"

void watch_open(struct watch *watch, const struct core_plan *plan, const struct reporter *reporter, unsigned places,
                struct stash *stash) {
    const struct event_calls *wanted = &reporter->wanted;
    *watch = (struct watch){.is_wanted_of_rename = wanted->eliminated || wanted->met_store};
    if (wanted->met_store)
        watch->stores = STASH_ZEROED(stash, uint64_t, STORE_PLACES);
    if (!wanted->ready && !wanted->issued && !wanted->critical && !wanted->met_store)
        return;
    watch->ring = STASH_ZEROED(stash, struct watched, places);
    struct watched_source *sources = STASH_ZEROED(stash, struct watched_source, (size_t)places * plan->most_reads + 1);
    for (unsigned i = 0; i < places; i++)
        watch->ring[i].sources = &sources[(size_t)i * plan->most_reads];
}

static struct watched *watched_of(const struct units *units, const struct flight *flight) {
    return &units->watch.ring[flight->index & units->flights.mask];
}

__attribute__((noinline, cold)) void watch_enter(struct units *units, const struct flight *flight) {
    struct watched *watched = watched_of(units, flight);
    struct watched_source *sources = watched->sources;
    *watched = (struct watched){.entered = ticks_at(units->core.now), .ready = UNKNOWN, .sources = sources};
    for (unsigned i = 0; i < flight->insn->n_reads; i++) {
        const struct maker *maker = &units->rename.makers[flight->insn->reads[i].unit];
        sources[i] = (struct watched_source){units->relaxed & RELAX_DEPENDENCES ? 0 : maker->index, maker->write};
    }
    if (units->watch.stores && flight->insn->stores)
        units->watch.stores[units->stores.next % STORE_PLACES] = flight->index;
}

static void report_elimination(struct units *units, const struct event_insn *event, enum cpu_rename rename) {
    static const enum event_elimination what[] = {
        [CPU_ZEROES] = ELIMINATED_IDIOM, [CPU_MOVES] = ELIMINATED_MOVE, [CPU_IS_IDLE] = ELIMINATED_NOP};
    if (rename != CPU_EXECUTES)
        REPORT(&units->core.reporter, eliminated, event, what[rename]);
}

// Its own store, if it has one, is behind the one that it meets. What is in the cache is met no more.
static void report_meeting(struct units *units, const struct flight *flight, const struct event_insn *event) {
    static const enum event_meeting what[] = {[CORE_IS_FORWARDED] = MEETING_FORWARDS,
                                              [CORE_IS_RENAMED] = MEETING_RENAMES,
                                              [CORE_IS_BLOCKED] = MEETING_BLOCKS};
    const struct core_access *access = flight->access;
    const uint64_t before = units->stores.next - flight->insn->stores;
    if (access->meets == CORE_MEETS_NOTHING || access->stores_back > before ||
        before - access->stores_back < units->stores.committed)
        return;
    const uint64_t store = units->watch.stores[(before - access->stores_back) % STORE_PLACES];
    REPORT(&units->core.reporter, met_store, event, store + units->core.reporter.skipped_insns, what[access->meets]);
}

__attribute__((noinline, cold)) void watch_rename(struct units *units, const struct flight *flight) {
    const struct event_insn event = core_event(&units->core, flight->index, flight->position);
    report_elimination(units, &event, flight->insn->recipe->rename);
    if (units->watch.stores && flight->insn->loads)
        report_meeting(units, flight, &event);
}

__attribute__((noinline, cold)) void watch_release(struct units *units, const struct flight *flight, int64_t ready) {
    struct watched *watched = watched_of(units, flight);
    watched->ready = ready < watched->ready ? ready : watched->ready;
}

static void report_ready(struct units *units, const struct flight *flight) {
    struct watched *watched = watched_of(units, flight);
    const struct event_insn event = core_event(&units->core, flight->index, flight->position);
    if (!watched->is_ready)
        REPORT(&units->core.reporter, ready, &event);
    watched->is_ready = true;
}

__attribute__((noinline, cold)) void watch_ready(struct units *units) {
    for (uint64_t i = units->flights.oldest; i < units->flights.next; i++) {
        const struct flight *flight = flights_at(&units->flights, i);
        if (watched_of(units, flight)->ready < ticks_at(units->core.now + 1))
            report_ready(units, flight);
    }
}

static uint16_t register_of(const struct units *units, const struct insn *insn, unsigned unit) {
    for (unsigned i = 0; i < insn->n_writes; i++)
        if (units->plan->cpu->units[insn->writes[i].reg] == unit)
            return insn->writes[i].reg;
    return 0;
}

// The source whose value came last, if the flight waited for it. A value that is not in flight any more, and whose
// place another one has, has been there for long.
static struct event_dependence find_latest(const struct units *units, const struct flight *flight,
                                           enum core_group group) {
    const struct watched *watched = watched_of(units, flight);
    struct event_dependence latest = {.cycles = 0};
    int64_t last = watched->entered;
    for (unsigned i = 0; i < flight->insn->n_reads; i++) {
        const struct watched_source *source = &watched->sources[i];
        const struct flight *maker = flights_at(&units->flights, source->maker - 1);
        if (!source->maker || flight->insn->reads[i].group != group || maker->index != source->maker - 1 ||
            maker->results[source->write].ticks == UNKNOWN || maker->results[source->write].ticks <= last)
            continue;
        last = maker->results[source->write].ticks;
        latest = (struct event_dependence){
            .index = maker->index + units->core.reporter.skipped_insns,
            .cycles = (unsigned)((last - watched->entered + TICKS - 1) / TICKS),
            .reg = register_of(units, maker->insn->recipe->insn, maker->insn->writes[source->write].unit)};
    }
    return latest;
}

// Data that is stored waits with what computes it, if anything does.
static void explain(struct units *units, const struct flight *flight, enum core_part part,
                    const struct event_insn *event) {
    struct watched *watched = watched_of(units, flight);
    const enum core_group group = part == CORE_LOADS || part == CORE_STORES_ADDRESS ? CORE_ADDRESS : CORE_VALUE;
    if (watched->is_explained[group])
        return;
    watched->is_explained[group] = true;
    const struct event_critical critical = {.on_register = find_latest(units, flight, group)};
    REPORT(&units->core.reporter, critical, event, &critical);
}

__attribute__((noinline, cold)) void watch_issue(struct units *units, const struct flight *flight,
                                                 const struct watch_issued *issued) {
    const struct event_insn event = core_event(&units->core, flight->index, flight->position);
    const int64_t later = issued->begin - ticks_at(units->core.now);
    const struct event_use use = {.resource = issued->pipe + 1,
                                  .cycles = (unsigned)(issued->hold / TICKS),
                                  .parts = (unsigned)(issued->hold % TICKS),
                                  .parts_later = later > 0 ? (unsigned)later : 0};
    report_ready(units, flight);
    explain(units, flight, issued->part, &event);
    REPORT(&units->core.reporter, issued, &event, &use, issued->pipe != NO_PIPE);
}
