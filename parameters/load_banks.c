// Banks of the first level of caches. Two loads may be served in one cycle only where they do not need the same bank,
// or not too often. Loads of a byte at two addresses, by their distance, show it: those that meet in a bank are slower.
// On some CPUs, loads of one line do not disturb each other, and only those of two lines meet.
#include "parameters/experiments.h"

#include "parameters/table.h"

#include <math.h>
#include <string.h>

// Behind a line of 64 bytes, each distance comes again: there the loads are of two lines.
static const int distances[] = {0, 1, 2, 4, 8, 16, 32, 64, 65, 66, 68, 72, 80, 96, 128, 4096};
enum { N_DISTANCES = sizeof distances / sizeof *distances, N_LOADS = RECIPE_REGISTERS, LINE = 64, FIRST = 64 };

static const char none[] = "none seen: loads at any two addresses are as fast";

static const struct value *ask(struct session *session, int distance) {
    struct text body = {.arena = session->arena};
    for (unsigned i = 0; i < N_LOADS; i++)
        text_addf(&body, "movzx {d%u:r32}, byte ptr [{m:r64} + %d]\n", i, FIRST + (i % 2 ? distance : 0));
    const struct timing timing = {.name = arena_printf(session->arena, "loads-apart.%d", distance), .body = body.data};
    return session_value(session, &timing);
}

struct rates {
    struct value values[N_DISTANCES]; // loads per cycle
    double most;
};

// Whether loads at that distance slow each other. Each power of two up to 128 has been measured, alone and behind a
// line.
static bool meet(const struct rates *rates, int distance) {
    static const double slower = 0.9;
    size_t i = 0;
    while (i < N_DISTANCES && distances[i] != distance)
        i++;
    return i < N_DISTANCES && rates->values[i].cycles < slower * rates->most;
}

// What the rates show. `why`: why there are no banks, or none are found.
struct banks {
    int width, count;   // bytes; 0: not known
    struct value reads; // of one bank, per cycle
    const char *why;
};

static struct banks find_banks(const struct rates *rates) {
    struct banks banks = {0};
    int from = meet(rates, 0) ? 0 : LINE;    // the distance at which two loads need the same bank
    bool is_any = false, is_in_line = false; // loads of one line at two addresses
    for (unsigned i = 0; i < N_DISTANCES; i++) {
        is_any = is_any || meet(rates, distances[i]);
        is_in_line = is_in_line || (distances[i] > 0 && distances[i] < LINE && meet(rates, distances[i]));
    }
    if (!is_any) {
        banks.why = none;
        return banks;
    }
    if (!meet(rates, from) || (from == LINE && is_in_line)) {
        banks.why = "some distances are slower, but not that of one address, nor that of a line";
        return banks;
    }
    banks.width = 1;
    while (banks.width < LINE && meet(rates, from + banks.width))
        banks.width *= 2;
    int again = 2 * banks.width;
    while (again < LINE && !meet(rates, from + again))
        again *= 2;
    if (meet(rates, from + again))
        banks.count = again / banks.width;
    else
        banks.why = "no distance to a line meets in the same bank again";
    for (unsigned i = 0; i < N_DISTANCES; i++)
        if (distances[i] == from)
            banks.reads = rates->values[i];
    return banks;
}

// Asks for the rates of all distances. `why`: set where one of them is not usable. Returns false where one is not
// measured yet.
static bool ask_rates(struct session *session, struct rates *rates, const char **why) {
    const bool is_x86 = strcmp(session->recipe->isa, "x86_64") == 0;
    bool is_missing = false;
    for (unsigned i = 0; i < N_DISTANCES; i++) {
        const struct value *value = is_x86 ? ask(session, distances[i]) : &(struct value){.why = session_no_isa};
        is_missing = is_missing || !value;
        if (!value)
            continue;
        rates->values[i] = value_rate(value, N_LOADS);
        rates->most = fmax(rates->most, value_is_usable(value) ? rates->values[i].cycles : 0);
        *why = value_is_usable(value) ? *why : value->why;
    }
    return !is_missing;
}

static const char curve_name[] = "load-banks";

static void add_rates(struct session *session, const struct rates *rates) {
    struct card *card = &session->card;
    struct card_curve curve = {.name = curve_name, .x = "distance, bytes", .y = "loads per cycle"};
    for (unsigned i = 0; i < N_DISTANCES; i++) {
        struct card_entry head =
            parameter_head(session->arena, LOADS_APART, arena_printf(session->arena, "%d", distances[i]));
        const struct value *rate = &rates->values[i];
        head.curve = curve.name;
        parameter_add(session, &head, rate, 0.03,
                      value_is_usable(rate) && meet(rates, distances[i]) ? "they meet in a bank" : NULL);
        if (value_is_usable(rate) && distances[i] <= 2 * LINE)
            *ARENA_ADD(session->arena, curve.points, curve.n_points) =
                (struct card_point){distances[i], rate->cycles, rate->low, rate->high};
    }
    if (curve.n_points)
        *ARENA_ADD(session->arena, card->curves, card->n_curves) = curve;
}

static void add_whole(struct card *card, const struct card_entry *head, int number, const char *why) {
    if (number)
        card_add_whole(card, head, number);
    else
        card_add_unknown(card, head, why);
}

static void add_banks(struct session *session, const struct banks *banks) {
    struct card_entry width = parameter_head(session->arena, LOAD_BANK_WIDTH, NULL),
                      count = parameter_head(session->arena, LOAD_BANKS, NULL),
                      reads = parameter_head(session->arena, LOAD_BANK_READS, NULL);
    width.curve = count.curve = reads.curve = curve_name;
    add_whole(&session->card, &width, banks->width, banks->why);
    add_whole(&session->card, &count, banks->count, banks->why);
    if (banks->width)
        parameter_add(session, &reads, &banks->reads, 0.03, NULL);
    else
        card_add_unknown(&session->card, &reads, banks->why);
}

void load_banks_find(struct session *session) {
    struct rates rates = {.most = 0};
    const char *why = NULL;
    if (!ask_rates(session, &rates, &why))
        return;
    add_rates(session, &rates);
    const struct banks banks = why ? (struct banks){.why = why} : find_banks(&rates);
    add_banks(session, &banks);
}
