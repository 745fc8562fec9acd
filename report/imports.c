#include "report/imports.h"

#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"

static void print_counts(const char *title, const struct import_count *count, FILE *out) {
    fprintf(out, "%s %zu values: %zu off by more than 5 %%, of these %zu above the measurement\n", title, count->n,
            count->n_off, count->n_above);
}

void imports_print_survey(const char *output, const struct import_result *result, FILE *out) {
    fprintf(out, "%s: %zu rules of %zu opcodes; %zu values are unstable, and not taken\n", output, result->n_rules,
            result->n_opcodes, result->after.n_unstable);
    print_counts("base: ", &result->before, out);
    print_counts("file: ", &result->after, out);
}

// What the card shows, beside what the base states; then what it does not show.
void imports_print_card(struct arena *arena, const char *output, const struct card_import_result *result, FILE *out,
                        bool colour) {
    struct table table = {.arena = arena};
    table_column(&table, TABLE_LEFT, "parameter");
    table_column(&table, TABLE_RIGHT, "card");
    table_column(&table, TABLE_LEFT, "");
    table_column(&table, TABLE_RIGHT, "base");
    table_column(&table, TABLE_LEFT, "base's trust");
    table_column(&table, TABLE_WRAP, "entries of the card");
    for (size_t i = 0; i < result->n_rows; i++) {
        const struct card_import_row *row = &result->rows[i];
        if (row->outcome == CARD_IMPORT_UNKNOWN)
            continue;
        table_cell(&table, "%s", cpu_parameters[row->shown->parameter].name);
        table_cell(&table, "%.4g", row->shown->value);
        table_cell(&table, "%s",
                   row->outcome == CARD_IMPORT_TAKEN     ? "taken"
                   : row->outcome == CARD_IMPORT_DIFFERS ? "≠"
                                                         : "=");
        table_cell(&table, "%s", row->stated.is_known ? arena_printf(arena, "%.4g", row->stated.value) : "");
        table_cell(&table, "%s", row->stated.is_known ? cpu_trust_name(row->stated.trust) : "");
        table_cell(&table, "%s", row->shown->source);
    }
    table_print(&table, out, colour);
    for (size_t i = 0; i < result->n_rows; i++)
        if (result->rows[i].outcome == CARD_IMPORT_UNKNOWN)
            screen_print_sentence(arena_printf(arena, "no %s: %s",
                                               cpu_parameters[result->rows[i].shown->parameter].name,
                                               result->rows[i].shown->why),
                                  out);
    fprintf(out, "%s: %s taken from the card; %zu that the base states agree, %zu contradict; %zu are not shown\n",
            output, text_count(arena, result->n[CARD_IMPORT_TAKEN], "parameter"), result->n[CARD_IMPORT_KEPT],
            result->n[CARD_IMPORT_DIFFERS], result->n[CARD_IMPORT_UNKNOWN]);
}

void imports_print_ports(struct arena *arena, const struct ports_import_result *result, bool all, FILE *out,
                         bool colour) {
    enum { MOST_ROWS = 40 };
    struct table table = {.arena = arena};
    size_t n_equal = 0, n_shown = 0;
    table_column(&table, TABLE_LEFT, "form");
    table_column(&table, TABLE_LEFT, "inferred");
    table_column(&table, TABLE_LEFT, "base");
    table_column(&table, TABLE_LEFT, "state");
    for (size_t i = 0; i < result->n_rows; i++) {
        const struct ports_import_row *row = &result->rows[i];
        n_equal += row->is_equal;
        if (!all && (row->is_equal || n_shown == MOST_ROWS))
            continue;
        n_shown++;
        table_cell(&table, "%s", row->form);
        table_cell(&table, "%s", row->found);
        table_cell(&table, "%s", row->is_equal ? "=" : row->base);
        table_cell(&table, "%s", ports_state_names[row->state]);
    }
    if (n_shown)
        table_print(&table, out, colour);
    fprintf(out, "%u ports: %u are pipes of the base, %u are the file's own\n", result->n_of_base + result->n_own,
            result->n_of_base, result->n_own);
    fprintf(out, "forms that were measured:");
    for (enum ports_state state = 0; state < N_PORTS_STATES; state++)
        if (result->n_states[state])
            fprintf(out, " %zu %s", result->n_states[state], ports_state_names[state]);
    fprintf(out,
            "\n%zu opcodes have pipes from them; of %zu measured forms that the base describes, %zu are as there\n",
            result->n_opcodes, result->n_rows, n_equal);
}
