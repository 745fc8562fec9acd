#include "bench/record/record_line.h"

static const double most_cycles = 1e12; // takes minutes
static const double most_count = 1e15;  // largest count of an event; differences of counts may be below zero
enum { MOST_STREAMS = 1 << 10, MOST_INSTRUCTIONS = 1 << 20 };

static bool is_within(double value, double least, double most, const char *what, struct fail *fail) {
    if (value >= least && value <= most) // false for NaN
        return true;
    return fail_set(fail, FAIL_INPUT, "'%s' is %g, but must be from %g to %g", what, value, least, most);
}

// Noise may widen an interval to below zero.
static bool is_low_end(double value, const char *what, struct fail *fail) {
    return is_within(value, -most_cycles, most_cycles, what, fail);
}

static bool are_cycles(double value, const char *what, struct fail *fail) {
    return is_within(value, 0, most_cycles, what, fail);
}

static bool check_spread(const struct bench_measurement *m, struct fail *fail) {
    for (int i = 0; i < 2; i++)
        if (!are_cycles(m->modes[i].cycles, "modes", fail) || !is_within(m->modes[i].share, 0, 1, "share", fail))
            return false;
    for (unsigned i = 0; i < m->n_replicates; i++)
        if (!are_cycles(m->replicates[i].cycles, "replicates", fail) ||
            !is_low_end(m->replicates[i].low, "replicates", fail) ||
            !are_cycles(m->replicates[i].high, "replicates", fail))
            return false;
    if (!are_cycles(m->corunner, "beside", fail) || !is_low_end(m->corunner_low, "beside", fail) ||
        !are_cycles(m->corunner_high, "beside", fail))
        return false;
    return are_cycles(m->process_low, "processes", fail) && are_cycles(m->process_high, "processes", fail);
}

static bool check_event(const struct bench_event *event, struct fail *fail) {
    return is_within(event->count, -most_count, most_count, "events", fail) &&
           is_within(event->low, -most_count, most_count, "event_intervals", fail) &&
           is_within(event->high, -most_count, most_count, "event_intervals", fail) &&
           is_within(event->confidence, 0, 1, "confidence", fail) &&
           (!event->samples || (event->low <= event->count && event->count <= event->high) ||
            fail_set(fail, FAIL_INPUT, "the count of event '%s' must lie within its interval", event->name));
}

static bool check_counts(const struct record *record, struct fail *fail) {
    const struct bench_measurement *m = &record->measurement;
    for (unsigned i = 0; i < m->n_events; i++)
        if (!check_event(&m->events[i], fail))
            return false;
    for (unsigned i = 0; i < record->n_predictions; i++)
        if (!are_cycles(record->predictions[i].cycles, "predicted", fail))
            return false;
    return is_within(record->streams, 0, MOST_STREAMS, "n", fail) &&
           is_within(record->instructions, 0, MOST_INSTRUCTIONS, "instructions", fail) &&
           is_within(record->loop_instructions, 0, MOST_INSTRUCTIONS, "loop_instructions", fail) &&
           is_within(record->loop_branches, 0, record->loop_instructions, "loop_branches", fail);
}

// Where all is noise, the clock's error has no limit, and the correction for repeated looks at the samples may leave no
// confidence, or less.
bool record_check(const struct record *record, struct fail *fail) {
    const struct bench_measurement *m = &record->measurement;
    bool is_ordered =
        m->verdict == MEASURED_UNSTABLE || m->outcome != BENCH_OK || (m->low <= m->cycles && m->cycles <= m->high);
    return are_cycles(m->cycles, "cycles", fail) && is_low_end(m->low, "low", fail) &&
           are_cycles(m->high, "high", fail) && is_within(m->confidence, -1, 1, "confidence", fail) &&
           is_within(m->clock_error, 0, most_cycles, "clock_error", fail) &&
           is_within(m->milliseconds, 0, most_cycles, "ms", fail) && check_spread(m, fail) &&
           check_counts(record, fail) &&
           (is_ordered || fail_set(fail, FAIL_INPUT, "'cycles' must lie between 'low' and 'high'"));
}
