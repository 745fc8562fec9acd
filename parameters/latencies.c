// Latencies of loads: by addressing mode and where the address is, and by the size of the memory that a chase walks
// through.
#include "parameters/experiments.h"

#include "parameters/points.h"

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
    if (!value_is_usable(value))
        card_add_unknown(&session->card, &head, value->why);
    else
        card_add_number(&session->card, &head, value->cycles, value->low, value->high, 0.02);
}

// ---- levels

enum { FIRST_KIB = 4, LAST_KIB = 131072, MOST_FREE_KIB = 4096 }; // free: any size below this

static const char chase_how[] = "a chase through so much memory, in an order that no prefetcher follows";

// A chase by footprint.
struct chases {
    struct session *session;
    struct points points; // by KiB
    bool is_good;
};

static void probe(struct chases *chases, int kib, bool is_rough) {
    struct session *session = chases->session;
    struct text body = {.arena = session->arena};
    if (points_find(&chases->points, kib) < chases->points.n)
        return;
    recipe_add(&body, session->recipe->lines[LINE_STEP], 0, "p");
    const struct timing timing = {
        .name = arena_printf(session->arena, "chase.%dK", kib),
        .body = body.data,
        .unroll = 32,
        .chase = arena_printf(session->arena, "%dK%s", kib, kib <= MOST_FREE_KIB ? " in blocks" : ""),
        .is_rough = is_rough};
    const struct value *value = session_value(session, &timing);
    session_doubt(session, timing.name);
    chases->is_good = chases->is_good && value && (value->is_good || is_rough);
    points_take(session->arena, &chases->points, kib, value);
}

// A level of caches. Up to `low` KiB, a load takes about as long as in its first footprint; from `high` on much longer.
struct cache_level {
    int low, high;             // KiB; high: 0: no footprint behind it has a steady time
    int next;                  // the first footprint that is not all of this level, KiB; 0: none
    const struct value *first; // null: no footprint is of this level alone
};

static struct cache_level find_level(const struct points *points, int from_kib, double same, double other) {
    struct cache_level level = {0};
    size_t i = 0;
    while (i < points->n && points->items[i].x < from_kib)
        i++;
    if (i == points->n)
        return level;
    level.first = points->items[i].value;
    for (; i < points->n && points->items[i].value->cycles <= same * level.first->cycles; i++)
        level.low = points->items[i].x;
    level.next = i < points->n ? points->items[i].x : 0;
    for (; i < points->n && !level.high; i++)
        if (points->items[i].value->is_stable && points->items[i].value->cycles > other * level.first->cycles)
            level.high = points->items[i].x;
    return level;
}

// Finer footprints around the end of a level.
static void refine(struct chases *chases, const struct cache_level *level) {
    enum { PARTS = 8 };
    int to = level->high ? level->high : level->next;
    if (!level->first || !to || to > MOST_FREE_KIB || level->low + PARTS > to)
        return;
    for (int k = 1; k < PARTS; k++)
        probe(chases, level->low + (to - level->low) * k / PARTS, true);
}

static const char *const level_names[] = {"l1d", "l2"};
enum { N_LEVELS = sizeof level_names / sizeof *level_names };

// `why`: why the levels cannot be found; null: they can.
static void add_level(struct session *session, const char *name, const struct cache_level *level, const char *why) {
    struct card_entry head = {.group = "latencies",
                              .name = arena_printf(session->arena, "%s-latency", name),
                              .unit = "cycles",
                              .how = chase_how,
                              .curve = "memory-latency"};
    if (why || !level->first || !level->first->is_stable)
        card_add_unknown(&session->card, &head,
                         why            ? why
                         : level->first ? level->first->why
                                        : "no footprint is of this level alone");
    else
        card_add_number(&session->card, &head, level->first->cycles, level->first->low, level->first->high, 0.02);
    head.name = arena_printf(session->arena, "%s-size", name);
    head.unit = "KiB";
    if (why || !level->first || !level->first->is_stable)
        card_add_unknown(&session->card, &head, why ? why : "its latency is not known");
    else if (!level->next)
        card_add_at_least(&session->card, &head, level->low, "the chase reaches no further");
    else if (!level->high || level->high > 4 * level->low) // a neighbour may have taken its lines
        card_add_step_seen(&session->card, &head, level->low, level->next, "larger footprints have no steady time");
    else
        card_add_number(&session->card, &head, (level->low + level->high) / 2.0, level->low, level->high, 0);
}

static void add_curve(const struct chases *chases) {
    struct session *session = chases->session;
    struct card_curve curve = {
        .name = "memory-latency", .x = "footprint, doublings of 4 KiB: 3 is 32 KiB", .y = "cycles per load"};
    for (size_t i = 0; i < chases->points.n; i++) {
        const struct value *value = chases->points.items[i].value;
        *ARENA_ADD(session->arena, curve.points, curve.n_points) = (struct card_point){
            log2((double)chases->points.items[i].x / FIRST_KIB), value->cycles, value->low, value->high};
    }
    *ARENA_ADD(session->arena, session->card.curves, session->card.n_curves) = curve;
}

static void find_levels(struct session *session) {
    struct chases chases = {.session = session, .is_good = true};
    struct cache_level first = {0}, second = {0};
    static const double same = 1.15, other_first = 1.5, other_second = 2;
    for (int kib = FIRST_KIB; kib <= LAST_KIB; kib *= 2)
        probe(&chases, kib, false);
    for (unsigned turn = 0; turn < 2 && !chases.points.is_missing && chases.is_good; turn++) {
        first = find_level(&chases.points, FIRST_KIB, same, other_first);
        refine(&chases, &first);
        // Four times as much as the first level has is hardly of it: less than a part in a thousand of the loads hit
        // it.
        int behind = first.high ? first.high : first.next;
        second = behind ? find_level(&chases.points, 4 * behind, same, other_second) : second;
        refine(&chases, &second);
    }
    if (chases.points.is_missing)
        return;
    add_curve(&chases);
    const struct card_entry head = {.group = "latencies",
                                    .name = "memory-latency",
                                    .unit = "cycles",
                                    .how = "a chase through 128 MiB",
                                    .curve = "memory-latency"};
    const char *why = chases.is_good      ? NULL
                      : chases.points.why ? chases.points.why
                                          : "some footprints could not be measured";
    add_level(session, level_names[0], &first, why);
    add_level(session, level_names[1], &second, why);
    if (why) {
        card_add_unknown(&session->card, &head, why);
        return;
    }
    const struct value *last = chases.points.items[chases.points.n - 1].value;
    card_add_number(&session->card, &head, last->cycles, last->low, last->high, 0);
}

void latencies_find(struct session *session) {
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(modes[i].isa, session->recipe->isa) == 0)
            find_mode(session, &modes[i]);
    load_widths_find(session);
    const struct card_entry head = {.group = "latencies", .name = "memory-latency", .unit = "cycles", .how = "chases"};
    static const char none[] = "a simulated CPU has no caches";
    for (unsigned i = 0; i < N_LEVELS && session->is_simulated; i++)
        add_level(session, level_names[i], &(struct cache_level){0}, none);
    if (session->is_simulated)
        card_add_unknown(&session->card, &head, none);
    else
        find_levels(session);
}
