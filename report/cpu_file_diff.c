#include "report/cpu_file.h"

#include "analyzer/cpu/keys.h"
#include "base/table.h"
#include "base/text.h"

#include <string.h>

// What a file states, in words, by what it is of; source: "" where it has none.
struct statement {
    const char *name, *text, *source;
};
struct statements {
    struct arena *arena;
    struct statement *items;
    size_t n;
};

static const char absent[] = "-";

static void state(struct statements *to, const char *name, const char *text, const char *source) {
    *ARENA_ADD(to->arena, to->items, to->n) = (struct statement){name, text, source};
}

// What is stated of that name; `absent` where nothing is.
static struct statement statement_of(const struct statements *of, const char *name) {
    for (size_t i = 0; i < of->n; i++)
        if (strcmp(of->items[i].name, name) == 0)
            return of->items[i];
    return (struct statement){name, absent, ""};
}

static void state_number(struct statements *to, const char *name, const struct cpu_number *number) {
    if (number->is_known)
        state(to, name, arena_printf(to->arena, "%.10g, %s", number->value, cpu_trust_name(number->trust)),
              number->source);
}

// Without its trust, where that is the rule's.
static void state_cost(struct statements *to, const char *name, const struct cpu_number *number,
                       const struct cpu_rule *of) {
    if (of->trust != number->trust || strcmp(of->source, number->source) != 0)
        state_number(to, name, number);
    else if (number->is_known)
        state(to, name, arena_printf(to->arena, "%.10g", number->value), "");
}

static void state_lists(struct statements *to, enum cpu_file_key key, const struct cpu *cpu) {
    struct arena *arena = to->arena;
    for (size_t i = 0; i < cpu->n_evidence && key == FILE_EVIDENCE; i++)
        state(to, arena_printf(arena, "evidence %s", cpu->evidence[i]), "used", "");
    for (unsigned i = 0; i < CPU_N_PARAMETERS && key == FILE_PARAMETERS; i++)
        state_number(to, cpu_parameters[i].name, &cpu->parameters[i]);
    for (unsigned i = 0; i < cpu->n_resources && key == FILE_RESOURCES; i++)
        state(to, arena_printf(arena, "resource %s", cpu->resources[i].name.text),
              text_count(arena, cpu->resources[i].pipes, "pipe"), "");
    for (unsigned i = 0; i < cpu->n_ports && key == FILE_PORTS; i++)
        state(to, arena_printf(arena, "port %s", cpu->ports[i].text), "of its own", "");
    for (unsigned i = 0; i < cpu->n_lacks && key == FILE_LACKS; i++)
        state(to, arena_printf(arena, "lacks %s", cpu->lacks[i].match.text), cpu->lacks[i].feature, "");
}

// No default: the compiler finds a key that is missing here.
static void state_of_machine(struct statements *to, enum cpu_file_key key, const struct cpu *cpu) {
    switch (key) {
    case FILE_ABOUT:
        if (*cpu->about)
            state(to, "about", cpu->about, "");
        break;
    case FILE_IDENTITY:
        if (cpu->n_identities)
            state(to, "identity", cpu_file_identities(to->arena, cpu), "");
        break;
    case FILE_ISA:
        state(to, "isa", cpu->isa, "");
        break;
    case FILE_BASE:
        state(to, "base", cpu->base.text, "");
        break;
    case FILE_EVIDENCE:
    case FILE_PARAMETERS:
    case FILE_RESOURCES:
    case FILE_PORTS:
    case FILE_LACKS:
        state_lists(to, key, cpu);
        break;
    case FILE_VERSION: // there is one
    case FILE_NAME:    // the column's title
    case FILE_FORMS:   // a table of their own
    case N_FILE_KEYS:
        break;
    }
}

static struct statements of_machine(struct arena *arena, const struct cpu *cpu) {
    struct statements all = {.arena = arena};
    for (unsigned key = 0; key < N_FILE_KEYS; key++)
        state_of_machine(&all, (enum cpu_file_key)key, cpu);
    return all;
}

static const char *ends_text(struct arena *arena, const struct cpu_end *ends, unsigned n) {
    struct text text = {.arena = arena};
    text_add(&text, "");
    for (unsigned i = 0; i < n; i++)
        text_addf(&text, "%s%s %.10g", i ? ", " : "", ends[i].name.text, ends[i].latency);
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

static void state_text(struct statements *to, const char *name, const char *text, bool is_stated) {
    if (is_stated)
        state(to, name, text, "");
}

// No default: the compiler finds a key that is missing here.
static void state_of_rule(struct statements *to, enum cpu_rule_key key, const struct cpu_rule *rule) {
    struct arena *arena = to->arena;
    const char *name = cpu_rule_keys[key].name;
    switch (key) {
    case RULE_SLOTS:
        state_cost(to, name, &rule->slots, rule);
        break;
    case RULE_LATENCY:
        state_cost(to, name, &rule->latency, rule);
        break;
    case RULE_OWN_LATENCY:
        state_cost(to, name, &rule->own_latency, rule);
        break;
    case RULE_SERIAL:
        state_cost(to, name, &rule->serial, rule);
        break;
    case RULE_LATENCY_FROM:
        state_text(to, name, ends_text(arena, rule->sources, rule->n_sources), rule->n_sources);
        break;
    case RULE_LATENCY_TO:
        state_text(to, name, ends_text(arena, rule->results, rule->n_results), rule->n_results);
        break;
    case RULE_IGNORES:
        state_text(to, name, ignores_text(arena, rule), rule->n_ignores);
        break;
    case RULE_WAITS:
        state_text(to, name, "1", rule->waits_for_result);
        break;
    case RULE_PIPES:
        state_text(to, name, uses_text(arena, rule), rule->uses);
        break;
    case RULE_TRUST: // with its source
        state(to, name, cpu_trust_name(rule->trust), rule->source);
        break;
    case RULE_SOURCE:
    case RULE_MATCH: // these three are its name: see rule_name
    case RULE_ADDRESS:
    case RULE_IMMEDIATE:
    case N_RULE_KEYS:
        break;
    }
}

// Of what a group states for its rules; the rest is a rule's own.
static void state_of_group(struct statements *to, enum cpu_group_key key, const struct cpu_rule *rule) {
    switch (key) {
    case GROUP_LLVM:
        state_text(to, cpu_group_keys[key].name, arena_printf(to->arena, "%u", rule->llvm), rule->llvm);
        break;
    case GROUP_FORMS: // each rule has these itself
    case GROUP_TRUST:
    case GROUP_SOURCE:
    case N_GROUP_KEYS:
        break;
    }
}

static struct statements of_rule(struct arena *arena, const struct cpu_rule *rule) {
    struct statements all = {.arena = arena};
    for (unsigned key = 0; key < N_RULE_KEYS; key++)
        state_of_rule(&all, (enum cpu_rule_key)key, rule);
    for (unsigned key = 0; key < N_GROUP_KEYS; key++)
        state_of_group(&all, (enum cpu_group_key)key, rule);
    return all;
}

// "ADC64ri8, immediate 0": of which instructions it is.
static const char *rule_name(struct arena *arena, const struct cpu_rule *rule) {
    struct text text = {.arena = arena};
    text_add(&text, rule->match.text);
    if (rule->shape != CPU_ANY_SHAPE)
        text_addf(&text, ", %s", cpu_shape_name(rule->shape));
    if (rule->has_immediate)
        text_addf(&text, ", immediate %lld", (long long)rule->immediate);
    return text.data;
}

static bool is_rule_like(const struct cpu_rule *a, const struct cpu_rule *b) {
    return a->shape == b->shape && a->has_immediate == b->has_immediate && a->immediate == b->immediate &&
           strcmp(a->match.text, b->match.text) == 0;
}

// The rule of the other file that stands for rule `i`: of those with its match, address and immediate, the one as far
// from the first. Its index; n_rules: there is no such rule.
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

// Where two files differ: what they state, and where that is from.
struct tables {
    struct table values, sources;
};

static void add_row(struct table *table, const char *of, const char *name, const char *before, const char *after) {
    if (strcmp(before, after) == 0)
        return;
    if (of)
        table_cell(table, "%s", of);
    table_cell(table, "%s", name);
    table_cell(table, "%s", before);
    table_cell(table, "%s", after);
}

// The rows of both, in the order of `before`, then those that only `after` has. `of`: of a rule; null: of the machine.
static void compare(struct tables *tables, const char *of, const struct statements *before,
                    const struct statements *after) {
    for (unsigned pass = 0; pass < 2; pass++) {
        const struct statements *all = pass ? after : before;
        for (size_t i = 0; i < all->n; i++) {
            const struct statement was = statement_of(before, all->items[i].name),
                                   is = statement_of(after, all->items[i].name);
            if (pass && was.text != absent)
                continue;
            add_row(&tables->values, of, was.name, was.text, is.text);
            if (was.text != absent && is.text != absent)
                add_row(&tables->sources, of, was.name, *was.source ? was.source : absent,
                        *is.source ? is.source : absent);
        }
    }
}

static struct table begin_table(struct arena *arena, const char *of, const char *what, const struct cpu *before,
                                const struct cpu *after) {
    struct table table = {.arena = arena};
    if (of)
        table_column(&table, TABLE_CUT, of);
    table_column(&table, TABLE_LEFT, what);
    table_column(&table, TABLE_WRAP, before->name);
    table_column(&table, TABLE_WRAP, after->name);
    return table;
}

static struct tables begin_tables(struct arena *arena, const char *of, const char *what, const struct cpu *before,
                                  const struct cpu *after) {
    return (struct tables){
        .values = begin_table(arena, of, what, before, after),
        .sources = begin_table(arena, of, of ? "source of" : "source of parameter", before, after),
    };
}

// With a blank line before all but the first.
static void print_table(const struct table *table, bool *is_later, FILE *out, bool colour) {
    if (!table->n_cells)
        return;
    if (*is_later)
        fputs("\n", out);
    *is_later = true;
    table_print(table, out, colour);
}

static void compare_rules(struct arena *arena, struct tables *tables, const struct cpu *before,
                          const struct cpu *after) {
    const struct statements nothing = {.arena = arena};
    for (unsigned i = 0; i < before->n_rules; i++) {
        unsigned at = rule_like(before, i, after);
        struct statements was = of_rule(arena, &before->rules[i]),
                          is = at < after->n_rules ? of_rule(arena, &after->rules[at]) : nothing;
        compare(tables, rule_name(arena, &before->rules[i]), &was, &is);
    }
    for (unsigned i = 0; i < after->n_rules; i++) {
        struct statements is = of_rule(arena, &after->rules[i]);
        if (rule_like(after, i, before) == before->n_rules)
            compare(tables, rule_name(arena, &after->rules[i]), &nothing, &is);
    }
}

void cpu_file_print_diff(struct arena *arena, const struct cpu *before, const struct cpu *after, FILE *out,
                         bool colour) {
    struct tables machine = begin_tables(arena, NULL, "parameter", before, after),
                  forms = begin_tables(arena, "forms", "number", before, after);
    struct statements was = of_machine(arena, before), is = of_machine(arena, after);
    compare(&machine, NULL, &was, &is);
    compare_rules(arena, &forms, before, after);
    bool differs = false;
    print_table(&machine.values, &differs, out, colour);
    print_table(&machine.sources, &differs, out, colour);
    print_table(&forms.values, &differs, out, colour);
    print_table(&forms.sources, &differs, out, colour);
    if (!is_order_same(before, after))
        fputs("rules for forms stand in another order: a later rule changes what an earlier one set\n", out);
    else if (!differs)
        fputs("nothing differs\n", out);
}

void cpu_file_print_form_diff(struct arena *arena, const struct cpu *before, const struct cpu *after,
                              const struct cpu_form_change *changes, size_t n, FILE *out, bool colour) {
    struct table table = begin_table(arena, "form", "number", before, after);
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
