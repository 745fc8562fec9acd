// Stores by line in program order. Some CPUs write two stores to the cache in one cycle only where they are neighbours
// in program order, and of one line.
#include "parameters/experiments.h"

#include "parameters/table.h"

#include <string.h>

// Lines of the stores, as letters. The stores of a letter go through its line, 8 bytes further each time.
static const struct order {
    const char *name, *lines;
    bool is_one_address; // all of a line's go to its first bytes
} orders[] = {
    {"one-address", "AAAAAAAA", true},        {"one-line", "AAAAAAAA", false},
    {"two-lines-in-turn", "ABABABAB", false}, {"two-lines-by-two", "AABBAABB", false},
    {"two-lines-by-three", "AAABBB", false},  {"eight-lines", "ABCDEFGH", false},
};
enum { N_ORDERS = sizeof orders / sizeof *orders, LINE = 64, BYTES = 8, IN_TURN = 2, BY_TWO = 3 };

static const struct value *ask(struct session *session, const struct order *order) {
    struct text body = {.arena = session->arena};
    unsigned next[8] = {0};
    bool is_aarch64 = strcmp(session->recipe->isa, "aarch64") == 0;
    for (const char *c = order->lines; *c; c++) {
        unsigned line = (unsigned)(*c - 'A'),
                 at = LINE * (line + 1) + (order->is_one_address ? 0 : BYTES * next[line]++);
        text_addf(&body, is_aarch64 ? "str {s:x}, [{m:x}, #%u]\n" : "mov [{m:r64} + %u], {s:r64}\n", at);
    }
    const struct timing timing = {.name = arena_printf(session->arena, "stores-to.%s", order->name), .body = body.data};
    return session_value(session, &timing);
}

void store_lines_find(struct session *session) {
    static const double near = 0.03, faster = 1.2;
    bool is_there = strcmp(session->recipe->isa, "x86_64") == 0 || strcmp(session->recipe->isa, "aarch64") == 0;
    const struct value no_isa = {.why = session_no_isa};
    const struct value *values[N_ORDERS];
    bool is_missing = false;
    for (unsigned i = 0; i < N_ORDERS; i++) {
        values[i] = is_there ? ask(session, &orders[i]) : &no_isa;
        is_missing = is_missing || !values[i];
    }
    if (is_missing)
        return;
    struct value rates[N_ORDERS];
    for (unsigned i = 0; i < N_ORDERS; i++) {
        const struct card_entry head = parameter_head(session->arena, STORES_TO, orders[i].name);
        rates[i] = value_rate(values[i], (double)strlen(orders[i].lines));
        parameter_add(session, &head, &rates[i], near, NULL);
    }
    const struct card_entry head = parameter_head(session->arena, STORE_LINE_ORDER, NULL);
    const struct value times = value_ratio(&rates[BY_TWO], &rates[IN_TURN]);
    parameter_add(session, &head, &times, near,
                  times.low > faster ? "neighbours in program order that are of one line share a cycle"
                                     : "the order does not matter");
}
