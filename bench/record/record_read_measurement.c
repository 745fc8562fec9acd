// One measurement's line, field by field; its events are record_read_events.c's. Fields that we do not know are passed
// over: files of later versions have more of them.
#include "base/json.h"
#include "base/text.h"
#include "bench/record/record.h"

#include <stdint.h>
#include <string.h>

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
static const char *clock_name(unsigned value) {
    return bench_clock_name((enum bench_clock)value);
}
static const char *drop_name(unsigned value) {
    return bench_drop_name((enum bench_drop)value);
}

// The number of the value named by member `key`; without such a member `value` stays.
static bool read_name(struct arena *arena, const json_t *json, const char *key, name_function name, unsigned count,
                      unsigned *value, struct fail *fail) {
    const char *word = NULL;
    if (!json_get_string(arena, json, key, &word, fail))
        return false;
    const char *names[BENCH_N_OUTCOMES];
    for (unsigned i = 0; i < count; i++) {
        names[i] = name(i);
        if (word && strcmp(word, names[i]) == 0)
            *value = i;
    }
    if (!word || strcmp(word, names[*value]) == 0)
        return true;
    return fail_set(fail, FAIL_INPUT, "unknown %s '%s'%s", key, word, text_did_you_mean(arena, word, names, count));
}

static bool read_names(struct arena *arena, const json_t *json, struct bench_measurement *measurement,
                       struct fail *fail) {
    unsigned outcome = BENCH_OK, verdict = MEASURED_UNSTABLE, clock = CLOCK_RATIO;
    if (!read_name(arena, json, "outcome", outcome_name, BENCH_N_OUTCOMES, &outcome, fail) ||
        !read_name(arena, json, "verdict", verdict_name, MEASURED_UNSTABLE + 1, &verdict, fail) ||
        !read_name(arena, json, "clock", clock_name, BENCH_N_CLOCKS, &clock, fail))
        return false;
    measurement->outcome = (enum bench_outcome)outcome;
    measurement->verdict = (enum bench_verdict)verdict;
    measurement->clock = (enum bench_clock)clock;
    return true;
}

static bool read_exact(const json_t *json, struct bench_measurement *measurement, struct fail *fail) {
    const json_t *exact = json_object_get(json, "exact");
    if (!exact)
        return measurement->verdict != MEASURED_EXACT ||
               fail_set(fail, FAIL_INPUT, "the verdict is 'exact', but 'exact' does not say which fraction");
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
        struct bench_replicate *replicate = &measurement->replicates[i];
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
        measurement->n_replicates = (unsigned)i + 1;
    }
    return true;
}

static bool read_numbers(const json_t *json, struct bench_measurement *measurement, struct fail *fail) {
    if (!read_unsigned(json, "samples", &measurement->samples, fail))
        return false;
    bool has_no_sample = json_object_get(json, "samples") && !measurement->samples;
    if (measurement->outcome == BENCH_OK && !has_no_sample && !json_object_get(json, "cycles"))
        return fail_set(fail, FAIL_INPUT, "a measurement needs 'cycles', or an 'outcome' that says why it has none");
    return json_get_number(json, "cycles", &measurement->cycles, fail) &&
           json_get_number(json, "low", &measurement->low, fail) &&
           json_get_number(json, "high", &measurement->high, fail) &&
           json_get_number(json, "confidence", &measurement->confidence, fail) &&
           json_get_number(json, "clock_error", &measurement->clock_error, fail) &&
           json_get_number(json, "ms", &measurement->milliseconds, fail) && read_exact(json, measurement, fail) &&
           read_spread(json, measurement, fail);
}

// An object of one number per name; null and no such member are the same.
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

static bool read_beside(struct arena *arena, json_t *json, struct record *record, struct fail *fail) {
    struct bench_measurement *measurement = &record->measurement;
    json_t *beside;
    if (!get_object(json, "beside", &beside, fail) || !beside)
        return !json_object_get(json, "beside");
    record->beside = "";
    return json_get_string(arena, beside, "kernel", &record->beside, fail) &&
           json_get_string(arena, beside, "bytes", &record->beside_bytes, fail) &&
           json_get_number(beside, "cycles", &measurement->beside, fail) &&
           json_get_number(beside, "low", &measurement->beside_low, fail) &&
           json_get_number(beside, "high", &measurement->beside_high, fail);
}

bool record_read_measurement(struct arena *arena, struct json_t *json, struct record *record, struct fail *fail) {
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
           json_get_string(arena, json, "why", &measurement->why, fail) &&
           json_get_string(arena, json, "warning", &measurement->warning, fail) &&
           read_unsigned(json, "n", &record->streams, fail) &&
           read_unsigned(json, "instructions", &record->instructions, fail) &&
           read_unsigned(json, "loop_instructions", &record->loop_instructions, fail) &&
           read_unsigned(json, "loop_branches", &record->loop_branches, fail) &&
           read_names(arena, json, measurement, fail) && read_numbers(json, measurement, fail) &&
           read_dropped(json, measurement, fail) && record_read_events(arena, json, measurement, fail) &&
           read_replicates(arena, json, measurement, fail) && read_beside(arena, json, record, fail) &&
           read_predictions(arena, json, record, fail) && record_check(record, fail);
}
