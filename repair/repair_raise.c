// Sums of two latencies that are too short. All else is repaired when these are looked at: what a sum still lacks then
// is not explained by a latency that is measured by itself. It is given to instructions that lead back, as long as none
// of their sums becomes longer than measured: one number then mends many sums. They get it a cycle at a time, the least
// raised one first, so two that lead back to each other share it evenly. What no other sum leaves room for stays short.
#include "repair/repair_verify.h"

#include "base/text.h"
#include "check/sums.h"

#include <limits.h>
#include <string.h>

// A bound that holds for a chain of several instructions.
struct chain {
    size_t value;
    int room; // cycles by which the model's is shorter, whole ones; 0: it is not
};

// An instruction that leads back, and whose own latency is not known.
struct unknown {
    const struct repair_partner *partner;
    size_t *chains, n_chains; // numbers of those that it is in
    unsigned raise;           // cycles
};

struct raising {
    struct repair *repair;
    struct arena *arena;
    struct chain *chains;
    size_t n_chains;
    struct unknown *unknowns;
    size_t n_unknowns;
};

static void note_chain(struct raising *raising, const struct repair_member *member, size_t i,
                       const struct predicted *predicted) {
    const struct repair *repair = raising->repair;
    const struct repair_sum *sum = &repair->sums[i];
    int room = predicted->is_known ? repair_cycles_between(&repair->values[i], predicted->cycles, 1) : 0;
    for (size_t u = 0; u < raising->n_unknowns; u++) {
        struct unknown *unknown = &raising->unknowns[u];
        if (unknown->partner->member == member ||
            text_find(unknown->partner->opcode, sum->others, sum->n_others) < sum->n_others)
            *ARENA_ADD(raising->arena, unknown->chains, unknown->n_chains) = raising->n_chains;
    }
    *ARENA_ADD(raising->arena, raising->chains, raising->n_chains) = (struct chain){i, room > 0 ? room : 0};
}

// Predicts all chains with the rules so far.
static bool find_chains(struct raising *raising, struct fail *fail) {
    struct repair *repair = raising->repair;
    struct predictor predictor;
    struct overlay *overlay =
        overlay_parse(raising->arena, "the rules so far", repair_write(repair, "the rules so far"), fail);
    bool is_good = overlay && predictor_open_changed(&predictor, raising->arena, repair->request->model, overlay, fail);
    predictor.only_cycles = true;
    for (size_t m = 0; is_good && m < repair->n_members; m++)
        for (size_t i = repair->members[m].first; i < repair->members[m].end; i++)
            if (repair->sums[i].n_others && repair->gaps[i] >= 0 && !repair->follow[i]) {
                const struct predicted predicted = predictor_predict(&predictor, &repair->values[i]);
                note_chain(raising, &repair->members[m], i, &predicted);
            }
    overlay_close(overlay);
    return is_good;
}

// Cycles by which the instruction may take longer in all its chains.
static int room_of(const struct raising *raising, const struct unknown *unknown) {
    int room = unknown->n_chains ? INT_MAX : 0;
    for (size_t i = 0; i < unknown->n_chains; i++)
        if (raising->chains[unknown->chains[i]].room < room)
            room = raising->chains[unknown->chains[i]].room;
    return room;
}

// The least raised one that has room; null: none has.
static struct unknown *next_to_raise(const struct raising *raising) {
    struct unknown *next = NULL;
    for (size_t u = 0; u < raising->n_unknowns; u++) {
        struct unknown *each = &raising->unknowns[u];
        if ((!next || each->raise < next->raise) && room_of(raising, each) > 0)
            next = each;
    }
    return next;
}

// Comment lines of the overlay: some of the instruction's sums.
static const char *evidence_of(const struct raising *raising, const struct unknown *unknown) {
    const struct repair *repair = raising->repair;
    struct text text = {.arena = repair->arena};
    size_t n = unknown->n_chains < REPAIR_MOST_EVIDENCE ? unknown->n_chains : REPAIR_MOST_EVIDENCE;
    for (size_t i = 0; i < n; i++) {
        size_t v = raising->chains[unknown->chains[i]].value;
        const struct check_value *value = &repair->values[v];
        text_addf(&text, "  # %s %s: measured together %.4g, LLVM %.4g; %s\n", value->form,
                  check_value_label(repair->arena, value), value->value.sum,
                  repair->base[v].cycles + value->value.sum - value->value.cycles,
                  table_repeat(repair->arena, &value->value, repair->request->results->repeat_options));
    }
    if (unknown->n_chains > n)
        text_addf(&text, "  # and %s\n", text_count(repair->arena, unknown->n_chains - n, "more value"));
    text_add(&text, "  # The latency is a split: only such sums are measured, and none of them leaves room for more\n");
    return text.data;
}

static void add_rule(const struct raising *raising, const struct unknown *unknown) {
    struct repair *repair = raising->repair;
    const struct repair_numbers before = unknown->partner->now;
    struct repair_search search = {.best = before};
    for (unsigned w = 0; w < before.n_writes; w++)
        search.best.latencies[w] += unknown->raise;
    repair_add_rule(repair, &search, &before, unknown->partner->member, 1, false);
    struct repair_rule *rule = &repair->rules[repair->n_rules - 1];
    rule->is_split = true;
    rule->evidence = evidence_of(raising, unknown);
}

bool repair_raise_sums(struct repair *repair, struct fail *fail) {
    struct arena arena = {0};
    struct unknown *unknowns = ARENA_ARRAY(&arena, struct unknown, repair->n_partners);
    struct raising raising = {.repair = repair, .arena = &arena, .unknowns = unknowns};
    for (size_t p = 0; p < repair->n_partners; p++)
        if (!repair->partners[p].is_known)
            unknowns[raising.n_unknowns++] = (struct unknown){.partner = &repair->partners[p]};
    bool is_good = !raising.n_unknowns || find_chains(&raising, fail);
    for (struct unknown *next; is_good && (next = next_to_raise(&raising));) {
        next->raise++;
        for (size_t i = 0; i < next->n_chains; i++)
            raising.chains[next->chains[i]].room--;
    }
    for (size_t u = 0; is_good && u < raising.n_unknowns; u++)
        if (unknowns[u].raise)
            add_rule(&raising, &unknowns[u]);
    arena_free(&arena);
    return is_good;
}
