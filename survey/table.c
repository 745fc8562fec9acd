#include "survey/table.h"

#include "base/file.h"
#include "base/json.h"
#include "bench/host/host.h"
#include "bench/record/record.h"
#include "survey/folder.h"
#include "survey/partners.h"
#include "survey/slots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

// Chains of known parts take the sum of these, within this share and these cycles. So do chains with one step more.
static const double sum_share = 0.01, sum_cycles = 0.1;

// A kernel's measurement, by the parts of its name (experiments.h).
struct entry {
    const struct record *record;
    const char *form;                  // "CHAIN": a partner's; "FILL": a filler's
    const char *source, *result, *way; // roles of a latency's ports, and its way; null: a throughput
    bool is_longer, has_breakers, has_slow_values, has_surroundings;
    bool is_together;   // a way, with nothing to end what the result carries from copy to copy by itself
    const char *longer; // step of which it has some more; empty: the usual one
    const char *filler; // of a mixture, or itself; null: it has none
    unsigned fillers;   // in the mixture
    unsigned copies;    // of the form in a stream
    size_t place;       // among the lines of all files
};

// What is known of a partner's step.
struct step {
    const char *name;
    struct table_value value; // cycles of one step; TABLE_AT_MOST: only the sum with the way back is known
};

// What is known of a filler.
struct filler {
    const char *name;
    struct table_value value; // cycles of one
    const char *why;          // why it measures no slots; null: it does
};

struct reader {
    struct arena *arena;
    const struct lab_listener *listener;
    const struct isa *isa;     // null: nothing was measured
    struct record_file *files; // they hold the records
    struct entry *entries;     // in the order of forms
    size_t n_entries;
    struct step *steps;
    size_t n_steps;
    struct filler *fillers;
    size_t n_fillers;
    const struct filler *filler; // the one to take; null: none
};

// A row while it is made.
struct making {
    struct reader *reader;
    struct table_row *row;
    const struct entry *entries; // of the form
    size_t n_entries;
    struct table_latency *latencies;
    struct table_throughput *throughputs;
};

// ---- names

// Takes the part of `rest` in front of the next separator.
static const char *take(struct arena *arena, const char **rest, char separator) {
    const char *end = strchrnul(*rest, separator), *part = arena_copy(arena, *rest, (size_t)(end - *rest));
    *rest = end + (*end != 0);
    return part;
}

static const char *label_of(struct arena *arena, const char *role) {
    bool is_operand = *role == 'o' && role[1] >= '0' && role[1] <= '9';
    return is_operand ? text_replaced(arena, role + 1, '_', '.') : role;
}

// Takes ".xor.17", or what there is of it.
static void parse_fillers(struct arena *arena, const char *rest, struct entry *entry) {
    entry->filler = take(arena, &rest, '.');
    entry->fillers = (unsigned)strtoul(rest, NULL, 10);
}

static void parse_name(struct arena *arena, const struct record *record, struct entry *entry) {
    const char *rest = record->kernel, *second, *record_arc = record->arc;
    *entry = (struct entry){.record = record, .form = take(arena, &rest, '.'), .copies = 1};
    const char *behind_form = rest;
    second = take(arena, &rest, '.');
    if (strcmp(entry->form, "CHAIN") == 0) {
        entry->way = second;
    } else if (strcmp(entry->form, "FILL") == 0) {
        parse_fillers(arena, behind_form, entry);
    } else if (strcmp(second, "slots") == 0) {
        parse_fillers(arena, rest, entry);
    } else if (strcmp(second, "chain") == 0) {
        const char *arc = record->arc ? record->arc : "";
        entry->way = "";
        entry->result = take(arena, &arc, '-');
        entry->source = *arc == '>' ? arc + 1 : arc;
    } else if (strcmp(second, "same") == 0) {
        entry->way = "";
        entry->source = second;
        entry->result = record->arc ? take(arena, &record_arc, '-') : "";
    } else if (strcmp(second, "memory") == 0) {
        entry->way = "";
        entry->source = entry->result = second;
    } else if (strcmp(second, "slow") == 0) {
        entry->has_slow_values = true;
    } else if (strcmp(second, "broken") == 0) {
        entry->has_breakers = true;
    } else if (strcmp(second, "around") == 0 || strcmp(second, "copies") == 0) {
        entry->has_surroundings = strcmp(second, "around") == 0;
        entry->copies = MAX((unsigned)strtoul(rest, NULL, 10), 1U);
    } else if (*second) {
        entry->source = take(arena, &second, '-');
        entry->result = second;
        entry->way = take(arena, &rest, '.');
        const char *variant = take(arena, &rest, '.');
        entry->is_together = strcmp(variant, "together") == 0;
        entry->is_longer = *variant && !entry->is_together;
        entry->longer = rest;
        if (strcmp(entry->way, "alone") == 0)
            entry->way = "";
    }
}

static bool is_latency(const struct entry *entry) {
    return entry->way != NULL;
}

// ---- reading

static const char *text_in(const json_t *header, const char *key) {
    const char *text = json_string_value(json_object_get(header, key));
    return text ? text : "";
}

// Whether two headers are of the same kind of machine and clock.
static bool is_same_machine(const json_t *a, const json_t *b) {
    static const char *const numbers[] = {"family", "model", "stepping"}, *const texts[] = {"cpu", "microcode"};
    bool is_same = true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        is_same &=
            json_integer_value(json_object_get(a, numbers[i])) == json_integer_value(json_object_get(b, numbers[i]));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        is_same &= strcmp(text_in(a, texts[i]), text_in(b, texts[i])) == 0;
    const json_t *one = json_object_get(a, "clock"), *other = json_object_get(b, "clock");
    return is_same && strcmp(text_in(one, "target"), text_in(other, "target")) == 0;
}

// Whether they are of one experiment: 0.
static int compare_experiments(const struct entry *one, const struct entry *other) {
    int order = strcmp(one->form, other->form);
    if (order == 0)
        order = strcmp(one->record->kernel, other->record->kernel);
    if (order == 0)
        order = strcmp(one->record->arc ? one->record->arc : "", other->record->arc ? other->record->arc : "");
    if (order == 0)
        order = strcmp(one->record->placement ? one->record->placement : "",
                       other->record->placement ? other->record->placement : "");
    if (order == 0)
        order = strcmp(one->record->form ? one->record->form : "", other->record->form ? other->record->form : "");
    if (order == 0)
        order = (one->record->streams > other->record->streams) - (one->record->streams < other->record->streams);
    return order;
}

static int compare_entries(const void *a, const void *b) {
    const struct entry *one = a, *other = b;
    int order = compare_experiments(one, other);
    return order ? order : (one->place > other->place) - (one->place < other->place);
}

// Of the measurements of one experiment, the last one counts; a stable one counts before an unstable one.
static bool is_better(const struct entry *a, const struct entry *b) {
    bool is_steady = a->record->measurement.verdict != MEASURED_UNSTABLE;
    return is_steady || b->record->measurement.verdict == MEASURED_UNSTABLE;
}

static void drop_repeated(struct reader *reader) {
    size_t n = 0;
    for (size_t i = 0; i < reader->n_entries; i++) {
        struct entry *last = n ? &reader->entries[n - 1] : NULL;
        if (!last || compare_experiments(last, &reader->entries[i]) != 0)
            reader->entries[n++] = reader->entries[i];
        else if (is_better(&reader->entries[i], last))
            *last = reader->entries[i];
    }
    reader->n_entries = n;
}

// Sorts by form; those of one experiment stay in the order of files and lines.
static void sort_entries(struct reader *reader) {
    struct entry *sorted = ARENA_ARRAY(reader->arena, struct entry, reader->n_entries);
    memcpy(sorted, reader->entries, reader->n_entries * sizeof *sorted);
    if (reader->n_entries)
        qsort(sorted, reader->n_entries, sizeof *sorted, compare_entries);
    reader->entries = sorted;
    drop_repeated(reader);
}

static bool read_measurements(struct reader *reader, const char *const *folders, size_t n, const json_t **header,
                              struct fail *fail) {
    size_t n_records = 0, n_others = 0;
    reader->files = ARENA_ARRAY(reader->arena, struct record_file, n);
    for (size_t i = 0; i < n; i++) {
        const char *path = folder_file(reader->arena, folders[i], "measurements.jsonl");
        if (access(path, F_OK) != 0)
            return fail_set(fail, FAIL_INPUT, "'%s' holds no survey: there is no measurements.jsonl", folders[i]);
        if (!record_read(reader->arena, path, &reader->files[i], fail))
            return false;
        n_records += reader->files[i].n_records;
        if (reader->files[i].n_headers)
            *header = reader->files[i].headers[reader->files[i].n_headers - 1];
    }
    if (!*header)
        return fail_set(fail, FAIL_INPUT, "'%s' holds no measurement yet", folders[0]);
    reader->entries = ARENA_ARRAY(reader->arena, struct entry, n_records);
    for (size_t f = 0; f < n; f++)
        for (size_t i = 0; i < reader->files[f].n_records; i++) {
            const struct record *record = &reader->files[f].records[i];
            bool is_ours = record->run && record->kernel && record->isa && record->mode &&
                           is_same_machine(reader->files[f].headers[record->run - 1], *header);
            n_others += !is_ours;
            if (!is_ours)
                continue;
            parse_name(reader->arena, record, &reader->entries[reader->n_entries]);
            reader->entries[reader->n_entries].place = reader->n_entries;
            reader->n_entries++;
        }
    if (n_others)
        lab_say(reader->listener, LAB_WARNING,
                "%zu measurements are of another machine, microcode or target than the last one, and are left out",
                n_others);
    sort_entries(reader);
    return true;
}

// ---- values

// Adds `times` what `other` is made of.
static void add_parts(struct arena *arena, struct table_value *value, const struct table_value *other, double times) {
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

static struct table_value value_of(struct arena *arena, const struct entry *entry, double parts) {
    const struct bench_measurement *m = &entry->record->measurement;
    struct table_value value = {.kernel = entry->record->kernel, .bytes = entry->record->bytes};
    value.is_known = m->outcome == BENCH_OK;
    value.verdict = m->verdict;
    value.why = m->outcome == BENCH_OK ? m->why : bench_outcome_name(m->outcome);
    if (value.is_known) {
        value.cycles = m->cycles / parts;
        value.low = measured_low(m) / parts;
        value.high = measured_high(m) / parts;
        struct table_part *part = ARENA_NEW(arena, struct table_part);
        *part = (struct table_part){value.kernel, value.bytes, 1 / parts};
        value.parts = part;
        value.n_parts = 1;
    }
    return value;
}

static bool is_sum(double cycles, double sum) {
    return fabs(cycles - sum) <= sum_cycles + sum_share * sum;
}

static struct step *find_step(const struct reader *reader, const char *name) {
    for (size_t i = 0; i < reader->n_steps; i++)
        if (strcmp(reader->steps[i].name, name) == 0)
            return &reader->steps[i];
    return NULL;
}

static const struct entry *find_partner(const struct reader *reader, const char *name) {
    for (size_t i = 0; i < reader->n_entries; i++)
        if (strcmp(reader->entries[i].form, "CHAIN") == 0 && strcmp(reader->entries[i].way, name) == 0)
            return &reader->entries[i];
    return NULL;
}

// Marks the steps of a chain whose parts do not add up. Where a part is only known as a sum, nothing follows: a way
// between two kinds of units may take a cycle longer after some instructions, and a bound holds all the same.
static void check_sum(const struct reader *reader, const struct partner_experiment *experiment) {
    const struct entry *entry = find_partner(reader, experiment->name);
    double sum = 0;
    for (unsigned i = 0; i < 3 && experiment->parts[i]; i++) {
        const struct entry *part = find_partner(reader, experiment->parts[i]);
        if (!part || !entry || part->record->measurement.outcome != BENCH_OK ||
            entry->record->measurement.outcome != BENCH_OK || !find_step(reader, experiment->parts[i]) ||
            find_step(reader, experiment->parts[i])->value.relation == TABLE_AT_MOST)
            return;
        sum += part->record->measurement.cycles;
    }
    if (is_sum(entry->record->measurement.cycles, sum))
        return;
    for (unsigned i = 0; i < 3 && experiment->parts[i]; i++) {
        struct step *step = find_step(reader, experiment->parts[i]);
        step->value.verdict = MEASURED_UNSTABLE;
        step->value.why = arena_printf(reader->arena, "the chains of %s do not add up", experiment->name);
    }
}

static void take_off(struct arena *arena, struct table_value *value, const struct entry *less) {
    struct table_value part = less ? value_of(arena, less, 1) : (struct table_value){.is_known = false};
    add_parts(arena, value, &part, -1);
    value->is_known &= part.is_known;
    value->cycles -= part.cycles;
    value->low -= part.high;
    value->high -= part.low;
    if (part.verdict == MEASURED_UNSTABLE)
        value->verdict = part.verdict;
}

static void read_steps(struct reader *reader) {
    const struct partner_experiment *experiments;
    size_t n = partners_experiments(reader->isa, &experiments);
    reader->steps = ARENA_ARRAY(reader->arena, struct step, n);
    for (size_t i = 0; i < n; i++) {
        const struct entry *entry = find_partner(reader, experiments[i].name);
        if (experiments[i].parts[0] || !entry)
            continue;
        struct step *step = &reader->steps[reader->n_steps++];
        *step = (struct step){experiments[i].name, value_of(reader->arena, entry, 1)};
        if (experiments[i].less)
            take_off(reader->arena, &step->value, find_partner(reader, experiments[i].less));
        if (experiments[i].n_steps == 1 || experiments[i].less || !step->value.is_known)
            continue;
        // No step takes less than a cycle; so where all together take one each, each takes one. Where they take even
        // less, one takes nothing.
        double cycles = step->value.cycles, n_steps = experiments[i].n_steps;
        bool is_least = is_sum(cycles, n_steps), is_less = cycles < n_steps && !is_least;
        step->value.sum = cycles;
        step->value.relation = is_least ? TABLE_EQUAL : TABLE_AT_MOST;
        step->value.cycles = step->value.low = step->value.high = step->value.constant = is_less ? 0 : 1;
        step->value.n_parts = 0;
    }
    for (size_t i = 0; i < n; i++)
        if (experiments[i].parts[0])
            check_sum(reader, &experiments[i]);
}

// ---- fillers

// Slots of a body with fillers, less these. False where they are not known.
static bool slots_of(struct arena *arena, const struct entry *entry, const struct filler *filler,
                     struct slots_sample *sample) {
    struct table_value value = value_of(arena, entry, entry->record->streams ? entry->record->streams : 1);
    if (!value.is_known || !filler || !filler->value.is_known || !(filler->value.low > 0))
        return false;
    *sample = (struct slots_sample){
        .fillers = entry->fillers,
        .slots = value.cycles / filler->value.cycles - entry->fillers,
        .low = value.low / filler->value.high - entry->fillers,
        .high = value.high / filler->value.low - entry->fillers,
        .is_stable = value.verdict != MEASURED_UNSTABLE && filler->value.verdict != MEASURED_UNSTABLE,
    };
    return true;
}

static struct filler *find_filler(const struct reader *reader, const char *name) {
    for (size_t i = 0; i < reader->n_fillers; i++)
        if (strcmp(reader->fillers[i].name, name) == 0)
            return &reader->fillers[i];
    return NULL;
}

// Sets why a filler measures no slots: simple instructions do not take one each. As of all mixtures, the one with the
// fewest slots counts.
static void check_filler(const struct reader *reader, struct filler *filler) {
    unsigned n_checks = 0;
    double least = 0;
    for (size_t i = 0; i < reader->n_entries; i++) {
        const struct entry *entry = &reader->entries[i];
        struct slots_sample sample;
        if (strcmp(entry->form, "FILL") != 0 || !entry->fillers || strcmp(entry->filler, filler->name) != 0 ||
            !slots_of(reader->arena, entry, filler, &sample))
            continue;
        least = n_checks++ ? fmin(least, sample.slots) : sample.slots;
    }
    if (n_checks < SLOTS_N_CHECKS)
        filler->why = arena_printf(reader->arena, "the filler '%s' is not measured yet", filler->name);
    else if (!slots_are(least, SLOTS_CHECKED))
        filler->why = arena_printf(reader->arena, "%d simple instructions seem to take %.2f slots among '%s'",
                                   SLOTS_CHECKED, least, filler->name);
}

// Reads the fillers and chooses the fastest of those that take one slot each.
static void read_fillers(struct reader *reader, struct survey_table *table) {
    static const double share = 0.05; // among those as fast, the first one
    const struct slots_filler *candidates = slots_fillers(reader->isa);
    size_t n = 0;
    while (candidates[n].name)
        n++;
    reader->fillers = ARENA_ARRAY(reader->arena, struct filler, n);
    if (n == 0)
        table->no_filler = "no filler is known for this ISA";
    for (size_t i = 0; i < n; i++) {
        struct filler *filler = &reader->fillers[reader->n_fillers++];
        *filler = (struct filler){.name = candidates[i].name};
        for (size_t e = 0; e < reader->n_entries; e++) {
            const struct entry *entry = &reader->entries[e];
            if (strcmp(entry->form, "FILL") == 0 && !entry->fillers && strcmp(entry->filler, filler->name) == 0)
                filler->value = value_of(reader->arena, entry, entry->record->streams ? entry->record->streams : 1);
        }
        check_filler(reader, filler);
        if (i == 0)
            table->no_filler = filler->why;
        if (!filler->why && (!reader->filler || filler->value.cycles < (1 - share) * reader->filler->value.cycles))
            reader->filler = filler;
    }
    if (!reader->filler)
        return;
    table->no_filler = NULL;
    table->filler = reader->filler->name;
    table->width = 1 / reader->filler->value.cycles;
}

// ---- latencies

// Takes the way back off a chain: what is left is the form's. False where a step is not known.
static bool subtract_way(const struct reader *reader, const char *way, struct table_value *value) {
    double chain = value->cycles;
    value->partner = *way ? way : NULL;
    for (const char *rest = way; *rest;) {
        const char *name = take(reader->arena, &rest, '-');
        const struct step *step = find_step(reader, name);
        if (!step || !step->value.is_known) {
            *value = (struct table_value){.kernel = value->kernel,
                                          .bytes = value->bytes,
                                          .why = arena_printf(reader->arena, "its partner %s is not known", name)};
            return false;
        }
        double times = partners_times(reader->isa, name);
        add_parts(reader->arena, value, &step->value, -times);
        value->cycles -= times * step->value.cycles;
        value->low -= times * step->value.high;
        value->high -= times * step->value.low;
        if (step->value.relation == TABLE_AT_MOST) {
            value->relation = TABLE_AT_MOST;
            value->sum = chain;
        }
        if (step->value.verdict == MEASURED_UNSTABLE) {
            value->verdict = MEASURED_UNSTABLE;
            value->why = step->value.why;
        }
    }
    return true;
}

// Whether a latency that is left is none: no instruction of a closed chain takes less than a cycle, but for moves that
// are eliminated at renaming, and those close by themselves.
static bool is_too_short(const struct table_value *value) {
    static const double least = 0.9;
    return value->partner && value->cycles < least;
}

// Whether a chain through flags is closed: with more steps it takes these longer, or nearly so where pipes limit the
// shorter one. Takes that as long as these steps off the longer one.
static bool is_closed(const struct reader *reader, const struct table_value *value, struct table_value *longer,
                      const char *name) {
    const struct step *step = reader->isa ? find_step(reader, *name ? name : partners_longer(reader->isa)) : NULL;
    if (!longer->is_known || !step || !step->value.is_known)
        return false;
    double steps = PARTNER_LONGER_STEPS * step->value.cycles;
    add_parts(reader->arena, longer, &step->value, -PARTNER_LONGER_STEPS);
    longer->cycles -= steps;
    longer->low -= PARTNER_LONGER_STEPS * step->value.high;
    longer->high -= PARTNER_LONGER_STEPS * step->value.low;
    return longer->cycles > value->cycles - steps / 2;
}

// The name of the result for tables: of flags, the one that the way reads.
static const char *result_label(const struct reader *reader, const struct entry *entry) {
    if (strncmp(entry->way, "carry", strlen("carry")) == 0)
        return "flags.carry";
    if (strncmp(entry->way, "flags", strlen("flags")) == 0 && strcmp(entry->result, "flags") == 0)
        return "flags.zero";
    return label_of(reader->arena, entry->result);
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

static void add_latency(struct making *m, struct table_latency latency) {
    for (size_t i = 0; i < m->row->n_latencies; i++) {
        struct table_latency *other = &m->latencies[i];
        if (strcmp(other->source, latency.source) != 0 || strcmp(other->destination, latency.destination) != 0)
            continue;
        if (is_better_way(&latency.value, &other->value))
            *other = latency;
        return;
    }
    *ARENA_ADD(m->reader->arena, m->latencies, m->row->n_latencies) = latency;
}

static const struct entry *find_longer(const struct making *m, const struct entry *like) {
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++)
        if (each->is_longer && strcmp(each->source, like->source) == 0 && strcmp(each->result, like->result) == 0 &&
            strcmp(each->way, like->way) == 0)
            return each;
    return NULL;
}

// Whether a chain that ends the other dependences measures the same pair.
static bool has_alone(const struct making *m, const struct entry *chain) {
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++)
        if (each != chain && is_latency(each) && !*each->way && strstr(each->record->kernel, ".alone") &&
            strcmp(each->source, chain->source) == 0 && strcmp(each->result, chain->result) == 0)
            return true;
    return false;
}

// Whether a chain through an address may be as short as the address's own way: an instruction writes its address, too,
// and the way back reads that address, so that both ways go from copy to copy.
static bool is_own_way(const struct making *m, const struct entry *entry) {
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++) {
        if (!is_latency(each) || *each->way || strcmp(each->source, entry->source) != 0 ||
            strcmp(each->result, entry->source) != 0 || !file_has_suffix(entry->source, "_base"))
            continue;
        struct table_value rest = value_of(m->reader->arena, entry, 1), own = value_of(m->reader->arena, each, 1);
        if (subtract_way(m->reader, entry->way, &rest) && own.is_known && own.cycles > 1.5 &&
            rest.cycles <= own.cycles + sum_cycles)
            return true;
    }
    return false;
}

// Whether a chain takes longer than its result's own way from copy to copy, so that this one does not limit it.
static bool is_longer_than_own(const struct making *m, const struct entry *entry, double cycles) {
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++) {
        const struct bench_measurement *own = &each->record->measurement;
        if (is_latency(each) && !*each->way && strcmp(each->source, entry->result) == 0 &&
            strcmp(each->result, entry->result) == 0)
            return own->outcome == BENCH_OK && own->verdict != MEASURED_UNSTABLE && cycles > own->cycles + 0.5;
    }
    return false;
}

static bool is_operand(const char *role) {
    return *role == 'o' && role[1] >= '0' && role[1] <= '9';
}

// Cycles that copies of the form take side by side, at most; 0: not known. Where they all wait for one fixed register,
// only those with the dependences ended count.
static double side_by_side(const struct making *m) {
    bool is_waiting = false;
    double least = 0;
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++)
        is_waiting |= is_latency(each) && strcmp(each->source, each->result) == 0 && !is_operand(each->source) &&
                      strcmp(each->source, "memory") != 0;
    for (size_t i = 0; i < m->row->n_throughputs; i++) {
        const struct table_throughput *each = &m->throughputs[i];
        if (each->value.is_known && (each->has_breakers || each->has_surroundings || !is_waiting) &&
            (least == 0 || each->value.cycles < least))
            least = each->value.cycles;
    }
    return least;
}

// Decides whether a chain's cycles are its latency. A chain of dependent instructions takes a whole number of cycles,
// one at least, and longer than copies side by side; what does not is limited by more than its latency.
static void limit_chain(const struct making *m, const struct entry *entry, struct table_value *value) {
    static const double share = 0.03, whole_share = 0.005, whole_cycles = 0.04;
    double cycles = value->cycles, parallel = side_by_side(m), slack = whole_cycles + whole_share * cycles;
    const char *why = NULL;
    if (strstr(entry->record->kernel, ".chain") && has_alone(m, entry))
        why = "other values go from copy to copy as well";
    if (cycles < 1 - slack)
        why = "less than a cycle, so something other than its latency limits the chain";
    else if (is_sum(cycles, 1) && !*entry->way)
        why = NULL; // the least that a step takes
    else if (fabs(cycles - round(cycles)) > slack)
        why = "no whole number of cycles, so pipes limit the chain, too";
    else if (parallel > 0 && cycles <= parallel * (1 + share))
        why = "copies side by side take as long";
    else if (entry->is_together && !is_longer_than_own(m, entry, cycles))
        why = "other values go from copy to copy as well";
    else if (*entry->way && is_own_way(m, entry))
        why = "the address, which it writes, takes as long";
    else if (strstr(entry->record->kernel, ".alone") && partners_hide_breakers(m->reader->isa))
        why = "what ends the other dependences may take as long";
    if (!why)
        return;
    value->relation = TABLE_AT_MOST;
    value->why = value->why ? value->why : why;
}

// Reads the time from a register through memory and back. How much of it is the store's cannot be known.
static void read_store(struct making *m, const struct entry *entry) {
    struct arena *arena = m->reader->arena;
    struct table_value value = value_of(arena, entry, 1);
    const struct entry *longer = find_longer(m, entry);
    struct table_value long_value = longer ? value_of(arena, longer, 1) : value;
    value.partner = entry->way;
    value.sum = value.cycles;
    value.relation = TABLE_AT_MOST;
    if (value.is_known && !longer) {
        value.is_known = false;
        value.why = "not measured yet with more steps, so it is not known whether the load waits for the store";
    } else if (value.is_known && !is_closed(m->reader, &value, &long_value, longer->longer)) {
        value.is_known = false;
        value.why = "more steps behind the load take no longer: the load does not wait for the store";
    } else if (value.is_known && value.verdict != MEASURED_UNSTABLE) {
        value.why = "the load back is in it";
    }
    add_latency(m, (struct table_latency){label_of(m->reader->arena, entry->source), "memory", value});
}

static void read_latency(struct making *m, const struct entry *entry) {
    struct reader *reader = m->reader;
    if (strcmp(entry->result, "memory") == 0 && strcmp(entry->source, "memory") != 0) {
        read_store(m, entry);
        return;
    }
    struct table_value value = value_of(reader->arena, entry, 1);
    const struct entry *longer = find_longer(m, entry);
    struct table_value long_value = longer ? value_of(reader->arena, longer, 1) : value;
    bool is_open = longer && value.is_known && !is_closed(reader, &value, &long_value, longer->longer);
    if (longer && value.is_known && !is_open && long_value.verdict != MEASURED_UNSTABLE &&
        long_value.cycles < value.cycles && !is_sum(long_value.cycles, value.cycles))
        value = long_value; // pipes limit the shorter chain
    bool is_flag = strcmp(entry->result, "flags") == 0 && *entry->way;
    if (is_open && value.verdict != MEASURED_UNSTABLE && long_value.verdict != MEASURED_UNSTABLE)
        return; // it does not write this flag
    if (is_open) {
        value.verdict = MEASURED_UNSTABLE;
        value.why = "unstable, so it is not known whether it writes this flag";
    }
    if (is_flag && !longer) { // the survey was ended in between, or still runs
        value.is_known = false;
        value.why = "not measured yet with one more step, so it is not known whether it writes this flag";
    }
    if (value.is_known)
        limit_chain(m, entry, &value);
    if (value.is_known && subtract_way(reader, entry->way, &value) && is_too_short(&value)) {
        if (longer)
            return; // it does not write this flag
        value = (struct table_value){
            .kernel = value.kernel,
            .bytes = value.bytes,
            .why = "its chain takes no longer than the way back: it is open, or renaming does the work"};
    }
    add_latency(m, (struct table_latency){label_of(reader->arena, entry->source), result_label(reader, entry), value});
}

static void read_throughput(struct making *m, const struct entry *entry) {
    const struct record *record = entry->record;
    unsigned streams = entry->copies * (record->streams ? record->streams : 1);
    struct table_throughput throughput = {.is_looped = record->form && strcmp(record->form, "looped") == 0,
                                          .has_same_address =
                                              record->placement && strcmp(record->placement, "same-address") == 0,
                                          .has_breakers = entry->has_breakers,
                                          .has_surroundings = entry->has_surroundings,
                                          .has_slow_values = entry->has_slow_values,
                                          .streams = streams,
                                          .copies = entry->copies,
                                          .value = value_of(m->reader->arena, entry, streams)};
    if (entry->has_breakers) {
        throughput.value.relation = TABLE_AT_MOST;
        throughput.value.why = throughput.value.why ? throughput.value.why : "with instructions that end dependences";
    }
    if (entry->has_surroundings) {
        throughput.value.relation = TABLE_AT_MOST;
        throughput.value.why =
            throughput.value.why ? throughput.value.why : "with instructions that put back what it moves";
    }
    *ARENA_ADD(m->reader->arena, m->throughputs, m->row->n_throughputs) = throughput;
}

static bool is_alike(const struct table_throughput *a, const struct table_throughput *b) {
    return a->is_looped == b->is_looped && a->has_same_address == b->has_same_address &&
           a->has_breakers == b->has_breakers && a->has_slow_values == b->has_slow_values &&
           a->has_surroundings == b->has_surroundings;
}

// Marks throughputs that fewer streams make worse: then more of them, for which there are no registers, might be
// better. Streams wait for themselves, or for something that LLVM's tables do not state.
static void mark_few_streams(struct making *m) {
    static const double share = 0.03;
    struct table_throughput *list = m->throughputs;
    for (size_t i = 0; i < m->row->n_throughputs; i++)
        for (size_t k = 0; k < m->row->n_throughputs; k++) {
            const struct table_value *fewer = &list[k].value;
            struct table_value *value = &list[i].value;
            if (!is_alike(&list[i], &list[k]) || list[k].streams >= list[i].streams || !value->is_known ||
                !fewer->is_known || fewer->verdict == MEASURED_UNSTABLE || value->relation == TABLE_AT_MOST ||
                fewer->low <= value->high * (1 + share))
                continue;
            value->relation = TABLE_AT_MOST;
            value->why = value->why ? value->why
                                    : arena_printf(m->reader->arena, "%u streams take longer, so more may take less",
                                                   list[k].streams);
        }
}

// Returns the throughput of copies of the form alone, as they are in the mixtures; null: it is not known.
static const struct table_throughput *find_plain(const struct making *m) {
    static const struct table_throughput plain = {.is_looped = false};
    const struct table_throughput *most = NULL;
    for (size_t i = 0; i < m->row->n_throughputs; i++) {
        const struct table_throughput *each = &m->throughputs[i];
        if (each->value.is_known && is_alike(each, &plain) && (!most || each->streams > most->streams))
            most = each;
    }
    return most;
}

static void add_fillers(struct making *m, struct table_fillers **list, const char *filler, unsigned n) {
    *ARENA_ADD(m->reader->arena, *list, m->row->slots.n_fillers) = (struct table_fillers){filler, n};
    m->row->slots.fillers = *list;
}

static void read_slots(struct making *m) {
    const struct reader *reader = m->reader;
    const struct table_throughput *plain = find_plain(m);
    struct table_value *value = &m->row->slots.value;
    struct slots_sample *samples = ARENA_ARRAY(reader->arena, struct slots_sample, m->n_entries);
    const struct entry **entries = ARENA_ARRAY(reader->arena, const struct entry *, m->n_entries);
    struct table_fillers *list = NULL;
    size_t n = 0;
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++) {
        if (!each->filler)
            continue;
        add_fillers(m, &list, each->filler, each->fillers);
        const struct filler *filler = find_filler(reader, each->filler);
        if (filler && !filler->why && slots_of(reader->arena, each, filler, &samples[n]))
            entries[n++] = each;
    }
    if (!reader->filler || !plain) {
        bool has_company = m->row->n_throughputs && m->throughputs[0].has_surroundings;
        value->why = plain         ? "no filler takes one slot on this CPU"
                     : has_company ? "it needs other instructions around it"
                                   : "its throughput is not known";
        return;
    }
    struct slots_result result = slots_judge(plain->value.cycles, 1 / reader->filler->value.cycles, samples, n);
    for (unsigned i = 0; i < result.n_wanted; i++)
        add_fillers(m, &list, reader->filler->name, result.wanted[i]);
    if (result.relation != SLOTS_UNKNOWN) {
        const struct entry *basis = entries[result.basis];
        *value = value_of(reader->arena, basis, 1);
        value->n_parts = 0;
        value->cycles = result.slots;
        value->low = result.low;
        value->high = result.high;
        value->relation = result.relation == SLOTS_EQUAL ? TABLE_EQUAL : TABLE_AT_MOST;
        // Exact: the interval holds no other whole number.
        bool is_exact =
            result.relation == SLOTS_EQUAL && result.low > result.slots - 1 && result.high < result.slots + 1;
        value->verdict = !result.is_stable ? MEASURED_UNSTABLE : is_exact ? MEASURED_EXACT : MEASURED_WITHIN;
    }
    value->why = value->why && !result.is_stable ? value->why : result.why;
}

// Whether a throughput is as short as waiting for a carried value allows. Where all streams share that value, it may be
// shorter: the branch of a loop gives the flags a new value, and copies of several iterations overlap.
static bool is_as_short(double cycles, double waiting, bool is_shared) {
    static const double share = 0.03;
    return is_shared ? cycles <= waiting * (1 + share) : fabs(cycles - waiting) <= share * cycles;
}

// Marks throughputs that are only as good as their streams' latency allows: each stream waits for itself.
static void mark_waiting(struct making *m) {
    struct table_throughput *list = m->throughputs;
    for (size_t l = 0; l < m->row->n_latencies; l++) {
        const struct table_latency *latency = &m->latencies[l];
        bool is_carried = strncmp(latency->destination, latency->source, strlen(latency->source)) == 0;
        bool is_fixed = *latency->source < '0' || *latency->source > '9', is_memory = table_latency_is_special(latency);
        for (size_t i = 0; is_carried && latency->value.is_known && i < m->row->n_throughputs; i++) {
            // Copies in one stream name different registers of x87's stack, which all streams share.
            double least = latency->value.cycles / (is_fixed ? list[i].copies : list[i].streams);
            bool is_shared = is_fixed && latency->value.relation == TABLE_EQUAL;
            if (list[i].has_breakers || list[i].has_surroundings || !list[i].value.is_known ||
                (is_memory && !list[i].has_same_address) || !is_as_short(list[i].value.cycles, least, is_shared))
                continue;
            list[i].value.relation = TABLE_AT_MOST;
            list[i].value.why = arena_printf(m->reader->arena, "its streams wait for %s", latency->source);
        }
    }
}

// Whether a reader wants `a` more than `b`: a stable one; a smaller one; of those that are alike, that of straight
// code, of many streams, and without a doubt.
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
    return a->is_looped != b->is_looped ? b->is_looped : a->streams > b->streams;
}

// The throughput that a reader wants. Stores are on lines of their own, all of them: on a Zen 5, stores to eight lines
// in turn take 0.5 cycles each, and those to sixteen 1.04.
static size_t find_headline(const struct table_row *row) {
    size_t best = row->n_throughputs;
    unsigned most_streams = 0;
    bool has_memory = false;
    for (size_t i = 0; i < row->n_throughputs; i++) {
        has_memory |= row->throughputs[i].has_same_address;
        most_streams = MAX(most_streams, row->throughputs[i].streams);
    }
    for (size_t i = 0; i < row->n_throughputs; i++) {
        const struct table_throughput *each = &row->throughputs[i];
        if (!each->value.is_known || each->has_same_address || each->has_slow_values ||
            (has_memory && each->streams < most_streams))
            continue;
        if (best == row->n_throughputs || is_better_throughput(each, &row->throughputs[best]))
            best = i;
    }
    return best;
}

// ---- models

static int compare_costs(const void *a, const void *b) {
    const struct opcode_cost *one = a, *other = b;
    return strcmp(one->opcode, other->opcode);
}

static void add_models(struct arena *arena, const struct model *models, size_t n_models, struct table_row *rows,
                       struct survey_table *table) {
    const char **names = ARENA_ARRAY(arena, const char *, n_models);
    struct table_model *numbers = ARENA_ARRAY(arena, struct table_model, table->n_rows * n_models);
    for (size_t m = 0; m < n_models; m++) {
        const struct opcode_cost *costs;
        size_t n = models[m].missing ? 0 : models[m].backend->opcode_costs(models[m].cpu, arena, &costs);
        struct opcode_cost *sorted = ARENA_ARRAY(arena, struct opcode_cost, n);
        names[m] = models[m].missing ? models[m].identity : models[m].machine->id;
        if (n) {
            memcpy(sorted, costs, n * sizeof *sorted);
            qsort(sorted, n, sizeof *sorted, compare_costs);
        }
        for (size_t i = 0; i < table->n_rows; i++) {
            const char *form = table->rows[i].form; // a form of several has a suffix (analyzer/model/form.h)
            const struct opcode_cost wanted = {.opcode = arena_copy(arena, form, strcspn(form, "-"))};
            const struct opcode_cost *cost = n ? bsearch(&wanted, sorted, n, sizeof *sorted, compare_costs) : NULL;
            if (cost)
                numbers[i * n_models + m] = (struct table_model){true, cost->latency, cost->rthroughput, cost->uops};
        }
    }
    for (size_t i = 0; i < table->n_rows; i++)
        rows[i].models = &numbers[i * n_models];
    table->models = names;
    table->n_models = n_models;
}

// ---- rows

static void fill_row(struct making *m) {
    for (size_t i = 0; i < m->n_entries; i++)
        if (!is_latency(&m->entries[i]) && !m->entries[i].filler)
            read_throughput(m, &m->entries[i]);
    for (size_t i = 0; i < m->n_entries; i++)
        if (is_latency(&m->entries[i]) && !m->entries[i].is_longer)
            read_latency(m, &m->entries[i]);
    mark_waiting(m);
    mark_few_streams(m);
    if (m->n_entries)
        read_slots(m);
    m->row->latencies = m->latencies;
    m->row->throughputs = m->throughputs;
    m->row->headline = find_headline(m->row);
}

static void count_value(struct survey_table *table, const struct table_value *value) {
    table->n_values += value->is_known;
    table->n_unstable += value->is_known && value->verdict == MEASURED_UNSTABLE;
    table->n_at_most += value->is_known && value->relation == TABLE_AT_MOST;
}

static void count_row(struct survey_table *table, const struct table_row *row) {
    size_t before = table->n_values;
    for (size_t i = 0; i < row->n_latencies; i++)
        count_value(table, &row->latencies[i].value);
    for (size_t i = 0; i < row->n_throughputs; i++)
        count_value(table, &row->throughputs[i].value);
    count_value(table, &row->slots.value);
    table->n_measured += table->n_values > before;
}

static int compare_forms(const void *a, const void *b) {
    const struct folder_form *one = *(const struct folder_form *const *)a,
                             *other = *(const struct folder_form *const *)b;
    int order = strcmp(one->form, other->form);
    return order ? order : (one > other) - (one < other);
}

// The forms of all folders in the order of their names; each as the last folder that has it states it.
static bool read_forms(struct arena *arena, const char *const *folders, size_t n_folders, struct folder_form **forms,
                       size_t *n, struct fail *fail) {
    struct folder_form *all = NULL;
    size_t n_all = 0;
    for (size_t f = 0; f < n_folders; f++) {
        const struct folder_form *some;
        size_t n_some;
        if (!folder_read_forms(arena, folders[f], &some, &n_some, fail))
            return false;
        for (size_t i = 0; i < n_some; i++)
            *ARENA_ADD(arena, all, n_all) = some[i];
    }
    const struct folder_form **sorted = ARENA_ARRAY(arena, const struct folder_form *, n_all);
    for (size_t i = 0; i < n_all; i++)
        sorted[i] = &all[i];
    if (n_all)
        qsort(sorted, n_all, sizeof *sorted, compare_forms);
    *forms = ARENA_ARRAY(arena, struct folder_form, n_all);
    *n = 0;
    for (size_t i = 0; i < n_all; i++)
        if (i + 1 == n_all || strcmp(sorted[i]->form, sorted[i + 1]->form) != 0)
            (*forms)[(*n)++] = *sorted[i];
    return true;
}

// Returns the reason why a form has no value at all; null: it has one.
static const char *why_no_value(const struct table_row *row) {
    const char *why = NULL;
    for (size_t i = 0; i < row->n_throughputs; i++) {
        if (row->throughputs[i].value.is_known)
            return NULL;
        why = why ? why : row->throughputs[i].value.why;
    }
    for (size_t i = 0; i < row->n_latencies; i++) {
        if (row->latencies[i].value.is_known)
            return NULL;
        why = why ? why : row->latencies[i].value.why;
    }
    return why;
}

static struct table_row *make_rows(struct reader *reader, const struct folder_form *forms, size_t n_forms,
                                   struct survey_table *table) {
    struct table_row *rows = ARENA_ARRAY(reader->arena, struct table_row, n_forms);
    size_t first = 0;
    for (size_t i = 0; i < n_forms; i++) {
        struct table_row *row = &rows[i];
        *row = (struct table_row){forms[i].form, forms[i].example, forms[i].sched_class, .left_out = forms[i].left_out};
        while (first < reader->n_entries && strcmp(reader->entries[first].form, row->form) < 0)
            first++;
        size_t end = first;
        while (end < reader->n_entries && strcmp(reader->entries[end].form, row->form) == 0)
            end++;
        struct making making = {reader, row, &reader->entries[first], end - first, NULL, NULL};
        fill_row(&making);
        if (!row->left_out)
            row->left_out = first == end ? "not measured yet, or not by this assembler" : why_no_value(row);
        count_row(table, row);
    }
    table->rows = rows;
    table->n_rows = table->n_forms = n_forms;
    return rows;
}

const char *table_machine_text(struct arena *arena, const struct json_t *header) {
    const char *target = text_in(json_object_get(header, "clock"), "target");
    bool is_native = !*target || strcmp(target, "native") == 0;
    return is_native
               ? arena_printf(arena, "%s (family %lld, model %lld, stepping %lld), microcode %s",
                              text_in(header, "cpu"), json_integer_value(json_object_get(header, "family")),
                              json_integer_value(json_object_get(header, "model")),
                              json_integer_value(json_object_get(header, "stepping")), text_in(header, "microcode"))
               : arena_strdup(arena, target);
}

const char *table_clock_text(struct arena *arena, const struct json_t *header) {
    const json_t *clock = json_object_get(header, "clock");
    return arena_printf(arena, "%s clock, ±%.2f %%", text_in(clock, "tier"),
                        100 * json_number_value(json_object_get(clock, "error")));
}

bool table_read(struct arena *arena, const char *const *folders, size_t n_folders, const struct model *models,
                size_t n_models, const struct lab_listener *listener, struct survey_table *table, struct fail *fail) {
    struct reader reader = {.arena = arena, .listener = listener};
    const json_t *header = NULL;
    struct folder_form *forms;
    size_t n_forms;
    *table = (struct survey_table){0};
    bool is_read = read_measurements(&reader, folders, n_folders, &header, fail) &&
                   read_forms(arena, folders, n_folders, &forms, &n_forms, fail);
    if (is_read) {
        reader.isa = reader.n_entries ? isa_find(reader.entries[0].record->isa) : NULL;
        if (reader.isa)
            read_steps(&reader);
        if (reader.isa)
            read_fillers(&reader, table);
        if (reader.isa)
            table->triple = reader.isa->triple;
        table->cpu = table_machine_text(arena, header);
        table->clock = table_clock_text(arena, header);
    }
    if (is_read) {
        struct table_row *rows = make_rows(&reader, forms, n_forms, table);
        add_models(arena, models, n_models, rows, table);
        for (size_t m = 0; m < n_models && !table->llvm_cpu; m++)
            table->llvm_cpu = models[m].missing ? NULL : models[m].machine->cpu;
    }
    for (size_t i = 0; reader.files && i < n_folders; i++)
        record_file_close(&reader.files[i]);
    return is_read;
}

static bool is_this_machine(const json_t *header, struct arena *arena) {
    const struct host_request request = {.cpu = -1};
    struct host host;
    struct fail unknown = {0};
    return host_read(arena, &request, &host, &unknown) && strcmp(text_in(header, "cpu"), host.cpu_name) == 0 &&
           json_integer_value(json_object_get(header, "family")) == host.family &&
           json_integer_value(json_object_get(header, "model")) == host.model;
}

bool table_find_origin(struct arena *arena, const char *folder, struct table_origin *origin, struct fail *fail) {
    const char *path = folder_file(arena, folder, "measurements.jsonl");
    *origin = (struct table_origin){0};
    return access(path, F_OK) == 0
               ? table_find_origin_of_file(arena, path, origin, fail)
               : fail_set(fail, FAIL_INPUT, "'%s' holds no survey: there is no measurements.jsonl", folder);
}

bool table_find_origin_of_file(struct arena *arena, const char *path, struct table_origin *origin, struct fail *fail) {
    static const char simulated[] = "sim:";
    struct record_file file = {0};
    *origin = (struct table_origin){0};
    bool is_read = record_read(arena, path, &file, fail);
    for (size_t i = 0; is_read && i < file.n_records && !origin->isa; i++)
        origin->isa = file.records[i].isa ? arena_strdup(arena, file.records[i].isa) : NULL;
    if (is_read && file.n_headers) {
        const json_t *header = file.headers[file.n_headers - 1];
        const char *target = text_in(json_object_get(header, "clock"), "target");
        bool is_simulated = strncmp(target, simulated, strlen(simulated)) == 0;
        const char *rest = target + strlen(simulated);
        if (is_simulated)
            origin->cpu = take(arena, &rest, ',');
        else
            origin->is_here = is_this_machine(header, arena);
    }
    record_file_close(&file);
    return is_read;
}
