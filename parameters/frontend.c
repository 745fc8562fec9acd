// The front end: instructions per cycle by their length and by the footprint of the code, where code lies, taken
// branches by number and distance, prefixes that change an instruction's length. The instructions do nothing, or zero a
// register: so dispatch and the front end are the only limits.
#include "parameters/experiments.h"
#include "parameters/frontend_code.h"
#include "parameters/sweep.h"
#include "parameters/table.h"

#include <math.h>
#include <string.h>

// ---- what all of them need

static const char group[] = "front-end";

// ---- by length

enum { LONGEST = 15, SMALL_INSTRUCTIONS = 1024, LARGE_BYTES = 1 << 18 };

struct lengths {
    const char *name, *how;
    struct rate {
        double value, low, high; // instructions per cycle; 0: unknown
    } rates[LONGEST + 1];
};

// The most that `each` instructions per cycle, or bytes of them, reach at two lengths.
static void add_most(struct session *session, const struct lengths *lengths, bool is_bytes) {
    double most = 0, least = 0, high = 0;
    unsigned n = 0;
    static const double near = 0.03;
    for (unsigned i = 1; i <= LONGEST; i++)
        most = fmax(most, lengths->rates[i].value * (is_bytes ? i : 1));
    for (unsigned i = 1; i <= LONGEST; i++) {
        const struct rate *rate = &lengths->rates[i];
        double each = is_bytes ? i : 1;
        if (rate->value * each > most * (1 - near)) {
            least = n ? fmin(least, rate->value * each) : rate->value * each;
            high = fmax(high, rate->high * each);
            n++;
        }
    }
    const struct card_entry head = {
        .group = group,
        .name = arena_printf(session->arena, "%s-%s", lengths->name, is_bytes ? "bytes" : "instructions"),
        .unit = "per cycle",
        .how = arena_printf(session->arena, "the most at any length of %s", lengths->how),
        .curve = arena_printf(session->arena, "%s-by-length", lengths->name)};
    if (!n)
        card_add_unknown(&session->card, &head, "no length could be measured");
    else if (n < 2)
        card_add_at_least(&session->card, &head, least, "only one length reaches that");
    else
        card_add_number(&session->card, &head, most, least, high, near);
}

static void find_lengths(struct session *session, struct lengths *lengths, bool is_large) {
    struct card_curve curve = {.name = arena_printf(session->arena, "%s-by-length", lengths->name),
                               .x = "length of each instruction, bytes",
                               .y = "instructions per cycle"};
    bool is_missing = false;
    for (unsigned i = 1; i <= LONGEST; i++) {
        const struct timing timing = {.name = arena_printf(session->arena, "%s.%u", lengths->name, i),
                                      .body = frontend_nop(session, i),
                                      .unroll = is_large ? LARGE_BYTES / i : SMALL_INSTRUCTIONS};
        const struct value *value = session_value(session, &timing);
        const struct card_entry head = {.group = group,
                                        .name = arena_printf(session->arena, "%s-length-%u", lengths->name, i),
                                        .unit = "per cycle",
                                        .how = lengths->how,
                                        .curve = curve.name};
        is_missing = is_missing || !value;
        if (!value)
            continue;
        if (!value_is_usable(value)) {
            card_add_unknown(&session->card, &head, value->why);
            continue;
        }
        const struct rate rate = {1 / value->cycles, 1 / value->high, 1 / value->low};
        lengths->rates[i] = rate;
        card_add_number(&session->card, &head, rate.value, rate.low, rate.high, 0.008);
        *ARENA_ADD(session->arena, curve.points, curve.n_points) =
            (struct card_point){i, rate.value, rate.low, rate.high};
    }
    if (is_missing)
        return;
    add_most(session, lengths, false);
    add_most(session, lengths, true);
    *ARENA_ADD(session->arena, session->card.curves, session->card.n_curves) = curve;
}

// ---- by footprint

static const int instructions_grid[] = {256,  512,  768,   1024,  1536,  2048,  3072, 4096,
                                        6144, 8192, 12288, 16384, 24576, 32768, 65536};
enum { N_INSTRUCTIONS = sizeof instructions_grid / sizeof *instructions_grid };

static void add_footprint(struct session *session, const char *name, const char *what, const char *body,
                          const char *writes, unsigned units, double bytes) {
    int grid[N_INSTRUCTIONS];
    for (unsigned i = 0; i < N_INSTRUCTIONS; i++)
        grid[i] = instructions_grid[i] / (int)units;
    const struct sweep sweep = {.name = arena_printf(session->arena, "code-%s", name),
                                .body = body,
                                .writes = writes,
                                .units = units,
                                .grid = grid,
                                .n_grid = N_INSTRUCTIONS,
                                .n_base = 4,
                                .rise = 1.12};
    const struct step step = sweep_find(session, &sweep);
    struct card_entry head = {.group = group,
                              .name = sweep.name,
                              .unit = "instructions",
                              .how =
                                  arena_printf(session->arena, "straight code of %s: the largest at full speed", what),
                              .curve = sweep.name};
    if (!step.is_known)
        return;
    if (step.why) {
        card_add_unknown(&session->card, &head, step.why);
        return;
    }
    int low = step.low * (int)units, high = step.high * (int)units;
    if (step.is_beyond) {
        card_add_at_least(&session->card, &head, low, "larger code takes no longer");
        return;
    }
    card_add_number(&session->card, &head, (low + high) / 2.0, low, high, 0);
    session->card.entries[session->card.n_entries - 1].why =
        arena_printf(session->arena, "%.1f to %.1f KiB; %.2f per cycle up to there, %.2f in the largest code",
                     low * bytes / 1024, high * bytes / 1024, units / step.base, units / step.last);
}

static void find_footprints(struct session *session) {
    struct text four = {.arena = session->arena}, dense = {.arena = session->arena};
    frontend_add_zeroing(&four, 4);
    for (unsigned i = 0; i < 9; i++) { // 18 instructions in 64 bytes
        frontend_add_zeroing(&dense, 4);
        frontend_add_zeroing(&dense, i == 8 ? 4 : 3);
    }
    add_footprint(session, "nops-1", "1-byte nops", frontend_nop(session, 1), NULL, 1, 1);
    add_footprint(session, "zeroings-4", "4-byte zeroings", four.data, "d", 1, 4);
    add_footprint(session, "zeroings-dense", "zeroings, 18 in 64 bytes", dense.data, "d", 18, 64.0 / 18);
    add_footprint(session, "nops-8", "8-byte nops", frontend_nop(session, 8), NULL, 1, 8);
    add_footprint(session, "nops-15", "15-byte nops", frontend_nop(session, 15), NULL, 1, 15);
}

// ---- where code lies

// Eight instructions of four bytes at an offset in a line, between two jumps over what is left out. All jumps are
// short, so each copy is whole lines, and the offset is the same in all of them.
static void find_alignment(struct session *session) {
    static const unsigned offsets[] = {0, 8, 16, 24, 32, 40, 48, 56, 60};
    enum { N_OFFSETS = sizeof offsets / sizeof *offsets, LINE = 64, JUMP = 2, CODE = 32, BODY = 3 * LINE };
    const struct value *values[N_OFFSETS];
    struct card_curve curve = {
        .name = "alignment", .x = "offset of the first of 32 bytes in a line of 64", .y = "cycles"};
    bool is_missing = false, is_good = true;
    for (unsigned i = 0; i < N_OFFSETS; i++) {
        struct text body = {.arena = session->arena};
        text_addf(&body, "jmp 1f\n.skip %u, 0x90\n1:\n", LINE + offsets[i] - JUMP);
        for (unsigned k = 0; k < CODE / 4; k++)
            text_add(&body, frontend_nop(session, 4));
        text_addf(&body, "jmp 2f\n.skip %u, 0x90\n2:\n", BODY - LINE - offsets[i] - CODE - JUMP);
        const struct timing timing = {
            .name = arena_printf(session->arena, "alignment.%u", offsets[i]), .body = body.data, .unroll = 16};
        values[i] = session_value(session, &timing);
        is_missing = is_missing || !values[i];
        is_good = is_good && values[i] && value_is_usable(values[i]);
        if (values[i] && values[i]->is_good)
            *ARENA_ADD(session->arena, curve.points, curve.n_points) =
                (struct card_point){offsets[i], values[i]->cycles, values[i]->low, values[i]->high};
    }
    if (is_missing)
        return;
    for (unsigned i = 1; i < N_OFFSETS; i++) {
        const struct card_entry head = {
            .group = group,
            .name = arena_printf(session->arena, "alignment-%u", offsets[i]),
            .unit = "cycles",
            .how = "32 bytes of code at this offset in a line of 64, against the begin of the line: the difference",
            .curve = curve.name};
        const struct value more = value_less(values[i], values[0], 1);
        parameter_add(session, &head, &more, 0, NULL);
    }
    if (is_good)
        *ARENA_ADD(session->arena, session->card.curves, session->card.n_curves) = curve;
}

// ---- taken branches

// Jumps over the bytes to the next one, so many bytes apart.
static const char *jump_of(struct session *session, int distance) {
    enum { SHORT = 2, REACH = 127 };
    return distance - SHORT <= REACH ? arena_printf(session->arena, "jmp 1f\n.skip %d, 0x90\n1:\n", distance - SHORT)
                                     : NULL;
}

// Adds how long a few jumps take, how many run at full speed, and how many are remembered.
static void add_jumps(struct session *session, int distance, const char *curve, const struct value *few,
                      const struct step *fast, const struct step *remembered) {
    static const double by_place = 0.02; // where the code lies changes the number of those remembered, too
    const char *where = arena_printf(session->arena, "jumps %d bytes apart", distance);
    struct card_entry head = {.group = group,
                              .name = arena_printf(session->arena, "taken-%d-apart", distance),
                              .unit = "cycles",
                              .how = arena_printf(session->arena, "a chain of few %s: time of one", where),
                              .curve = curve};
    if (!value_is_usable(few))
        card_add_unknown(&session->card, &head, few->why);
    else
        card_add_number(&session->card, &head, few->cycles, few->low, few->high, 0.04);
    head.name = arena_printf(session->arena, "branches-fast-%d-apart", distance);
    head.unit = "branches";
    head.how = arena_printf(session->arena, "a chain of %s: the most at full speed", where);
    if (fast->why && fast->low <= 0)
        card_add_unknown(&session->card, &head, fast->why);
    else
        card_add_at_least(&session->card, &head, fast->low,
                          fast->is_beyond ? "more take no longer"
                                          : "then they take longer: other targets, or the code leaves the first level");
    head.name = arena_printf(session->arena, "branches-remembered-%d-apart", distance);
    head.how = arena_printf(session->arena, "a chain of %s: the most at up to 5 cycles each", where);
    if (remembered->why)
        card_add_unknown(&session->card, &head, remembered->why);
    else if (remembered->is_beyond)
        card_add_at_least(&session->card, &head, remembered->low, "more take no longer");
    else
        card_add_number(&session->card, &head, (remembered->low + remembered->high) / 2.0,
                        floor(remembered->low * (1 - by_place)), ceil(remembered->high * (1 + by_place)), 0);
}

static void find_jumps(struct session *session, int distance) {
    static const int grid[] = {64, 128, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384};
    enum { N_GRID = sizeof grid / sizeof *grid };
    struct sweep sweep = {.name = arena_printf(session->arena, "jumps-%d", distance),
                          .body = jump_of(session, distance),
                          .units = 1,
                          .grid = grid,
                          .n_grid = N_GRID,
                          .n_base = 3,
                          .rise = 1.3};
    const struct timing few = {
        .name = arena_printf(session->arena, "taken-%d-apart", distance), .body = sweep.body, .unroll = 64};
    const struct value *value = session_value(session, &few);
    const struct step fast = sweep_find(session, &sweep);
    // Branches that nothing remembers cost several times as much as all others.
    static const double most_remembered = 5;
    struct step remembered = {0};
    size_t n_curves = session->card.n_curves;
    if (fast.base > 0) {
        sweep.rise = most_remembered / fast.base;
        remembered = sweep_find(session, &sweep);
    } else { // nothing to compare with
        remembered = fast;
    }
    if (!value || !fast.is_known || !remembered.is_known)
        return;
    if (session->card.n_curves > n_curves) { // the same curve, with more points
        session->card.curves[n_curves - 1] = session->card.curves[n_curves];
        session->card.n_curves--;
    }
    add_jumps(session, distance, sweep.name, value, &fast, &remembered);
}

// ---- length-changing prefixes

static void find_prefixes(struct session *session, bool is_large) {
    // Both have 6 bytes: a prefix without an effect makes the first one as long. With rax, both would be shorter.
    static const char *const bodies[] = {".byte 0x2e\ntest {s:cx}, 0x1234\n", "test {s:ecx}, 0x12345678\n"};
    enum { LENGTH = 6 };
    const struct value *values[2];
    for (unsigned i = 0; i < 2; i++) {
        const struct timing timing = {
            .name = arena_printf(session->arena, "prefix-%s-%u", is_large ? "large" : "small", i ? 32 : 16),
            .body = bodies[i],
            .unroll = is_large ? LARGE_BYTES / LENGTH : SMALL_INSTRUCTIONS};
        values[i] = session_value(session, &timing);
    }
    if (!values[0] || !values[1])
        return;
    const struct card_entry head = {
        .group = group,
        .name = arena_printf(session->arena, "length-changing-prefix-%s", is_large ? "large" : "small"),
        .unit = "cycles",
        .how = arena_printf(session->arena, "a 16-bit immediate against one of 32 bits, in %s: the difference",
                            is_large ? "256 KiB of code" : "small code")};
    const struct value more = value_less(values[0], values[1], 1);
    parameter_add(session, &head, &more, 0, NULL);
}

void frontend_find(struct session *session) {
    const struct card_entry head = {.group = group, .name = group, .unit = "", .how = "straight code, and jumps"};
    if (session->is_simulated || strcmp(session->recipe->isa, "x86_64") != 0) {
        card_add_unknown(&session->card, &head,
                         session->is_simulated ? "a simulated CPU has no front end" : session_no_isa);
        return;
    }
    struct lengths small = {.name = "small-code", .how = "nops of one length, 1024 of them"},
                   large = {.name = "large-code", .how = "nops of one length, 256 KiB of them"};
    static const int distances[] = {8, 16, 32, 64};
    find_lengths(session, &small, false);
    find_lengths(session, &large, true);
    find_footprints(session);
    loops_find(session);
    find_alignment(session);
    for (unsigned i = 0; i < sizeof distances / sizeof *distances; i++)
        find_jumps(session, distances[i]);
    targets_find(session);
    find_prefixes(session, false);
    find_prefixes(session, true);
}
