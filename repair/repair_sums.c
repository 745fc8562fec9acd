// Sums of latencies. A latency from one kind of registers to another is measured as a chain with an instruction that
// leads back: the sum of both is known, and each is a bound. Those that lead back are repaired first, so that the
// others take what they leave of the sum. Where neither of two is known by itself, each takes half of what is too much.
#include "repair/repair_state.h"

#include "base/text.h"
#include "check/gap.h"
#include "check/sums.h"

#include <math.h>
#include <string.h>

static bool is_sum(const struct repair *repair, const struct repair_member *member, size_t i) {
    const struct check_value *value = &repair->values[i];
    return value->quantity == CHECK_LATENCY && value->value.relation == TABLE_AT_MOST &&
           repair_is_taken(repair, member, i) && repair_can_explain(value);
}

static bool has_latency(const struct repair *repair, const struct repair_member *member) {
    for (size_t i = member->first; i < member->end; i++)
        if (repair->gaps[i] >= 0 && repair->values[i].quantity == CHECK_LATENCY &&
            repair->values[i].value.relation == TABLE_EQUAL && repair_can_explain(&repair->values[i]))
            return true;
    return false;
}

bool repair_has_latency(const struct repair *repair, const char *opcode) {
    for (size_t i = 0; i < repair->n_members; i++)
        if (strcmp(repair->members[i].opcode, opcode) == 0 && has_latency(repair, &repair->members[i]))
            return true;
    return false;
}

static const struct repair_member *find_plain(const struct repair *repair, const char *opcode) {
    for (size_t i = 0; i < repair->n_members; i++)
        if (strcmp(repair->members[i].form, opcode) == 0)
            return &repair->members[i];
    return NULL;
}

// The partner of that opcode; null: it leads nothing back.
static struct repair_partner *find_partner(const struct repair *repair, const char *opcode) {
    for (size_t i = 0; i < repair->n_partners; i++)
        if (strcmp(repair->partners[i].opcode, opcode) == 0)
            return &repair->partners[i];
    return NULL;
}

// The opcodes beside the form in the programs of a sum.
static void note_partners(struct repair *repair, const struct predictor *predictor, size_t i) {
    struct arena scratch = {0};
    struct repair_sum *sum = &repair->sums[i];
    const struct sums_partners found = sums_find_partners(&scratch, predictor, &repair->values[i]);
    for (size_t k = 0; k < found.n; k++) {
        const struct repair_partner *partner = find_partner(repair, found.opcodes[k]);
        const struct repair_member *plain = partner ? partner->member : find_plain(repair, found.opcodes[k]);
        if (!plain)
            continue;
        if (!partner)
            *ARENA_ADD(repair->arena, repair->partners, repair->n_partners) =
                (struct repair_partner){.opcode = plain->opcode,
                                        .member = plain,
                                        .now = plain->numbers,
                                        .is_known = has_latency(repair, plain)};
        *ARENA_ADD(repair->arena, sum->others, sum->n_others) = plain->opcode;
    }
    arena_free(&scratch);
}

// Notes one sum for an instruction that leads back, whose group the form or the other one is of.
static void note_excess(struct repair_partner *partner, double excess, const char *other_key, const char **first_key) {
    partner->leads_back_to_several |= *first_key && strcmp(*first_key, other_key) != 0;
    partner->least_excess = *first_key ? fmin(partner->least_excess, excess) : excess;
    partner->most_excess = *first_key ? fmax(partner->most_excess, excess) : excess;
    *first_key = other_key;
}

// Finds by how much the sums of an instruction's group are too long.
static void find_excess(const struct repair *repair, struct repair_partner *partner) {
    const char *key = partner->member->key, *first_key = NULL;
    for (const struct repair_member *member = repair->members; member < repair->members + repair->n_members; member++)
        for (size_t i = member->first; i < member->end; i++)
            for (size_t o = 0; o < repair->sums[i].n_others; o++) {
                const char *other = find_partner(repair, repair->sums[i].others[o])->member->key;
                const double excess = repair->gaps[i] > 0 ? repair->base[i].cycles - repair->values[i].value.cycles : 0;
                const bool is_own = strcmp(member->key, key) == 0;
                if (is_own || strcmp(other, key) == 0)
                    note_excess(partner, fmax(excess, 0), is_own ? other : member->key, &first_key);
            }
}

// Whether one change of the instruction explains why its sums with several others are too long: all are by as much.
static bool explains_sums(const struct repair_partner *partner) {
    return partner && partner->leads_back_to_several && partner->least_excess >= GAP_LEAST_OF_SUM &&
           partner->most_excess - partner->least_excess < GAP_LEAST_OF_SUM;
}

void repair_find_sums(struct repair *repair) {
    struct predictor predictor;
    predictor_open(&predictor, repair->arena, repair->request->model);
    repair->sums = ARENA_ARRAY(repair->arena, struct repair_sum, repair->n_values);
    for (size_t m = 0; m < repair->n_members; m++)
        for (size_t i = repair->members[m].first; i < repair->members[m].end; i++)
            if (is_sum(repair, &repair->members[m], i))
                note_partners(repair, &predictor, i);
    for (size_t i = 0; i < repair->n_partners; i++)
        find_excess(repair, &repair->partners[i]);
}

enum repair_lead repair_leads_back(const struct repair *repair, const struct repair_member *members, size_t n) {
    enum repair_lead lead = REPAIR_LEADS_NOWHERE;
    for (size_t i = 0; i < n; i++) {
        const struct repair_partner *partner = find_partner(repair, members[i].opcode);
        if (partner && partner->member == &members[i] && lead != REPAIR_LEADS_UNKNOWN)
            lead = partner->is_known        ? REPAIR_LEADS_KNOWN
                   : explains_sums(partner) ? REPAIR_LEADS_ALONE
                                            : REPAIR_LEADS_UNKNOWN;
    }
    return lead;
}

void repair_settle_sums(struct repair *repair, const struct repair_member *members, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct repair_partner *partner = find_partner(repair, members[i].opcode);
        if (partner)
            partner->is_settled = true;
    }
}

void repair_note_sums(struct repair *repair, const struct repair_rule *rule) {
    for (size_t i = 0; i < rule->n_opcodes; i++) {
        struct repair_partner *partner = find_partner(repair, rule->opcodes[i]);
        if (partner)
            repair_rule_apply(rule, &partner->now);
    }
}

// Cycles by which LLVM's sum is too long, as a whole number.
static unsigned excess_of(const struct repair *repair, size_t i) {
    int cycles = repair_cycles_between(&repair->values[i], repair->base[i].cycles, 1);
    return repair->gaps[i] > 0 && cycles < 0 ? (unsigned)-cycles : 0;
}

// Whether one change of what is searched explains its sums.
static bool explains_own(const struct repair *repair, const struct repair_search *search) {
    for (size_t i = 0; i < search->n_opcodes; i++)
        if (explains_sums(find_partner(repair, search->opcodes[i])))
            return true;
    return false;
}

// What the instruction that leads back is taken for: as it is repaired. Where that is still open, it has all that is
// too much in the sums of these values, or nothing of it, where one of both explains them all; else half of it, and
// no more than its other sums leave.
static struct repair_numbers numbers_beside(const struct repair *repair, const struct repair_search *search,
                                            const struct repair_partner *partner) {
    struct repair_numbers numbers = partner->now;
    const bool explains = explains_sums(partner), is_explained = explains_own(repair, search);
    unsigned half = (unsigned)lround(partner->least_excess);
    if (partner->is_known || partner->is_settled || (is_explained && !explains))
        return numbers;
    for (size_t v = 0; v < search->n_values && (is_explained || !explains); v++) {
        size_t i = search->values[v];
        const struct repair_sum *sum = &repair->sums[i];
        if (text_find(partner->opcode, sum->others, sum->n_others) < sum->n_others && excess_of(repair, i) / 2 < half)
            half = excess_of(repair, i) / 2;
    }
    for (unsigned w = 0; w < numbers.n_writes; w++)
        numbers.latencies[w] -= half < numbers.latencies[w] ? half : numbers.latencies[w];
    return numbers;
}

void repair_set_sums(const struct repair *repair, struct arena *arena, struct repair_search *search) {
    const char **names = NULL;
    struct repair_rule *rules = NULL;
    size_t n = 0;
    for (size_t v = 0; repair->sums && v < search->n_values; v++) {
        const struct repair_sum *sum = &repair->sums[search->values[v]];
        for (size_t o = 0; o < sum->n_others; o++) {
            struct repair_partner *partner = find_partner(repair, sum->others[o]);
            if (text_find(partner->opcode, names, n) < n ||
                text_find(partner->opcode, search->opcodes, search->n_opcodes) < search->n_opcodes)
                continue;
            struct repair_rule rule = {.opcodes = &partner->opcode,
                                       .n_opcodes = 1,
                                       .before = partner->member->numbers,
                                       .after = numbers_beside(repair, search, partner)};
            if (repair_numbers_are_equal(&rule.before, &rule.after))
                continue;
            size_t n_rules = n;
            *ARENA_ADD(arena, names, n) = partner->opcode;
            *ARENA_ADD(arena, rules, n_rules) = rule;
        }
    }
    search->context = rules;
    search->n_context = n;
}

const char *repair_describe_split(const struct repair *repair, const struct repair_search *search,
                                  const struct repair_numbers *before) {
    const struct repair_numbers kept = repair_numbers_with_latencies(&search->best, before);
    if (!repair->sums || repair_numbers_are_equal(&search->best, &kept))
        return NULL;
    for (size_t v = 0; v < search->n_values; v++) {
        size_t i = search->values[v];
        const struct repair_sum *sum = &repair->sums[i];
        for (size_t o = 0; o < sum->n_others && excess_of(repair, i); o++)
            if (!find_partner(repair, sum->others[o])->is_known)
                return arena_printf(repair->arena,
                                    "  # The latency is a split: measured is its sum with that of %s, whose own is not "
                                    "known\n",
                                    sum->others[o]);
    }
    return NULL;
}
