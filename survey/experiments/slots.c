#include "survey/experiments/slots.h"

#include "bench/whole.h"
#include "survey/forms/isa_traits.h"

#include <math.h>
#include <string.h>

// With four slots more, they fill whole cycles of most widths.
const unsigned slots_checks[SLOTS_N_CHECKS] = {68, 92};

// An instruction takes a slot, unless copies of it take less than one each, as fused no-ops do. A mixture that shows
// less than half of one is limited by something else: on LLVM's falkor, the filler "zero" needs a pipe, and all that
// needs other pipes seems to take nothing.
static const double least_slots = 0.5;

const struct slots_filler *slots_fillers(const struct isa *isa) {
    static const struct slots_filler none[] = {{.name = NULL}};
    const struct isa_traits *traits = isa_traits_find(isa);
    return traits && traits->fillers ? traits->fillers : none;
}

const struct slots_filler *slots_find_filler(const struct isa *isa, const char *name) {
    for (const struct slots_filler *each = slots_fillers(isa); each->name; each++)
        if (strcmp(each->name, name) == 0)
            return each;
    return NULL;
}

void slots_add_fillers(const struct slots_filler *filler, unsigned n, struct text *out) {
    for (unsigned i = 0; i < n; i++)
        text_addf(out, "; %s", i ? filler->next : filler->first);
}

// Adds fillers behind a body; `mix` null: they are by themselves, the first one among them.
static void add_experiment(const struct slots_filler *filler, unsigned n, const char *beside,
                           const struct slots_mix *mix, struct experiment_list *out) {
    const struct experiment_key key = {
        .kind = EXPERIMENT_FILLER, .filler = filler->name, .n_fillers = mix ? n : 0, .beside = beside};
    struct kernel_text *kernel = experiment_list_add(out, key);
    struct text body = {.arena = out->arena};
    text_add(&body, mix ? mix->body : filler->first);
    slots_add_fillers(filler, mix ? n : n - 1, &body);
    kernel->body = body.data;
    kernel->writes = mix ? mix->writes : NULL;
    kernel->init = mix ? mix->init : NULL;
}

void slots_add_experiments(const struct isa *isa, struct experiment_list *out) {
    const struct isa_traits *traits = isa_traits_find(isa);
    for (const struct slots_filler *each = slots_fillers(isa); each->name; each++) {
        add_experiment(each, SLOTS_ALONE, "", NULL, out);
        for (unsigned c = 0; c < SLOTS_N_CHECKS; c++)
            add_experiment(each, slots_checks[c], "", &traits->simple, out);
        add_experiment(each, slots_checks[0], SLOTS_LOAD, &traits->load, out);
        add_experiment(each, SLOTS_CHAIN_FILLERS, SLOTS_CHAIN, &traits->chain, out);
    }
}

bool slots_hold_one(double slots) {
    return slots >= least_slots;
}

bool slots_are(double slots, double whole) {
    return slots >= whole - WHOLE_SLOTS_BELOW && slots <= whole + WHOLE_SLOTS_ABOVE;
}

// ---- what the measurements show

// The measurements of a form while they are judged.
struct judge {
    unsigned width; // fillers per cycle
    double alone;   // slots that pass while a copy of the form takes its time among others
    double least;   // fillers without which the form's own cycles may show
    const struct slots_sample *samples;
    size_t n;
    struct slots_result result;
};

static bool is_better(const struct slots_sample *a, const struct slots_sample *b) {
    bool is_same_number = round(a->slots) == round(b->slots);
    if (a->is_stable != b->is_stable)
        return a->is_stable;
    return is_same_number && a->is_uneven != b->is_uneven ? b->is_uneven : a->slots < b->slots;
}

// Of stable samples the one with the fewest slots; of those with the same number, one whose processes agree.
static size_t find_least(const struct judge *j) {
    size_t best = 0;
    for (size_t i = 1; i < j->n; i++)
        if (is_better(&j->samples[i], &j->samples[best]))
            best = i;
    return best;
}

static bool is_measured(const struct judge *j, unsigned fillers) {
    for (size_t i = 0; i < j->n; i++)
        if (j->samples[i].fillers == fillers)
            return true;
    return false;
}

// Whether form and fillers fill whole cycles if the form takes `slots`.
static bool fills(const struct judge *j, unsigned fillers, unsigned slots) {
    return (fillers + slots) % j->width == 0;
}

// Whether a measurement is evidence of what cannot be. Of an unstable one, or one of which each process has another
// value, nobody knows what else limits it.
static bool is_evidence(const struct slots_sample *sample) {
    return sample->is_stable && !sample->is_uneven;
}

// Measurements in which so many slots had their chance: those that were made, and those that are evidence.
struct chances {
    unsigned n, n_valid;
};

static struct chances count_chances(const struct judge *j, unsigned slots) {
    struct chances chances = {0, 0};
    for (size_t i = 0; i < j->n; i++) {
        bool is_chance = fills(j, j->samples[i].fillers, slots);
        chances.n += is_chance;
        chances.n_valid += is_chance && is_evidence(&j->samples[i]);
    }
    return chances;
}

// Requests the next measurement with which the form would fill whole cycles if it took `slots`.
static void want(struct judge *j, unsigned slots) {
    struct slots_result *result = &j->result;
    for (unsigned fillers = (unsigned)j->least; fillers <= SLOTS_MOST_FILLERS; fillers++) {
        bool is_new = fills(j, fillers, slots) && !is_measured(j, fillers);
        for (unsigned i = 0; i < result->n_wanted; i++)
            is_new &= result->wanted[i] != fillers;
        if (is_new && result->n_wanted < SLOTS_MOST_WANTED) {
            result->wanted[result->n_wanted++] = fillers;
            return;
        }
    }
}

// Whether measurements with several numbers of fillers have as many slots; of none, with numbers that differ modulo the
// width. For two slots to a cycle's, those suffice that had the chance to show fewer (is_least).
static bool is_confirmed(const struct judge *j, double slots) {
    unsigned n = 0, n_others = 0, first = 0;
    if (slots > 1 && slots <= j->width)
        return true;
    for (size_t i = 0; i < j->n; i++) {
        const struct slots_sample *sample = &j->samples[i];
        if (!is_evidence(sample) || !slots_are(sample->slots, slots))
            continue;
        first = n++ ? first : sample->fillers;
        n_others += (sample->fillers - first) % j->width != 0;
    }
    return n > 1 && (slots >= 1 || j->width == 1 || n_others);
}

// Whether all that is evidence has as many slots more as empty ones explain. Where the reorder buffer limits the
// mixture as well, some have others, though two may agree. Of an instruction that takes more than a cycle, either
// nothing stays empty or what is left of the cycle in front of it; of others, less than its own slots.
static bool is_regular(const struct judge *j, unsigned slots) {
    bool has_empty = true, has_none = true;
    for (size_t i = 0; i < j->n; i++) {
        unsigned left = (j->samples[i].fillers + slots) % j->width;
        double more = j->samples[i].slots - slots;
        if (!is_evidence(&j->samples[i]))
            continue;
        if (slots <= j->width && more > WHOLE_SLOTS_ABOVE + (slots ? slots - 1 : 0))
            return false;
        has_none &= slots_are(more, 0);
        has_empty &= slots_are(more, left ? j->width - left : 0);
    }
    return slots <= j->width || has_none || has_empty;
}

// Whether one slot less had its chances, and was not seen. Measurements equal modulo the width may share what limits
// them, so those with which this number fills cycles confirm nothing (docs/how-it-works/survey.md has an example). A
// single chance may be missed, as where code happens to be. Of instructions of more than a cycle's slots, each number
// of empty slots had one.
static bool is_least(const struct judge *j, unsigned slots) {
    bool is_wide = slots > j->width, is_least = true;
    for (unsigned i = 1; i <= (is_wide ? j->width : 1) && i < slots; i++)
        is_least &= count_chances(j, slots - i).n_valid >= (is_wide ? 1 : 2);
    return is_least;
}

// Requests measurements until so many are evidence of what had its chance; no more than a few, as others may be
// unstable for a reason of their own.
static void want_valid(struct judge *j, unsigned slots, unsigned n) {
    enum { MOST_OF_A_KIND = 4 };
    struct chances chances = count_chances(j, slots);
    for (unsigned i = chances.n_valid; i < n && chances.n < MOST_OF_A_KIND; i++, chances.n++)
        want(j, slots);
}

// What could confirm that the form takes so many slots, or show that it takes fewer.
static void want_more(struct judge *j, unsigned slots) {
    bool is_wide = slots > j->width;
    unsigned n_chances = is_wide ? j->width : 1;
    want_valid(j, slots, is_confirmed(j, slots) ? 1 : count_chances(j, slots).n_valid + 1);
    for (unsigned i = 1; i <= n_chances && i < slots; i++)
        want_valid(j, slots - i, is_wide ? 1 : 2);
}

// Whether a measurement that is not stable shows fewer slots. What disturbs one makes it slower, so it may be right.
static bool may_be_fewer(const struct judge *j, double slots) {
    for (size_t i = 0; i < j->n; i++)
        if (!j->samples[i].is_stable && j->samples[i].slots < slots - WHOLE_SLOTS_BELOW)
            return true;
    return false;
}

// ---- what follows from them

// What the sample with the fewest slots shows, beside the others.
struct shown {
    struct judge *j;
    const struct slots_sample *least;
    double whole;       // the nearest whole number of slots
    unsigned candidate; // the number that more measurements may confirm
    bool may_be_none;   // renaming may do all of the work
    bool is_whole;      // number of slots
    bool is_sure;       // likewise, confirmed, and one less had its chances
};

static struct shown show(struct judge *j) {
    const struct slots_sample *least = &j->samples[find_least(j)];
    struct shown shown = {.j = j, .least = least, .whole = round(least->slots)};
    shown.candidate = least->slots < 1 ? 1 : (unsigned)shown.whole;
    shown.may_be_none = j->alone < 1 - WHOLE_SLOTS_BELOW;
    shown.is_whole =
        slots_are(least->slots, shown.whole) && (shown.whole >= 1 || (shown.whole == 0 && shown.may_be_none));
    shown.is_sure = shown.is_whole && is_confirmed(j, shown.whole) && is_least(j, shown.candidate);
    return shown;
}

static bool do_not_fill(const struct shown *shown) {
    return shown->may_be_none ? shown->least->slots < -WHOLE_SLOTS_BELOW : !slots_hold_one(shown->least->slots);
}

static bool has_odd_ones(const struct shown *shown) {
    return shown->is_sure && shown->whole != 1 && !is_regular(shown->j, (unsigned)shown->whole);
}

static bool has_unstable_fewer(const struct shown *shown) {
    return shown->least->is_stable && may_be_fewer(shown->j, shown->least->slots);
}

static bool is_more_than_alone(const struct shown *shown) {
    return shown->is_sure && shown->whole > fmax(1, shown->j->alone) + WHOLE_SLOTS_BELOW;
}

// While a copy takes its time, the slots fill the reorder buffer. Where they fill it, dispatch waits as long behind
// each copy, whatever the number of fillers, as if the form took more slots. One slot is the least all the same.
static bool may_fill_buffer(const struct shown *shown) {
    static const double least_buffer = 64; // slots; out-of-order cores that measure this have as many at least
    return shown->is_sure && shown->whole > 1 && shown->j->alone - shown->whole > least_buffer;
}

static bool is_uneven(const struct shown *shown) {
    return shown->is_whole && shown->least->is_uneven;
}

// Each measurement is an upper bound, and one slot is the least, but for instructions that take none.
static bool is_number(const struct shown *shown) {
    bool is_one = shown->whole == 1 && shown->least->slots <= 1 + WHOLE_SLOTS_BELOW;
    return shown->is_whole && shown->least->low <= shown->whole + WHOLE_SLOTS_BELOW && (is_one || shown->is_sure);
}

static bool is_whole(const struct shown *shown) {
    return shown->is_whole;
}

static bool always(const struct shown *shown) {
    (void)shown;
    return true;
}

static void want_whole(const struct shown *shown) {
    if (shown->is_whole)
        want_more(shown->j, shown->candidate);
}

static void want_neighbours(const struct shown *shown) {
    want_valid(shown->j, (unsigned)ceil(shown->least->slots), 1);
    if (shown->least->slots > 1)
        want_valid(shown->j, (unsigned)shown->least->slots, 1);
}

// The first that holds decides.
static const struct outcome {
    bool (*holds)(const struct shown *shown);
    enum slots_relation relation;
    void (*want)(const struct shown *shown); // what more measurements may show; null: nothing
    const char *why;                         // null: it is the number
} outcomes[] = {
    {do_not_fill, SLOTS_UNKNOWN, NULL, "fillers take no longer beside it than alone, so dispatch is not the limit"},
    {has_odd_ones, SLOTS_AT_MOST, NULL, "something else than dispatch limits it as well"},
    {has_unstable_fewer, SLOTS_AT_MOST, want_whole, "another number of fillers shows fewer, but is not stable"},
    {is_more_than_alone, SLOTS_AT_MOST, NULL,
     "copies of it alone take fewer, so something else than dispatch limits it as well"},
    {may_fill_buffer, SLOTS_AT_MOST, NULL, "copies take so long that the reorder buffer may be full behind them"},
    {is_uneven, SLOTS_AT_MOST, want_whole,
     "each process has another value, and no other number of fillers confirms it"},
    {is_number, SLOTS_EQUAL, NULL, NULL},
    {is_whole, SLOTS_AT_MOST, want_whole, "another number of fillers does not confirm it"},
    {always, SLOTS_AT_MOST, want_neighbours, "no whole number of slots"},
};

static void judge(struct judge *j) {
    struct slots_result *result = &j->result;
    const struct shown shown = show(j);
    const struct slots_sample *least = shown.least;
    const struct outcome *outcome = outcomes;
    while (!outcome->holds(&shown))
        outcome++;
    if (outcome->want)
        outcome->want(&shown);
    result->basis = (size_t)(least - j->samples);
    result->is_stable = least->is_stable;
    result->relation = outcome->relation;
    result->why = outcome->why;
    bool is_equal = outcome->relation == SLOTS_EQUAL;
    result->slots = is_equal ? shown.whole : least->slots;
    result->low = is_equal ? fmax(0, fmin(shown.whole, least->low)) : least->low;
    result->high = is_equal ? fmax(shown.whole, least->high) : least->high;
    // What does not take a slot of its own shares one with its neighbour: a bound is one slot all the same.
    if (result->relation == SLOTS_AT_MOST && result->slots < 1) {
        result->slots = 1;
        result->high = fmax(1, result->high);
    }
}

struct slots_result slots_judge(double cycles, double width, unsigned copies, const struct slots_sample *samples,
                                size_t n) {
    // So many cycles of fillers that the form, and what it shares with itself, takes less than these.
    static const double share = 1.2, more = 1, least_cycles = 3;
    enum { FIRST_SLOTS = 2 };
    struct judge j = {.width = (unsigned)fmax(1, round(width)), .alone = width * cycles, .samples = samples, .n = n};
    double span = fmax(least_cycles, ceil(share * cycles + more));
    // A single copy has fewer: it cannot have so many fillers.
    double for_loop = fmin(ceil((double)SLOTS_LOOP / copies), SLOTS_MOST_FILLERS - 20);
    j.least = fmax(span * j.width - j.width, for_loop);
    if (!(cycles >= 0) || span * j.width > SLOTS_MOST_FILLERS)
        j.result.why = "its copies take longer than fillers can hide";
    else if (n) {
        judge(&j);
        if (copies == 1 && j.result.relation == SLOTS_EQUAL && j.result.slots > 1) {
            j.result.relation = SLOTS_AT_MOST;
            j.result.why = "one copy to a loop: whether the loop's end takes one slot or two does not show";
        }
    } else {
        j.result.why = "not measured yet";
        want(&j, FIRST_SLOTS);
    }
    return j.result;
}
