#include "bench/record/record_line.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// ---- The events of a line. "events" has the counts; "event_intervals" and "events_why" have the rest, which old files
// lack.

// Returns the event of this name, and adds it where it is missing; null: there is no room for it.
static struct bench_event *event_named(struct arena *arena, struct bench_measurement *measurement, const char *name) {
    for (unsigned i = 0; i < measurement->n_events; i++)
        if (strcmp(measurement->events[i].name, name) == 0)
            return &measurement->events[i];
    if (measurement->n_events == BENCH_MAX_EVENTS)
        return NULL;
    struct bench_event *event = ARENA_ADD(arena, measurement->events, measurement->n_events);
    *event = (struct bench_event){.name = arena_strdup(arena, name)};
    return event;
}

// Reads member `name` of `object` into the event.
typedef bool (*member_reader)(struct arena *arena, const json_t *object, const char *name, struct bench_event *event,
                              struct fail *fail);

static bool read_event_count(struct arena *arena, const json_t *object, const char *name, struct bench_event *event,
                             struct fail *fail) {
    (void)arena;
    return json_get_number(object, name, &event->count, fail);
}

static bool read_event_why(struct arena *arena, const json_t *object, const char *name, struct bench_event *event,
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
        return fail_set(fail, FAIL_INPUT, "the interval of event '%s' has no samples", event->name);
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

// Reads the events in the order of their counts; those without a count come last.
static bool read_events(struct arena *arena, const json_t *json, struct bench_measurement *measurement,
                        struct fail *fail) {
    return read_each(arena, json, "events", read_event_count, measurement, fail) &&
           read_each(arena, json, "event_intervals", read_interval, measurement, fail) &&
           read_each(arena, json, "events_why", read_event_why, measurement, fail);
}

// ---- One measurement's line, field by field

static bool read_unsigned(const json_t *json, const char *key, unsigned *value, struct fail *fail) {
    unsigned long count = *value;
    if (!json_get_count(json, key, &count, fail))
        return false;
    if (count > UINT32_MAX)
        return fail_set(fail, FAIL_INPUT, "'%s' is too large", key);
    *value = (unsigned)count;
    return true;
}

typedef const char *(*name_function)(unsigned value);
static const char *outcome_name(unsigned value) {
    return bench_outcome_name((enum bench_outcome)value);
}
static const char *verdict_name(unsigned value) {
    return bench_verdict_name((enum bench_verdict)value);
}
static const char *look_name(unsigned value) {
    return bench_look_name((enum bench_look)value);
}
static const char *clock_name(unsigned value) {
    return bench_clock_name((enum bench_clock)value);
}
static const char *drop_name(unsigned value) {
    return bench_drop_name((enum bench_drop)value);
}

// Sets `value` to the number whose name is in member `key`. Without such a member, `value` stays. Fails where no value
// below `count` has that name.
static bool read_name(struct arena *arena, const json_t *json, const char *key, name_function name, unsigned count,
                      unsigned *value, struct fail *fail) {
    const char *word = NULL;
    if (!json_get_string(arena, json, key, &word, fail))
        return false;
    const char *names[BENCH_N_OUTCOMES];
    for (unsigned i = 0; i < count; i++)
        names[i] = name(i);
    if (word)
        *value = (unsigned)text_find(word, names, count);
    if (*value < count)
        return true;
    return fail_set(fail, FAIL_INPUT, "unknown %s '%s'%s", key, word, text_did_you_mean(arena, word, names, count));
}

static bool read_names(struct arena *arena, const json_t *json, struct bench_measurement *measurement,
                       struct fail *fail) {
    unsigned outcome = BENCH_OK, verdict = MEASURED_UNSTABLE, look = LOOK_NONE, clock = CLOCK_RATIO;
    if (!read_name(arena, json, "outcome", outcome_name, BENCH_N_OUTCOMES, &outcome, fail) ||
        !read_name(arena, json, "verdict", verdict_name, MEASURED_UNSTABLE + 1, &verdict, fail) ||
        !read_name(arena, json, "look", look_name, BENCH_N_LOOKS, &look, fail) ||
        !read_name(arena, json, "clock", clock_name, BENCH_N_CLOCKS, &clock, fail))
        return false;
    measurement->outcome = (enum bench_outcome)outcome;
    measurement->verdict = (enum bench_verdict)verdict;
    measurement->look = (enum bench_look)look;
    measurement->clock = (enum bench_clock)clock;
    measurement->is_about = verdict == MEASURED_UNSTABLE && json_is_true(json_object_get(json, "about"));
    return true;
}

static bool read_exact(const json_t *json, struct bench_measurement *measurement, struct fail *fail) {
    const json_t *exact = json_object_get(json, "exact");
    if (!exact)
        return measurement->verdict != MEASURED_EXACT ||
               fail_set(fail, FAIL_INPUT, "the verdict is 'exact', but the fraction in 'exact' is missing");
    const json_t *numerator = json_array_get(exact, 0), *denominator = json_array_get(exact, 1);
    if (json_array_size(exact) != 2 || !json_is_integer(numerator) || !json_is_integer(denominator) ||
        json_integer_value(numerator) < 0 || json_integer_value(numerator) > UINT32_MAX ||
        json_integer_value(denominator) < 1 || json_integer_value(denominator) > UINT32_MAX)
        return fail_set(fail, FAIL_INPUT, "'exact' must be two whole numbers, [numerator, denominator]");
    measurement->numerator = (unsigned)json_integer_value(numerator);
    measurement->denominator = (unsigned)json_integer_value(denominator);
    return true;
}

static bool read_spread(const json_t *json, struct bench_measurement *measurement, struct fail *fail) {
    const json_t *processes = json_object_get(json, "processes"), *modes = json_object_get(json, "modes");
    if (processes && !json_is_object(processes))
        return fail_set(fail, FAIL_INPUT, "'processes' must be an object");
    if (modes && (!json_is_array(modes) || json_array_size(modes) != 2))
        return fail_set(fail, FAIL_INPUT, "'modes' must be a list of two");
    bool is_read = !processes || (read_unsigned(processes, "n", &measurement->processes, fail) &&
                                  json_get_number(processes, "low", &measurement->process_low, fail) &&
                                  json_get_number(processes, "high", &measurement->process_high, fail));
    for (unsigned i = 0; i < 2 && modes && is_read; i++) {
        const json_t *mode = json_array_get(modes, i);
        is_read = json_is_object(mode) || fail_set(fail, FAIL_INPUT, "'modes' must be a list of objects");
        is_read = is_read && json_get_number(mode, "cycles", &measurement->modes[i].cycles, fail) &&
                  json_get_number(mode, "share", &measurement->modes[i].share, fail);
    }
    return is_read;
}

static bool read_replicates(struct arena *arena, const json_t *json, struct bench_measurement *measurement,
                            struct fail *fail) {
    const json_t *list = json_object_get(json, "replicates"), *item;
    size_t i;
    if (list && (!json_is_array(list) || json_array_size(list) > BENCH_MAX_REPLICATES))
        return fail_set(fail, FAIL_INPUT, "'replicates' must be a list, of %d at most", BENCH_MAX_REPLICATES);
    json_array_foreach(list, i, item) {
        struct bench_replicate *replicate = ARENA_ADD(arena, measurement->replicates, measurement->n_replicates);
        unsigned verdict = MEASURED_UNSTABLE;
        if (!json_is_object(item))
            return fail_set(fail, FAIL_INPUT, "'replicates' must be a list of objects");
        if (!json_get_string(arena, item, "change", &replicate->change, fail) ||
            !json_get_number(item, "cycles", &replicate->cycles, fail) ||
            !json_get_number(item, "low", &replicate->low, fail) ||
            !json_get_number(item, "high", &replicate->high, fail) ||
            !read_name(arena, item, "verdict", verdict_name, MEASURED_UNSTABLE + 1, &verdict, fail))
            return false;
        replicate->verdict = (enum bench_verdict)verdict;
    }
    return true;
}

static bool read_numbers(const json_t *json, struct bench_measurement *measurement, struct fail *fail) {
    if (!read_unsigned(json, "samples", &measurement->samples, fail))
        return false;
    bool has_no_sample = json_object_get(json, "samples") && !measurement->samples;
    if (measurement->outcome == BENCH_OK && !has_no_sample && !json_object_get(json, "cycles"))
        return fail_set(fail, FAIL_INPUT,
                        "a measurement needs 'cycles', or an 'outcome' that states why they are missing");
    return json_get_number(json, "cycles", &measurement->cycles, fail) &&
           json_get_number(json, "low", &measurement->low, fail) &&
           json_get_number(json, "high", &measurement->high, fail) &&
           json_get_number(json, "confidence", &measurement->confidence, fail) &&
           json_get_number(json, "clock_error", &measurement->clock_error, fail) &&
           json_get_number(json, "ms", &measurement->milliseconds, fail) && read_exact(json, measurement, fail) &&
           read_spread(json, measurement, fail);
}

// Sets `object` to a member; null: there is no such member. Fails where the member is not an object.
static bool get_object(json_t *json, const char *key, json_t **object, struct fail *fail) {
    *object = json_object_get(json, key);
    return !*object || json_is_object(*object) || fail_set(fail, FAIL_INPUT, "'%s' must be an object", key);
}

static bool read_dropped(json_t *json, struct bench_measurement *measurement, struct fail *fail) {
    json_t *dropped;
    if (!get_object(json, "dropped", &dropped, fail))
        return false;
    for (unsigned i = 0; i < DROP_N_REASONS; i++)
        if (!read_unsigned(dropped, drop_name(i), &measurement->dropped[i], fail))
            return false;
    return true;
}

static bool read_predictions(struct arena *arena, json_t *json, struct record *record, struct fail *fail) {
    const json_t *list = json_object_get(json, "predicted");
    if (list && !json_is_array(list))
        return fail_set(fail, FAIL_INPUT, "'predicted' must be a list");
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item) {
        if (!json_is_object(item))
            return fail_set(fail, FAIL_INPUT, "'predicted' must be a list of objects");
        if (i == RECORD_MAX_PREDICTIONS)
            return fail_set(fail, FAIL_INPUT, "more than %d predictions", RECORD_MAX_PREDICTIONS);
        struct record_prediction *prediction = &record->predictions[record->n_predictions++];
        if (!json_get_string(arena, item, "model", &prediction->model, fail) ||
            !json_get_number(item, "cycles", &prediction->cycles, fail) ||
            !json_get_string(arena, item, "bottleneck", &prediction->bottleneck, fail))
            return false;
    }
    return true;
}

static bool read_corunner(struct arena *arena, json_t *json, struct record *record, struct fail *fail) {
    struct bench_measurement *measurement = &record->measurement;
    json_t *corunner;
    if (!get_object(json, "beside", &corunner, fail) || !corunner)
        return !json_object_get(json, "beside");
    record->corunner = "";
    return json_get_string(arena, corunner, "kernel", &record->corunner, fail) &&
           json_get_string(arena, corunner, "bytes", &record->corunner_bytes, fail) &&
           json_get_number(corunner, "cycles", &measurement->corunner, fail) &&
           json_get_number(corunner, "low", &measurement->corunner_low, fail) &&
           json_get_number(corunner, "high", &measurement->corunner_high, fail);
}

static bool read_block(struct arena *arena, json_t *json, struct record *record, struct fail *fail) {
    json_t *object;
    if (!get_object(json, "block", &object, fail) || !object)
        return !json_object_get(json, "block");
    struct record_block *block = ARENA_NEW(arena, struct record_block);
    const json_t *walks = json_object_get(object, "walks"), *drift = json_object_get(object, "drift");
    block->walks = json_is_true(walks);
    block->has_own_branch = json_is_true(json_object_get(object, "own_branch"));
    block->drift = json_integer_value(drift);
    record->block = block;
    return json_get_string(arena, object, "alias", &block->alias, fail) &&
           json_get_string(arena, object, "memory", &block->memory, fail) &&
           json_get_string(arena, object, "set", &block->set, fail) &&
           json_get_string(arena, object, "init", &block->init, fail) &&
           json_get_string(arena, object, "made_up", &block->made_up, fail) &&
           json_get_string(arena, object, "notes", &block->notes, fail) &&
           read_unsigned(object, "pages", &block->pages, fail);
}

bool record_line_read(struct arena *arena, json_t *json, struct record *record, struct fail *fail) {
    struct bench_measurement *measurement = &record->measurement;
    return json_get_string(arena, json, "kernel", &record->kernel, fail) &&
           json_get_string(arena, json, "isa", &record->isa, fail) &&
           json_get_string(arena, json, "mode", &record->mode, fail) &&
           json_get_string(arena, json, "form", &record->form, fail) &&
           json_get_string(arena, json, "arc", &record->arc, fail) &&
           json_get_string(arena, json, "placement", &record->placement, fail) &&
           json_get_string(arena, json, "instruction", &record->instruction, fail) &&
           json_get_string(arena, json, "bytes", &record->bytes, fail) &&
           json_get_string(arena, json, "setup", &record->setup, fail) &&
           json_get_string(arena, json, "setup_bytes", &record->setup_bytes, fail) &&
           json_get_string(arena, json, "why", &measurement->why, fail) &&
           json_get_string(arena, json, "warning", &measurement->warning, fail) &&
           read_unsigned(json, "n", &record->streams, fail) &&
           read_unsigned(json, "instructions", &record->instructions, fail) &&
           read_unsigned(json, "loop_instructions", &record->loop_instructions, fail) &&
           read_unsigned(json, "loop_branches", &record->loop_branches, fail) &&
           read_names(arena, json, measurement, fail) && read_numbers(json, measurement, fail) &&
           read_dropped(json, measurement, fail) && read_events(arena, json, measurement, fail) &&
           read_replicates(arena, json, measurement, fail) && read_corunner(arena, json, record, fail) &&
           read_predictions(arena, json, record, fail) && read_block(arena, json, record, fail) &&
           record_check(record, fail);
}

// ---- The lines of a file
