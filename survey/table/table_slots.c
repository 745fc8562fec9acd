#include "survey/table/table_reader.h"

#include "survey/experiments/slots.h"
#include "survey/forms/isa_traits.h"

#include <math.h>
#include <string.h>
#include <sys/param.h>

// Whether cycles of fillers can be counted in the value: of two speeds, nobody knows which one a mixture had.
static bool is_one_number(const struct table_value *value) {
    return value->verdict != MEASURED_UNSTABLE && !value->has_two_speeds;
}

// Slots of a body with fillers, less these and the loop's branch. False where they are not known. Whatever else limits
// a mixture makes it slower, so the median of one with several speeds, or of processes that are apart, is an upper
// bound as well. The fastest process is not: its reference may have been slowed.
static bool slots_of(struct arena *arena, const struct entry *entry, const struct filler *filler,
                     struct slots_sample *sample) {
    const struct bench_measurement *m = &entry->record->measurement;
    double parts = entry->record->streams ? entry->record->streams : 1;
    struct table_value value = reader_value(arena, entry, parts);
    bool is_spread = m->look == LOOK_SPREAD;
    double others = entry->key.n_fillers + (entry->is_looped ? 1 / parts : 0);
    if (!value.is_known || !filler || !filler->value.is_known || !(filler->value.low > 0))
        return false;
    *sample = (struct slots_sample){
        .fillers = entry->key.n_fillers,
        .slots = value.cycles / filler->value.cycles - others,
        .low = value.low / filler->value.high - others,
        .high = value.high / filler->value.low - others,
        .is_stable = (value.verdict != MEASURED_UNSTABLE || is_spread) && is_one_number(&filler->value),
        .is_uneven = value.verdict == MEASURED_UNSTABLE && is_spread,
    };
    return true;
}

static struct filler *find_filler(const struct table_reader *reader, const char *name) {
    for (size_t i = 0; i < reader->n_fillers; i++)
        if (strcmp(reader->fillers[i].name, name) == 0)
            return &reader->fillers[i];
    return NULL;
}

// What the mixtures that check a filler show.
struct checked {
    unsigned n, n_stable;
    double least; // slots of the stable one with the fewest, as of all mixtures
};

static struct checked read_checks(const struct table_reader *reader, const struct filler *filler, const char *beside) {
    struct checked checked = {.n = 0};
    for (size_t i = 0; i < reader->n_entries; i++) {
        const struct entry *entry = &reader->entries[i];
        struct slots_sample sample;
        if (entry->key.kind != EXPERIMENT_FILLER || !entry->key.n_fillers ||
            strcmp(entry->key.filler, filler->name) != 0 || strcmp(entry->key.beside, beside) != 0 ||
            !slots_of(reader->arena, entry, filler, &sample))
            continue;
        checked.n++;
        if (sample.is_stable)
            checked.least = checked.n_stable++ ? fmin(checked.least, sample.slots) : sample.slots;
    }
    return checked;
}

// Sets why a filler measures no slots: simple instructions do not take one each, a load takes none, or a chain as much
// as a cycle's more than it should.
static void check_filler(const struct table_reader *reader, struct filler *filler) {
    struct checked simple = read_checks(reader, filler, ""), load = read_checks(reader, filler, SLOTS_LOAD),
                   chain = read_checks(reader, filler, SLOTS_CHAIN);
    bool is_good = simple.n_stable && slots_are(simple.least, SLOTS_CHECKED);
    if (simple.n < SLOTS_N_CHECKS)
        filler->why = arena_printf(reader->arena, "the filler '%s' is not measured yet", filler->name);
    else if (!is_good && filler->value.has_two_speeds)
        filler->why = arena_printf(reader->arena, "the filler '%s' has two speeds", filler->name);
    else if (!is_good && simple.n_stable < simple.n)
        filler->why = arena_printf(reader->arena, "the filler '%s' is not steady yet", filler->name);
    else if (!is_good)
        filler->why = arena_printf(reader->arena, "%d simple instructions seem to take %.2f slots among '%s'",
                                   SLOTS_CHECKED, simple.least, filler->name);
    else if (load.n_stable && !slots_hold_one(load.least))
        filler->why = arena_printf(reader->arena, "a load seems to take %.2f slots among '%s', which needs a pipe",
                                   fmax(0, load.least), filler->name);
    else if (chain.n_stable && chain.least >= SLOTS_CHAINED + 1 / filler->value.cycles)
        filler->why = arena_printf(reader->arena, "'%s' waits for instructions before it, as in order", filler->name);
    filler->is_missing = simple.n < SLOTS_N_CHECKS;
    filler->is_unsteady = !is_good && simple.n_stable < simple.n && !filler->value.has_two_speeds;
}

// Returns what one of the fillers alone takes: their loop's branch is one more. Surveys of before had them unrolled.
static struct table_value filler_alone(const struct table_reader *reader, const struct entry *entry) {
    double streams = entry->record->streams ? entry->record->streams : 1;
    return reader_value(reader->arena, entry, entry->is_looped ? streams * SLOTS_ALONE + 1 : streams);
}

void reader_read_fillers(struct table_reader *reader, struct survey_table *table) {
    static const double share = 0.05; // among those as fast, the first one
    const struct slots_filler *candidates = slots_fillers(reader->isa);
    size_t n = 0;
    while (candidates[n].name)
        n++;
    reader->fillers = ARENA_ARRAY(reader->arena, struct filler, n);
    reader->lacks_fillers = n > 0;
    if (n == 0)
        table->no_filler = "no filler is known for this ISA";
    for (size_t i = 0; i < n; i++) {
        struct filler *filler = &reader->fillers[reader->n_fillers++];
        *filler = (struct filler){.name = candidates[i].name};
        for (size_t e = 0; e < reader->n_entries; e++) {
            const struct entry *entry = &reader->entries[e];
            if (entry->key.kind == EXPERIMENT_FILLER && !entry->key.n_fillers &&
                strcmp(entry->key.filler, filler->name) == 0)
                filler->value = filler_alone(reader, entry);
        }
        check_filler(reader, filler);
        if (i == 0 || (filler->is_unsteady && !reader->has_unsteady_filler))
            table->no_filler = filler->why;
        reader->has_unsteady_filler |= filler->is_unsteady;
        reader->lacks_fillers &= filler->is_missing;
        if (!filler->why && (!reader->filler || filler->value.cycles < (1 - share) * reader->filler->value.cycles))
            reader->filler = filler;
    }
    if (!reader->filler)
        return;
    table->no_filler = NULL;
    table->filler = reader->filler->name;
    table->width = 1 / reader->filler->value.cycles;
}

static void follow(struct row_builder *m, const char *filler, unsigned n) {
    reader_follow(m->reader->arena, m->row,
                  (struct experiment_key){.kind = EXPERIMENT_SLOTS, .filler = filler, .n_fillers = n});
}

// Cycles of a copy of the form among others: the fewest of unrolled code and loops, as mixtures are loops.
static double alone_cycles(const struct row_builder *m, const struct table_throughput *plain) {
    struct table_throughput looped = *plain;
    double cycles = plain->value.cycles;
    looped.is_looped = true;
    for (size_t i = 0; i < m->row->n_throughputs; i++)
        if (table_throughput_way(&m->throughputs[i]) == table_throughput_way(&looped) &&
            table_is_stable(&m->throughputs[i].value))
            cycles = fmin(cycles, m->throughputs[i].value.cycles);
    return cycles;
}

// Copies in the loops of the mixtures: those of the shortest. Without a mixture, what the form's registers allow.
static unsigned count_copies(const struct table_throughput *plain, const struct entry *const *entries, size_t n) {
    unsigned copies = MIN(SLOTS_COPIES, plain->streams);
    for (size_t i = 0; i < n; i++)
        copies = MAX(1, MIN(copies, entries[i]->record->streams));
    return copies;
}

// A form's mixtures with fillers.
struct mixed {
    struct slots_sample *samples; // of those that were measured
    const struct entry **entries; // likewise
    size_t n;
    bool is_made, is_lost; // there are some; one was measured, and has no value
    const char *why_none;  // why the last of those has none
};

static struct mixed read_mixed(struct row_builder *m) {
    const struct table_reader *reader = m->reader;
    struct mixed mixed = {.samples = ARENA_ARRAY(reader->arena, struct slots_sample, m->n_entries),
                          .entries = ARENA_ARRAY(reader->arena, const struct entry *, m->n_entries)};
    for (const struct entry *each = m->entries; each < m->entries + m->n_entries; each++) {
        if (each->key.kind != EXPERIMENT_SLOTS)
            continue;
        mixed.is_made = true;
        follow(m, each->key.filler, each->key.n_fillers);
        const struct filler *filler = find_filler(reader, each->key.filler);
        if (filler && !filler->why && slots_of(reader->arena, each, filler, &mixed.samples[mixed.n]))
            mixed.entries[mixed.n++] = each;
        else {
            const struct table_value lost = reader_value(reader->arena, each, 1);
            mixed.why_none = lost.why;
            mixed.is_lost |= lost.is_lost;
        }
    }
    return mixed;
}

// Why nothing of the form's mixtures can be judged.
static const char *why_not_judged(const struct row_builder *m, bool has_throughput) {
    if (!has_throughput)
        return m->row->n_throughputs && m->throughputs[0].has_wrapper ? "it needs other instructions around it"
                                                                      : "its throughput is not known";
    return m->reader->has_unsteady_filler ? "no filler is steady yet"
           : m->reader->lacks_fillers     ? "no filler is measured yet"
                                          : "no filler takes one slot on this CPU";
}

static void take_result(const struct row_builder *m, const struct entry *basis, const struct slots_result *result) {
    struct table_value *value = &m->row->slots.value;
    *value = reader_value(m->reader->arena, basis, 1);
    value->n_parts = 0;
    value->has_two_speeds = false;
    value->cycles = result->slots;
    value->low = result->low;
    value->high = result->high;
    value->relation = result->relation == SLOTS_EQUAL ? TABLE_EQUAL : TABLE_AT_MOST;
    // Exact: the interval holds no other whole number.
    bool is_exact =
        result->relation == SLOTS_EQUAL && result->low > result->slots - 1 && result->high < result->slots + 1;
    value->is_waiting &= !result->is_stable;
    value->verdict = !result->is_stable ? MEASURED_UNSTABLE : is_exact ? MEASURED_EXACT : MEASURED_WITHIN;
}

void reader_read_slots(struct row_builder *m) {
    const struct table_reader *reader = m->reader;
    const struct table_throughput *plain = reader_find_plain(m);
    struct table_value *value = &m->row->slots.value;
    const struct mixed mixed = read_mixed(m);
    if (!reader->filler || !plain) {
        m->row->slots.is_missing = plain && !mixed.is_made && (reader->has_unsteady_filler || reader->lacks_fillers);
        value->why = why_not_judged(m, plain);
        return;
    }
    struct slots_result result = slots_judge(alone_cycles(m, plain), 1 / reader->filler->value.cycles,
                                             count_copies(plain, mixed.entries, mixed.n), mixed.samples, mixed.n);
    m->row->slots.is_missing = !mixed.is_made && result.n_wanted;
    if (result.relation == SLOTS_EQUAL && result.slots > 1 && isa_traits_may_stall(reader->isa, plain->value.bytes)) {
        result.relation = SLOTS_AT_MOST;
        result.why = "the decoder may stall at its prefix";
    }
    for (unsigned i = 0; i < result.n_wanted; i++)
        follow(m, reader->filler->name, result.wanted[i]);
    if (result.relation != SLOTS_UNKNOWN)
        take_result(m, mixed.entries[result.basis], &result);
    value->is_lost = !mixed.n && mixed.is_lost;
    value->why = value->why && !result.is_stable ? value->why
                 : !mixed.n && mixed.why_none    ? mixed.why_none
                                                 : result.why;
}
