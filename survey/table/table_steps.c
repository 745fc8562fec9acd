#include "survey/table/table_reader.h"

#include "bench/whole.h"
#include "survey/forms/chain_partners.h"

#include <math.h>
#include <string.h>

void reader_add_parts(struct arena *arena, struct table_value *value, const struct table_value *other, double times) {
    struct table_part *parts = ARENA_ARRAY(arena, struct table_part, value->n_parts + other->n_parts);
    if (value->n_parts)
        memcpy(parts, value->parts, value->n_parts * sizeof *parts);
    for (size_t i = 0; i < other->n_parts; i++) {
        parts[value->n_parts + i] = other->parts[i];
        parts[value->n_parts + i].factor *= times;
    }
    value->parts = parts;
    value->n_parts += other->n_parts;
    value->constant += times * other->constant;
}

struct table_value reader_value(struct arena *arena, const struct entry *entry, double parts) {
    const struct bench_measurement *m = &entry->record->measurement;
    struct table_value value = {
        .kernel = entry->record->kernel,
        .how = entry->how,
        .folder = entry->folder,
        .bytes = entry->record->bytes,
        .code = record_code(arena, entry->record),
    };
    bool has_clock = m->clock_error <= READER_MOST_CLOCK_ERROR;
    value.is_known = m->outcome == BENCH_OK && has_clock && m->samples;
    value.is_lost = m->outcome == BENCH_OK && !value.is_known;
    value.verdict = m->verdict;
    value.why = m->outcome != BENCH_OK ? bench_outcome_name(m->outcome)
                : has_clock            ? m->why
                                       : "its clock was not steady: --resume measures it again";
    value.is_waiting = m->verdict == MEASURED_UNSTABLE && m->look == LOOK_FIRST;
    value.has_two_speeds = measured_has_two_speeds(m);
    if (value.has_two_speeds)
        value.why = m->warning;
    if (value.is_known) {
        value.cycles = value.chain = m->cycles / parts;
        value.low = measured_low(m) / parts;
        value.high = measured_high(m) / parts;
        struct table_part *part = ARENA_NEW(arena, struct table_part);
        *part = (struct table_part){value.kernel, value.code, 1 / parts};
        value.parts = part;
        value.n_parts = 1;
    }
    return value;
}

void reader_doubt(struct table_value *value, const struct table_value *part) {
    if (part->has_two_speeds && !value->has_two_speeds) {
        value->has_two_speeds = true;
        value->why = value->why ? value->why : part->why;
    }
    if (value->has_two_speeds && value->verdict == MEASURED_EXACT)
        value->verdict = MEASURED_WITHIN;
    if (part->verdict != MEASURED_UNSTABLE)
        return;
    value->is_waiting = part->is_waiting && (value->is_waiting || value->verdict != MEASURED_UNSTABLE);
    value->verdict = MEASURED_UNSTABLE;
}

bool reader_is_sum(double cycles, double sum) {
    static const double sum_share = 0.01;
    return fabs(cycles - sum) <= READER_SUM_CYCLES + sum_share * sum;
}

double reader_chain_slack(double cycles) {
    return WHOLE_CHAIN_LEAST + WHOLE_CHAIN_SHARE * cycles;
}

double reader_copy_slack(const struct entry *entry, double cycles) {
    return reader_chain_slack(cycles * experiment_copies(&entry->key)) / experiment_copies(&entry->key);
}

static struct step *find_step(const struct table_reader *reader, const char *name) {
    for (size_t i = 0; i < reader->n_steps; i++)
        if (strcmp(reader->steps[i].name, name) == 0)
            return &reader->steps[i];
    return NULL;
}

double reader_side_by_side(const struct table_reader *reader, const char *name) {
    const struct step *step = find_step(reader, name);
    return step ? step->side_by_side : 0;
}

// What one of a partner's step takes among independent ones, at most; 0: not known.
static double find_side_by_side(const struct table_reader *reader, const char *name) {
    for (size_t i = 0; i < reader->n_entries; i++) {
        const struct entry *entry = &reader->entries[i];
        if (entry->key.kind != EXPERIMENT_STEP || strcmp(entry->key.step, name) != 0)
            continue;
        struct table_value value =
            reader_value(reader->arena, entry, entry->record->streams ? entry->record->streams : 1);
        return table_is_stable(&value) ? value.cycles : 0;
    }
    return 0;
}

const struct entry *reader_find_partner(const struct table_reader *reader, const char *name) {
    for (size_t i = 0; i < reader->n_entries; i++)
        if (reader->entries[i].key.kind == EXPERIMENT_PARTNER && strcmp(reader->entries[i].key.way, name) == 0)
            return &reader->entries[i];
    return NULL;
}

// Marks the steps of a chain whose parts do not add up. Where a part is only known as a sum, nothing follows: a way
// between two kinds of units may take a cycle longer after some instructions, and a bound holds all the same.
static void check_sum(const struct table_reader *reader, const struct chain_partner_experiment *experiment) {
    const struct entry *entry = reader_find_partner(reader, experiment->name);
    double sum = 0;
    for (unsigned i = 0; i < 3 && experiment->parts[i]; i++) {
        const struct entry *part = reader_find_partner(reader, experiment->parts[i]);
        if (!part || !entry || part->record->measurement.outcome != BENCH_OK ||
            entry->record->measurement.outcome != BENCH_OK || !find_step(reader, experiment->parts[i]) ||
            find_step(reader, experiment->parts[i])->value.relation == TABLE_AT_MOST)
            return;
        sum += part->record->measurement.cycles;
    }
    if (reader_is_sum(entry->record->measurement.cycles, sum))
        return;
    for (unsigned i = 0; i < 3 && experiment->parts[i]; i++) {
        struct step *step = find_step(reader, experiment->parts[i]);
        step->value.verdict = MEASURED_UNSTABLE;
        step->value.is_waiting = false;
        step->value.why = arena_printf(reader->arena, "the chains of %s do not add up", experiment->name);
    }
}

static void take_off(struct arena *arena, struct table_value *value, const struct entry *less) {
    struct table_value part = less ? reader_value(arena, less, 1) : (struct table_value){.is_known = false};
    reader_add_parts(arena, value, &part, -1);
    value->is_known &= part.is_known;
    value->cycles -= part.cycles;
    value->low -= part.high;
    value->high -= part.low;
    reader_doubt(value, &part);
}

// All partners' experiments that may have been measured: the ISA's, and those with vector configurations.
static const struct chain_partner_experiment *find_experiments(const struct table_reader *reader, size_t *n) {
    const struct chain_partner_experiment *some;
    struct chain_partner_experiment *all = NULL;
    struct vector_config *seen = NULL, config;
    size_t n_seen = 0, n_some = chain_partners_experiments(reader->isa, &some);
    for (size_t i = 0; i < n_some; i++)
        *ARENA_ADD(reader->arena, all, *n) = some[i];
    for (size_t i = 0; i < reader->n_entries; i++) {
        const struct experiment_key *key = &reader->entries[i].key;
        if (key->kind != EXPERIMENT_PARTNER || !chain_partners_find_config(reader->arena, key->way, &config) ||
            !vector_config_add(reader->arena, &seen, &n_seen, &config))
            continue;
        n_some = chain_partners_experiments_at(reader->arena, reader->isa, &config, &some);
        for (size_t e = 0; e < n_some; e++)
            *ARENA_ADD(reader->arena, all, *n) = some[e];
    }
    return all;
}

// Whether a step of groups of vector registers takes as long side by side as in a chain: then its pipes may be all that
// the chain waits for, and its latency less.
static bool is_limited_by_pipes(const struct table_reader *reader, const struct step *step) {
    struct vector_config config;
    return chain_partners_find_config(reader->arena, step->name, &config) && config.lmul > 0 &&
           step->side_by_side > step->value.cycles - reader_chain_slack(step->value.cycles);
}

void reader_read_steps(struct table_reader *reader) {
    size_t n = 0;
    const struct chain_partner_experiment *experiments = find_experiments(reader, &n);
    reader->steps = ARENA_ARRAY(reader->arena, struct step, n);
    for (size_t i = 0; i < n; i++) {
        const struct entry *entry = reader_find_partner(reader, experiments[i].name);
        if (experiments[i].parts[0] || !entry)
            continue;
        struct step *step = &reader->steps[reader->n_steps++];
        *step = (struct step){experiments[i].name, find_side_by_side(reader, experiments[i].name),
                              reader_value(reader->arena, entry, 1)};
        if (experiments[i].less)
            take_off(reader->arena, &step->value, reader_find_partner(reader, experiments[i].less));
        double cycles = step->value.cycles, n_steps = experiments[i].n_steps;
        bool is_least = fabs(cycles - n_steps) <= reader_chain_slack(n_steps), is_less = cycles < n_steps && !is_least;
        // A single step that is measured stays a part: where a model has another number of it, the form's is not wrong.
        if (!step->value.is_known || experiments[i].less ||
            (n_steps == 1 && (is_least || !is_limited_by_pipes(reader, step))))
            continue;
        // No step takes less than a cycle; so where all together take one each, each takes one. Where they take even
        // less, one takes nothing.
        step->value.sum = cycles;
        step->value.relation = is_least ? TABLE_EQUAL : TABLE_AT_MOST;
        step->value.cycles = step->value.low = step->value.high = step->value.constant = is_less ? 0 : 1;
        step->value.n_parts = 0;
    }
    for (size_t i = 0; i < n; i++)
        if (experiments[i].parts[0])
            check_sum(reader, &experiments[i]);
}

bool reader_subtract_way(const struct table_reader *reader, const char *way, struct table_value *value) {
    double chain = value->cycles;
    value->partner = *way ? way : NULL;
    for (const char *rest = way; *rest;) {
        const char *name = experiment_next_step(reader->arena, &rest);
        const struct step *step = find_step(reader, name);
        if (!step || !step->value.is_known) {
            *value = (struct table_value){.kernel = value->kernel,
                                          .folder = value->folder,
                                          .bytes = value->bytes,
                                          .code = value->code,
                                          .why = arena_printf(reader->arena, "its partner %s is not known", name)};
            return false;
        }
        double times = chain_partners_times(reader->isa, name);
        reader_add_parts(reader->arena, value, &step->value, -times);
        value->cycles -= times * step->value.cycles;
        value->low -= times * step->value.high;
        value->high -= times * step->value.low;
        if (step->value.relation == TABLE_AT_MOST) {
            value->relation = TABLE_AT_MOST;
            value->sum = chain;
        }
        if (step->value.verdict == MEASURED_UNSTABLE)
            value->why = step->value.why;
        reader_doubt(value, &step->value);
    }
    return true;
}

bool reader_subtract_steps(const struct table_reader *reader, const char *name, unsigned n, struct table_value *value) {
    const struct step *step = reader->isa ? find_step(reader, *name ? name : chain_partners_longer(reader->isa)) : NULL;
    if (!value->is_known || !step || !step->value.is_known)
        return false;
    // A step takes a whole number of cycles. The clock's error in a measured one would count as often as there are
    // steps.
    double cycles = step->value.cycles, whole = round(cycles);
    bool is_whole = fabs(cycles - whole) <= reader_chain_slack(cycles);
    reader_add_parts(reader->arena, value, &step->value, -(double)n);
    value->cycles -= n * (is_whole ? whole : cycles);
    value->low -= n * (is_whole ? whole : step->value.high);
    value->high -= n * (is_whole ? whole : step->value.low);
    return true;
}

bool reader_is_closed(const struct table_reader *reader, const struct table_value *value, struct table_value *longer,
                      const char *name) {
    double chain = longer->cycles;
    return reader_subtract_steps(reader, name, PARTNER_LONGER_STEPS, longer) &&
           longer->cycles > value->cycles - (chain - longer->cycles) / 2;
}
