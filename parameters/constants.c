// Constants that are added when a CPU renames: the register keeps what it was, and a small sum besides. A chain of such
// additions takes no time of its own. The sum has a range, and some consumers wait until it is really added.
#include "parameters/experiments.h"

#include "parameters/table.h"

#include <string.h>

static const struct addition {
    const char *name, *body;
} forms[] = {
    {"add", "add {a:r64}, 1\n"},    {"add-32", "add {a:r32}, 1\n"}, {"sub", "sub {a:r64}, 1\n"},
    {"inc", "inc {a:r64}\n"},       {"dec", "dec {a:r64}\n"},       {"lea", "lea {a:r64}, [{a} + 1]\n"},
    {"add-16", "add {a:r16}, 1\n"},
};
enum { N_FORMS = sizeof forms / sizeof *forms };

static const int constants[] = {1,   15,  16,   63,   64,   127,  128,  255,  256,
                                511, 512, 1023, 1024, 2047, 2048, 4095, 4096, 65536};
enum { N_CONSTANTS = sizeof constants / sizeof *constants };

// Behind an addition of `added`; alone, without one.
static const struct consumer {
    const char *name, *body, *init;
    int added;
} consumers[] = {
    {"shl", "shl {a:r64}, 1\n", NULL, 1},
    {"rol", "rol {a:r64}, 1\n", NULL, 1},
    {"imul", "imul {a:r64}, {s:r64}\n", NULL, 1},
    {"xor", "xor {a:r64}, {s:r64}\n", NULL, 1},
    {"add-register", "add {a:r64}, {s:r64}\n", NULL, 1},
    {"lea-scaled", "lea {a:r64}, [{s:r64} + {a}*2]\n", NULL, 1},
    {"cmov", "cmovne {a:r64}, {s:r64}\n", NULL, 1},
    {"movzx", "movzx {a:r32}, {a:r16}\n", NULL, 1},
    {"load", "mov {a:r64}, [{a} - 8]\n", "a: memory", 8},
};
enum { N_CONSUMERS = sizeof consumers / sizeof *consumers };

static const double executed = 0.75; // cycles of a step, from which on it waits for the one before

static const struct value *ask(struct session *session, const char *kind, const char *name, const char *body,
                               const char *init) {
    const struct timing timing = {
        .name = arena_printf(session->arena, "constant.%s%s", kind, name), .body = body, .init = init, .writes = "a"};
    return session_value(session, &timing);
}

static void add_chains(struct session *session) {
    for (unsigned i = 0; i < N_FORMS; i++) {
        const struct value *value = ask(session, "", forms[i].name, forms[i].body, NULL);
        const struct card_entry head = parameter_head(session->arena, CONSTANT_CHAIN, forms[i].name);
        if (value)
            parameter_add(session, &head, value, 0.02,
                          value->high < executed ? "added at rename" : "executed: each waits for the one before it");
    }
}

// The largest constant that takes no time, where each smaller one takes none either.
static void add_largest(struct card *card, const struct card_entry *head, const struct value *const *values) {
    unsigned n = 0; // of the first that take no time
    while (n < N_CONSTANTS && values[n]->high < 2 * executed)
        n++;
    unsigned last = n;
    for (unsigned i = n; i < N_CONSTANTS; i++)
        last = values[i]->high < 2 * executed ? i + 1 : last;
    if (n == 0)
        card_add_unknown(card, head, "additions are executed: no constant is added at rename");
    else if (last > n)
        card_add_unknown(card, head, "larger constants take no time again behind some that do");
    else if (n == N_CONSTANTS)
        card_add_at_least(card, head, constants[n - 1], "the experiment reaches no further");
    else
        card_add_number(card, head, constants[n - 1], constants[n - 1], constants[n] - 1, 0);
}

// A constant that is added and subtracted again keeps the sum small, however long the chain is.
static void add_range(struct session *session) {
    const struct value *values[N_CONSTANTS];
    struct card *card = &session->card;
    struct card_entry head = parameter_head(session->arena, CONSTANT_RANGE, NULL);
    struct card_curve curve = {
        .name = "constant-range", .x = "constant, steps of the list", .y = "cycles of an addition and a subtraction"};
    bool is_missing = false;
    const char *why = NULL;
    for (unsigned i = 0; i < N_CONSTANTS; i++) {
        values[i] =
            ask(session, "range-", arena_printf(session->arena, "%d", constants[i]),
                arena_printf(session->arena, "add {a:r64}, %d\nsub {a}, %d\n", constants[i], constants[i]), NULL);
        is_missing = is_missing || !values[i];
        if (values[i] && value_is_usable(values[i]))
            *ARENA_ADD(session->arena, curve.points, curve.n_points) =
                (struct card_point){i, values[i]->cycles, values[i]->low, values[i]->high};
        else if (values[i])
            why = values[i]->why;
    }
    if (is_missing)
        return;
    head.curve = curve.name;
    if (curve.n_points)
        *ARENA_ADD(session->arena, card->curves, card->n_curves) = curve;
    if (why)
        card_add_unknown(card, &head, why);
    else
        add_largest(card, &head, values);
}

static void add_consumers(struct session *session) {
    static const double some = 0.3, more = 1.3; // cycles
    for (unsigned i = 0; i < N_CONSUMERS; i++) {
        const struct consumer *consumer = &consumers[i];
        const char *alone = consumer->init ? "mov {a:r64}, [{a}]\n" : consumer->body;
        const struct value *with =
                               ask(session, "then-", consumer->name,
                                   arena_printf(session->arena, "add {a:r64}, %d\n%s", consumer->added, consumer->body),
                                   consumer->init),
                           *without = ask(session, "without-", consumer->name, alone, consumer->init);
        const struct card_entry head = parameter_head(session->arena, CONSTANT_THEN, consumer->name);
        if (!with || !without)
            continue;
        const struct value more_by = value_less(with, without, 1);
        parameter_add(session, &head, &more_by, 0.02,
                      more_by.cycles < some   ? "the addition takes no time"
                      : more_by.cycles < more ? "the addition takes its cycle"
                                              : "waits longer than for an addition");
    }
}

void constants_find(struct session *session) {
    add_chains(session);
    add_range(session);
    add_consumers(session);
}
