// Flags of logic operations. On some CPUs, a conditional move or a set behind a test, and, or, xor waits longer than
// behind a compare. The chain goes through the result alone: no flag waits for it.
#include "parameters/experiments.h"

#include "parameters/table.h"

static const struct producer {
    const char *name, *line, *writes;
} producers[] = {
    {"cmp", "cmp {s:r64}, {r:r64}", "a"},    {"test", "test {s:r64}, {s}", "a"},
    {"and", "and {b:r64}, {s:r64}", "a, b"}, {"or", "or {b:r64}, {s:r64}", "a, b"},
    {"xor", "xor {b:r64}, {s:r64}", "a, b"}, {"add", "add {b:r64}, {s:r64}", "a, b"},
    {"sub", "sub {b:r64}, {s:r64}", "a, b"},
};
static const struct consumer {
    const char *name, *line;
} consumers[] = {{"cmov", "cmove {a:r64}, {s:r64}"}, {"set", "sete {a:r8}"}};
enum { N_PRODUCERS = sizeof producers / sizeof *producers, N_CONSUMERS = sizeof consumers / sizeof *consumers };

static const struct value *ask(struct session *session, const struct producer *producer,
                               const struct consumer *consumer) {
    const struct timing timing = {.name = arena_printf(session->arena, "flags.%s-%s", producer->name, consumer->name),
                                  .body = arena_printf(session->arena, "%s\n%s\n", producer->line, consumer->line),
                                  .writes = producer->writes};
    return session_value(session, &timing);
}

void logic_flags_find(struct session *session) {
    static const double some = 0.3; // cycles
    for (unsigned c = 0; c < N_CONSUMERS; c++) {
        const struct value *compare = ask(session, &producers[0], &consumers[c]);
        for (unsigned p = 1; p < N_PRODUCERS; p++) {
            const struct value *value = ask(session, &producers[p], &consumers[c]);
            const struct card_entry head =
                parameter_head(session->arena, FLAGS_WAIT,
                               arena_printf(session->arena, "%s-%s", producers[p].name, consumers[c].name));
            if (!value || !compare)
                continue;
            const struct value wait = value_less(value, compare, 1);
            parameter_add(session, &head, &wait, 0.02, wait.low > some ? "waits longer" : "no wait");
        }
    }
}
