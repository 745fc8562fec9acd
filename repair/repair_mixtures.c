#include "repair/repair_mixtures.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Mixtures that a rule is judged by: those that may be chosen by, and have one of its opcodes in them.
struct judges {
    const struct mixtures *mixtures;
    const size_t *numbers;
    size_t n;
    const char **opcodes; // in any of them
    size_t n_opcodes;
};

static bool rule_has(const struct repair_rule *rule, const char *opcode) {
    return text_find(opcode, rule->opcodes, rule->n_opcodes) < rule->n_opcodes;
}

static void find_judges(struct arena *arena, const struct mixtures *mixtures, const struct repair_rule *rule,
                        struct judges *judges) {
    size_t *numbers = ARENA_ARRAY(arena, size_t, mixtures->n);
    *judges = (struct judges){.mixtures = mixtures, .numbers = numbers};
    for (size_t i = 0; i < mixtures->n; i++) {
        bool has_any = false;
        for (size_t k = 0; k < rule->n_opcodes && !has_any; k++)
            has_any = mixtures_have(mixtures, i, rule->opcodes[k]);
        if (!has_any || mixtures->items[i].use == TABLE_MIXTURE_TO_JUDGE)
            continue;
        numbers[judges->n++] = i;
        for (size_t k = 0; k < mixtures->n_opcodes[i]; k++)
            if (text_find(mixtures->opcodes[i][k], judges->opcodes, judges->n_opcodes) == judges->n_opcodes)
                *ARENA_ADD(arena, judges->opcodes, judges->n_opcodes) = mixtures->opcodes[i][k];
    }
}

// The rules of these opcodes as an overlay.
static const char *write_rules_of(struct arena *arena, const struct repair *repair, const struct judges *judges) {
    const struct machine *machine = repair->request->model->machine;
    struct text text = {.arena = arena};
    size_t n = 0;
    repair_head_write(machine, "try", "rules that mixtures judge", repair->dispatch_width, false, &text);
    for (size_t i = 0; i < repair->n_rules; i++) {
        struct repair_rule rule = repair->rules[i];
        const char **opcodes = ARENA_ARRAY(arena, const char *, judges->n_opcodes + 1);
        rule.n_opcodes = 0;
        for (size_t k = 0; k < judges->n_opcodes; k++)
            if (rule_has(&repair->rules[i], judges->opcodes[k]))
                opcodes[rule.n_opcodes++] = judges->opcodes[k];
        rule.opcodes = opcodes;
        rule.evidence = NULL;
        if (!rule.n_opcodes)
            continue;
        text_add(&text, n++ ? "" : "instructions:\n");
        repair_rule_write(arena, machine, &rule, &text);
    }
    return text.data;
}

// The mean error on the judges with the rules as they are; infinite where it is more than `most`. NAN: none of them can
// be predicted.
static double mean_error(const struct repair *repair, const struct judges *judges, double most) {
    struct arena arena = {0};
    struct fail fail = {0};
    struct predictor predictor;
    double sum = 0;
    size_t n = 0;
    struct overlay *overlay =
        overlay_parse(&arena, "rules that mixtures judge", write_rules_of(&arena, repair, judges), &fail);
    bool is_good = overlay && predictor_open_changed(&predictor, &arena, repair->request->model, overlay, &fail);
    if (is_good)
        predictor.only_cycles = true;
    for (size_t i = 0; i < judges->n && is_good && sum <= most * (double)judges->n; i++) {
        double error = mixtures_error(&predictor, &judges->mixtures->items[judges->numbers[i]]);
        if (isnan(error))
            continue; // not stable: neither is it with other rules
        sum += fabs(error);
        n++;
    }
    overlay_close(overlay);
    arena_free(&arena);
    if (!is_good || !n)
        return NAN;
    return sum > most * (double)judges->n ? INFINITY : sum / (double)n;
}

static bool has_other_uses(const struct repair_numbers *a, const struct repair_numbers *b) {
    struct repair_numbers other = *b;
    memcpy(other.uses, a->uses, sizeof other.uses);
    other.n_uses = a->n_uses;
    return a->n_uses != b->n_uses || !repair_numbers_are_equal(&other, b);
}

// How near a resource's pipes are to others. SIBLINGS: some group has both.
enum nearness { RELATED, SIBLINGS, STRANGERS };

static enum nearness nearness_of(const struct machine *machine, uint64_t a, uint64_t b) {
    if (a & b)
        return RELATED;
    for (unsigned r = 1; r < machine->n_resources; r++)
        if ((resource_pipes(machine->resources[r].mask) & (a | b)) == (a | b))
            return SIBLINGS;
    return STRANGERS;
}

// Whether one use of the rule can be of another resource that is so near to the one it had, with the same throughput as
// it has now. Sets `numbers`.
static bool move_use(const struct machine *machine, const struct repair_rule *rule, unsigned u, unsigned resource,
                     enum nearness nearness, struct repair_numbers *numbers) {
    static const double rounding = 0.02;
    *numbers = rule->after;
    struct repair_use *use = &numbers->uses[u];
    const struct resource *now = &machine->resources[use->resource], *other = &machine->resources[resource],
                          *was = &machine->resources[rule->before.uses[u].resource];
    double cycles = (double)repair_use_cycles(use) * other->units / now->units, whole = round(cycles);
    if (resource == use->resource || whole < 1 || fabs(cycles - whole) > rounding * cycles ||
        nearness_of(machine, resource_pipes(was->mask), resource_pipes(other->mask)) != nearness)
        return false;
    use->resource = resource;
    use->release = use->acquire + (unsigned)whole;
    return true;
}

static struct repair_numbers with_earlier_uses(const struct repair_rule *rule) {
    struct repair_numbers numbers = rule->after;
    memcpy(numbers.uses, rule->before.uses, sizeof numbers.uses);
    numbers.n_uses = rule->before.n_uses;
    return numbers;
}

// A rule while it is judged.
struct rule_trial {
    struct repair *repair;
    struct repair_rule *rule;
    struct judges judges;
    struct repair_numbers best;
    double least;    // mean error of the best
    bool is_changed; // the best is not what the rule had
};

static void try_numbers(struct rule_trial *trial, const struct repair_numbers *numbers) {
    static const double margin = 0.01, further = 0.002; // more than measuring makes of a mean error
    double most = trial->least - (trial->is_changed ? further : margin);
    const struct repair_numbers before = trial->rule->after;
    if (most <= 0 || repair_numbers_are_equal(numbers, &before))
        return;
    trial->rule->after = *numbers;
    double error = mean_error(trial->repair, &trial->judges, most);
    trial->rule->after = before;
    if (error < most) {
        trial->least = error;
        trial->best = *numbers;
        trial->is_changed = true;
    }
}

static void try_all(struct rule_trial *trial) {
    const struct machine *machine = trial->repair->request->model->machine;
    const struct repair_rule *rule = trial->rule;
    struct repair_numbers numbers = with_earlier_uses(rule);
    try_numbers(trial, &numbers);
    numbers = rule->after;
    numbers.uops = rule->before.uops;
    try_numbers(trial, &numbers);
    for (unsigned u = 0; u < rule->after.n_uses && u < rule->before.n_uses; u++) {
        if (rule->after.has_fixed_pipes || rule->after.has_fixed_uses ||
            repair_numbers_follow(machine, &rule->after, u))
            continue;
        for (enum nearness nearness = RELATED; nearness < STRANGERS; nearness++)
            for (unsigned r = 1; r < machine->n_resources; r++)
                if (move_use(machine, rule, u, r, nearness, &numbers))
                    try_numbers(trial, &numbers);
    }
}

// Changes a rule where its mixtures show that it is wrong. False: it stays.
static bool judge_rule(struct repair *repair, struct repair_rule *rule, const struct mixtures *mixtures,
                       struct repair_mixtures *result) {
    struct arena arena = {0};
    struct rule_trial trial = {.repair = repair, .rule = rule};
    find_judges(&arena, mixtures, rule, &trial.judges);
    double now = trial.judges.n ? mean_error(repair, &trial.judges, INFINITY) : NAN;
    trial.least = now;
    if (!isnan(now))
        try_all(&trial);
    if (trial.is_changed) {
        struct repair_numbers earlier = with_earlier_uses(rule);
        bool has_earlier = !has_other_uses(&earlier, &trial.best);
        struct repair_judged *judged = ARENA_ADD(repair->arena, result->judged, result->n_judged);
        *judged = (struct repair_judged){.form = rule->opcodes[0],
                                         .n_forms = rule->n_opcodes,
                                         .has = trial.best.uops != rule->after.uops ? REPAIR_EARLIER_UOPS
                                                : has_earlier                       ? REPAIR_EARLIER_PIPES
                                                                                    : REPAIR_OTHER_PIPES,
                                         .n_mixtures = trial.judges.n,
                                         .before = now,
                                         .after = trial.least};
        rule->after = trial.best;
        if (repair_numbers_are_equal(&rule->before, &rule->after))
            rule->n_opcodes = 0; // nothing of it is left
    }
    arena_free(&arena);
    return trial.is_changed;
}

size_t repair_by_mixtures(struct repair *repair, const struct mixtures *mixtures, struct repair_mixtures *result) {
    enum { ROUNDS = 3 }; // of two rules, one may look better once the other is taken back
    size_t n_all = 0;
    for (int round = 0; round < ROUNDS; round++) {
        size_t n = 0;
        for (size_t i = 0; i < repair->n_rules; i++) {
            struct repair_rule *rule = &repair->rules[i];
            bool is_judged = rule->n_opcodes && !rule->is_spread &&
                             (has_other_uses(&rule->before, &rule->after) || rule->before.uops != rule->after.uops);
            n += is_judged && judge_rule(repair, rule, mixtures, result);
        }
        n_all += n;
        if (!n)
            break;
    }
    return n_all;
}

// ---- scores

static int compare_errors(const void *a, const void *b) {
    const struct repair_mixture_error *one = a, *other = b;
    double x = fabs(one->after), y = fabs(other->after);
    return x != y ? (x < y ? 1 : -1) : strcmp(one->mixture->name, other->mixture->name);
}

bool repair_judge_mixtures(struct repair *repair, const struct mixtures *mixtures, const char *overlay,
                           struct repair_mixtures *result, struct fail *fail) {
    struct arena arena = {0};
    struct predictor before, after;
    struct repair_mixture_error *errors = ARENA_ARRAY(repair->arena, struct repair_mixture_error, mixtures->n);
    struct overlay *parsed = overlay_parse(&arena, "the repair", overlay, fail);
    bool is_good = parsed && predictor_open_changed(&after, &arena, repair->request->model, parsed, fail);
    predictor_open(&before, &arena, repair->request->model);
    before.only_cycles = after.only_cycles = true;
    for (size_t i = 0; i < mixtures->n && is_good; i++) {
        const struct check_mixture *mixture = &mixtures->items[i];
        const struct repair_mixture_error error = {mixture, mixtures_error(&before, mixture),
                                                   mixtures_error(&after, mixture)};
        struct repair_mixture_score *score = &result->scores[mixture->use];
        if (isnan(error.before) || isnan(error.after))
            continue;
        score->n++;
        score->before += (fabs(error.before) - score->before) / (double)score->n;
        score->after += (fabs(error.after) - score->after) / (double)score->n;
        errors[result->n_errors++] = error;
    }
    if (result->n_errors)
        qsort(errors, result->n_errors, sizeof *errors, compare_errors);
    result->errors = errors;
    overlay_close(parsed);
    arena_free(&arena);
    return is_good;
}
