#include "survey/table_reader.h"

#include "base/file.h"
#include "survey/partners.h"

#include <math.h>
#include <string.h>

// Whether a latency that is left is none: no instruction of a closed chain takes less than a cycle, but for moves that
// are eliminated at renaming, and those close by themselves.
static const double least_step = 0.9;
static bool is_too_short(const struct table_value *value) {
    return value->partner && value->cycles < least_step;
}

// The name of the result for tables: of flags, the one that the way reads.
static const char *result_label(const struct reader *reader, const struct entry *entry) {
    if (strncmp(entry->way, "carry", strlen("carry")) == 0)
        return "flags.carry";
    if (strncmp(entry->way, "flags", strlen("flags")) == 0 && strcmp(entry->result, "flags") == 0)
        return "flags.zero";
    return reader_label(reader->arena, entry->result);
}

// Likewise of the source: of flags, carry where the way writes that one alone.
static const char *source_label(const struct reader *reader, const struct entry *entry) {
    return strcmp(entry->source, "flags") == 0 && partners_writes_carry(entry->way)
               ? "flags.carry"
               : reader_label(reader->arena, entry->source);
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

// Half a step: less than that says nothing of when a result can be read.
static const double half_cycle = 0.5;

// Whether other instructions wait no longer than through the way of `a`. Another domain's may wait longer, and so
// does one whose pipe is taken now and then: of such a bound, no exact value of the other way is the truth.
static bool is_better_to_others(const struct table_value *a, const struct table_value *b) {
    if (a->is_known && b->is_known && fabs(a->cycles - b->cycles) > half_cycle)
        return a->cycles < b->cycles;
    return is_better_way(a, b);
}

static bool is_same_pair(const struct table_latency *a, const struct table_latency *b) {
    return a->has_slow_values == b->has_slow_values && strcmp(a->source, b->source) == 0 &&
           strcmp(a->destination, b->destination) == 0;
}

static void add_latency(struct making *m, struct table_latency latency) {
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

// Whether cycles are within `slack` of a whole number. Of long chains the slack would hold nearly any number.
static bool is_near_whole(double cycles, double slack) {
    static const double most = 0.15;
    return fabs(cycles - round(cycles)) <= fmin(slack, most);
}

// Where the time to the partner depends on the port that it happens to take, the mean may come near a whole number: a
// Golden Cove's vcvtdq2pd takes 5 cycles to itself, and 5.94 to vpand.
static bool is_whole(double cycles) {
    static const double slack = 0.04;
    return is_near_whole(cycles, slack);
}

static bool is_single(const struct table_value *value) {
    return table_is_stable(value) && value->relation == TABLE_EQUAL && !value->has_two_speeds;
}

// Whether other instructions have a result as early as copies of the form: a pair shows it, of round numbers.
// `is_known`: how long others wait was measured.
static bool is_early_to_others(const struct making *m, const char *result, bool *is_known) {
    bool is_early = false;
    *is_known = false;
    for (size_t i = 0; i < m->row->n_latencies; i++) {
        const struct table_latency *others = &m->latencies[i];
        if (!others->is_to_others || others->has_slow_values || strcmp(others->destination, result) != 0)
            continue;
        *is_known = true;
        for (size_t k = 0; k < m->row->n_latencies; k++) {
            const struct table_latency *own = &m->latencies[k];
            is_early |= !own->is_to_others && is_same_pair(own, others) && is_single(&own->value) &&
                        is_single(&others->value) && fabs(own->value.cycles - others->value.cycles) <= half_cycle;
        }
    }
    return is_early;
}

void reader_mark_slow_to_others(struct making *m) {
    for (size_t i = 0; i < m->row->n_latencies; i++) {
        struct table_latency *latency = &m->latencies[i];
        bool is_known;
        latency->is_to_others |= latency->has_slow_values && latency->value.partner &&
                                 !is_early_to_others(m, latency->destination, &is_known) && is_known;
    }
}

void reader_keep_longer_to_others(struct making *m) {
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
                      latency.value.cycles > own->value.cycles + half_cycle;
            if (is_kept)
                reader_doubt(&latency.value, &own->value);
        }
        if (is_kept)
            m->latencies[n++] = latency;
    }
    m->row->n_latencies = n;
}

static bool are_of_one_pair(const struct entry *a, const struct entry *b) {
    return strcmp(a->source, b->source) == 0 && strcmp(a->result, b->result) == 0;
}

static const struct entry *find_longer(const struct making *m, const struct entry *like) {
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++)
        if (each->is_longer && are_of_one_pair(each, like) && strcmp(each->way, like->way) == 0)
            return each;
    return NULL;
}

// Whether a chain that ends the other dependences measures the same pair.
static bool has_alone(const struct making *m, const struct entry *chain) {
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++)
        if (each != chain && reader_is_latency(each) && !*each->way && !each->has_slow_values &&
            strstr(each->record->kernel, ".alone") && are_of_one_pair(each, chain))
            return true;
    return false;
}

// Whether a chain through an address may be as short as the address's own way: an instruction writes its address, too,
// and the way back reads that address, so that both ways go from copy to copy.
static bool is_own_way(const struct making *m, const struct entry *entry) {
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++) {
        if (!reader_is_latency(each) || *each->way || strcmp(each->source, entry->source) != 0 ||
            strcmp(each->result, entry->source) != 0 || !file_has_suffix(entry->source, "_base"))
            continue;
        struct table_value rest = reader_value(m->reader->arena, entry, 1),
                           own = reader_value(m->reader->arena, each, 1);
        if (reader_subtract_way(m->reader, entry->way, &rest) && own.is_known && own.cycles > 1.5 &&
            rest.cycles <= own.cycles + READER_SUM_CYCLES)
            return true;
    }
    return false;
}

// Whether a chain takes longer than its result's own way from copy to copy, so that this one does not limit it. Of a
// crossing chain, `cycles` of both copies; of one of them, whether a copy takes longer than the own way.
static bool is_longer_than_own(const struct making *m, const struct entry *entry, double cycles) {
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++) {
        const struct bench_measurement *own = &each->record->measurement;
        if (reader_is_latency(each) && !*each->way && strcmp(each->source, entry->result) == 0 &&
            strcmp(each->result, entry->result) == 0)
            return own->outcome == BENCH_OK && own->verdict != MEASURED_UNSTABLE && cycles > own->cycles + half_cycle;
    }
    return false;
}

static bool is_operand(const char *role) {
    return *role == 'o' && role[1] >= '0' && role[1] <= '9';
}

// Cycles that copies of the form take side by side, at most; 0: not known.
struct side_by_side {
    double least; // in the layout that takes least
    double most;  // in straight code, in the placement that takes most: the copies of a chain are at one address
};

// Where copies all wait for one fixed register, only those with the dependences ended count.
static struct side_by_side side_by_side(const struct making *m) {
    bool is_waiting = false;
    double least = 0, placed[2] = {0, 0}; // elsewhere, and at one address
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++)
        is_waiting |= reader_is_latency(each) && strcmp(each->source, each->result) == 0 && !is_operand(each->source) &&
                      strcmp(each->source, "memory") != 0;
    for (size_t i = 0; i < m->row->n_throughputs; i++) {
        const struct table_throughput *each = &m->throughputs[i];
        double cycles = each->value.cycles, *of_place = &placed[table_has_one_address(each)];
        if (!each->value.is_known || each->has_lines || (is_waiting && !each->has_breakers && !each->has_surroundings))
            continue;
        least = least == 0 ? cycles : fmin(least, cycles);
        if (!each->is_looped && !each->has_slow_values)
            *of_place = *of_place == 0 ? cycles : fmin(*of_place, cycles);
    }
    return (struct side_by_side){least, fmax(least, fmax(placed[0], placed[1]))};
}

// Whether the way back may wait for a pipe that the form holds: what is left of the chain is no longer than copies side
// by side take. Of a core that issues in order: SiFive's X280 holds its vector unit for longer than a gather's latency.
static bool may_hold_pipe(const struct making *m, const struct entry *entry, double parallel) {
    static const double share = 0.03;
    struct table_value rest = reader_value(m->reader->arena, entry, 1);
    return *entry->way && partners_hide_breakers(m->reader->isa) && reader_subtract_way(m->reader, entry->way, &rest) &&
           rest.cycles > 1.5 && rest.cycles <= parallel * (1 + share);
}

// What a simple instruction takes side by side, at most, as the fillers show; 0: not known.
static double simple_cycles(const struct reader *reader) {
    double most = 0;
    for (size_t i = 0; i < reader->n_fillers; i++) {
        const struct table_value *value = &reader->fillers[i].value;
        if (table_is_stable(value))
            most = fmax(most, value->cycles);
    }
    return most;
}

// Cycles that all instructions of a chain's body may take side by side: copies of the form, which take `parallel`, its
// way back and the steps that make it longer, and what ends the other dependences. A step may need the form's own pipe:
// on Intel's cores, one does all shuffles of MMX, and `pinsrw` is two of them.
static double pipes_of(const struct making *m, const struct entry *entry, double parallel) {
    unsigned pads = entry->is_padded ? entry->pads : 0;
    double simple = simple_cycles(m->reader), n_others = fmax(0, (double)entry->record->instructions - 1 - pads),
           pipes = parallel + n_others * simple;
    if (pads)
        pipes += pads * reader_side_by_side(m->reader, entry->longer);
    for (const char *rest = entry->way; *rest;) {
        const char *name = reader_take(m->reader->arena, &rest, '-');
        pipes += fmax(0, reader_side_by_side(m->reader, name) - simple) * partners_times(m->reader->isa, name);
    }
    return pipes;
}

// Whether the chain's instructions may take as long side by side. Of a core with few pipes: on LLVM's bdver2, an add, a
// move and a breaker take three cycles. What is left of one cycle is the latency all the same: no step takes less.
static bool may_be_pipes(const struct making *m, const struct entry *entry, double parallel, double slack) {
    struct table_value rest = reader_value(m->reader->arena, entry, 1);
    double cycles = rest.cycles;
    return *entry->way && reader_subtract_way(m->reader, entry->way, &rest) && rest.cycles > 1.5 &&
           cycles <= pipes_of(m, entry, parallel) + slack;
}

// How far from a whole number of cycles a copy may be. Of copies that cross, both are measured together.
static double chain_slack(const struct entry *entry, double cycles) {
    return reader_chain_slack(cycles * entry->copies) / entry->copies;
}

static bool is_whole_copy(const struct entry *entry, double cycles) {
    return is_near_whole(cycles, chain_slack(entry, cycles));
}

static bool is_whole_chain(double cycles) {
    return is_near_whole(cycles, reader_chain_slack(cycles));
}

// What was measured, and does not show the latency.
static struct table_value without_number(const struct table_value *value, const char *why) {
    return (struct table_value){.kernel = value->kernel, .folder = value->folder, .bytes = value->bytes, .why = why};
}

static bool is_address(const struct entry *entry) {
    return strstr(entry->source, "_base") || strstr(entry->source, "_index");
}

// Through a word of memory, copies at one address are the chain itself.
static bool is_memory(const struct entry *entry) {
    return strcmp(entry->source, "memory") == 0;
}

static const char why_pipes[] = "no whole number of cycles, so pipes limit the chain, too",
                  why_as_long[] = "copies side by side take as long";

// Decides whether a chain's cycles are its latency. A chain of dependent instructions takes a whole number of cycles,
// one at least, and longer than copies side by side; what does not is limited by more than its latency.
//
// `is_confirmed`: some more steps add as much as they take, so nothing at one address is the limit.
static void limit_chain(const struct making *m, const struct entry *entry, bool is_confirmed,
                        struct table_value *value) {
    static const double share = 0.03, apart = 0.02;
    const struct side_by_side company = side_by_side(m);
    double cycles = value->cycles, slack = chain_slack(entry, cycles),
           parallel = is_memory(entry) || is_confirmed ? company.least : company.most;
    const char *why = NULL;
    // Of two speeds, the faster one shows that the latency is no more than that.
    double fastest = value->has_two_speeds ? value->low + apart * cycles : cycles;
    bool has_others =
        (strstr(entry->record->kernel, ".chain") && has_alone(m, entry)) ||
        ((entry->is_crossing || entry->is_together) && !is_longer_than_own(m, entry, cycles * entry->copies));
    if (cycles < 1 - slack)
        why = "less than a cycle, so something other than its latency limits the chain";
    else if (fabs(cycles - 1) <= slack && !*entry->way)
        why = NULL; // the least that a step takes
    else if (has_others)
        why = "other values go from copy to copy as well";
    else if (fabs(cycles - round(cycles)) > slack || fastest < round(cycles) - slack)
        why = why_pipes;
    else if (parallel > 0 && (cycles <= parallel * (1 + share) || may_hold_pipe(m, entry, parallel)))
        why = why_as_long;
    else if (parallel > 0 && may_be_pipes(m, entry, parallel, slack))
        why = "its instructions side by side may take as long";
    else if (*entry->way && is_own_way(m, entry))
        why = "the address, which it writes, takes as long";
    else if (strstr(entry->record->kernel, ".alone") && partners_hide_breakers(m->reader->isa))
        why = "what ends the other dependences may take as long";
    if (!why)
        return;
    value->relation = TABLE_AT_MOST;
    value->why = value->why ? value->why : why;
}

// A padded chain of a pair.
struct padded {
    bool is_found;
    // Its steps make it longer, by more than half of what they take; else it does not wait for them, or for the form.
    bool is_closed;
    bool is_whole; // number of cycles
    struct table_value value;
};

// Whether form, steps and what else is in a padded chain may take as long side by side.
static bool may_be_steps(const struct making *m, const struct entry *padded, double cycles) {
    double parallel = side_by_side(m).least;
    return parallel > 0 && reader_side_by_side(m->reader, padded->longer) > 0 &&
           cycles <= pipes_of(m, padded, parallel) + reader_chain_slack(cycles);
}

static struct padded read_padded(const struct making *m, const struct entry *padded, double chain) {
    struct reader *reader = m->reader;
    struct padded result = {.value = reader_value(reader->arena, padded, 1)};
    double cycles = result.value.cycles;
    if (result.value.verdict == MEASURED_UNSTABLE ||
        !reader_subtract_steps(reader, padded->longer, padded->pads, &result.value))
        return result;
    double steps = cycles - result.value.cycles;
    result.is_closed = cycles - chain > steps / 2 && !may_be_steps(m, padded, cycles);
    result.is_found = reader_subtract_way(reader, padded->way, &result.value) &&
                      result.value.verdict != MEASURED_UNSTABLE && result.value.relation == TABLE_EQUAL;
    // Many more steps make no number surer.
    result.is_whole =
        is_near_whole(result.value.cycles, reader_chain_slack(cycles - steps + fmin(steps, PARTNER_PADS)));
    return result;
}

// Of flags, only chains that read and write the same are of one pair.
static bool needs_same_way(const struct entry *chain) {
    return *chain->way && (strcmp(chain->source, "flags") == 0 || strcmp(chain->result, "flags") == 0);
}

// The shortest of the padded chains of a pair, closed ones first; where copies wait for each other through several
// flags, the longest. `has_more`: of those with still more steps.
static struct padded find_padded(const struct making *m, const struct entry *chain, double cycles, bool has_more) {
    struct padded best = {.is_found = false};
    bool is_from_flags = strcmp(chain->source, "flags") == 0, is_to_flags = strcmp(chain->result, "flags") == 0;
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++) {
        if (!each->is_padded || (each->pads > PARTNER_PADS) != has_more || !are_of_one_pair(each, chain) ||
            (needs_same_way(chain) && strcmp(each->way, chain->way) != 0))
            continue;
        struct padded next = read_padded(m, each, cycles);
        bool is_longer = next.value.cycles > best.value.cycles,
             is_better =
                 next.is_closed != best.is_closed ? next.is_closed : is_longer == (is_from_flags && is_to_flags);
        if (next.is_found && (!best.is_found || is_better))
            best = next;
    }
    return best;
}

// Whether the form has several results in registers. Then a result may wait for one of its sources only, though LLVM
// states that all are read: `xchg` gives each register the other one's value.
static bool has_several_results(const struct making *m) {
    const char *first = NULL;
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++) {
        if (!reader_is_latency(each) || is_memory(each) || strcmp(each->result, "flags") == 0 ||
            strcmp(each->result, "memory") == 0 || strstr(each->result, "_whole") || strstr(each->result, "_base"))
            continue;
        if (first && strcmp(first, each->result) != 0)
            return true;
        first = each->result;
    }
    return false;
}

// Why a chain needs more steps; null: it does not.
static const char *find_doubt(const struct making *m, const struct entry *entry, double chain, bool is_confirmed,
                              const struct table_value *value) {
    static const double least = 1.4, share = 1.25, more = 1.5, short_cycles = 1.5;
    const struct side_by_side company = side_by_side(m);
    bool is_short = value->cycles <= short_cycles, is_placed = !is_confirmed && company.most > company.least &&
                                                               company.most >= least &&
                                                               chain <= share * company.most + more;
    for (size_t i = 0; i < m->row->n_throughputs; i++)
        if (m->throughputs[i].has_surroundings)
            return NULL;
    if (is_memory(entry) || strcmp(entry->source, "same") == 0 || entry->has_slow_values || entry->is_to_others ||
        value->sum > 0)
        return NULL;
    // In order, what leads to an address takes another time behind other instructions, so its steps do not add up.
    if (is_address(entry) && partners_hide_breakers(m->reader->isa))
        return NULL;
    // Copies that take long may wait for pipes that are held, or for microcode, which other instructions interrupt. On
    // a Golden Cove, copies of cmpxchg take 5 cycles, and a chain 6; its latency is 3.
    if (!is_short && ((company.least >= least && value->cycles <= share * company.least + more) || is_placed))
        return "copies side by side take nearly as long, and no longer chain shows its latency";
    // Of a chain that takes less than a cycle, something else is known: renaming does the work.
    if (chain >= 1 - chain_slack(entry, chain) && !is_whole_copy(entry, chain))
        return why_pipes;
    // On a Zen 5, two masked `vporq` that cross take 6 cycles, though each takes 2 through a partner, with zeroing, and
    // from memory; the result's own way takes 2 as well.
    if (entry->is_crossing && is_longer_than_own(m, entry, chain))
        return "two copies that cross take longer than its own result, and no longer chain shows why";
    if (is_short && !*entry->way && !is_address(entry) && has_several_results(m))
        return "no longer chain shows whether this result waits for this source";
    return NULL;
}

static void want_padding(struct making *m, const struct entry *entry, bool has_more) {
    const char *way = needs_same_way(entry) ? entry->way : "";
    for (size_t i = 0; i < m->row->n_paddings; i++) {
        const struct table_padding *each = &m->paddings[i];
        if (strcmp(each->source, entry->source) == 0 && strcmp(each->result, entry->result) == 0 &&
            strcmp(each->way, way) == 0 && each->has_more == has_more)
            return;
    }
    *ARENA_ADD(m->reader->arena, m->paddings, m->row->n_paddings) =
        (struct table_padding){entry->source, entry->result, way, has_more};
}

static void set_bound(struct table_value *value, const char *why) {
    value->relation = TABLE_AT_MOST;
    value->why = why;
}

// Holds a latency against padded chains. `chain`: cycles of the plain one; `doubt`: why.
static void judge_by_padded(struct making *m, const struct entry *entry, double chain, const char *doubt,
                            struct table_value *value) {
    struct padded padded = find_padded(m, entry, chain, false);
    bool is_less = padded.is_found && padded.value.cycles < value->cycles - half_cycle,
         is_bound = value->relation == TABLE_AT_MOST;
    want_padding(m, entry, false);
    // Eight steps are too few behind much microcode: where they made a difference, or show no whole number, or where
    // the chain is long, more may make another one.
    static const double long_chain = 12; // cycles; longer than any chain of a few uops
    struct padded more = {.is_found = false};
    if (padded.is_found && (is_less || !padded.is_whole || chain > long_chain) && !is_too_short(&padded.value)) {
        want_padding(m, entry, true);
        more = find_padded(m, entry, chain, true);
    }
    bool is_still_less = more.is_found && more.value.cycles < padded.value.cycles - half_cycle;
    if (is_still_less || (more.is_found && !padded.is_whole))
        padded = more;
    is_less = padded.is_found && padded.value.cycles < value->cycles - half_cycle;
    // Of several flags, one that is not on the way says nothing of the others.
    bool is_one_of_flags = strcmp(entry->source, "flags") == 0 && strcmp(entry->result, "flags") == 0 && !*entry->way;
    if (!padded.is_found || (is_one_of_flags && is_too_short(&padded.value))) {
        if (!is_bound)
            set_bound(value, doubt);
    } else if (is_less && is_too_short(&padded.value)) {
        *value = without_number(&padded.value, "more steps take hardly longer, so copies do not wait for each other");
    } else if (is_still_less && padded.value.cycles > 1 + half_cycle) {
        *value = padded.value;
        set_bound(value, "with more steps it takes less and less");
    } else if (is_too_short(&padded.value)) {
        ; // renaming does the work, or the steps go past the form
    } else if (padded.is_closed && padded.is_whole &&
               (is_less || (is_bound && padded.value.cycles <= value->cycles + half_cycle))) {
        *value = padded.value;
    } else if (padded.is_closed ? padded.value.cycles < value->cycles - reader_chain_slack(chain) && !padded.is_whole
                                : is_less) {
        *value = padded.value;
        set_bound(value, padded.is_closed ? why_pipes : why_as_long);
    } else if (!padded.is_closed && !is_bound) {
        set_bound(value, doubt);
    }
}

// Whether a word of memory goes through the form at all, by what it adds to a chain through memory with many steps.
// Where it adds as much as a copy takes, the copies wait for each other, though others side by side take as long.
static void judge_word(const struct making *m, struct table_value *value) {
    static const double share = 0.03;
    if (value->cycles < least_step) {
        *value = without_number(value, "less than a cycle, so copies do not wait for each other through memory");
        return;
    }
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++) {
        const struct entry *alone = reader_is_latency(each) && is_memory(each) && each->is_padded
                                        ? reader_find_partner(m->reader, each->way)
                                        : NULL;
        if (!alone)
            continue;
        const struct table_value through = reader_value(m->reader->arena, each, 1),
                                 without = reader_value(m->reader->arena, alone, 1);
        double added = through.cycles - without.cycles, parallel = side_by_side(m).least;
        bool is_as_much = fabs(added - value->cycles) <= reader_chain_slack(through.cycles);
        if (!table_is_stable(&through) || !table_is_stable(&without))
            return;
        if (added < half_cycle) {
            *value =
                without_number(&through, "a longer chain through memory takes no longer with it: it does not read the "
                                         "word, or does not write it");
        } else if (value->why == why_as_long && is_whole_chain(value->cycles) && is_as_much) {
            value->relation = TABLE_EQUAL;
            value->why = NULL;
        } else if (!is_as_much && value->relation == TABLE_EQUAL && parallel > 0 &&
                   value->cycles <= parallel * (1 + share)) {
            set_bound(value, why_as_long);
        }
        return;
    }
}

// Takes in what the same chain takes as a loop: where that is another time, both are true.
static void join_loop(const struct making *m, const struct entry *entry, struct table_value *value) {
    const struct entry *loop = NULL;
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++)
        if (reader_is_latency(each) && is_memory(each) && !each->is_padded && each->is_looped && each != entry)
            loop = each;
    if (!loop || !value->is_known)
        return;
    struct table_value other = reader_value(m->reader->arena, loop, 1);
    if (other.is_known)
        limit_chain(m, loop, false, &other);
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

static bool has_straight(const struct making *m) {
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++)
        if (reader_is_latency(each) && is_memory(each) && !each->is_padded && !each->is_looped)
            return true;
    return false;
}

// Reads the time from a register through memory and back. How much of it is the store's cannot be known.
static void read_store(struct making *m, const struct entry *entry) {
    struct arena *arena = m->reader->arena;
    struct table_value value = reader_value(arena, entry, 1);
    const struct entry *longer = find_longer(m, entry);
    struct table_value long_value = longer ? reader_value(arena, longer, 1) : value;
    value.partner = entry->way;
    value.sum = value.cycles;
    value.relation = TABLE_AT_MOST;
    if (value.is_known && !longer) {
        value.is_known = false;
        value.why = "not measured yet with more steps, so it is not known whether the load waits for the store";
    } else if (value.is_known && !reader_is_closed(m->reader, &value, &long_value, longer->longer)) {
        value.is_known = false;
        value.why = "more steps behind the load take no longer: the load does not wait for the store";
    } else if (table_is_stable(&value)) {
        value.why = "the load back is in it";
    }
    add_latency(m,
                (struct table_latency){false, reader_label(m->reader->arena, entry->source), "memory", value, false});
}

void reader_read_latency(struct making *m, const struct entry *entry) {
    struct reader *reader = m->reader;
    if (strcmp(entry->result, "memory") == 0 && strcmp(entry->source, "memory") != 0) {
        read_store(m, entry);
        return;
    }
    if (is_memory(entry) && entry->is_looped && has_straight(m))
        return; // the other one takes it in
    struct table_value value = reader_value(reader->arena, entry, entry->copies);
    const struct entry *longer = find_longer(m, entry);
    struct table_value long_value = longer ? reader_value(reader->arena, longer, 1) : value;
    bool is_open = longer && value.is_known && !reader_is_closed(reader, &value, &long_value, longer->longer);
    if (longer && value.is_known && !is_open && long_value.verdict != MEASURED_UNSTABLE &&
        long_value.cycles < value.cycles && !reader_is_sum(long_value.cycles, value.cycles))
        value = long_value; // pipes limit the shorter chain
    bool is_result = strcmp(entry->result, "flags") == 0 && *entry->way,
         is_flag = is_result || partners_writes_carry(entry->way);
    const char *verb = is_result ? "writes" : "reads";
    if (is_open && value.verdict != MEASURED_UNSTABLE && long_value.verdict != MEASURED_UNSTABLE) {
        if (!is_address(entry))
            return; // it does not write this flag, or does not read it
        value = without_number(
            &value,
            "its chain is open: it does not write this flag, or memory is renamed and the flag needs no address");
    } else if (is_open) {
        reader_doubt(&value, &long_value);
        value.why = arena_printf(reader->arena, "unstable, so it is not known whether it %s this flag", verb);
    }
    if (is_flag && !longer) { // the survey was ended in between, or still runs
        value.is_known = false;
        value.why = arena_printf(
            reader->arena, "not measured yet with one more step, so it is not known whether it %s this flag", verb);
    }
    double chain = value.cycles;
    bool is_confirmed = longer && !is_open && value.is_known && long_value.verdict != MEASURED_UNSTABLE &&
                        fabs(long_value.cycles - chain) <= reader_chain_slack(chain);
    if (value.is_known)
        limit_chain(m, entry, is_confirmed, &value);
    if (value.is_known && reader_subtract_way(reader, entry->way, &value) && is_too_short(&value)) {
        if (longer)
            return; // likewise
        value = without_number(&value,
                               "its chain takes no longer than the way back: it is open, or renaming does the work");
    }
    const char *doubt = value.is_known ? find_doubt(m, entry, chain, is_confirmed, &value) : NULL;
    if (doubt)
        judge_by_padded(m, entry, chain, doubt, &value);
    if (value.is_known && is_memory(entry)) {
        judge_word(m, &value);
        join_loop(m, entry, &value);
    }
    value.is_confirmed = value.is_known && value.relation == TABLE_EQUAL && (is_confirmed || doubt);
    if (entry->is_crossing && value.kernel == entry->record->kernel)
        value.partner = TABLE_CROSSING;
    add_latency(m, (struct table_latency){entry->has_slow_values, source_label(reader, entry),
                                          result_label(reader, entry), value, entry->is_to_others});
}
