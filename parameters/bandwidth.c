// Bandwidth: loads and stores of the widest vectors that walk through more and more memory, line by line; and what
// loads and stores across a boundary cost where many are under way.
#include "parameters/experiments.h"

#include <math.h>
#include <string.h>

enum { LINE = 64, LINES_AT_ONCE = 4, N_RINGS = 2 };

static const struct size {
    const char *ring; // of two
    unsigned kib;     // both together
} sizes[] = {
    {"4K", 8},      {"8K", 16},   {"16K", 32},  {"32K", 64},  {"64K", 128},  {"128K", 256},  {"256K", 512},
    {"512K", 1024}, {"1M", 2048}, {"2M", 4096}, {"4M", 8192}, {"8M", 16384}, {"16M", 32768}, {"32M", 65536},
};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

// Widest vectors of which the CPU has the feature; the others cannot be run.
static const struct width {
    const char *isa, *class, *feature;
    unsigned bytes;
} widths[] = {
    {"x86_64", "zmm", "avx512f", 64},
    {"x86_64", "ymm", "avx", 32},
    {"x86_64", "xmm", "avx", 16},
    {"aarch64", "q", NULL, 16},
};
enum { N_WIDTHS = sizeof widths / sizeof *widths };

// Loads or stores of all parts of some lines, of both rings in turn.
static void add_accesses(struct text *body, const struct width *width, bool is_store, bool is_aarch64) {
    static const char *const places[][2] = {{"[{p:r64} + {i:rcx} + %u]", "[{q:r64} + {i:rcx} + %u]"},
                                            {"[{e:x}, #%u]", "[{f:x}, #%u]"}};
    unsigned per_line = LINE / width->bytes, number = 0;
    for (unsigned offset = 0; offset < LINES_AT_ONCE * LINE; offset += LINE / per_line)
        for (unsigned ring = 0; ring < N_RINGS; ring++, number++) {
            const char *hole = strstr(places[is_aarch64][ring], "%u");
            const char *place = arena_printf(body->arena, "%.*s%u%s", (int)(hole - places[is_aarch64][ring]),
                                             places[is_aarch64][ring], offset, hole + 2);
            const char *value = is_store
                                    ? arena_printf(body->arena, "{t:%s}", width->class)
                                    : arena_printf(body->arena, "{v%u:%s}", number % RECIPE_REGISTERS, width->class);
            if (is_aarch64)
                text_addf(body, "%s %s, %s\n", is_store ? "str" : "ldr", value, place);
            else if (is_store)
                text_addf(body, "vmovups %s, %s\n", place, value);
            else
                text_addf(body, "vmovups %s, %s\n", value, place);
        }
}

// Both rings lie one behind the other. Nothing chases in them: an index walks through the lines of each. In large
// rings, a call ends long before it has seen all of them. So each begins at another line, which the time decides: else
// it would find again what the one before it has left in the caches.
static const struct value *ask(struct session *session, const struct size *size, const struct width *width,
                               bool is_store) {
    static const unsigned least_kib = 512;
    struct text body = {.arena = session->arena};
    bool is_aarch64 = strcmp(width->isa, "aarch64") == 0, begins_anywhere = size->kib >= least_kib;
    unsigned last = size->kib / N_RINGS * 1024 - 1, first = last & ~(LINE * LINES_AT_ONCE - 1U);
    if (is_aarch64)
        text_add(&body, "add {e:x}, {p:x}, {i:x2}\nadd {f:x}, {q:x}, {i}\n");
    add_accesses(&body, width, is_store, is_aarch64);
    text_addf(&body, is_aarch64 ? "add {i}, {i}, #%u\nand {i}, {i}, #%u\n" : "add {i}, %u\nand {i}, %u\n",
              LINE * LINES_AT_ONCE, last);
    const char *start = is_aarch64
                            ? arena_printf(session->arena,
                                           "mrs x2, cntvct_el0\nmov w3, #0x79b1\nmovk w3, #0x1e37, lsl #16\n"
                                           "mul x2, x2, x3\nand x2, x2, #%u",
                                           first)
                            : arena_printf(session->arena, "rdtsc\nimul rcx, rax, 0x1E3779B1\nand rcx, %u", first);
    const struct timing timing = {.name = arena_printf(session->arena, "%s-bandwidth.%s.%u",
                                                       is_store ? "store" : "load", width->class, size->kib),
                                  .body = body.data,
                                  .feature = width->feature,
                                  .setup = begins_anywhere ? start : NULL,
                                  .writes = is_aarch64 ? "i, e, f" : "i",
                                  .implicit = !begins_anywhere ? NULL
                                              : is_aarch64     ? "x3"
                                                               : "rax, rdx",
                                  .chase = size->ring};
    return session_value(session, &timing);
}

// Finds the widest vectors that run, and their value at the smallest footprint; `widths + N_WIDTHS`: none do, and the
// value states why. Null: it is not measured yet.
static const struct width *find_widest(struct session *session, bool is_store, const struct value **first) {
    const struct width *width = widths;
    for (; width < widths + N_WIDTHS; width++) {
        if (strcmp(width->isa, session->recipe->isa) != 0)
            continue;
        *first = ask(session, &sizes[0], width, is_store);
        if (!*first)
            return NULL;
        if ((*first)->is_good)
            break;
    }
    return width;
}

// The rate of a footprint: an entry of the card, and a point of its curve. `width`: null: no vectors run.
static void add_rate(struct session *session, unsigned i, const char *what, const struct width *width,
                     const struct value *value, struct card_curve *curve) {
    const double bytes = N_RINGS * LINE * LINES_AT_ONCE;
    const struct card_entry head = {
        .group = "bandwidth",
        .name = sizes[i].kib < 1024 ? arena_printf(session->arena, "%s-%u-KiB", what, sizes[i].kib)
                                    : arena_printf(session->arena, "%s-%u-MiB", what, sizes[i].kib / 1024),
        .unit = "bytes per cycle",
        .how =
            width ? arena_printf(session->arena, "%ss of %u bytes that walk through so much memory", what, width->bytes)
                  : arena_printf(session->arena, "%ss that walk through so much memory", what),
        .curve = curve->name};
    if (!value->is_good)
        card_add_unknown(&session->card, &head, value->why);
    else if (!value->is_stable) // a neighbour only takes of it
        card_add_at_least(&session->card, &head, bytes / value->high, value->why);
    else
        card_add_number(&session->card, &head, bytes / value->cycles, bytes / value->high, bytes / value->low, 0.02);
    if (value->is_good)
        *ARENA_ADD(session->arena, curve->points, curve->n_points) =
            (struct card_point){i, bytes / value->cycles, bytes / value->high, bytes / value->low};
}

static void find_bandwidth(struct session *session, bool is_store) {
    const char *what = is_store ? "store" : "load";
    const struct value *values[N_SIZES] = {0};
    struct card_curve curve = {.name = arena_printf(session->arena, "%s-bandwidth", what),
                               .x = "footprint, 8 KiB to 64 MiB, doubled each step",
                               .y = "bytes per cycle"};
    const struct width *width = find_widest(session, is_store, &values[0]);
    if (!width)
        return;
    const bool is_there = width < widths + N_WIDTHS;
    bool is_missing = false;
    for (unsigned i = 0; i < N_SIZES; i++) {
        values[i] = is_there ? ask(session, &sizes[i], width, is_store) : values[0];
        is_missing = is_missing || !values[i];
    }
    if (is_missing)
        return;
    for (unsigned i = 0; i < N_SIZES; i++)
        add_rate(session, i, what, is_there ? width : NULL, values[i], &curve);
    *ARENA_ADD(session->arena, session->card.curves, session->card.n_curves) = curve;
}

// ---- boundaries

static void find_boundary(struct session *session) {
    static const unsigned boundaries[] = {16, 32, 64, 128};
    enum { N = sizeof boundaries / sizeof *boundaries, BYTES = 8 };
    static const double least = 0.5; // cycles
    const struct value *values[N + 1];
    bool is_missing = false;
    for (unsigned i = 0; i <= N; i++) {
        unsigned offset = i < N ? boundaries[i] - BYTES / 2 : 1;
        bool is_aarch64 = strcmp(session->recipe->isa, "aarch64") == 0;
        const struct timing timing = {
            .name = arena_printf(session->arena, "load-at-%u", offset),
            .body = is_aarch64 ? "ldr {a:x2}, [{a}]\n" : "mov {a:rax}, [{a}]\n",
            .setup = is_aarch64
                         ? arena_printf(session->arena, "add x2, x1, #%u\nstr x2, [x2]", offset)
                         : arena_printf(session->arena, "lea rax, [rsi + %u]\nmov [rsi + %u], rax", offset, offset),
            .writes = "a"};
        values[i] = session_value(session, &timing);
        is_missing = is_missing || !values[i];
    }
    const struct card_entry head = {.group = "bandwidth",
                                    .name = "line-size",
                                    .unit = "bytes",
                                    .how = "the smallest boundary that costs a chain of loads across it time"};
    if (is_missing)
        return;
    for (unsigned i = 0; i <= N; i++)
        if (!value_is_usable(values[i])) {
            card_add_unknown(&session->card, &head, values[i]->why);
            return;
        }
    for (unsigned i = 0; i < N; i++)
        if (values[i]->low > values[N]->high + least) {
            card_add_number(&session->card, &head, boundaries[i], boundaries[i], boundaries[i], 0);
            return;
        }
    card_add_unknown(&session->card, &head, "no boundary to 128 bytes costs half a cycle");
}

static void find_crossings(struct session *session) {
    static const struct crossing {
        const char *isa, *name, *how, *body, *setup;
    } crossings[] = {
        {"x86_64", "load-across-lines", "independent loads across two lines", "mov {d$i:r64}, [{m:r64} + 60]", NULL},
        {"x86_64", "load-across-pages", "independent loads across two pages", "mov {d$i:r64}, [{m:r64} + 4092]", NULL},
        {"x86_64", "store-across-lines", "stores across two lines", "mov [{m:r64} + 60], {s:r64}", NULL},
        {"x86_64", "store-across-pages", "stores across two pages", "mov [{m:r64} + 4092], {s:r64}", NULL},
        {"aarch64", "load-across-lines", "independent loads across two lines", "ldr {d$i:x}, [{m:x}, #60]", NULL},
        {"aarch64", "load-across-pages", "independent loads across two pages", "ldr {d$i:x}, [{e:x2}]",
         "add x2, x1, #4080\nadd x2, x2, #12"},
        {"aarch64", "store-across-lines", "stores across two lines", "str {s:x}, [{m:x}, #60]", NULL},
        {"aarch64", "store-across-pages", "stores across two pages", "str {s:x}, [{e:x2}]",
         "add x2, x1, #4080\nadd x2, x2, #12"},
    };
    for (size_t i = 0; i < sizeof crossings / sizeof *crossings; i++) {
        struct text body = {.arena = session->arena};
        if (strcmp(crossings[i].isa, session->recipe->isa) != 0)
            continue;
        for (unsigned k = 0; k < RECIPE_REGISTERS; k++)
            recipe_add(&body, crossings[i].body, k, "p");
        const struct timing timing = {.name = crossings[i].name,
                                      .body = body.data,
                                      .setup = crossings[i].setup,
                                      .writes = crossings[i].setup ? "e" : NULL};
        const struct value *value = session_value(session, &timing);
        const struct card_entry head = {
            .group = "bandwidth", .name = crossings[i].name, .unit = "cycles", .how = crossings[i].how};
        if (!value)
            continue;
        if (!value_is_usable(value))
            card_add_unknown(&session->card, &head, value->why);
        else
            card_add_number(&session->card, &head, value->cycles / RECIPE_REGISTERS, value->low / RECIPE_REGISTERS,
                            value->high / RECIPE_REGISTERS, 0.02);
    }
}

void bandwidth_find(struct session *session) {
    const struct card_entry head = {.group = "bandwidth", .name = "bandwidth", .unit = "", .how = "loads and stores"};
    bool is_there = strcmp(session->recipe->isa, "x86_64") == 0 || strcmp(session->recipe->isa, "aarch64") == 0;
    if (session->is_simulated || !is_there) {
        card_add_unknown(&session->card, &head,
                         session->is_simulated ? "a simulated CPU has no caches and no lines" : session_no_isa);
        return;
    }
    find_bandwidth(session, false);
    find_bandwidth(session, true);
    find_boundary(session);
    find_crossings(session);
}
