// Latencies of loads: by addressing mode and where the address is, and by the size of the memory that a chase walks
// through.
#include "parameters/experiments.h"

#include <math.h>
#include <string.h>

// A word that holds its own address, or what the next load makes the same address of. rax goes through the chain.
static const struct mode {
    const char *isa, *name, *how, *setup, *body, *init;
} modes[] = {
    {"x86_64", "load-latency", "a chain of loads through a base register", NULL, "mov {a:r64}, [{a}]", "a: memory"},
    {"x86_64", "load-latency-displaced", "the same with a displacement of 8 bytes",
     "lea rax, [rsi - 8]\nmov [rsi], rax", "mov {a:rax}, [{a} + 8]", NULL},
    {"x86_64", "load-latency-far", "the same with a displacement of 4096 bytes",
     "lea rax, [rsi - 4096]\nmov [rsi], rax", "mov {a:rax}, [{a} + 4096]", NULL},
    {"x86_64", "load-latency-index", "the same through an index register", "mov rax, rsi",
     "mov {a:rax}, [{z:rcx} + {a}*1]", NULL},
    {"x86_64", "load-latency-scaled-index", "the same through an index register times 8",
     "mov rax, rsi\nshr rax, 3\nmov [rsi], rax", "mov {a:rax}, [{z:rcx} + {a}*8]", NULL},
    {"x86_64", "load-latency-unaligned", "the same at an odd address within a line",
     "lea rax, [rsi + 1]\nmov [rsi + 1], rax", "mov {a:rax}, [{a}]", NULL},
    {"x86_64", "load-latency-line-crossing", "the same across two lines", "lea rax, [rsi + 60]\nmov [rsi + 60], rax",
     "mov {a:rax}, [{a}]", NULL},
    {"x86_64", "load-latency-page-crossing", "the same across two pages",
     "lea rax, [rsi + 4092]\nmov [rsi + 4092], rax", "mov {a:rax}, [{a}]", NULL},
    {"aarch64", "load-latency", "a chain of loads through a base register", NULL, "ldr {a:x}, [{a}]", "a: memory"},
    {"riscv64", "load-latency", "a chain of loads through a base register", NULL, "ld {a:x}, 0({a})", "a: memory"},
};

static bool is_crossing(const struct mode *mode) {
    return strstr(mode->name, "crossing") || strstr(mode->name, "unaligned");
}

static void find_mode(struct session *session, const struct mode *mode) {
    const struct timing timing = {.name = mode->name,
                                  .body = arena_printf(session->arena, "%s\n", mode->body),
                                  .setup = mode->setup,
                                  .init = mode->init,
                                  .writes = "a"};
    const struct value *value = session_value(session, &timing);
    const struct card_entry head = {.group = "latencies",
                                    .name = mode->name,
                                    .unit = "latency, cycles",
                                    .how = mode->how,
                                    .example = is_crossing(mode) ? NULL : mode->body};
    if (!value)
        return;
    if (!value->is_good || !value->is_stable)
        card_add_unknown(&session->card, &head, value->why);
    else
        card_add_number(&session->card, &head, value->cycles, value->low, value->high, 0.02);
}

static const char *const sizes[] = {"4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K",
                                    "1M", "2M", "4M",  "8M",  "16M", "32M",  "64M",  "128M"};
enum { N_SIZES = sizeof sizes / sizeof *sizes, FIRST_KIB = 4 };

// Adds a level's latency and its size: between the last footprint that still has the level's latency and the next one,
// twice as large. Returns the number of the first footprint beyond.
static unsigned add_level(struct session *session, const char *level, const struct value *const *values, unsigned first,
                          double most) {
    double latency = values[first]->cycles;
    unsigned last = first;
    while (last + 1 < N_SIZES && values[last + 1]->is_good && values[last + 1]->cycles <= most * latency)
        last++;
    const char *how = "a chase through so much memory, in an order that no prefetcher follows";
    struct card_entry head = {.group = "latencies",
                              .name = arena_printf(session->arena, "%s-latency", level),
                              .unit = "cycles",
                              .how = how,
                              .curve = "memory-latency"};
    card_add_number(&session->card, &head, latency, values[first]->low, values[first]->high, 0.02);
    head.name = arena_printf(session->arena, "%s-size", level);
    head.unit = "KiB";
    double kib = FIRST_KIB * pow(2, last);
    if (last + 1 == N_SIZES)
        card_add_at_least(&session->card, &head, kib, "the chase reaches no further");
    else if (!values[last + 1]->is_good || !values[last + 1]->is_stable) // a neighbour may have taken its lines
        card_add_at_least(&session->card, &head, kib, "the next footprint has no steady time");
    else
        card_add_number(&session->card, &head, 1.5 * kib, kib, 2 * kib, 0);
    return last + 1;
}

static void find_levels(struct session *session) {
    const struct value *values[N_SIZES];
    struct card_curve curve = {
        .name = "memory-latency", .x = "footprint, 4 KiB to 128 MiB, doubled each step", .y = "cycles per load"};
    struct text body = {.arena = session->arena};
    bool is_missing = false, is_good = true;
    recipe_add(&body, session->recipe->lines[LINE_STEP], 0, "p");
    for (unsigned i = 0; i < N_SIZES; i++) {
        const struct timing timing = {.name = arena_printf(session->arena, "chase.%s", sizes[i]),
                                      .body = body.data,
                                      .unroll = 32,
                                      .chase = sizes[i]};
        values[i] = session_value(session, &timing);
        is_missing = is_missing || !values[i];
        is_good = is_good && values[i] && values[i]->is_good;
        if (values[i] && values[i]->is_good)
            *ARENA_ADD(session->arena, curve.points, curve.n_points) =
                (struct card_point){i, values[i]->cycles, values[i]->low, values[i]->high};
    }
    if (is_missing)
        return;
    *ARENA_ADD(session->arena, session->card.curves, session->card.n_curves) = curve;
    const struct card_entry head = {.group = "latencies",
                                    .name = "memory-latency",
                                    .unit = "cycles",
                                    .how = "a chase through 128 MiB",
                                    .curve = "memory-latency"};
    if (!is_good) {
        card_add_unknown(&session->card, &head, "some footprints could not be measured");
        return;
    }
    static const double same_first = 1.15, same_second = 1.5;
    unsigned second = add_level(session, "l1d", values, 0, same_first);
    if (second + 3 < N_SIZES) // the next two footprints may be partly of the first level
        add_level(session, "l2", values, second + 2, same_second);
    card_add_number(&session->card, &head, values[N_SIZES - 1]->cycles, values[N_SIZES - 1]->low,
                    values[N_SIZES - 1]->high, 0);
}

void latencies_find(struct session *session) {
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(modes[i].isa, session->recipe->isa) == 0)
            find_mode(session, &modes[i]);
    const struct card_entry head = {.group = "latencies", .name = "memory-latency", .unit = "cycles", .how = "chases"};
    if (session->is_simulated)
        card_add_unknown(&session->card, &head, "a simulated CPU has no caches");
    else
        find_levels(session);
}
