// Widths: how many instructions of a kind start in a cycle. Dispatch is the most that any mixture of kinds reaches,
// where two mixtures agree: one alone may be limited by something else.
#include "bench/whole.h"
#include "parameters/experiments.h"

#include <math.h>
#include <string.h>

// A kind whose rate is an entry.
static const struct kind {
    enum recipe_line line;
    const char *name, *what;
    double tolerance;
} kinds[] = {
    {LINE_NOP, "nops", "instructions that do nothing", 0.03},
    {LINE_ADD, "adds", "independent integer adds", 0.03},
    {LINE_VECTOR, "vector-adds", "independent vector adds", 0.03},
    {LINE_LOAD, "loads", "loads from one line", 0.03},
    {LINE_LOAD_WIDE, "vector-loads", "vector loads from one line", 0.03},
    {LINE_STORE, "stores", "stores to one line", 0.03},
    {LINE_STORE_WIDE, "vector-stores", "vector stores to one address", 0.03},
    {LINE_MULTIPLY, "multiplies", "independent integer multiplies", 0.03},
    {LINE_ZERO, "zeroings", "zeroings of a general register", 0.03},
    {LINE_MOVE, "moves", "copies of a general register", 0.03},
    {LINE_BRANCH, "branches-not-taken", "branches that are not taken", 0.03},
    {LINE_TAKEN, "branches-taken", "branches to the next instruction", 0.03},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static const char *feature_of(const struct session *session, enum recipe_line line) {
    bool is_vector = line == LINE_VECTOR || line == LINE_LOAD_WIDE || line == LINE_STORE_WIDE;
    return is_vector ? session->recipe->vector_feature : NULL;
}

// The rate of a value, instructions per cycle.
struct rate {
    bool is_known;
    double value, low, high;
};

static struct rate rate_of(const struct value *value, unsigned n) {
    if (!value || !value_is_usable(value))
        return (struct rate){0};
    return (struct rate){true, n / value->cycles, n / value->high, n / value->low};
}

static const struct value *ask_kind(struct session *session, const struct kind *kind) {
    struct text body = {.arena = session->arena};
    const char *line = session->recipe->lines[kind->line];
    if (!line)
        return NULL;
    for (unsigned i = 0; i < RECIPE_REGISTERS; i++)
        recipe_add(&body, line, i, "p");
    const struct timing trial = {.name = arena_printf(session->arena, "width.%s", kind->name),
                                 .body = body.data,
                                 .feature = feature_of(session, kind->line)};
    return session_value(session, &trial);
}

static void add_kind(struct session *session, const struct kind *kind, const struct value *value) {
    struct rate rate = rate_of(value, RECIPE_REGISTERS);
    const struct card_entry head = {
        .group = "widths",
        .name = kind->name,
        .unit = "per cycle",
        .how = arena_printf(session->arena, "throughput of %s", kind->what),
        .example = session->recipe->lines[kind->line],
    };
    static const double most = 20;
    if (!value)
        card_add_unknown(&session->card, &head, "the ISA has no such instruction");
    else if (!rate.is_known)
        card_add_unknown(&session->card, &head, value->why ? value->why : "no value");
    else if (rate.value > most)
        card_add_at_least(&session->card, &head, most, "they take next to no time");
    else
        card_add_number(&session->card, &head, rate.value, rate.low, rate.high, kind->tolerance);
}

// A mixture of kinds, so many of each.
enum { MOST_PARTS = 4 };
struct mixture {
    enum recipe_line lines[MOST_PARTS];
    unsigned counts[MOST_PARTS], n_parts;
};

// Spreads the instructions of each kind evenly over the body.
static const struct value *ask_mixture(struct session *session, const struct mixture *mixture, unsigned *n) {
    struct text body = {.arena = session->arena}, name = {.arena = session->arena};
    unsigned done[MOST_PARTS] = {0};
    const char *feature = NULL;
    text_add(&name, "width.mix");
    *n = 0;
    for (unsigned i = 0; i < mixture->n_parts; i++) {
        text_addf(&name, "-%u.%u", (unsigned)mixture->lines[i], mixture->counts[i]);
        *n += mixture->counts[i];
        if (feature_of(session, mixture->lines[i]))
            feature = feature_of(session, mixture->lines[i]);
        if (!session->recipe->lines[mixture->lines[i]])
            return NULL;
    }
    for (unsigned k = 0; k < *n; k++) {
        unsigned best = 0;
        double most = -INFINITY;
        for (unsigned i = 0; i < mixture->n_parts; i++) { // the one that is furthest behind its share
            double behind = (double)mixture->counts[i] * (k + 1) / *n - done[i];
            if (behind > most + 1e-9) {
                most = behind;
                best = i;
            }
        }
        recipe_add(&body, session->recipe->lines[mixture->lines[best]], done[best]++, "p");
    }
    const struct timing trial = {.name = name.data, .body = body.data, .feature = feature};
    return session_value(session, &trial);
}

// Rounds a rate to a number of instructions of a mixture.
static unsigned share_of(struct rate rate) {
    return rate.is_known && rate.value >= 0.9 ? (unsigned)fmin(round(rate.value), 8) : rate.is_known ? 1 : 0;
}

enum { NOP, ADD, VECTOR, LOAD, LOAD_WIDE, STORE };

// Asks for mixtures of kinds that have a rate each. Returns false where a value is still missing.
enum { N_SETS = 6 };
static bool ask_sets(struct session *session, const struct rate *rates, struct rate all[N_SETS], size_t *n_all) {
    static const unsigned sets[N_SETS][MOST_PARTS] = {// kinds; 0 ends the list
                                                      {ADD, LOAD, VECTOR},  {ADD, VECTOR},
                                                      {ADD, LOAD},          {LOAD, VECTOR},
                                                      {ADD, VECTOR, STORE}, {ADD, LOAD, VECTOR, STORE}};
    bool is_missing = false;
    for (size_t s = 0; s < N_SETS; s++) {
        struct mixture mixture = {.n_parts = 0};
        unsigned n = 0;
        bool is_whole = true;
        for (unsigned i = 0; i < MOST_PARTS && sets[s][i]; i++) {
            unsigned share = share_of(rates[sets[s][i]]);
            is_whole = is_whole && share;
            mixture.lines[mixture.n_parts] = kinds[sets[s][i]].line;
            mixture.counts[mixture.n_parts++] = share;
        }
        if (!is_whole)
            continue;
        const struct value *value = ask_mixture(session, &mixture, &n);
        is_missing = is_missing || !value;
        all[(*n_all)++] = rate_of(value, n);
    }
    return !is_missing;
}

// Dispatch. `rates`: by the number of the kind.
static void find_dispatch(struct session *session, const struct rate *rates) {
    struct rate best = {0}, all[N_SETS + 1] = {0};
    size_t n_all = 0, n_agree = 0;
    if (!ask_sets(session, rates, all, &n_all))
        return;
    all[n_all++] = rates[ADD];
    for (size_t i = 0; i < n_all; i++)
        if (all[i].is_known && all[i].value > best.value)
            best = all[i];
    struct rate nop = rates[NOP];
    static const double near = 0.025;
    for (size_t i = 0; i < n_all; i++)
        n_agree += all[i].is_known && all[i].value > best.value * (1 - near);
    bool agrees_nop = nop.is_known && fabs(nop.value - best.value) < near * best.value;
    const struct card_entry head = {.group = "widths",
                                    .name = "dispatch",
                                    .unit = "per cycle",
                                    .how =
                                        "throughput of mixtures of adds, loads, vector adds and stores, and of nops"};
    double whole = round(best.value);
    if (!best.is_known)
        card_add_unknown(&session->card, &head, "no mixture could be measured");
    else if (nop.is_known && nop.value > best.value * (1 + near) && nop.value < 1.8 * best.value)
        card_add_number(&session->card,
                        &(struct card_entry){.group = head.group,
                                             .name = head.name,
                                             .unit = head.unit,
                                             .how = head.how,
                                             .why = "nops are faster than any mixture, whose pipes may be the limit"},
                        nop.value, best.low, nop.high, 0);
    else if (n_agree + agrees_nop < 2 || fabs(best.value - whole) > WHOLE_WIDTH * whole)
        card_add_at_least(&session->card, &head, best.low, "only one mixture reaches it: its pipes may be the limit");
    else
        card_add_number(&session->card, &head, best.value, best.low, best.high, WHOLE_WIDTH);
}

// Loads and stores together, and branches of both kinds: so many of each.
static void find_mixtures(struct session *session) {
    static const struct {
        const char *name, *how;
        struct mixture mixture;
    } mixtures[] = {
        {"loads-and-stores-1-1", "a load and a store in turn", {{LINE_LOAD, LINE_STORE}, {1, 1}, 2}},
        {"loads-and-stores-2-1", "two loads and a store in turn", {{LINE_LOAD, LINE_STORE}, {2, 1}, 2}},
        {"loads-and-stores-3-2", "three loads and two stores in turn", {{LINE_LOAD, LINE_STORE}, {3, 2}, 2}},
        {"branches-not-taken-and-taken",
         "a branch that is not taken and one that is, in turn",
         {{LINE_BRANCH, LINE_TAKEN}, {1, 1}, 2}},
    };
    for (size_t i = 0; i < sizeof mixtures / sizeof *mixtures; i++) {
        unsigned n = 0;
        const struct value *value = ask_mixture(session, &mixtures[i].mixture, &n);
        struct rate rate = rate_of(value, n);
        const struct card_entry head = {
            .group = "widths", .name = mixtures[i].name, .unit = "per cycle", .how = mixtures[i].how};
        if (!value)
            continue;
        if (!rate.is_known)
            card_add_unknown(&session->card, &head, value->why ? value->why : "no value");
        else
            card_add_number(&session->card, &head, rate.value, rate.low, rate.high, 0.03);
    }
}

// Retirement. Fillers stand between a chain of multiplies and a fence that waits until all before it have retired. The
// fillers are done long before the chain is, and retire behind it: each group of them makes an iteration a cycle
// longer.
enum { FEW_FILLERS = 64, SOME_FILLERS = 136, MANY_FILLERS = 208 };

static const struct value *ask_fence(struct session *session, enum recipe_line line, unsigned n_fillers) {
    enum { CHAIN = 32 };
    struct text body = {.arena = session->arena};
    for (unsigned i = 0; i < CHAIN; i++)
        text_add(&body, "imul {a:r64}, {a}\n");
    for (unsigned i = 0; i < n_fillers; i++)
        recipe_add(&body, session->recipe->lines[line], i, "p");
    text_add(&body, "lfence\n");
    const struct timing timing = {.name = arena_printf(session->arena, "retire.%u.%u", (unsigned)line, n_fillers),
                                  .body = body.data,
                                  .feature = line == LINE_VECTOR_MOVE ? session->recipe->vector_feature : NULL,
                                  .writes = "a"};
    return session_value(session, &timing);
}

// The rate of one kind of filler. Not known where the times are no straight line.
static bool find_retire_rate(struct session *session, enum recipe_line line, struct rate *rate, const char **why) {
    const struct value *few = ask_fence(session, line, FEW_FILLERS), *some = ask_fence(session, line, SOME_FILLERS),
                       *many = ask_fence(session, line, MANY_FILLERS);
    static const double bend = 1; // cycles
    if (!few || !some || !many)
        return false;
    const struct value *values[] = {few, some, many};
    for (unsigned i = 0; i < 3; i++)
        if (!value_is_usable(values[i])) {
            *why = values[i]->why;
            return true;
        }
    double error = (many->high - many->low + few->high - few->low) / 2, span = many->cycles - few->cycles;
    if (fabs(few->cycles + many->cycles - 2 * some->cycles) > bend + error || span <= 2 * error) {
        *why = "times with more fillers are no straight line";
        return true;
    }
    double n = MANY_FILLERS - FEW_FILLERS;
    *rate = (struct rate){true, n / span, n / (span + error), n / (span - error)};
    return true;
}

static void find_retire(struct session *session) {
    const struct card_entry head = {.group = "widths",
                                    .name = "retire",
                                    .unit = "per cycle",
                                    .how = "fillers between a slow chain and a fence: what each adds"};
    static const double near = 0.08; // of a few cycles
    if (session->is_bare) {
        const struct card_entry *found = card_find(&session->card, "dispatch");
        double dispatch = found && found->verdict != CARD_UNKNOWN ? found->low : 0;
        if (dispatch > 0)
            card_add_at_least(&session->card, &head, dispatch,
                              "as many are dispatched; nothing waits for retirement on a simulated CPU");
        else
            card_add_unknown(&session->card, &head, "nothing waits for retirement on a simulated CPU");
        return;
    }
    if (strcmp(session->recipe->isa, "x86_64") != 0) {
        card_add_unknown(&session->card, &head, session_no_isa);
        return;
    }
    struct rate zeroings = {0}, moves = {0};
    const char *why = NULL;
    bool are_zeroings_known = find_retire_rate(session, LINE_ZERO, &zeroings, &why);
    if (!find_retire_rate(session, LINE_VECTOR_MOVE, &moves, &why) || !are_zeroings_known)
        return;
    if (!zeroings.is_known && !moves.is_known)
        card_add_unknown(&session->card, &head, why);
    else if (!zeroings.is_known || !moves.is_known || fabs(zeroings.value - moves.value) > near * moves.value)
        card_add_at_least(&session->card, &head, fmax(zeroings.low, moves.low), "only one kind of filler is that fast");
    else
        card_add_number(&session->card, &head, (zeroings.value + moves.value) / 2, fmin(zeroings.low, moves.low),
                        fmax(zeroings.high, moves.high), 0.03);
}

void widths_find(struct session *session) {
    const struct value *values[N_KINDS];
    struct rate rates[N_KINDS];
    bool is_missing = false;
    for (unsigned i = 0; i < N_KINDS; i++) {
        values[i] = ask_kind(session, &kinds[i]);
        is_missing = is_missing || (!values[i] && session->recipe->lines[kinds[i].line]);
        rates[i] = rate_of(values[i], RECIPE_REGISTERS);
    }
    if (is_missing)
        return;
    find_dispatch(session, rates);
    for (unsigned i = 0; i < N_KINDS; i++)
        add_kind(session, &kinds[i], values[i]);
    find_mixtures(session);
    find_retire(session);
}

// Zeroings fill dispatch where they are as fast. Nops do, too, where two of them do not share a slot: then no mixture
// starts more than half as many.
bool widths_slots(struct session *session, struct slots *slots) {
    static const double share = 0.55, near = 0.025;
    struct card before = session->card;
    widths_find(session);
    const struct card_entry *found = card_find(&session->card, "dispatch"),
                            *zeroings = card_find(&session->card, "zeroings"),
                            *nops = card_find(&session->card, "nops");
    session->card = before;
    if (!found || !zeroings || !nops)
        return false;
    *slots = (struct slots){0};
    bool are_nops_as_many = nops->verdict == CARD_EXACT && fabs(found->high - nops->value) <= near * nops->value;
    if (found->verdict == CARD_EXACT || found->verdict == CARD_WITHIN)
        slots->most = are_nops_as_many ? nops->value : floor(found->high * (1 + near));
    if (found->verdict == CARD_EXACT && zeroings->verdict == CARD_EXACT && zeroings->value == found->value)
        *slots = (struct slots){slots->most, found->value, LINE_ZERO};
    else if (slots->most > 0 && are_nops_as_many && found->low > share * nops->value)
        *slots = (struct slots){slots->most, nops->value, LINE_NOP};
    return true;
}
