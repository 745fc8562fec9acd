// Chains with many more steps: which latencies need them, and what they show. Tables of rules; of each, the first that
// holds decides.
#include "survey/table/table_reader.h"

#include "bench/whole.h"
#include "survey/forms/chain_partners.h"

#include <math.h>
#include <string.h>

// ---- which chains need more steps

// Of a cycle or so: no step takes less.
static const double short_cycles = 1.5;

// A latency while it is doubted.
struct doubted {
    const struct row_builder *m;
    const struct entry *entry;
    const struct table_value *value;
    double chain;      // cycles of a copy with its way back
    bool is_confirmed; // a few more steps add as much as they take
    bool is_short;     // it is a cycle or so
};

// Nothing of these can be padded, or it would say nothing of the latency.
static bool is_no_pair_of_registers(const struct doubted *doubted) {
    const struct row_builder *m = doubted->m;
    for (size_t i = 0; i < m->row->n_throughputs; i++)
        if (m->throughputs[i].has_wrapper)
            return true;
    const struct experiment_key *key = &doubted->entry->key;
    return key->kind == EXPERIMENT_MEMORY || key->kind == EXPERIMENT_SAME || key->has_slow_values ||
           key->variant == EXPERIMENT_TO_OTHERS || doubted->value->sum > 0;
}

// In order, what leads to an address takes another time behind other instructions, so its steps do not add up.
static bool is_address_in_order(const struct doubted *doubted) {
    return experiment_is_address(doubted->entry->key.source) && chain_partners_hide_breakers(doubted->m->reader->isa);
}

// Copies that take long may wait for pipes that are held, or for microcode, which other instructions interrupt, as
// those of cmpxchg on a Golden Cove.
static bool is_near_copies(const struct doubted *doubted) {
    static const double least = 1.4, share = 1.25, more = 1.5;
    const struct side_by_side copies = reader_copies(doubted->m);
    bool is_placed = !doubted->is_confirmed && copies.most > copies.least && copies.most >= least &&
                     doubted->chain <= share * copies.most + more;
    return !doubted->is_short &&
           ((copies.least >= least && doubted->value->cycles <= share * copies.least + more) || is_placed);
}

// Of many uops, those of the next copies take pipes that those of this copy wait for, and a few more steps change
// nothing.
static bool has_many_uops(const struct doubted *doubted) {
    return !doubted->is_short && reader_has_many_uops(doubted->m);
}

// Of a chain that takes less than a cycle, something else is known: renaming does the work.
static bool is_no_whole_number(const struct doubted *doubted) {
    double slack = reader_copy_slack(doubted->entry, doubted->chain);
    return doubted->chain >= 1 - slack && !reader_is_near_whole(doubted->chain, slack);
}

// Two masked `vporq` that cross take longer on a Zen 5 than each does through a partner, with zeroing, and from memory.
static bool is_slow_crossing(const struct doubted *doubted) {
    return doubted->entry->key.closing == EXPERIMENT_CROSSING &&
           reader_is_longer_than_own(doubted->m, doubted->entry, doubted->chain);
}

// Of several results in registers, one may wait for one of the sources only, though LLVM states that all are read:
// `xchg` gives each register the other one's value.
static bool may_wait_for_another(const struct doubted *doubted) {
    const struct row_builder *m = doubted->m;
    const char *first = NULL;
    if (!doubted->is_short || *doubted->entry->key.way || experiment_is_address(doubted->entry->key.source))
        return false;
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++) {
        const char *result = each->key.result;
        if (!experiment_is_latency(&each->key) || experiment_is_memory(result) || experiment_is_flags(result) ||
            experiment_is_whole(result) || experiment_is_base(result))
            continue;
        if (first && strcmp(first, result) != 0)
            return true;
        first = result;
    }
    return false;
}

static const struct doubt {
    bool (*holds)(const struct doubted *doubted);
    const char *why; // what the value is a bound for, unless longer chains decide; null: no doubt
} doubts[] = {
    {is_no_pair_of_registers, NULL},
    {is_address_in_order, NULL},
    {is_near_copies, "copies side by side take nearly as long, and no longer chain shows its latency"},
    {has_many_uops, "it has many uops, which may wait for each other, and no longer chain shows its latency"},
    {is_no_whole_number, reader_why_pipes},
    {is_slow_crossing, "two copies that cross take longer than its own result, and no longer chain shows why"},
    {may_wait_for_another, "no longer chain shows whether this result waits for this source"},
};

static const char *find_doubt(const struct doubted *doubted) {
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++)
        if (doubts[i].holds(doubted))
            return doubts[i].why;
    return NULL;
}

// ---- what longer chains measure

// The padded chain of a pair with some number of steps.
struct padded {
    bool is_found;
    // Its steps make it longer, by more than half of what they take; else it does not wait for them, or for the form.
    bool is_closed;
    bool is_whole; // number of cycles, at one speed
    struct table_value value;
};

// Whether form, steps and what else is in a padded chain may take as long side by side.
static bool may_be_steps(const struct row_builder *m, const struct entry *padded, double cycles) {
    double parallel = reader_copies(m).least;
    return parallel > 0 && reader_side_by_side(m->reader, padded->key.step) > 0 &&
           cycles <= reader_pipes_of(m, padded, parallel) + reader_chain_slack(cycles);
}

// How far from a whole number a chain with so many cycles of steps may be. Many more steps make no number surer: of
// them, only the clock's error counts.
static double padded_slack(double cycles, double steps) {
    double more = fmax(0, steps - PARTNER_PADS);
    return fmin(WHOLE_PADDED_MOST, reader_chain_slack(cycles - more) + WHOLE_PADDED_SHARE * more);
}

// Whether steps may wait for a pipe that the form holds: they add what they take all the same, behind that. Of RISC-V's
// vectors, where an instruction has groups of registers, or gathers: SiFive's X280 does all of these in one pipe.
static bool may_wait_for_pipe(const struct row_builder *m, const struct entry *padded, double cycles) {
    static const double share = 0.03;
    return chain_partners_hold_pipes(m->reader->isa, padded->key.step) && cycles > short_cycles &&
           cycles <= reader_copies(m).least * (1 + share);
}

static struct padded read_padded(const struct row_builder *m, const struct entry *padded, double chain) {
    struct table_reader *reader = m->reader;
    struct padded result = {.value = reader_value(reader->arena, padded, 1)};
    double cycles = result.value.cycles;
    if (result.value.verdict == MEASURED_UNSTABLE ||
        !reader_subtract_steps(reader, padded->key.step, padded->key.n_steps, &result.value))
        return result;
    double steps = cycles - result.value.cycles;
    result.is_closed = cycles - chain > steps / 2 && !may_be_steps(m, padded, cycles);
    result.is_found = reader_subtract_way(reader, padded->key.way, &result.value) &&
                      result.value.verdict != MEASURED_UNSTABLE && result.value.relation == TABLE_EQUAL;
    result.is_closed &= !may_wait_for_pipe(m, padded, result.value.cycles);
    result.is_whole =
        reader_is_near_whole(result.value.cycles, padded_slack(cycles, steps)) && !result.value.has_two_speeds;
    return result;
}

// Of flags, only chains that read and write the same are of one pair.
static bool needs_same_way(const struct experiment_key *chain) {
    return *chain->way && (experiment_is_flags(chain->source) || experiment_is_flags(chain->result));
}

// The shortest of the padded chains of a pair with so many steps, closed ones first; where copies wait for each other
// through several flags, the longest. `cycles`: of the plain chain.
static struct padded find_padded(const struct row_builder *m, const struct entry *chain, double cycles, unsigned pads) {
    struct padded best = {.is_found = false};
    bool is_of_flags = experiment_is_flags(chain->key.source) && experiment_is_flags(chain->key.result);
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++) {
        if (each->key.n_steps != pads || !reader_are_of_one_pair(each, chain) ||
            (needs_same_way(&chain->key) && strcmp(each->key.way, chain->key.way) != 0))
            continue;
        struct padded next = read_padded(m, each, cycles);
        bool is_longer = next.value.cycles > best.value.cycles,
             is_better = next.is_closed != best.is_closed ? next.is_closed : is_longer == is_of_flags;
        if (next.is_found && (!best.is_found || is_better))
            best = next;
    }
    return best;
}

static void want_padding(struct row_builder *m, const struct experiment_key *key, unsigned pads) {
    const char *way = needs_same_way(key) ? key->way : "";
    reader_follow(m->reader->arena, m->row,
                  (struct experiment_key){.kind = EXPERIMENT_PAIR,
                                          .source = key->source,
                                          .result = key->result,
                                          .way = way,
                                          .variant = EXPERIMENT_PADDED,
                                          .n_steps = pads});
}

// ---- what they show

// A latency and its padded chains.
struct held {
    const struct table_value *value; // of the plain chain
    double chain;                    // cycles of that
    bool is_bound;                   // the plain chain's value is
    bool is_one_of_flags;            // some of several flags, of which one that is not on the way says nothing
    struct padded padded;            // what decides
    bool is_less;                    // it is less than the plain chain's
    double room;                     // cycles that it may be more than a bound
    bool is_falling;                 // the more steps, the less it takes
    bool is_open;                    // still more steps are to confirm it, and are not measured, or do not
    bool is_disagreed;               // they do not
};

// Renaming does the work, or the steps go past the form.
static bool is_too_short(const struct held *held) {
    return reader_is_too_short(&held->padded.value);
}

static bool is_not_found(const struct held *held) {
    return !held->padded.is_found || (held->is_one_of_flags && is_too_short(held));
}

static bool does_not_wait(const struct held *held) {
    return held->is_less && is_too_short(held);
}

static bool is_falling(const struct held *held) {
    return held->is_falling && held->padded.value.cycles > 1 + READER_HALF_CYCLE;
}

static bool is_the_latency(const struct held *held) {
    return held->padded.is_closed && held->padded.is_whole &&
           (held->is_less || (held->is_bound && held->padded.value.cycles <= held->value->cycles + held->room));
}

static bool is_less_and_not_whole(const struct held *held) {
    return held->padded.is_closed && !held->padded.is_whole &&
           held->padded.value.cycles < held->value->cycles - reader_chain_slack(held->chain);
}

static bool is_less_and_not_closed(const struct held *held) {
    return !held->padded.is_closed && held->is_less;
}

static bool is_not_closed(const struct held *held) {
    return !held->padded.is_closed;
}

// What becomes of the value.
enum effect {
    KEEP,          // it is as the plain chain has it
    DOUBT,         // a bound, if it is none yet, for the reason of the doubt
    DROP,          // no number: there is no such latency
    TAKE,          // the padded chain's
    TAKE_AS_BOUND, // likewise, and a bound
};

static const struct outcome {
    bool (*holds)(const struct held *held);
    enum effect effect;
    const char *why;
} outcomes[] = {
    {is_not_found, DOUBT, NULL},
    {does_not_wait, DROP, "more steps take hardly longer, so copies do not wait for each other"},
    {is_falling, TAKE_AS_BOUND, "with more steps it takes less and less"},
    {is_too_short, KEEP, NULL},
    {is_the_latency, TAKE, NULL},
    {is_less_and_not_whole, TAKE_AS_BOUND, reader_why_pipes},
    {is_less_and_not_closed, TAKE_AS_BOUND, reader_why_as_long},
    {is_not_closed, DOUBT, NULL},
};

static void set_bound(struct table_value *value, const char *why) {
    value->relation = TABLE_AT_MOST;
    value->why = why;
}

static void take_outcome(const struct held *held, const char *doubt, struct table_value *value) {
    const struct outcome *outcome = outcomes, *end = outcomes + sizeof outcomes / sizeof *outcomes;
    while (outcome < end && !outcome->holds(held))
        outcome++;
    enum effect effect = outcome < end ? outcome->effect : KEEP;
    if (effect == DOUBT && !held->is_bound)
        set_bound(value, doubt);
    if (effect == DROP)
        *value = reader_without_number(&held->padded.value, outcome->why);
    if (effect == TAKE || effect == TAKE_AS_BOUND)
        *value = held->padded.value;
    if (effect == TAKE_AS_BOUND)
        set_bound(value, outcome->why);
    if (held->is_open && value->is_known && value->relation == TABLE_EQUAL && value->cycles > short_cycles)
        set_bound(value, held->is_disagreed ? "it has many uops, and chains with more steps do not agree" : doubt);
}

// A pair's padded chains by the number of their steps.
struct rungs {
    struct padded few, more, most;
};

// Finds the padded chains, and requests the next one.
static struct rungs climb(struct row_builder *m, const struct entry *entry, const struct held *held, bool is_many) {
    static const double long_chain = 12; // cycles; longer than any chain of a few uops
    struct rungs rungs = {.few = find_padded(m, entry, held->chain, PARTNER_PADS)};
    const struct table_value *few = &rungs.few.value, *more = &rungs.more.value;
    bool is_less = few->cycles < held->value->cycles - READER_HALF_CYCLE;
    want_padding(m, &entry->key, PARTNER_PADS);
    // Eight steps are too few behind much microcode: where they made a difference, or show no whole number, or where
    // the chain is long, more may make another one.
    if (!rungs.few.is_found || reader_is_too_short(few) ||
        (!is_less && rungs.few.is_whole && held->chain <= long_chain && !is_many))
        return rungs;
    want_padding(m, &entry->key, PARTNER_MORE_PADS);
    rungs.more = find_padded(m, entry, held->chain, PARTNER_MORE_PADS);
    // Where these made a difference again, or there are many uops, those with most steps must show the same.
    if (!rungs.more.is_found || reader_is_too_short(more) ||
        (more->cycles >= few->cycles - READER_HALF_CYCLE && !is_many))
        return rungs;
    want_padding(m, &entry->key, PARTNER_MOST_PADS);
    rungs.most = find_padded(m, entry, held->chain, PARTNER_MOST_PADS);
    return rungs;
}

// Chooses which of them decides.
static void weigh(const struct rungs *rungs, bool is_many, struct held *held) {
    double value = held->value->cycles, few = rungs->few.value.cycles, more = rungs->more.value.cycles,
           most = rungs->most.value.cycles;
    bool has_more = rungs->more.is_found, has_most = rungs->most.is_found,
         is_agreed = has_most && rungs->more.is_whole && rungs->most.is_whole && fabs(most - more) < READER_HALF_CYCLE;
    // What no longer chain undercuts stands: steps may make a chain slower, but not its results late.
    bool is_least = has_most && fmin(more, most) > value - READER_SUM_CYCLES;
    held->is_falling = has_more && more < few - READER_HALF_CYCLE && !is_agreed;
    held->is_open = is_many && !is_agreed && !is_least;
    held->is_disagreed = held->is_open && has_most;
    held->padded = rungs->few;
    if (held->is_falling || is_agreed || (has_more && !rungs->few.is_whole))
        held->padded = rungs->more;
    if (has_most && !is_agreed && most < held->padded.value.cycles - READER_SUM_CYCLES)
        held->padded = rungs->most;
    double cycles = held->padded.value.cycles;
    held->is_less = held->padded.is_found && cycles < value - READER_HALF_CYCLE;
    // Flags of logic may come early now and then, so that a bound is below the truth; nothing of many uops does.
    held->room = is_many ? reader_chain_slack(held->chain) - (round(cycles) - cycles) : READER_HALF_CYCLE;
}

bool reader_judge_by_padded(struct row_builder *m, const struct entry *entry, double chain, bool is_confirmed,
                            struct table_value *value) {
    const struct doubted doubted = {m, entry, value, chain, is_confirmed, value->cycles <= short_cycles};
    const char *doubt = find_doubt(&doubted);
    const struct table_value plain = *value;
    struct held held = {
        .value = &plain,
        .chain = chain,
        .is_bound = value->relation == TABLE_AT_MOST,
        .is_one_of_flags =
            experiment_is_flags(entry->key.source) && experiment_is_flags(entry->key.result) && !*entry->key.way,
    };
    if (!doubt)
        return false;
    bool is_many = !doubted.is_short && reader_has_many_uops(m);
    const struct rungs rungs = climb(m, entry, &held, is_many);
    weigh(&rungs, is_many, &held);
    take_outcome(&held, doubt, value);
    return true;
}
