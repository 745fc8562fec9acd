#include "survey/table/table_reader.h"

#include "base/text.h"
#include "bench/whole.h"
#include "survey/forms/isa_traits.h"
#include "survey/table/loops.h"

#include <math.h>
#include <string.h>
#include <sys/param.h>

static const char why_breakers[] = "with instructions that end dependences";

// The first event is instructions, whose number is known.
static void read_counts(struct arena *arena, const struct bench_measurement *m, struct table_throughput *throughput) {
    struct table_count *counts = NULL;
    for (unsigned i = 1; m->outcome == BENCH_OK && i < m->n_events; i++) {
        const struct bench_event *event = &m->events[i];
        double n = throughput->streams;
        bool has_interval = event->samples > 0;
        if (!has_interval && event->why)
            continue;
        *ARENA_ADD(arena, counts, throughput->n_counts) =
            (struct table_count){event->name, event->count / n, (has_interval ? event->low : event->count) / n,
                                 (has_interval ? event->high : event->count) / n, event->why};
    }
    throughput->counts = counts;
}

// Where a decoder may stall at the form, the slower of two speeds is its supply's. Whatever takes the faster one, the
// pipes take no more: that is an upper bound, and not an interval that holds both.
static void keep_faster_speed(const struct table_reader *reader, const struct entry *entry, unsigned streams,
                              struct table_value *value) {
    const struct bench_measurement *measured = &entry->record->measurement;
    if (!value->has_two_speeds || !isa_traits_may_stall(reader->isa, value->bytes))
        return;
    value->cycles = measured->modes[0].cycles / streams;
    value->low = fmin(value->low, value->cycles);
    value->high = value->cycles * (1 + measured->clock_error);
    value->has_two_speeds = false;
    value->relation = TABLE_AT_MOST;
    value->why =
        arena_printf(reader->arena, "the faster of two speeds, %.3g and %.3g: its prefix may stall the decoder",
                     value->cycles, measured->modes[1].cycles / streams);
}

// It is only an upper bound, for that reason where it has none yet.
static void bound_throughput(struct table_value *value, const char *why) {
    value->relation = TABLE_AT_MOST;
    value->why = value->why ? value->why : why;
}

void reader_read_throughput(struct row_builder *m, const struct entry *entry) {
    const struct record *record = entry->record;
    const struct experiment_key *key = &entry->key;
    unsigned copies = experiment_copies(key), streams = copies * (record->streams ? record->streams : 1);
    bool is_around = key->kind == EXPERIMENT_AROUND;
    struct table_throughput throughput = {.is_looped = entry->is_looped,
                                          .is_elsewhere = key->kind == EXPERIMENT_PLACES,
                                          .has_breakers = experiment_has_breakers(key),
                                          .has_light_breakers = key->kind == EXPERIMENT_BROKEN && key->copies,
                                          .has_lines = key->kind == EXPERIMENT_LINES,
                                          .has_wrapper = is_around,
                                          .has_slow_values = key->has_slow_values,
                                          .streams = streams,
                                          .copies = copies,
                                          .fillers = key->n_fillers,
                                          .filler = key->filler,
                                          .seen_least = entry->least / streams,
                                          .seen_most = entry->most / streams,
                                          .value = reader_value(m->reader->arena, entry, streams)};
    if (record->placement)
        program_placement_parse(record->placement, &throughput.placement);
    keep_faster_speed(m->reader, entry, streams, &throughput.value);
    read_counts(m->reader->arena, &record->measurement, &throughput);
    if (throughput.has_breakers)
        bound_throughput(&throughput.value, why_breakers);
    if (key->kind == EXPERIMENT_FILLED)
        bound_throughput(&throughput.value, arena_printf(m->reader->arena, "with %s behind each copy",
                                                         text_count(m->reader->arena, key->n_fillers, "filler")));
    if (is_around)
        bound_throughput(&throughput.value, "with instructions that put back what it moves");
    *ARENA_ADD(m->reader->arena, m->throughputs, m->row->n_throughputs) = throughput;
}

static bool is_alike(const struct table_throughput *a, const struct table_throughput *b) {
    return table_throughput_way(a) == table_throughput_way(b);
}

void reader_mark_few_streams(struct row_builder *m) {
    static const double share = 0.03;
    struct table_throughput *list = m->throughputs;
    for (size_t i = 0; i < m->row->n_throughputs; i++)
        for (size_t k = 0; k < m->row->n_throughputs; k++) {
            const struct table_value *fewer = &list[k].value;
            struct table_value *value = &list[i].value;
            if (!is_alike(&list[i], &list[k]) || list[i].has_breakers || list[k].streams >= list[i].streams ||
                !value->is_known || !fewer->is_known || fewer->verdict == MEASURED_UNSTABLE ||
                value->relation == TABLE_AT_MOST || fewer->low <= value->high * (1 + share))
                continue;
            value->relation = TABLE_AT_MOST;
            list[i].is_short_of_streams = true;
            value->why = value->why ? value->why
                                    : arena_printf(m->reader->arena, "%u streams take longer, so more may take less",
                                                   list[k].streams);
        }
}

// Whether the machine's width gives the value, or a number of pipes.
static bool is_of_whole_cycles(const struct table_reader *reader, const struct table_value *value) {
    double slots = reader->filler ? value->cycles / reader->filler->value.cycles : 0;
    return loops_is_of_whole_cycles(value) || (slots > 0 && fabs(slots - round(slots)) <= WHOLE_ON_PIPES * slots);
}

// Fewer streams that take less show that the number of streams decides, as where a scheduler falls into a rhythm: a Zen
// 5 takes 0.72 or 0.80 cycles of vcvtdq2pd, by the number of its registers. Then neither number is the pipes' own,
// unless whole cycles of some pipes give the smaller one.
void reader_mark_uneven_streams(struct row_builder *m) {
    static const double share = 0.03;
    struct table_throughput *list = m->throughputs;
    for (size_t i = 0; i < m->row->n_throughputs; i++)
        for (size_t k = 0; k < m->row->n_throughputs; k++) {
            struct table_value *fewer = &list[k].value, *value = &list[i].value;
            if (!is_alike(&list[i], &list[k]) || list[i].has_breakers || list[k].streams >= list[i].streams ||
                list[i].placement == PLACEMENT_OWN_LINES || !table_is_stable(value) || !table_is_stable(fewer) ||
                value->has_two_speeds || fewer->has_two_speeds || value->low <= fewer->high * (1 + share))
                continue;
            const char *why = arena_printf(m->reader->arena, "%u streams take %.3g cycles, and %u take %.3g",
                                           list[k].streams, fewer->cycles, list[i].streams, value->cycles);
            list[i].faster_streams = list[k].streams;
            value->why = value->relation == TABLE_EQUAL ? why : value->why;
            value->relation = TABLE_AT_MOST;
            if (fewer->relation != TABLE_EQUAL || is_of_whole_cycles(m->reader, fewer))
                continue;
            fewer->relation = TABLE_AT_MOST;
            fewer->why = why;
        }
}

// Whether nothing that copies hand on limits them: neither all of them wait for one fixed register, as they do where a
// core issues in order, nor each stream for its own.
static bool is_free_of_waiting(const struct row_builder *m, const struct table_throughput *throughput) {
    static const double share = 0.03;
    bool has_shared = false;
    for (size_t l = 0; l < m->row->n_latencies; l++) {
        const struct table_latency *latency = &m->latencies[l];
        bool is_carried = text_starts(latency->destination, latency->source);
        bool is_fixed = *latency->source < '0' || *latency->source > '9';
        if (!is_carried || latency->has_slow_values || latency->is_to_others || table_latency_is_special(latency))
            continue;
        const struct table_value *value = &latency->value;
        double waiting = value->cycles * throughput->copies / throughput->streams, cycles = throughput->value.cycles;
        bool is_free = is_fixed ? value->relation == TABLE_EQUAL && cycles < value->cycles * (1 - share)
                                : cycles > waiting * (1 + share);
        if (!table_is_stable(value) || !is_free)
            return false;
        has_shared |= is_fixed;
    }
    return has_shared;
}

void reader_mark_free(struct row_builder *m) {
    static const double share = 0.01;
    struct table_throughput *list = m->throughputs;
    for (size_t i = 0; i < m->row->n_throughputs; i++)
        for (size_t k = 0; k < m->row->n_throughputs; k++) {
            struct table_value *value = &list[i].value;
            const struct table_value *fewer = &list[k].value;
            if (!list[i].has_light_breakers || !is_alike(&list[i], &list[k]) || list[k].copies >= list[i].copies ||
                !value->is_known || !fewer->is_known || value->verdict == MEASURED_UNSTABLE ||
                fewer->verdict == MEASURED_UNSTABLE || fabs(fewer->cycles - value->cycles) > share * value->cycles ||
                !is_free_of_waiting(m, &list[i]))
                continue;
            value->relation = TABLE_EQUAL;
            value->why = value->why == why_breakers ? NULL : value->why;
        }
}

void reader_mark_supply(struct row_builder *m) {
    static const double clear = 0.05;
    struct table_throughput *list = m->throughputs;
    for (size_t i = 0; i < m->row->n_throughputs; i++)
        for (size_t k = 0; k < m->row->n_throughputs; k++) {
            struct table_throughput other = list[k];
            struct table_value *value = &list[i].value;
            other.is_looped = !other.is_looped;
            if (!is_alike(&list[i], &other) || list[i].streams != other.streams || list[i].is_elsewhere ||
                !table_is_stable(value) || !table_is_stable(&other.value) || value->has_two_speeds ||
                other.value.has_two_speeds || value->relation == TABLE_AT_MOST ||
                other.value.low <= value->high * (1 + clear) || is_of_whole_cycles(m->reader, value))
                continue;
            value->relation = TABLE_AT_MOST;
            value->why = arena_printf(m->reader->arena,
                                      "%s takes longer, and no pipes take this: the supply of code may limit it",
                                      list[k].is_looped ? "a loop" : "straight code");
        }
}

const struct table_throughput *reader_find_plain(const struct row_builder *m) {
    static const struct table_throughput plain = {.is_looped = false};
    const struct table_throughput *most = NULL;
    for (size_t i = 0; i < m->row->n_throughputs; i++) {
        const struct table_throughput *each = &m->throughputs[i];
        if (each->value.is_known && is_alike(each, &plain) && (!most || each->streams > most->streams))
            most = each;
    }
    return most;
}

// Whether a throughput is as short as waiting for a carried value allows. Where all streams share that value, it may be
// shorter: the branch of a loop gives the flags a new value, and copies of several iterations overlap.
static bool is_as_short(double cycles, double waiting, bool is_shared) {
    static const double share = 0.03;
    return is_shared ? cycles <= waiting * (1 + share) : fabs(cycles - waiting) <= share * cycles;
}

void reader_mark_waiting(struct row_builder *m) {
    struct table_throughput *list = m->throughputs;
    for (size_t l = 0; l < m->row->n_latencies; l++) {
        const struct table_latency *latency = &m->latencies[l];
        bool is_carried =
            !latency->has_slow_values && !latency->is_to_others && text_starts(latency->destination, latency->source);
        bool is_fixed = *latency->source < '0' || *latency->source > '9', is_memory = table_latency_is_special(latency);
        for (size_t i = 0; is_carried && latency->value.is_known && i < m->row->n_throughputs; i++) {
            // Copies in one stream name different registers of x87's stack, which all streams share. So they share a
            // word of memory where there is one address; else each has its own.
            bool is_single = is_memory ? table_has_one_address(&list[i]) : is_fixed;
            double least = latency->value.cycles / (is_single ? list[i].copies : list[i].streams);
            bool is_shared = is_single && latency->value.relation == TABLE_EQUAL;
            if (list[i].has_breakers || list[i].has_wrapper || list[i].fillers || !list[i].value.is_known ||
                !is_as_short(list[i].value.cycles, least, is_shared))
                continue;
            list[i].value.relation = TABLE_AT_MOST;
            if (list[i].value.verdict != MEASURED_UNSTABLE) // of which the reason matters more
                list[i].value.why = arena_printf(m->reader->arena, "its streams wait for %s", latency->source);
        }
    }
}

// Whether a reader wants `a` more than `b`: a stable one; a smaller one; of those that are alike, that of straight
// code, of many streams, without a doubt, and without fillers.
static bool is_better_throughput(const struct table_throughput *a, const struct table_throughput *b) {
    bool is_steady = a->value.verdict != MEASURED_UNSTABLE, other_is = b->value.verdict != MEASURED_UNSTABLE;
    if (is_steady != other_is)
        return is_steady;
    if (fabs(a->value.cycles - b->value.cycles) > MEASURED_LEAST_DIFFERENCE * fmin(a->value.cycles, b->value.cycles))
        return a->value.cycles < b->value.cycles;
    if (a->value.relation != b->value.relation)
        return a->value.relation == TABLE_EQUAL;
    if (a->has_breakers != b->has_breakers)
        return b->has_breakers;
    if (a->fillers != b->fillers)
        return a->fillers < b->fillers;
    return a->is_looped != b->is_looped ? b->is_looped : a->streams > b->streams;
}

size_t reader_find_headline(const struct table_row *row, bool with_fillers) {
    size_t best = row->n_throughputs;
    unsigned most_streams = 0;
    bool has_memory = false;
    for (size_t i = 0; i < row->n_throughputs; i++) {
        const struct table_throughput *each = &row->throughputs[i];
        has_memory |= table_has_one_address(each) && !each->is_elsewhere;
        most_streams = MAX(most_streams, each->has_lines || each->fillers ? 0 : each->streams);
    }
    for (size_t i = 0; i < row->n_throughputs; i++) {
        const struct table_throughput *each = &row->throughputs[i];
        if (!each->value.is_known || table_has_one_address(each) || each->is_elsewhere || each->has_slow_values ||
            each->has_lines || (each->fillers && !with_fillers) || (has_memory && each->streams < most_streams))
            continue;
        if (best == row->n_throughputs || is_better_throughput(each, &row->throughputs[best]))
            best = i;
    }
    return best;
}
