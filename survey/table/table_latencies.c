#include "survey/table/table_reader.h"

#include "base/text.h"
#include "survey/forms/chain_partners.h"

#include <math.h>
#include <string.h>

// The name of the result for tables: of flags, the one that the way reads.
static const char *result_label(const struct table_reader *reader, const struct experiment_key *key) {
    if (text_starts(key->way, "carry"))
        return "flags.carry";
    if (text_starts(key->way, "flags") && experiment_is_flags(key->result))
        return "flags.zero";
    return reader_label(reader->arena, key->result);
}

// Whether one of the flags that it writes is on the way back.
static bool is_result_flag(const struct experiment_key *key) {
    return experiment_is_flags(key->result) && *key->way;
}

// Likewise of the source: of flags, carry where the way writes that one alone.
static const char *source_label(const struct table_reader *reader, const struct experiment_key *key) {
    return experiment_is_flags(key->source) && chain_partners_writes_carry(key->way)
               ? "flags.carry"
               : reader_label(reader->arena, key->source);
}

// Of two ways for one pair, an equal value counts before a bound, then the smaller one: a way through another domain of
// the vector units may add a cycle.
static bool is_better_way(const struct table_value *a, const struct table_value *b) {
    if (a->is_known != b->is_known)
        return a->is_known;
    if ((a->verdict == MEASURED_UNSTABLE) != (b->verdict == MEASURED_UNSTABLE))
        return b->verdict == MEASURED_UNSTABLE;
    return a->relation != b->relation ? a->relation == TABLE_EQUAL : a->cycles < b->cycles;
}

// Whether other instructions wait no longer than through the way of `a`. Another domain's may wait longer, and so
// does one whose pipe is taken now and then: of such a bound, no exact value of the other way is the truth.
static bool is_better_to_others(const struct table_value *a, const struct table_value *b) {
    if (a->is_known && b->is_known && fabs(a->cycles - b->cycles) > READER_HALF_CYCLE)
        return a->cycles < b->cycles;
    return is_better_way(a, b);
}

static bool is_same_pair(const struct table_latency *a, const struct table_latency *b) {
    return a->has_slow_values == b->has_slow_values && strcmp(a->source, b->source) == 0 &&
           strcmp(a->destination, b->destination) == 0;
}

static void add_latency(struct row_builder *m, struct table_latency latency) {
    for (size_t i = 0; i < m->row->n_latencies; i++) {
        struct table_latency *other = &m->latencies[i];
        if (other->is_to_others != latency.is_to_others || !is_same_pair(other, &latency))
            continue;
        if (latency.is_to_others ? is_better_to_others(&latency.value, &other->value)
                                 : is_better_way(&latency.value, &other->value))
            *other = latency;
        return;
    }
    *ARENA_ADD(m->reader->arena, m->latencies, m->row->n_latencies) = latency;
}

// Where the time to the partner depends on the port that it happens to take, the mean may come near a whole number, as
// from a Golden Cove's vcvtdq2pd to vpand.
static bool is_whole(double cycles) {
    static const double slack = 0.04;
    return reader_is_near_whole(cycles, slack);
}

// Whether other instructions have a result as early as copies of the form: a pair shows it, of round numbers.
// `is_known`: how long others wait was measured.
static bool is_early_to_others(const struct row_builder *m, const char *result, bool *is_known) {
    bool is_early = false;
    *is_known = false;
    for (size_t i = 0; i < m->row->n_latencies; i++) {
        const struct table_latency *others = &m->latencies[i];
        if (!others->is_to_others || others->has_slow_values || strcmp(others->destination, result) != 0)
            continue;
        *is_known = true;
        for (size_t k = 0; k < m->row->n_latencies; k++) {
            const struct table_latency *own = &m->latencies[k];
            is_early |= !own->is_to_others && is_same_pair(own, others) && table_is_single(&own->value) &&
                        table_is_single(&others->value) &&
                        fabs(own->value.cycles - others->value.cycles) <= READER_HALF_CYCLE;
        }
    }
    return is_early;
}

void reader_mark_slow_to_others(struct row_builder *m) {
    for (size_t i = 0; i < m->row->n_latencies; i++) {
        struct table_latency *latency = &m->latencies[i];
        bool is_known;
        latency->is_to_others |= latency->has_slow_values && latency->value.partner &&
                                 !is_early_to_others(m, latency->destination, &is_known) && is_known;
    }
}

void reader_keep_longer_to_others(struct row_builder *m) {
    size_t n = 0;
    for (size_t i = 0; i < m->row->n_latencies; i++) {
        struct table_latency latency = m->latencies[i];
        bool is_kept = !latency.is_to_others || latency.has_slow_values;
        for (size_t k = 0; k < m->row->n_latencies && !is_kept; k++) {
            const struct table_latency *own = &m->latencies[k];
            is_kept = !own->is_to_others && is_same_pair(own, &latency) && own->value.is_known &&
                      latency.value.is_known && own->value.relation == TABLE_EQUAL &&
                      latency.value.relation == TABLE_EQUAL && !latency.value.has_two_speeds &&
                      !own->value.has_two_speeds && is_whole(latency.value.cycles) &&
                      latency.value.cycles > own->value.cycles + READER_HALF_CYCLE;
            if (is_kept)
                reader_doubt(&latency.value, &own->value);
        }
        if (is_kept)
            m->latencies[n++] = latency;
    }
    m->row->n_latencies = n;
}

static const struct entry *find_longer(const struct row_builder *m, const struct entry *like) {
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++)
        if (each->key.variant == EXPERIMENT_LONGER && reader_are_of_one_pair(each, like) &&
            strcmp(each->key.way, like->key.way) == 0)
            return each;
    return NULL;
}

// Whether a word of memory goes through the form at all, by what it adds to a chain through memory with many steps.
// Where it adds as much as a copy takes, the copies wait for each other, though others side by side take as long.
static void judge_word(const struct row_builder *m, struct table_value *value) {
    static const double share = 0.03;
    if (value->cycles < READER_LEAST_STEP) {
        *value = reader_without_number(value, "less than a cycle, so copies do not wait for each other through memory");
        return;
    }
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++) {
        bool is_through = each->key.kind == EXPERIMENT_MEMORY && *each->key.way;
        const struct entry *alone = is_through ? reader_find_partner(m->reader, each->key.way) : NULL;
        if (!alone)
            continue;
        const struct table_value through = reader_value(m->reader->arena, each, 1),
                                 without = reader_value(m->reader->arena, alone, 1);
        double added = through.cycles - without.cycles, parallel = reader_copies(m).least;
        bool is_as_much = fabs(added - value->cycles) <= reader_chain_slack(through.cycles);
        if (!table_is_stable(&through) || !table_is_stable(&without))
            return;
        if (added < READER_HALF_CYCLE) {
            *value = reader_without_number(
                &through, "a longer chain through memory takes no longer with it: it does not read the "
                          "word, or does not write it");
        } else if (value->why == reader_why_as_long &&
                   reader_is_near_whole(value->cycles, reader_chain_slack(value->cycles)) && is_as_much) {
            value->relation = TABLE_EQUAL;
            value->why = NULL;
        } else if (!is_as_much && value->relation == TABLE_EQUAL && parallel > 0 &&
                   value->cycles <= parallel * (1 + share)) {
            value->relation = TABLE_AT_MOST;
            value->why = reader_why_as_long;
        }
        return;
    }
}

// From a word of memory to itself, through the form alone.
static bool is_word(const struct experiment_key *key) {
    return key->kind == EXPERIMENT_MEMORY && !*key->way;
}

// Takes in what the same chain takes as a loop: where that is another time, both are true.
static void join_loop(const struct row_builder *m, const struct entry *entry, struct table_value *value) {
    const struct entry *loop = NULL;
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++)
        if (is_word(&each->key) && each->is_looped && each != entry)
            loop = each;
    if (!loop || !value->is_known)
        return;
    struct table_value other = reader_value(m->reader->arena, loop, 1);
    if (other.is_known)
        reader_limit_chain(m, loop, false, &other);
    if (!other.is_known || reader_is_sum(fmax(other.cycles, value->cycles), fmin(other.cycles, value->cycles)))
        return;
    if (table_is_stable(value) && table_is_stable(&other)) {
        value->why =
            arena_printf(m->reader->arena, "%.4g in straight code, %.4g in a loop", value->cycles, other.cycles);
        value->has_two_speeds = true;
    }
    if (other.relation == TABLE_AT_MOST)
        value->relation = TABLE_AT_MOST;
    if (value->relation == TABLE_AT_MOST)
        value->cycles = fmax(value->cycles, other.cycles);
    value->low = fmin(value->low, other.low);
    value->high = fmax(value->high, other.high);
    reader_doubt(value, &other);
}

static bool has_straight(const struct row_builder *m) {
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++)
        if (is_word(&each->key) && !each->is_looped)
            return true;
    return false;
}

// Reads the time from a register through memory and back. How much of it is the store's cannot be known.
static void read_store(struct row_builder *m, const struct entry *entry) {
    struct arena *arena = m->reader->arena;
    struct table_value value = reader_value(arena, entry, 1);
    const struct entry *longer = find_longer(m, entry);
    struct table_value long_value = longer ? reader_value(arena, longer, 1) : value;
    value.partner = entry->key.way;
    value.sum = value.cycles;
    value.relation = TABLE_AT_MOST;
    if (value.is_known && !longer) {
        value.is_known = false;
        value.why = "not measured yet with more steps, so it is not known whether the load waits for the store";
    } else if (value.is_known && !reader_is_closed(m->reader, &value, &long_value, longer->key.step)) {
        value.is_known = false;
        value.why = "more steps behind the load take no longer: the load does not wait for the store";
    } else if (table_is_stable(&value)) {
        value.why = "the load back is in it";
    }
    add_latency(
        m, (struct table_latency){false, reader_label(m->reader->arena, entry->key.source), "memory", value, false});
}

// ---- chains through flags, which may be open

// A chain and the one with some more steps.
struct twins {
    const struct experiment_key *key;
    bool has_longer;
    bool is_open;   // the longer one takes no longer
    bool is_stable; // both are
    bool is_flag;   // some flag is on the way, so that nobody knows without the longer one
};

static bool is_of_another_flag(const struct twins *twins) {
    return twins->is_open && twins->is_stable && !experiment_is_address(twins->key->source);
}

static bool is_of_no_address(const struct twins *twins) {
    return twins->is_open && twins->is_stable && experiment_is_address(twins->key->source);
}

static bool is_unsure(const struct twins *twins) {
    return twins->is_open;
}

// The survey was ended in between, or still runs.
static bool is_alone(const struct twins *twins) {
    return twins->is_flag && !twins->has_longer;
}

// What becomes of the value. The first rule that holds decides.
static const struct open_rule {
    bool (*holds)(const struct twins *twins);
    enum open_effect { LEAVE_OUT, NO_NUMBER, DOUBTFUL, NOT_KNOWN } effect;
    bool is_of_flag; // "reads this flag" or "writes this flag" is behind the reason
    const char *why; // null: there is no such latency, and no row
} open_rules[] = {
    {is_of_another_flag, LEAVE_OUT, false, NULL},
    {is_of_no_address, NO_NUMBER, false,
     "its chain is open: it does not write this flag, or memory is renamed and the flag needs no address"},
    {is_unsure, DOUBTFUL, true, "unstable, so it is not known whether it"},
    {is_alone, NOT_KNOWN, true, "not measured yet with one more step, so it is not known whether it"},
};

// Returns the rule that holds; null: none does.
static const struct open_rule *find_open_rule(const struct twins *twins) {
    for (size_t i = 0; i < sizeof open_rules / sizeof *open_rules; i++)
        if (open_rules[i].holds(twins))
            return &open_rules[i];
    return NULL;
}

static void take_open_rule(const struct row_builder *m, const struct open_rule *rule, const struct experiment_key *key,
                           const struct table_value *longer, struct table_value *value) {
    const char *verb = is_result_flag(key) ? "writes" : "reads",
               *why = rule->is_of_flag ? arena_printf(m->reader->arena, "%s %s this flag", rule->why, verb) : rule->why;
    if (rule->effect == NO_NUMBER)
        *value = reader_without_number(value, why);
    if (rule->effect == DOUBTFUL)
        reader_doubt(value, longer);
    if (rule->effect == NOT_KNOWN)
        value->is_known = false;
    value->why = why;
}

// ---- a latency

// What is left of the chain without the way back. False: there is no such latency, as a longer chain shows, too.
static bool take_off_way(const struct row_builder *m, const struct entry *entry, bool has_longer,
                         struct table_value *value) {
    if (!value->is_known || !reader_subtract_way(m->reader, entry->key.way, value) || !reader_is_too_short(value))
        return true;
    *value = reader_without_number(
        value, "its chain takes no longer than the way back: it is open, or renaming does the work");
    return !has_longer;
}

static void read_chain(struct row_builder *m, const struct entry *entry) {
    struct table_reader *reader = m->reader;
    const struct experiment_key *key = &entry->key;
    struct table_value value = reader_value(reader->arena, entry, experiment_copies(key));
    const struct entry *longer = find_longer(m, entry);
    struct table_value long_value = longer ? reader_value(reader->arena, longer, 1) : value;
    bool is_open = longer && value.is_known && !reader_is_closed(reader, &value, &long_value, longer->key.step);
    if (longer && value.is_known && !is_open && long_value.verdict != MEASURED_UNSTABLE &&
        long_value.cycles < value.cycles && !reader_is_sum(long_value.cycles, value.cycles))
        value = long_value; // pipes limit the shorter chain
    const struct twins twins = {
        .key = key,
        .has_longer = longer,
        .is_open = is_open,
        .is_stable = value.verdict != MEASURED_UNSTABLE && long_value.verdict != MEASURED_UNSTABLE,
        .is_flag = is_result_flag(key) || chain_partners_writes_carry(key->way),
    };
    const struct open_rule *rule = find_open_rule(&twins);
    if (rule && rule->effect == LEAVE_OUT)
        return;
    if (rule)
        take_open_rule(m, rule, key, &long_value, &value);
    double chain = value.cycles;
    bool is_confirmed = longer && !is_open && value.is_known && long_value.verdict != MEASURED_UNSTABLE &&
                        fabs(long_value.cycles - chain) <= reader_chain_slack(chain);
    if (value.is_known)
        reader_limit_chain(m, entry, is_confirmed, &value);
    if (!take_off_way(m, entry, longer, &value))
        return;
    bool is_padded = value.is_known && reader_judge_by_padded(m, entry, chain, is_confirmed, &value);
    if (value.is_known && key->kind == EXPERIMENT_MEMORY) {
        judge_word(m, &value);
        join_loop(m, entry, &value);
    }
    value.is_confirmed = value.is_known && value.relation == TABLE_EQUAL && (is_confirmed || is_padded);
    if (key->closing == EXPERIMENT_CROSSING && value.kernel == entry->record->kernel)
        value.partner = TABLE_CROSSING;
    add_latency(m, (struct table_latency){key->has_slow_values, source_label(reader, key), result_label(reader, key),
                                          value, key->variant == EXPERIMENT_TO_OTHERS});
}

void reader_read_latency(struct row_builder *m, const struct entry *entry) {
    const struct experiment_key *key = &entry->key;
    if (key->kind == EXPERIMENT_PAIR && experiment_is_memory(key->result))
        read_store(m, entry);
    else if (!(key->kind == EXPERIMENT_MEMORY && entry->is_looped && has_straight(m))) // the other one takes it in
        read_chain(m, entry);
}
