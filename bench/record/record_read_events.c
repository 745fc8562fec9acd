// The events of a measurement's line: "events" has the counts, and other members of the line what is known of them
// besides. Files of before these have counts only.
#include "base/json.h"
#include "bench/record/record.h"

#include <string.h>

// By name; one more where there is none yet, and null where there is no room.
static struct bench_event *event_named(struct arena *arena, struct bench_measurement *measurement, const char *name) {
    for (unsigned i = 0; i < measurement->n_events; i++)
        if (strcmp(measurement->events[i].name, name) == 0)
            return &measurement->events[i];
    if (measurement->n_events == BENCH_MAX_EVENTS)
        return NULL;
    struct bench_event *event = &measurement->events[measurement->n_events++];
    event->name = arena_strdup(arena, name);
    return event;
}

// Reads member `name` of `object` into the event.
typedef bool (*member_reader)(struct arena *arena, const json_t *object, const char *name, struct bench_event *event,
                              struct fail *fail);

static bool read_count(struct arena *arena, const json_t *object, const char *name, struct bench_event *event,
                       struct fail *fail) {
    (void)arena;
    return json_get_number(object, name, &event->count, fail);
}

static bool read_why(struct arena *arena, const json_t *object, const char *name, struct bench_event *event,
                     struct fail *fail) {
    return json_get_string(arena, object, name, &event->why, fail);
}

static bool read_interval(struct arena *arena, const json_t *object, const char *name, struct bench_event *event,
                          struct fail *fail) {
    (void)arena;
    const json_t *json = json_object_get(object, name);
    unsigned long samples = 0;
    if (!json_is_object(json))
        return fail_set(fail, FAIL_INPUT, "'event_intervals' must hold objects");
    if (!json_get_number(json, "low", &event->low, fail) || !json_get_number(json, "high", &event->high, fail) ||
        !json_get_number(json, "confidence", &event->confidence, fail) ||
        !json_get_count(json, "samples", &samples, fail))
        return false;
    if (samples < 1 || samples > UINT32_MAX)
        return fail_set(fail, FAIL_INPUT, "the interval of event '%s' is of no samples", event->name);
    event->samples = (unsigned)samples;
    return true;
}

static bool read_each(struct arena *arena, const json_t *json, const char *key, member_reader read,
                      struct bench_measurement *measurement, struct fail *fail) {
    json_t *object = json_object_get(json, key), *item;
    const char *name;
    if (object && !json_is_object(object))
        return fail_set(fail, FAIL_INPUT, "'%s' must be an object", key);
    json_object_foreach(object, name, item) {
        struct bench_event *event = event_named(arena, measurement, name);
        if (event && !read(arena, object, name, event, fail))
            return false;
    }
    return true;
}

// In the order of the counts; events without one come behind them.
bool record_read_events(struct arena *arena, const json_t *json, struct bench_measurement *measurement,
                        struct fail *fail) {
    return read_each(arena, json, "events", read_count, measurement, fail) &&
           read_each(arena, json, "event_intervals", read_interval, measurement, fail) &&
           read_each(arena, json, "events_why", read_why, measurement, fail);
}
