// What may limit a chain besides its latency: a table of rules, the first of which that holds decides.
#include "survey/table/table_reader.h"

#include "bench/whole.h"
#include "survey/forms/chain_partners.h"

#include <math.h>
#include <string.h>

bool reader_is_too_short(const struct table_value *value) {
    return value->partner && value->cycles < READER_LEAST_STEP;
}

struct table_value reader_without_number(const struct table_value *value, const char *why) {
    return (struct table_value){
        .kernel = value->kernel, .folder = value->folder, .bytes = value->bytes, .code = value->code, .why = why};
}

bool reader_is_near_whole(double cycles, double slack) {
    return fabs(cycles - round(cycles)) <= fmin(slack, WHOLE_CHAIN_MOST);
}

bool reader_are_of_one_pair(const struct entry *a, const struct entry *b) {
    return strcmp(a->key.source, b->key.source) == 0 && strcmp(a->key.result, b->key.result) == 0;
}

// ---- what instructions take side by side

// Where copies all wait for one fixed register, only those with the dependences ended count.
struct side_by_side reader_copies(const struct row_builder *m) {
    bool is_waiting = false;
    double least = 0, placed[2] = {0, 0}; // elsewhere, and at one address
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++)
        is_waiting |= experiment_is_latency(&each->key) && strcmp(each->key.source, each->key.result) == 0 &&
                      !experiment_is_operand(each->key.source) && each->key.kind != EXPERIMENT_MEMORY;
    for (size_t i = 0; i < m->row->n_throughputs; i++) {
        const struct table_throughput *each = &m->throughputs[i];
        double cycles = each->value.cycles, *of_place = &placed[table_has_one_address(each)];
        if (!each->value.is_known || each->has_lines || each->fillers ||
            (is_waiting && !each->has_breakers && !each->has_wrapper))
            continue;
        least = least == 0 ? cycles : fmin(least, cycles);
        if (!each->is_looped && !each->has_slow_values)
            *of_place = *of_place == 0 ? cycles : fmin(*of_place, cycles);
    }
    return (struct side_by_side){least, fmax(least, fmax(placed[0], placed[1]))};
}

// What a simple instruction takes side by side, at most, as the fillers show; 0: not known.
static double simple_cycles(const struct table_reader *reader) {
    double most = 0;
    for (size_t i = 0; i < reader->n_fillers; i++) {
        const struct table_value *value = &reader->fillers[i].value;
        if (table_is_stable(value))
            most = fmax(most, value->cycles);
    }
    return most;
}

// A step may need the form's own pipe: on Intel's cores, one does all shuffles of MMX, and `pinsrw` is two of them.
double reader_pipes_of(const struct row_builder *m, const struct entry *entry, double parallel) {
    unsigned pads = entry->key.n_steps;
    double simple = simple_cycles(m->reader), n_others = fmax(0, (double)entry->record->instructions - 1 - pads),
           pipes = parallel + n_others * simple;
    if (pads)
        pipes += pads * reader_side_by_side(m->reader, entry->key.step);
    for (const char *rest = entry->key.way; *rest;) {
        const char *name = experiment_next_step(m->reader->arena, &rest);
        pipes += fmax(0, reader_side_by_side(m->reader, name) - simple) * chain_partners_times(m->reader->isa, name);
    }
    return pipes;
}

bool reader_is_longer_than_own(const struct row_builder *m, const struct entry *entry, double cycles) {
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++) {
        const struct bench_measurement *own = &each->record->measurement;
        if (experiment_is_latency(&each->key) && !*each->key.way && strcmp(each->key.source, entry->key.result) == 0 &&
            strcmp(each->key.result, entry->key.result) == 0)
            return own->outcome == BENCH_OK && own->verdict != MEASURED_UNSTABLE &&
                   cycles > own->cycles + READER_HALF_CYCLE;
    }
    return false;
}

bool reader_has_many_uops(const struct row_builder *m) {
    static const double few = 2.5; // slots
    for (size_t i = 0; i < m->row->n_throughputs; i++)
        if (m->throughputs[i].has_lines)
            return true;
    return m->row->slots.value.is_known && m->row->slots.value.cycles > few;
}

// ---- rules

// A chain while it is held against them.
struct limited {
    const struct row_builder *m;
    const struct entry *entry;
    double cycles;   // of a copy
    double slack;    // so far from a whole number
    double fastest;  // of two speeds: then the latency is no more than that
    double parallel; // that copies take side by side; 0: not known
    double whole;    // of its body, as it was measured
    double left;     // of that, without the way back; not a number: not known
};

static bool is_less_than_a_cycle(const struct limited *chain) {
    return chain->cycles < 1 - chain->slack;
}

// The least that a step takes.
static bool is_one_cycle(const struct limited *chain) {
    return fabs(chain->cycles - 1) <= chain->slack && !*chain->entry->key.way;
}

// Whether a chain that ends the other dependences measures the same pair.
static bool has_alone(const struct row_builder *m, const struct entry *chain) {
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++)
        if (each != chain && each->key.closing == EXPERIMENT_ALONE && !each->key.has_slow_values &&
            reader_are_of_one_pair(each, chain))
            return true;
    return false;
}

static bool carries_others(const struct limited *chain) {
    const struct entry *entry = chain->entry;
    return (entry->key.kind == EXPERIMENT_CHAIN && has_alone(chain->m, entry)) ||
           (experiment_is_together(&entry->key) &&
            !reader_is_longer_than_own(chain->m, entry, chain->cycles * experiment_copies(&entry->key)));
}

static bool is_no_whole_number(const struct limited *chain) {
    double whole = round(chain->cycles);
    return fabs(chain->cycles - whole) > chain->slack || chain->fastest < whole - chain->slack;
}

static bool takes_as_long_as_copies(const struct limited *chain) {
    static const double share = 0.03;
    return chain->parallel > 0 && chain->cycles <= chain->parallel * (1 + share);
}

// The way back may wait for a pipe that the form holds: what is left of the chain is no longer than copies side by side
// take. Of a core that issues in order: SiFive's X280 holds its vector unit for longer than a gather's latency.
static bool holds_pipe(const struct limited *chain) {
    static const double share = 0.03;
    return chain->parallel > 0 && *chain->entry->key.way && chain_partners_hide_breakers(chain->m->reader->isa) &&
           chain->left > 1.5 && chain->left <= chain->parallel * (1 + share);
}

// The chain's instructions may take as long side by side. Of a core with few pipes: on LLVM's bdver2, an add, a move
// and a breaker take three cycles. What is left of one cycle is the latency all the same: no step takes less.
static bool takes_all_pipes(const struct limited *chain) {
    return chain->parallel > 0 && *chain->entry->key.way && chain->left > 1.5 &&
           chain->whole <= reader_pipes_of(chain->m, chain->entry, chain->parallel) + chain->slack;
}

// An instruction writes its address, too, and the way back reads that address: both ways go from copy to copy, and the
// chain may be as short as the address's own.
static bool is_way_of_address(const struct limited *chain) {
    const struct row_builder *m = chain->m;
    const char *source = chain->entry->key.source;
    if (!*chain->entry->key.way || !experiment_is_base(source))
        return false;
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++) {
        if (!experiment_is_latency(&each->key) || *each->key.way || strcmp(each->key.source, source) != 0 ||
            strcmp(each->key.result, source) != 0)
            continue;
        const struct table_value own = reader_value(m->reader->arena, each, 1);
        if (own.is_known && own.cycles > 1.5 && chain->left <= own.cycles + READER_SUM_CYCLES)
            return true;
    }
    return false;
}

static bool has_slow_breakers(const struct limited *chain) {
    return chain->entry->key.closing == EXPERIMENT_ALONE && chain_partners_hide_breakers(chain->m->reader->isa);
}

const char reader_why_pipes[] = "no whole number of cycles, so pipes limit the chain, too",
           reader_why_as_long[] = "copies side by side take as long";

static const struct limit {
    bool (*holds)(const struct limited *chain);
    const char *why; // the value is a bound; null: it is the latency
} limits[] = {
    {is_less_than_a_cycle, "less than a cycle, so something other than its latency limits the chain"},
    {is_one_cycle, NULL},
    {carries_others, "other values go from copy to copy as well"},
    {is_no_whole_number, reader_why_pipes},
    {takes_as_long_as_copies, reader_why_as_long},
    {holds_pipe, reader_why_as_long},
    {takes_all_pipes, "its instructions side by side may take as long"},
    {is_way_of_address, "the address, which it writes, takes as long"},
    {has_slow_breakers, "what ends the other dependences may take as long"},
};

void reader_limit_chain(const struct row_builder *m, const struct entry *entry, bool is_confirmed,
                        struct table_value *value) {
    static const double apart = 0.02;
    const struct side_by_side copies = reader_copies(m);
    struct table_value left = reader_value(m->reader->arena, entry, 1);
    double cycles = value->cycles, whole = left.cycles;
    const struct limited chain = {
        .m = m,
        .entry = entry,
        .cycles = cycles,
        .slack = reader_copy_slack(entry, cycles),
        .fastest = value->has_two_speeds ? value->low + apart * cycles : cycles,
        // Through a word of memory, copies at one address are the chain itself.
        .parallel = entry->key.kind == EXPERIMENT_MEMORY || is_confirmed ? copies.least : copies.most,
        .whole = whole,
        .left = reader_subtract_way(m->reader, entry->key.way, &left) ? left.cycles : NAN,
    };
    const struct limit *limit = limits, *end = limits + sizeof limits / sizeof *limits;
    while (limit < end && !limit->holds(&chain))
        limit++;
    if (limit == end || !limit->why)
        return;
    value->relation = TABLE_AT_MOST;
    value->why = value->why ? value->why : limit->why;
}
