#include "report/cpu_file.h"

#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"

#include <string.h>

static void print_missing(struct arena *arena, const struct cpu *cpu, FILE *out) {
    struct text text = {.arena = arena};
    unsigned n = 0;
    text_add(&text, "without a value, so not in this model:");
    for (unsigned i = 0; i < CPU_N_PARAMETERS; i++)
        if (!cpu->parameters[i].is_known)
            text_addf(&text, "%s %s", n++ ? "," : "", cpu_parameters[i].name);
    if (n)
        screen_print_sentence(text.data, out);
}

void cpu_file_print(struct arena *arena, const struct cpu *cpu, FILE *out, bool colour) {
    struct table table = {.arena = arena};
    fprintf(out, "%s on %s%s%s\n", cpu->name, cpu->base, *cpu->about ? ": " : "", cpu->about);
    table_column(&table, TABLE_LEFT, "parameter");
    table_column(&table, TABLE_RIGHT, "value");
    table_column(&table, TABLE_LEFT, "unit");
    table_column(&table, TABLE_LEFT, "trust");
    table_column(&table, TABLE_WRAP, "source");
    for (unsigned i = 0; i < CPU_N_PARAMETERS; i++) {
        const struct cpu_number *number = &cpu->parameters[i];
        if (!number->is_known)
            continue;
        table_cell(&table, "%s", cpu_parameters[i].name);
        table_cell(&table, "%g", number->value);
        table_cell(&table, "%s", cpu_parameters[i].unit);
        table_cell(&table, "%s", cpu_trust_name(number->trust));
        table_cell(&table, "%s", number->source);
    }
    table_print(&table, out, colour);
    print_missing(arena, cpu, out);
    fprintf(out, "%s for forms\n", text_count(arena, cpu->n_rules, "rule"));
}

static const char *value_of(struct arena *arena, const struct cpu_number *number) {
    return number->is_known ? arena_printf(arena, "%g %s", number->value, cpu_trust_name(number->trust)) : "-";
}

static bool is_number_same(const struct cpu_number *a, const struct cpu_number *b) {
    return a->is_known == b->is_known && (!a->is_known || a->value == b->value);
}

static const struct cpu_rule *rule_like(const struct cpu *cpu, const struct cpu_rule *wanted) {
    for (unsigned i = 0; i < cpu->n_rules; i++)
        if (cpu->rules[i].shape == wanted->shape && strcmp(cpu->rules[i].match, wanted->match) == 0)
            return &cpu->rules[i];
    return NULL;
}

// Rules of one file that the other has not, or with other numbers; the latter only where `both`.
static void add_rules(struct arena *arena, struct table *table, const struct cpu *of, const struct cpu *other,
                      bool is_before) {
    for (unsigned i = 0; i < of->n_rules; i++) {
        const struct cpu_rule *rule = &of->rules[i], *same = rule_like(other, rule);
        bool differs =
            same && (!is_number_same(&rule->slots, &same->slots) || !is_number_same(&rule->latency, &same->latency) ||
                     !is_number_same(&rule->serial, &same->serial));
        if (same && !(differs && is_before))
            continue;
        const char *numbers = arena_printf(arena, "slots %s, latency %s, serial %s", value_of(arena, &rule->slots),
                                           value_of(arena, &rule->latency), value_of(arena, &rule->serial));
        const char *others = !same
                                 ? "no such rule"
                                 : arena_printf(arena, "slots %s, latency %s, serial %s", value_of(arena, &same->slots),
                                                value_of(arena, &same->latency), value_of(arena, &same->serial));
        table_cell(table, "%s", rule->match);
        table_cell(table, "%s", is_before ? numbers : others);
        table_cell(table, "%s", is_before ? others : numbers);
    }
}

void cpu_file_print_diff(struct arena *arena, const struct cpu *before, const struct cpu *after, FILE *out,
                         bool colour) {
    struct table table = {.arena = arena};
    table_column(&table, TABLE_CUT, "parameter, or forms");
    table_column(&table, TABLE_WRAP, before->name);
    table_column(&table, TABLE_WRAP, after->name);
    for (unsigned i = 0; i < CPU_N_PARAMETERS; i++) {
        if (is_number_same(&before->parameters[i], &after->parameters[i]))
            continue;
        table_cell(&table, "%s", cpu_parameters[i].name);
        table_cell(&table, "%s", value_of(arena, &before->parameters[i]));
        table_cell(&table, "%s", value_of(arena, &after->parameters[i]));
    }
    add_rules(arena, &table, before, after, true);
    add_rules(arena, &table, after, before, false);
    if (table.n_cells)
        table_print(&table, out, colour);
    else
        fputs("nothing differs\n", out);
}

static void add_width(struct text *text, const char *name, unsigned value, const char *id, const char *what) {
    if (value)
        text_addf(text, "  %s: {value: %u, trust: llvm, source: \"%s, %s\"}\n", name, value, id, what);
}

const char *cpu_file_begin(struct arena *arena, const char *name, const char *base, const struct machine *machine) {
    struct text text = {.arena = arena};
    text_addf(&text,
              "cpu: 1\nname: %s\nabout: begun from %s; add what is known of the machine, with its source\nbase: %s\n"
              "parameters:\n",
              name, machine->id, base);
    add_width(&text, cpu_parameters[CPU_DISPATCH_WIDTH].name, machine->dispatch_width, machine->id, "IssueWidth");
    add_width(&text, cpu_parameters[CPU_RETIRE_WIDTH].name, machine->retire_width, machine->id, "RetireControlUnit");
    return text.data;
}
