#include "report/cpu_file.h"

#include "base/table.h"
#include "base/text.h"

#include <string.h>

// What a file states, in words, by what it is of.
struct statement {
    const char *name, *text;
};
struct statements {
    struct arena *arena;
    struct statement *items;
    size_t n;
};

static const char absent[] = "-";

static void state(struct statements *to, const char *name, const char *text) {
    *ARENA_ADD(to->arena, to->items, to->n) = (struct statement){name, text};
}

static const char *text_of(const struct statements *of, const char *name) {
    for (size_t i = 0; i < of->n; i++)
        if (strcmp(of->items[i].name, name) == 0)
            return of->items[i].text;
    return absent;
}

static const char *with_source(struct arena *arena, const char *text, const char *source) {
    return *source ? arena_printf(arena, "%s: %s", text, source) : text;
}

// With its trust and source, where these are not those that it has without a word.
static const char *number_text(struct arena *arena, const struct cpu_number *number, const struct cpu_rule *of) {
    if (of && of->trust == number->trust && strcmp(of->source, number->source) == 0)
        return arena_printf(arena, "%.10g", number->value);
    return with_source(arena, arena_printf(arena, "%.10g, %s", number->value, cpu_trust_name(number->trust)),
                       number->source);
}

static const char *identities_text(struct arena *arena, const struct cpu *cpu) {
    struct text text = {.arena = arena};
    for (unsigned i = 0; i < cpu->n_identities; i++) {
        const struct cpu_identity *one = &cpu->identities[i];
        text_addf(&text, "%s%s %u %u", i ? ", " : "", one->vendor, one->family, one->first);
        if (one->last != one->first)
            text_addf(&text, "-%u", one->last);
    }
    return text.data;
}

static struct statements of_machine(struct arena *arena, const struct cpu *cpu) {
    struct statements all = {.arena = arena};
    if (*cpu->about)
        state(&all, "about", cpu->about);
    if (cpu->n_identities)
        state(&all, "identity", identities_text(arena, cpu));
    state(&all, "base", cpu->base.text);
    for (unsigned i = 0; i < CPU_N_PARAMETERS; i++)
        if (cpu->parameters[i].is_known)
            state(&all, cpu_parameters[i].name, number_text(arena, &cpu->parameters[i], NULL));
    for (unsigned i = 0; i < cpu->n_resources; i++)
        state(&all, arena_printf(arena, "resource %s", cpu->resources[i].name.text),
              text_count(arena, cpu->resources[i].pipes, "pipe"));
    return all;
}

static const char *sources_text(struct arena *arena, const struct cpu_rule *rule) {
    struct text text = {.arena = arena};
    text_add(&text, "");
    for (unsigned i = 0; i < rule->n_sources; i++)
        text_addf(&text, "%s%s %.10g", i ? ", " : "", rule->sources[i].name.text, rule->sources[i].latency);
    return text.data;
}

static const char *ignores_text(struct arena *arena, const struct cpu_rule *rule) {
    struct text text = {.arena = arena};
    for (unsigned i = 0; i < rule->n_ignores; i++)
        text_addf(&text, "%s%s", i ? ", " : "", rule->ignores[i].text);
    return text.data;
}

static const char *uses_text(struct arena *arena, const struct cpu_rule *rule) {
    struct text text = {.arena = arena};
    text_add(&text, rule->n_uses ? "" : "no pipe");
    for (unsigned i = 0; i < rule->n_uses; i++)
        text_addf(&text, "%s%s %.10g", i ? ", " : "", rule->on[i].text, rule->uses[i].cycles);
    return text.data;
}

static struct statements of_rule(struct arena *arena, const struct cpu_rule *rule) {
    const struct {
        const char *name;
        const struct cpu_number *number;
    } numbers[] = {{"slots", &rule->slots},
                   {"latency", &rule->latency},
                   {"own-latency", &rule->own_latency},
                   {"serial", &rule->serial}};
    struct statements all = {.arena = arena};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].number->is_known)
            state(&all, numbers[i].name, number_text(arena, numbers[i].number, rule));
    if (rule->n_sources)
        state(&all, "latency-from", sources_text(arena, rule));
    if (rule->n_ignores)
        state(&all, "ignores", ignores_text(arena, rule));
    if (rule->uses)
        state(&all, "pipes", uses_text(arena, rule));
    state(&all, "trust", with_source(arena, cpu_trust_name(rule->trust), rule->source));
    return all;
}

static bool is_rule_like(const struct cpu_rule *a, const struct cpu_rule *b) {
    return a->shape == b->shape && strcmp(a->match, b->match) == 0;
}

// The rule of the other file that stands for rule `i`: of those with its match and address, the one as far from the
// first. Its index; n_rules: there is no such rule.
static unsigned rule_like(const struct cpu *cpu, unsigned i, const struct cpu *other) {
    unsigned before = 0, found = 0;
    for (unsigned r = 0; r < i; r++)
        before += is_rule_like(&cpu->rules[r], &cpu->rules[i]);
    while (found < other->n_rules && (!is_rule_like(&other->rules[found], &cpu->rules[i]) || before-- > 0))
        found++;
    return found;
}

// A later rule changes what an earlier one set, so their order counts.
static bool is_order_same(const struct cpu *before, const struct cpu *after) {
    unsigned last = 0;
    for (unsigned i = 0; i < before->n_rules; i++) {
        unsigned at = rule_like(before, i, after);
        if (at == after->n_rules)
            continue;
        if (at < last)
            return false;
        last = at;
    }
    return true;
}

// The rows of both, in the order of `before`, then those that only `after` has. `of`: of a rule; null: of the machine.
static void compare(struct table *table, const char *of, const struct statements *before,
                    const struct statements *after) {
    for (unsigned pass = 0; pass < 2; pass++) {
        const struct statements *all = pass ? after : before;
        for (size_t i = 0; i < all->n; i++) {
            const char *name = all->items[i].name, *was = text_of(before, name), *is = text_of(after, name);
            if (strcmp(was, is) == 0 || (pass && strcmp(was, absent) != 0))
                continue;
            if (of)
                table_cell(table, "%s", of);
            table_cell(table, "%s", name);
            table_cell(table, "%s", was);
            table_cell(table, "%s", is);
        }
    }
}

static struct table begin_table(struct arena *arena, const char *of, const struct cpu *before,
                                const struct cpu *after) {
    struct table table = {.arena = arena};
    if (of)
        table_column(&table, TABLE_CUT, of);
    table_column(&table, TABLE_LEFT, of ? "number" : "parameter");
    table_column(&table, TABLE_WRAP, before->name);
    table_column(&table, TABLE_WRAP, after->name);
    return table;
}

static const char *rule_name(struct arena *arena, const struct cpu_rule *rule) {
    return rule->shape == CPU_ANY_SHAPE ? rule->match
                                        : arena_printf(arena, "%s, %s", rule->match, cpu_shape_name(rule->shape));
}

static void compare_rules(struct arena *arena, struct table *table, const struct cpu *before, const struct cpu *after) {
    const struct statements nothing = {.arena = arena};
    for (unsigned i = 0; i < before->n_rules; i++) {
        unsigned at = rule_like(before, i, after);
        struct statements was = of_rule(arena, &before->rules[i]),
                          is = at < after->n_rules ? of_rule(arena, &after->rules[at]) : nothing;
        compare(table, rule_name(arena, &before->rules[i]), &was, &is);
    }
    for (unsigned i = 0; i < after->n_rules; i++) {
        struct statements is = of_rule(arena, &after->rules[i]);
        if (rule_like(after, i, before) == before->n_rules)
            compare(table, rule_name(arena, &after->rules[i]), &nothing, &is);
    }
}

void cpu_file_print_diff(struct arena *arena, const struct cpu *before, const struct cpu *after, FILE *out,
                         bool colour) {
    struct table machine = begin_table(arena, NULL, before, after), forms = begin_table(arena, "forms", before, after);
    struct statements was = of_machine(arena, before), is = of_machine(arena, after);
    bool is_ordered = is_order_same(before, after);
    compare(&machine, NULL, &was, &is);
    compare_rules(arena, &forms, before, after);
    if (machine.n_cells)
        table_print(&machine, out, colour);
    if (forms.n_cells)
        table_print(&forms, out, colour);
    if (!is_ordered)
        fputs("rules for forms stand in another order: a later rule changes what an earlier one set\n", out);
    if (!machine.n_cells && !forms.n_cells && is_ordered)
        fputs("nothing differs\n", out);
}

void cpu_file_print_form_diff(struct arena *arena, const struct cpu *before, const struct cpu *after,
                              const struct cpu_form_change *changes, size_t n, FILE *out, bool colour) {
    struct table table = begin_table(arena, "form", before, after);
    for (size_t i = 0; i < n; i++) {
        table_cell(&table, "%s", changes[i].form);
        table_cell(&table, "%s", changes[i].number);
        table_cell(&table, "%s", changes[i].before);
        table_cell(&table, "%s", changes[i].after);
    }
    if (n)
        table_print(&table, out, colour);
    else
        fputs("no number of these forms differs\n", out);
}
