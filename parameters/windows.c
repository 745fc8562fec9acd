// Windows: how many instructions the CPU holds at once. Two chases miss all caches, independent of each other, with k
// fillers behind each. While a buffer holds the first miss, k fillers and the second miss, both are under way together.
// With one filler more, the second begins where the first has ended, and an iteration takes twice as long. The knee of
// the curve is the buffer's size. (Henry Wong, "Measuring Reorder Buffer Capacity", 2013.)
#include "parameters/experiments.h"
#include "parameters/window.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct window windows[] = {
    {.name = "nop", .lines = {LINE_NOP}, .n_lines = 1, .reaches_far = true},
    {.name = "integer", .lines = {LINE_INTEGER}, .n_lines = 1},
    {.name = "vector", .lines = {LINE_VECTOR}, .n_lines = 1},
    {.name = "mixed", .lines = {LINE_INTEGER, LINE_VECTOR}, .n_lines = 2},
    {.name = "three-kinds", .lines = {LINE_INTEGER, LINE_VECTOR, LINE_COMPARE}, .n_lines = 3},
    {.name = "four-kinds", .lines = {LINE_INTEGER, LINE_VECTOR, LINE_INTEGER, LINE_COMPARE}, .n_lines = 4},
    {.name = "load", .lines = {LINE_LOAD, LINE_LOAD_WIDE}, .n_lines = 2},
    {.name = "store", .lines = {LINE_STORE}, .n_lines = 1},
    {.name = "integer-waits", .lines = {LINE_INTEGER_WAITS}, .n_lines = 1},
    {.name = "vector-waits", .lines = {LINE_VECTOR_WAITS}, .n_lines = 1, .leads = LINE_VECTOR_LEADS},
    {.name = "load-waits", .lines = {LINE_LOAD_WAITS}, .n_lines = 1},
    {.name = "integer-shared", .lines = {LINE_INTEGER_WAITS}, .n_lines = 1, .leading = 8},
    {.name = "vector-shared", .lines = {LINE_VECTOR_WAITS}, .n_lines = 1, .leads = LINE_VECTOR_LEADS, .leading = 8},
    {.name = "zero", .lines = {LINE_ZERO}, .n_lines = 1},
    {.name = "move", .lines = {LINE_MOVE}, .n_lines = 1},
    {.name = "vector-move", .lines = {LINE_VECTOR_MOVE}, .n_lines = 1},
    {.name = "branch", .lines = {LINE_BRANCH}, .n_lines = 1},
    {.name = "zero-and-nop", .lines = {LINE_ZERO, LINE_NOP}, .n_lines = 2},
    {.name = "compare", .lines = {LINE_COMPARE}, .n_lines = 1},
    {.name = "compare-and-integer", .lines = {LINE_COMPARE, LINE_INTEGER}, .n_lines = 2},
    {.name = "mask", .lines = {LINE_MASK}, .n_lines = 1},
    {.name = "vector-led", .lines = {LINE_VECTOR_WAITS}, .n_lines = 1, .leads = LINE_VECTOR_LEADS, .more_leads = 8},
};
enum {
    NOP,
    INTEGER,
    VECTOR,
    MIXED,
    THREE_KINDS,
    FOUR_KINDS,
    LOAD,
    STORE,
    INTEGER_WAITS,
    VECTOR_WAITS,
    LOAD_WAITS,
    INTEGER_SHARED,
    VECTOR_SHARED,
    ZERO,
    MOVE,
    VECTOR_MOVE,
    BRANCH,
    ZERO_AND_NOP,
    COMPARE,
    COMPARE_AND_INTEGER,
    MASK,
    VECTOR_LED,
    N_WINDOWS
};

// The entries. Another limit may hide one.
static const char until[] = "two misses with fillers between them that wait for the first";
static const struct limited {
    const char *name, *unit, *how;
    unsigned which;         // number of its window
    const char *limit_name; // of the other limit
    int extra;              // entries that are taken besides the fillers
} rows[] = {
    {"reorder-buffer", "instructions",
     "two misses with fillers between them, of several kinds; the largest window that two kinds share", THREE_KINDS,
     NULL, 2},
    {"registers-integer", "in flight", "two misses with fillers between them that write a general register", INTEGER,
     "the reorder buffer", 2},
    {"registers-vector", "in flight", "two misses with fillers between them that write a vector register", VECTOR,
     "the reorder buffer", 0},
    {"flags", "in flight", "two misses with fillers between them that write only flags", COMPARE, "the reorder buffer",
     0},
    {"masks", "in flight", "two misses with fillers between them that write a mask register", MASK,
     "the reorder buffer", 0},
    {"load-queue", "entries", "two misses with loads between them, of both register files", LOAD,
     "the reorder buffer or a register file", 2},
    {"store-queue", "entries", "two misses with stores between them", STORE, "the reorder buffer", 0},
    {"scheduler-integer", "entries", until, INTEGER_WAITS, "the reorder buffer or the register file", 0},
    {"scheduler-vector", "entries", until, VECTOR_WAITS, "the reorder buffer or the register file", 0},
    {"scheduler-load", "entries", until, LOAD_WAITS, "the load queue", 1},
};
enum {
    REORDER_BUFFER,
    REGISTERS_INTEGER,
    REGISTERS_VECTOR,
    FLAGS,
    MASKS,
    LOAD_QUEUE,
    STORE_QUEUE,
    SCHEDULER_INTEGER,
    SCHEDULER_VECTOR,
    SCHEDULER_LOAD,
    N_ROWS
};

// What the entries are found with.
struct finding {
    struct session *session;
    struct fillers fillers;
    struct knee knees[N_WINDOWS];
    struct knee buffer; // the reorder buffer
};

static const struct value *ask_pair(struct session *session, const char *name, const char *first, const char *second,
                                    unsigned unroll) {
    struct text body = {.arena = session->arena};
    recipe_add(&body, session->recipe->lines[LINE_STEP], 0, first);
    recipe_add(&body, session->recipe->lines[LINE_STEP], 0, second);
    const struct timing timing = {
        .name = arena_printf(session->arena, "%s.x%u", name, unroll), .body = body.data, .unroll = unroll};
    return session_value(session, &timing);
}

// One: the median of all windows with few fillers, as memory is noisy. Two: twice that. Misses in turn must take about
// as long, or the two never overlap, and the curve shows nothing.
static struct levels ask_levels(struct session *session, const struct fillers *fillers) {
    static const unsigned few[] = {4, 8, 12}, unrolls[] = {8, 16, 32};
    static const double least = 1.5;
    double together[N_WINDOWS * 3 + 3], in_turn[3];
    size_t n_together = 0, n_in_turn = 0;
    bool is_missing = false;
    struct levels levels = {0};
    const char *trouble = NULL;
    for (size_t u = 0; u < 3; u++) {
        const struct value *one = ask_pair(session, "window.together", "p", "q", unrolls[u]),
                           *two = ask_pair(session, "window.in-turn", "p", "p", unrolls[u]);
        is_missing = is_missing || !one || !two;
        if (one && one->is_good)
            together[n_together++] = one->cycles;
        if (two && two->is_good)
            in_turn[n_in_turn++] = two->cycles;
        else if (two)
            trouble = two->why;
    }
    for (unsigned i = INTEGER; i < N_WINDOWS; i++)
        for (size_t k = 0; k < 3 && !window_why_not(fillers, &windows[i]); k++) {
            const struct value *value = window_ask(session, fillers, &windows[i], few[k]);
            is_missing = is_missing || !value;
            if (value && value->is_good)
                together[n_together++] = value->cycles;
        }
    levels.is_known = !is_missing;
    if (is_missing)
        return levels;
    if (!n_together || !n_in_turn) {
        levels.why = trouble ? trouble : "the time of a miss could not be measured";
        return levels;
    }
    levels.one = median_of(together, n_together);
    levels.two = 2 * levels.one;
    if (!(median_of(in_turn, n_in_turn) > least * levels.one))
        levels.why = "two independent misses take about as long as two in turn";
    return levels;
}

// The head of an entry that a window shows.
static struct card_entry head_of(const struct finding *finding, const struct limited *row, unsigned which) {
    return (struct card_entry){
        .group = "windows",
        .name = row->name,
        .unit = row->unit,
        .how = row->how,
        .example = finding->fillers.lines[windows[which].lines[0]],
        .curve = arena_printf(finding->session->arena, "window-%s", windows[which].name),
    };
}

static const char unsteady[] = "more have no steady time";

static void add_entry(const struct finding *finding, const struct card_entry *head, const struct knee *knee,
                      int extra) {
    struct card *card = &finding->session->card;
    if (knee->why)
        card_add_unknown(card, head, knee->why);
    else if (knee->is_open && knee->seen_high)
        card_add_step_seen(card, head, knee->seen_low + extra, knee->seen_high + extra, unsteady);
    else if (knee->is_open)
        card_add_unknown(card, head, unsteady);
    else if (knee->is_beyond)
        card_add_at_least(card, head, knee->low + extra, "the experiment reaches no further");
    else
        card_add_number(card, head, (knee->low + knee->high) / 2.0 + extra, knee->low + extra, knee->high + extra, 0);
}

static bool is_plain(const struct knee *knee) {
    return knee->is_known && !knee->why && !knee->is_beyond;
}

// Whether two knees are the same limit, as far as they are known.
static bool is_same(const struct knee *a, const struct knee *b) {
    return is_plain(a) && is_plain(b) && a->low <= b->high + 2 && b->low <= a->high + 2;
}

// Entries that two or more instructions may share: kinds that need nothing but an entry each agree, as they do where
// each instruction has one; others reach twice as far, or further. A kind that is as large as its register file may be
// limited by that. Returns false where the curves do not show it.
static bool find_shared_entries(const struct knee *knees, struct knee *entries, unsigned *which, int *most) {
    static const struct {
        unsigned kind, limit; // limit: kind that has the same register file; NOP: it needs no register
    } alone[] = {{ZERO, INTEGER}, {MOVE, INTEGER}, {VECTOR_MOVE, VECTOR}, {BRANCH, NOP}};
    enum { N_ALONE = sizeof alone / sizeof *alone };
    bool is_found = false, is_shown = false;
    for (unsigned i = 0; i < N_ALONE; i++) {
        unsigned n_agree = 0;
        bool are_vectors = false, are_others = false; // of different register files
        for (unsigned k = 0; k < N_ALONE; k++) {
            const struct knee *knee = &knees[alone[k].kind];
            bool is_free =
                alone[k].limit == NOP || !is_plain(&knees[alone[k].limit]) || !is_same(knee, &knees[alone[k].limit]);
            if (!is_free || !is_same(&knees[alone[i].kind], knee))
                continue;
            n_agree++;
            are_vectors = are_vectors || alone[k].kind == VECTOR_MOVE;
            are_others = are_others || alone[k].kind != VECTOR_MOVE;
        }
        const struct knee *knee = &knees[alone[i].kind];
        int width = knee->high - knee->low;
        if (n_agree >= 2 && are_vectors && are_others && (!is_found || width < entries->high - entries->low)) {
            is_found = true;
            *entries = *knee;
            *which = alone[i].kind;
        }
    }
    *most = 0;
    for (unsigned i = 0; i < N_WINDOWS && is_found; i++) {
        const struct knee *knee = &knees[i];
        if (!is_plain(knee))
            continue;
        // One more entry is the second miss, whatever the fillers share.
        int low = 2 * (entries->low + 1), slack = low / 32;
        if (knee->low > entries->high + 2 && knee->low > *most)
            *most = knee->low;
        is_shown = is_shown || (knee->high >= low - slack && knee->low <= 2 * (entries->high + 2) + slack);
    }
    return is_found && *most > 0 && is_shown;
}

// Adds the reorder buffer. A real CPU may dispatch whole groups only: then up to a group less one entry stays free,
// which widens the interval. Where the size of a group is not known, there is only a bound.
static void add_buffer(const struct finding *finding, const struct limited *row, unsigned which, struct knee *knee) {
    struct session *session = finding->session;
    const struct card_entry head = head_of(finding, row, which);
    struct slots slots = {0};
    if (!session->is_simulated && is_plain(knee)) {
        if (!widths_slots(session, &slots) || slots.most < 1) {
            card_add_at_least(&session->card, &head, knee->low + row->extra, "the width of dispatch is not known");
            return;
        }
        knee->high += (int)slots.most - 1;
    }
    add_entry(finding, &head, knee, row->extra);
}

static int compare_numbers(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// Where noise hides the end of a kind that shows whether instructions share entries, the buffer is not determined: a
// bound that all kinds have in common would be where noise made the first step. What is seen of their steps is the
// middle one. Adds that, and sets the buffer to where no kind is full yet. Returns whether it is so.
static bool add_noisy_buffer(struct finding *finding) {
    static const unsigned kinds[] = {NOP, ZERO, MOVE, VECTOR_MOVE, BRANCH, ZERO_AND_NOP};
    enum { N_KINDS = sizeof kinds / sizeof *kinds };
    const struct limited *row = &rows[REORDER_BUFFER];
    bool is_noisy = false;
    int least = INT_MAX, lows[N_KINDS], highs[N_KINDS];
    unsigned n_seen = 0;
    for (unsigned i = 0; i < N_KINDS; i++) {
        const struct knee *knee = &finding->knees[kinds[i]];
        is_noisy = is_noisy || knee->is_open;
        if (knee->is_known && !knee->why && knee->low < least)
            least = knee->low;
        if (knee->is_known && !knee->why && knee->seen_high) {
            lows[n_seen] = knee->seen_low;
            highs[n_seen++] = knee->seen_high;
        }
    }
    if (!is_noisy)
        return false;
    struct card_entry head = head_of(finding, row, ZERO);
    head.unit = "entries";
    qsort(lows, n_seen, sizeof *lows, compare_numbers);
    qsort(highs, n_seen, sizeof *highs, compare_numbers);
    const unsigned middle = n_seen / 2;
    finding->buffer = (struct knee){true, true, true, least, least, 0, 0, NULL};
    if (n_seen)
        card_add_step_seen(&finding->session->card, &head, lows[middle] + row->extra, highs[middle] + row->extra,
                           unsteady);
    else
        card_add_unknown(&finding->session->card, &head, unsteady);
    return true;
}

static bool is_one_open(const struct knee *knees, const unsigned *kinds, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (knees[kinds[i]].is_open)
            return true;
    return false;
}

// Fillers that take an entry each of the reorder buffer and may reach as far as it does.
static const unsigned candidates[] = {THREE_KINDS, FOUR_KINDS, MIXED, INTEGER, VECTOR};
enum { N_CANDIDATES = sizeof candidates / sizeof *candidates };

// The largest window of them, and `which` it is.
static struct knee find_largest(const struct knee *knees, unsigned *which) {
    struct knee best = {0};
    for (unsigned i = 0; i < N_CANDIDATES; i++) {
        const struct knee *knee = &knees[candidates[i]];
        if (knee->is_known && !knee->why && (!best.is_known || knee->low > best.low)) {
            best = *knee;
            *which = candidates[i];
        }
    }
    if (best.is_known && is_one_open(knees, candidates, N_CANDIDATES))
        best.is_beyond = best.is_open = true; // another one may reach further
    return best;
}

// The reorder buffer: the largest window, where two kinds of fillers agree. Nops may share entries, so they do not
// count where they alone reach further.
static void find_reorder_buffer(struct finding *finding) {
    struct session *session = finding->session;
    const struct knee *knees = finding->knees;
    struct limited row = rows[REORDER_BUFFER];
    unsigned which = NOP;
    struct knee best = find_largest(knees, &which), entries = {0};
    int most = 0;
    unsigned n_agree = is_same(&knees[NOP], &best);
    for (unsigned i = 0; i < N_CANDIDATES; i++)
        n_agree += is_same(&knees[candidates[i]], &best);
    if (find_shared_entries(knees, &entries, &which, &most)) {
        row.unit = "entries";
        row.how = "two misses with fillers between them that take an entry each and little else: several kinds agree";
        add_buffer(finding, &row, which, &entries);
        session->card.entries[session->card.n_entries - 1].why =
            arena_printf(session->arena, "some pairs share an entry: up to %d instructions fit", most + row.extra);
        finding->buffer = entries;
        return;
    }
    if (!session->is_simulated && add_noisy_buffer(finding))
        return;
    if (!best.is_known)
        best.why = knees[THREE_KINDS].why ? knees[THREE_KINDS].why : "no curve has a step";
    if (best.is_known && !best.is_beyond && n_agree < 2) {
        const struct card_entry head = head_of(finding, &row, which);
        card_add_at_least(&session->card, &head, best.low + row.extra, "only one kind of filler reaches that far");
    } else {
        add_buffer(finding, &row, which, &best);
    }
    finding->buffer = best;
}

// Whether the knee is where the reorder buffer is full of instructions of two uops.
static bool is_part_of(const struct knee *knee, const struct knee *buffer) {
    return is_plain(buffer) && knee->low <= buffer->high / 2 + 1 && knee->high >= buffer->low / 2 - 1;
}

// A buffer that is as large as another limit, or larger, does not show. `buffer`: the reorder buffer, where the filler
// may be of several uops; else null. `extra`: as in the entry, and what is known besides.
static void add_limited(const struct finding *finding, unsigned number, const struct knee *limit,
                        const struct knee *buffer, int extra) {
    struct session *session = finding->session;
    const struct limited *row = &rows[number];
    const struct knee *knee = &finding->knees[row->which];
    const struct card_entry head = head_of(finding, row, row->which);
    bool is_limit_known = limit->is_known && !limit->why && (!limit->is_open || knee->high + 2 < limit->low);
    const char *hidden = NULL; // how the limit may hide the buffer's end
    if (is_plain(knee) &&
        (is_same(knee, limit) || (buffer && is_part_of(knee, buffer)) || (is_limit_known && knee->low > limit->high)))
        hidden = "full first";
    else if (is_plain(knee) && !is_limit_known)
        hidden = "not known, and may be full first";
    if (hidden)
        card_add_at_least(&session->card, &head, knee->low + extra,
                          arena_printf(session->arena, "%s is %s", row->limit_name, hidden));
    else
        add_entry(finding, &head, knee, extra);
}

// Whether eight waiting loads in front take entries of the same scheduler: then they take the place of as many fillers.
static bool is_shared(const struct knee *plain, const struct knee *with) {
    return is_plain(plain) && is_plain(with) && with->high + 4 <= plain->low;
}

// The narrower of two limits. Where one is open, the narrower one may be, too.
static struct knee narrower(const struct knee *a, const struct knee *b) {
    if (a->is_open && !(is_plain(b) && b->high <= a->low))
        return a->low < b->low || !b->is_known || b->why ? *a
                                                         : (struct knee){true, true, true, b->low, b->low, 0, 0, NULL};
    if (b->is_open && !(is_plain(a) && a->high <= b->low))
        return narrower(b, a);
    if (!is_plain(a))
        return *b;
    return is_plain(b) && b->low < a->low ? *b : *a;
}

static void find_schedulers(const struct finding *finding) {
    const struct knee *knees = finding->knees;
    struct knee integers = narrower(&knees[INTEGER], &finding->buffer),
                vectors = narrower(&knees[VECTOR], &finding->buffer);
    // Besides the fillers, the second miss takes an entry, and the load that vectors wait for, where they are of the
    // same scheduler.
    add_limited(finding, SCHEDULER_INTEGER, &integers, NULL, is_shared(&knees[INTEGER_WAITS], &knees[INTEGER_SHARED]));
    add_limited(finding, SCHEDULER_VECTOR, &vectors, NULL,
                is_shared(&knees[VECTOR_WAITS], &knees[VECTOR_SHARED]) +
                    is_shared(&knees[VECTOR_WAITS], &knees[VECTOR_LED]));
    add_limited(finding, SCHEDULER_LOAD, &knees[LOAD], NULL, rows[SCHEDULER_LOAD].extra);
}

// Results of instructions that write flags only. Two in a row may need one register of flags: with another instruction
// between them, fewer fit.
static void find_flags(const struct finding *finding) {
    struct session *session = finding->session;
    const struct knee *knees = finding->knees, *alone = &knees[COMPARE], *apart = &knees[COMPARE_AND_INTEGER];
    bool is_fewer = is_plain(alone) && is_plain(apart) && apart->high / 2 + 4 < alone->low &&
                    !is_same(apart, &knees[INTEGER]) && apart->high / 2 + 4 < knees[INTEGER].low;
    struct card_entry head = head_of(finding, &rows[FLAGS], COMPARE);
    if (strcmp(session->recipe->isa, "x86_64") != 0) {
        card_add_unknown(&session->card, &head, session_no_isa);
        return;
    }
    if (apart->is_open && !alone->why && apart->seen_high) { // there may be fewer with other instructions between them
        card_add_step_seen(&session->card, &head, apart->seen_low / 2.0, apart->seen_high / 2.0,
                           "with other instructions between them, more have no steady time");
        return;
    }
    if (!is_fewer) {
        add_limited(finding, FLAGS, &finding->buffer, NULL, 0);
        return;
    }
    head.why = "the fewer with other instructions between them";
    card_add_number(&session->card, &head, apart->high / 2.0, apart->low / 2.0, alone->high, 0);
}

void windows_find(struct session *session) {
    struct finding finding = {.session = session};
    if (!fillers_certify(session, &finding.fillers))
        return;
    struct levels levels = ask_levels(session, &finding.fillers);
    bool is_missing = !levels.is_known;
    if (is_missing)
        return;
    for (unsigned i = 0; i < N_ROWS && levels.why; i++) {
        const struct card_entry head = head_of(&finding, &rows[i], rows[i].which);
        card_add_unknown(&session->card, &head, levels.why);
    }
    if (levels.why)
        return;
    for (unsigned i = 0; i < N_WINDOWS; i++) {
        const char *why_not = window_why_not(&finding.fillers, &windows[i]);
        finding.knees[i] = why_not ? (struct knee){.is_known = true, .why = why_not}
                                   : window_find_knee(session, &finding.fillers, &windows[i], &levels);
        is_missing = is_missing || !finding.knees[i].is_known;
    }
    if (is_missing)
        return;
    find_reorder_buffer(&finding);
    const struct knee *buffer = &finding.buffer;
    struct knee files = narrower(&finding.knees[MIXED], buffer);
    add_limited(&finding, REGISTERS_INTEGER, buffer, NULL, rows[REGISTERS_INTEGER].extra);
    add_limited(&finding, REGISTERS_VECTOR, buffer, NULL, rows[REGISTERS_VECTOR].extra);
    find_flags(&finding);
    add_limited(&finding, MASKS, buffer, NULL, rows[MASKS].extra);
    add_limited(&finding, LOAD_QUEUE, &files, NULL, rows[LOAD_QUEUE].extra);
    add_limited(&finding, STORE_QUEUE, buffer, buffer, rows[STORE_QUEUE].extra);
    find_schedulers(&finding);
}
