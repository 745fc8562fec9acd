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

const char *cpu_file_identities(struct arena *arena, const struct cpu *cpu) {
    struct text text = {.arena = arena};
    text_add(&text, "");
    for (unsigned i = 0; i < cpu->n_identities; i++) {
        const struct cpu_identity *one = &cpu->identities[i];
        text_addf(&text, "%s%s %u %u", i ? ", " : "", one->vendor, one->family, one->first);
        if (one->last != one->first)
            text_addf(&text, "-%u", one->last);
    }
    return text.data;
}

void cpu_file_print(struct arena *arena, const struct cpu *cpu, FILE *out, bool colour) {
    struct table table = {.arena = arena};
    screen_print_sentence(
        arena_printf(arena, "%s on %s%s%s", cpu->name, cpu->base.text, *cpu->about ? ": " : "", cpu->about), out);
    if (cpu->n_identities)
        screen_print_sentence(
            arena_printf(arena, "of CPUs, by vendor, family, models: %s", cpu_file_identities(arena, cpu)), out);
    for (size_t i = 0; i < cpu->n_evidence; i++)
        screen_print_sentence(arena_printf(arena, "made from %s", cpu->evidence[i]), out);
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
