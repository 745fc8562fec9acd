#include "bench/targets/simulated_events.h"

#include "base/text.h"

#include <string.h>

// Number of counters, as small cores have it: so a few more events need several groups here, too.
enum { EVENTS_AT_ONCE = 4 };
_Static_assert(TARGET_MAX_GROUPS *EVENTS_AT_ONCE >= TARGET_MAX_EVENTS, "groups for all events");

static bool find(const struct machine *machine, const char *name, unsigned *resource) {
    *resource = 0;
    if (strcmp(name, "uops") == 0)
        return true;
    for (unsigned i = 1; i < machine->n_resources; i++) {
        if (!machine->resources[i].is_group && strcmp(machine->resources[i].name, name) == 0) {
            *resource = i;
            return true;
        }
    }
    return false;
}

static bool fail_unknown(struct arena *arena, const struct machine *machine, const char *name, struct fail *fail) {
    const char **names = ARENA_ARRAY(arena, const char *, machine->n_resources + 1);
    size_t n = 0;
    names[n++] = "uops";
    for (unsigned i = 1; i < machine->n_resources; i++)
        if (!machine->resources[i].is_group)
            names[n++] = machine->resources[i].name;
    return fail_set(
        fail, FAIL_INPUT,
        "unknown event '%s'%s: the simulated CPU counts uops, and those of each resource of its model by its "
        "name",
        name, text_did_you_mean(arena, name, names, n));
}

bool sim_events_choose(struct arena *arena, const struct machine *machine, const struct target_request *request,
                       struct sim_events *events, struct target *target, struct fail *fail) {
    *events = (struct sim_events){0};
    if (request->n_events > TARGET_MAX_EVENTS)
        return fail_set(fail, FAIL_INPUT, "%u events are more than the %d that can be counted at once",
                        request->n_events, TARGET_MAX_EVENTS);
    for (unsigned i = 0; i < request->n_events; i++) {
        struct target_group *group = &target->groups[i / EVENTS_AT_ONCE];
        if (!find(machine, request->events[i], &events->resources[i]))
            return fail_unknown(arena, machine, request->events[i], fail);
        group->events[group->n_events++] = request->events[i];
        target->n_groups = i / EVENTS_AT_ONCE + 1;
        events->n++;
    }
    return true;
}

static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    (void)insn;
    struct sim_event_counter *counter = self;
    for (unsigned i = 0; i < counter->events->n; i++)
        for (unsigned k = 0; k < n_uses; k++)
            counter->counts[i] += uses[k].resource == counter->events->resources[i];
}

static void on_retired(void *self, const struct event_insn *insn, const unsigned *registers) {
    (void)registers;
    struct sim_event_counter *counter = self;
    for (unsigned i = 0; i < counter->events->n; i++)
        if (counter->events->resources[i] == 0)
            counter->counts[i] += insn->insn->cost->uops;
}

static void on_marked(void *self) {
    struct sim_event_counter *counter = self;
    memcpy(counter->marked, counter->counts, sizeof counter->marked);
}

static void on_repeated(void *self, uint64_t times, uint64_t cycles, uint64_t instructions) {
    (void)cycles;
    (void)instructions;
    struct sim_event_counter *counter = self;
    for (unsigned i = 0; i < counter->events->n; i++)
        counter->counts[i] += times * (counter->counts[i] - counter->marked[i]);
}

void sim_event_counter_start(struct sim_event_counter *counter, const struct sim_events *events) {
    *counter = (struct sim_event_counter){
        .events = events,
        .listener =
            {.self = counter, .issued = on_issued, .retired = on_retired, .marked = on_marked, .repeated = on_repeated},
    };
}
