// Renaming of memory: a load of what was just stored takes less than a load from the cache, as the CPU remembers which
// register was stored. Which forms of stores and loads it knows, how many stores may stand between both, and how many
// pairs it remembers.
#include "parameters/experiments.h"

#include "parameters/sweep.h"
#include "parameters/table.h"

static const struct access {
    const char *name, *body, *setup, *writes;
} forms[] = {
    {"64-to-64", "mov [{m:r64} + 64], {a:r64}\nmov {a}, [{m} + 64]\n", NULL, "a"},
    {"64-to-32", "mov [{m:r64} + 64], {a:r64}\nmov {a:r32}, [{m} + 64]\n", NULL, "a"},
    {"64-to-8", "mov [{m:r64} + 64], {a:r64}\nmovzx {a:r32}, byte ptr [{m} + 64]\n", NULL, "a"},
    {"32-to-32", "mov [{m:r64} + 64], {a:r32}\nmov {a}, [{m} + 64]\n", NULL, "a"},
    {"32-to-32-signed", "mov [{m:r64} + 64], {a:r32}\nmovsxd {a:r64}, dword ptr [{m} + 64]\n", NULL, "a"},
    {"16-to-16", "mov [{m:r64} + 64], {a:r16}\nmovzx {a:r32}, word ptr [{m} + 64]\n", NULL, "a"},
    {"8-to-8", "mov [{m:r64} + 64], {a:r8}\nmovzx {a:r32}, byte ptr [{m} + 64]\n", NULL, "a"},
    {"indexed", "mov [{m:r64} + {z:r64}], {a:r64}\nmov {a}, [{m} + {z}]\n", NULL, "a"},
    {"other-base", "mov [{m:r64} + 64], {a:r64}\nmov {a}, [{b:rcx} + 64]\n", "mov rcx, rsi", "a, b"},
    {"push-pop", "push {a:r64}\npop {a}\n", NULL, "a"},
    {"add-constant-to", "add qword ptr [{m:r64} + 64], 1\n", NULL, NULL},
    {"add-register-to", "add [{m:r64} + 64], {s:r64}\n", NULL, NULL},
    {"load-operate", "mov [{m:r64} + 64], {a:r64}\nadd {a}, [{m} + 64]\n", NULL, "a"},
    {"cmov", "mov [{m:r64} + 64], {a:r64}\ncmovne {a}, [{m} + 64]\n", NULL, "a"},
    {"constant-to-32", "add {a:r64}, 16\nmov [{m:r64} + 64], {a}\nmov {a:r32}, [{m} + 64]\n", NULL, "a"},
};
enum { N_FORMS = sizeof forms / sizeof *forms };

static const unsigned between[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 24, 32, 48};
static const int pairs_grid[] = {8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048};
enum { N_BETWEEN = sizeof between / sizeof *between, N_PAIRS = sizeof pairs_grid / sizeof *pairs_grid };

static const struct value *ask(struct session *session, const char *name, const char *body) {
    const struct timing timing = {.name = arena_printf(session->arena, "memory.%s", name), .body = body, .writes = "a"};
    return session_value(session, &timing);
}

// The parts of a chain: multiplies, a store, other stores, a load. The multiplies make the chain longer than all stores
// take by themselves, two cycles each at most.
static const struct value *ask_chain(struct session *session, const char *name, unsigned n_multiplies,
                                     unsigned n_stores, const char *load) {
    struct text body = {.arena = session->arena};
    for (unsigned i = 0; i < n_multiplies; i++)
        text_add(&body, "imul {a:r64}, {s:r64}\n");
    if (load)
        text_add(&body, "mov [{m:r64} + 64], {a:r64}\n");
    for (unsigned i = 0; i < n_stores; i++)
        text_addf(&body, "mov [{m:r64} + %u], {s:r64}\n", 128 + 8 * i);
    if (load)
        text_addf(&body, "%s\n", load);
    return ask(session, name, body.data);
}

static const char same[] = "mov {a:r64}, [{m:r64} + 64]", upper[] = "mov {a:r32}, [{m:r64} + 68]";

// The time of a store and a load in a chain of multiplies. `multiply`: the time of one; null: not measured yet.
static bool find_pair(struct session *session, const struct value *multiply, unsigned n_stores, const char *load,
                      struct value *pair) {
    unsigned n_multiplies = 3 + n_stores;
    const struct value *chain =
        ask_chain(session, arena_printf(session->arena, "%s-%u", load == same ? "same" : "upper", n_stores),
                  n_multiplies, n_stores, load);
    if (!chain || !multiply)
        return false;
    struct value all = value_less(multiply, NULL, n_multiplies);
    *pair = value_less(chain, &all, 1);
    return true;
}

// What is less than a load from the cache takes is renamed.
struct judge {
    const struct value *load;
};

static bool is_renamed(const struct judge *judge, const struct value *value) {
    static const double less = 0.75;
    return value_is_usable(value) && value->high < less * judge->load->cycles;
}

static void add_forms(struct session *session, const struct judge *judge) {
    for (unsigned i = 0; i < N_FORMS; i++) {
        const struct timing timing = {.name = arena_printf(session->arena, "memory.%s", forms[i].name),
                                      .body = forms[i].body,
                                      .setup = forms[i].setup,
                                      .writes = forms[i].writes};
        const struct value *value = session_value(session, &timing);
        const struct card_entry head = parameter_head(session->arena, MEMORY_FORM, forms[i].name);
        if (value)
            parameter_add(session, &head, value, 0.02, is_renamed(judge, value) ? "renamed" : "not renamed");
    }
}

static void add_latencies(struct session *session, const struct judge *judge, const struct value *renamed,
                          const struct value *forwarded) {
    struct card_entry head = parameter_head(session->arena, MEMORY_RENAMED_LATENCY, NULL);
    if (value_is_usable(renamed) && !is_renamed(judge, renamed))
        card_add_unknown(&session->card, &head,
                         arena_printf(session->arena, "memory is not renamed: both take %.2f cycles", renamed->cycles));
    else
        parameter_add(session, &head, renamed, 0.02, NULL);
    head = parameter_head(session->arena, MEMORY_FORWARDED_LATENCY, NULL);
    parameter_add(session, &head, forwarded, 0.02, is_renamed(judge, forwarded) ? "renamed, too" : NULL);
}

static void add_distance(struct session *session, const struct judge *judge, const struct value *pairs) {
    struct card *card = &session->card;
    struct card_entry head = parameter_head(session->arena, MEMORY_DISTANCE, NULL);
    struct card_curve curve = {
        .name = "memory-renamed-distance", .x = "stores between a store and its load", .y = "cycles of both"};
    const char *why = NULL;
    unsigned n = 0; // of the first that are renamed
    for (unsigned i = 0; i < N_BETWEEN; i++)
        if (value_is_usable(&pairs[i]))
            *ARENA_ADD(session->arena, curve.points, curve.n_points) =
                (struct card_point){between[i], pairs[i].cycles, pairs[i].low, pairs[i].high};
        else
            why = pairs[i].why;
    head.curve = curve.name;
    if (curve.n_points)
        *ARENA_ADD(session->arena, card->curves, card->n_curves) = curve;
    while (n < N_BETWEEN && is_renamed(judge, &pairs[n]))
        n++;
    bool is_again = false; // one that is renamed behind one that is not
    for (unsigned i = n; i < N_BETWEEN; i++)
        is_again = is_again || is_renamed(judge, &pairs[i]);
    if (why)
        card_add_unknown(card, &head, why);
    else if (n == 0)
        card_add_unknown(card, &head, "memory is not renamed");
    else if (is_again)
        card_add_unknown(card, &head, "more stores are renamed again behind a number that is not");
    else if (n == N_BETWEEN)
        card_add_at_least(card, &head, between[n - 1], "the experiment reaches no further");
    else
        card_add_number(card, &head, between[n - 1], between[n - 1], between[n] - 1, 0);
}

static void add_pairs(struct session *session, const struct judge *judge) {
    struct card *card = &session->card;
    struct card_entry head = parameter_head(session->arena, MEMORY_PAIRS, NULL);
    const struct sweep sweep = {.name = "memory-renamed-pairs",
                                .body = forms[0].body,
                                .writes = "a",
                                .units = 1,
                                .grid = pairs_grid,
                                .n_grid = N_PAIRS,
                                .n_base = 4,
                                .rise = 1.5};
    const struct step step = sweep_find(session, &sweep);
    head.curve = sweep.name;
    if (!step.is_known)
        return;
    if (step.base > 0 && step.base >= judge->load->cycles)
        card_add_unknown(card, &head, "memory is not renamed");
    else if (step.why)
        card_add_unknown(card, &head, step.why);
    else if (step.is_beyond)
        card_add_at_least(card, &head, step.low, "more take no longer");
    else
        card_add_number(card, &head, (step.low + step.high) / 2.0, step.low, step.high, 0);
}

static void add_unknown(struct session *session, const char *why) {
    static const enum parameter alone[] = {MEMORY_RENAMED_LATENCY, MEMORY_FORWARDED_LATENCY, MEMORY_DISTANCE,
                                           MEMORY_PAIRS};
    for (unsigned i = 0; i < N_FORMS; i++) {
        const struct card_entry head = parameter_head(session->arena, MEMORY_FORM, forms[i].name);
        card_add_unknown(&session->card, &head, why);
    }
    for (unsigned i = 0; i < sizeof alone / sizeof *alone; i++) {
        const struct card_entry head = parameter_head(session->arena, alone[i], NULL);
        card_add_unknown(&session->card, &head, why);
    }
}

void memory_renaming_find(struct session *session) {
    if (session->is_bare) {
        add_unknown(session, "simulated loads do not wait for older stores");
        return;
    }
    const struct timing chase = {
        .name = "load-latency", .body = "mov {a:r64}, [{a}]\n", .init = "a: memory", .writes = "a"};
    const struct value *load = session_value(session, &chase), *multiply = ask_chain(session, "multiply", 1, 0, NULL);
    struct value pairs[N_BETWEEN] = {{0}}, forwarded = {0};
    bool is_whole = find_pair(session, multiply, 0, upper, &forwarded);
    for (unsigned i = 0; i < N_BETWEEN; i++)
        is_whole = find_pair(session, multiply, between[i], same, &pairs[i]) && is_whole;
    if (load && !value_is_usable(load))
        add_unknown(session, load->why);
    if (!load || !value_is_usable(load))
        return;
    const struct judge judge = {load};
    add_forms(session, &judge);
    add_pairs(session, &judge);
    if (!is_whole)
        return;
    add_latencies(session, &judge, &pairs[0], &forwarded);
    add_distance(session, &judge, pairs);
}
