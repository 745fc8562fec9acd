#include "report/inferred.h"

#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"
#include "report/ports.h"

static void add_source(struct table *table, const char *from, const char *what, const char *text) {
    table_cell(table, "%s", from);
    table_cell(table, "%s", what);
    table_cell(table, "%s", text);
}

// The order in which they count: of two that state one number, the later one does, but for the card's.
static void print_sources(struct arena *arena, const struct whole_paths *paths, const struct whole_result *result,
                          FILE *out, bool colour) {
    struct table table = {.arena = arena};
    const size_t *card = result->card.n;
    table_column(&table, TABLE_LEFT, "from");
    table_column(&table, TABLE_LEFT, "what");
    table_column(&table, TABLE_WRAP, "");
    if (paths->card)
        add_source(&table, paths->card, "parameters",
                   arena_printf(arena, "%zu taken; %zu that the base states agree, %zu contradict; %zu not shown",
                                card[CARD_IMPORT_TAKEN], card[CARD_IMPORT_KEPT], card[CARD_IMPORT_DIFFERS],
                                card[CARD_IMPORT_UNKNOWN]));
    add_source(&table, paths->surveys[0], "numbers of forms",
               arena_printf(arena, "%s that differ from the base, of %zu stable values",
                            text_count(arena, result->survey.n_opcodes, "opcode"), result->survey.before.n));
    if (paths->n_pairs) {
        struct text text = {.arena = arena};
        text_addf(&text, "%s, on %u pipes of the base and %u of its own; measured:",
                  text_count(arena, result->pairs.n_opcodes, "opcode"), result->pairs.n_of_base, result->pairs.n_own);
        for (enum ports_state state = 0; state < N_PORTS_STATES; state++)
            if (result->pairs.n_states[state])
                text_addf(&text, " %zu %s", result->pairs.n_states[state], ports_state_names[state]);
        add_source(&table, paths->pairs[0], "ports", text.data);
    }
    table_print(&table, out, colour);
}

static void print_causes(struct arena *arena, const struct unexplained *all, FILE *out, bool colour) {
    struct table table = {.arena = arena};
    table_column(&table, TABLE_LEFT, "not explained: than the file has it");
    table_column(&table, TABLE_RIGHT, "values");
    table_column(&table, TABLE_RIGHT, "of the error");
    table_column(&table, TABLE_CUT, "furthest off");
    table_column(&table, TABLE_RIGHT, "measured");
    table_column(&table, TABLE_RIGHT, "file");
    for (enum unexplained_cause cause = 0; cause < UNEXPLAINED_N_CAUSES; cause++) {
        const struct unexplained_values *values = &all->by_cause[cause];
        double whole = cause < UNEXPLAINED_SLOWER ? all->values_error : all->experiments_error;
        if (!values->n)
            continue;
        table_cell(&table, "%s", unexplained_about(cause));
        table_cell(&table, "%zu", values->n);
        table_cell(&table, "%.0f %%", 100 * values->error / whole);
        table_cell(&table, "%s", text_printable(arena, values->worst, 60));
        table_cell(&table, "%.3g", values->measured);
        table_cell(&table, "%.3g", values->predicted);
    }
    table_print(&table, out, colour);
}

static void print_errors(const struct unexplained *all, FILE *out) {
    if (all->n_values)
        fprintf(out, "survey: %zu values, mean error %.2f %%; %zu unstable, %zu that the file predicts nothing of\n",
                all->n_values, 100 * all->values_error / (double)all->n_values, all->n_unstable, all->n_unpredicted);
    if (all->n_experiments)
        fprintf(out, "pairs: %zu experiments, mean error %.2f %% by the best spread over ports\n", all->n_experiments,
                100 * all->experiments_error / (double)all->n_experiments);
}

void inferred_print(struct arena *arena, const char *output, const struct whole_paths *paths,
                    const struct whole_result *result, FILE *out, bool colour) {
    print_sources(arena, paths, result, out, colour);
    print_causes(arena, &result->unexplained, out, colour);
    print_errors(&result->unexplained, out);
    if (result->is_judged)
        ports_print_judgement(&result->judgement, out);
    if (!paths->card)
        screen_print_sentence("without a machine card, widths and windows are the base's: 'cyclops machine' makes one",
                              out);
    if (!paths->n_pairs)
        screen_print_sentence("without pairs, ports are the base's: 'cyclops infer pairs' measures them", out);
    screen_print_whole_sentence(
        arena_printf(arena, "%s is made. Why a form's numbers: cyclops infer --why %s FORM", output, output), out);
}

void inferred_print_values(struct arena *arena, const struct model *model, const struct check_value *values, size_t n,
                           FILE *out, bool colour) {
    struct table table = {.arena = arena};
    struct predictor predictor;
    predictor_open(&predictor, arena, model);
    predictor.only_cycles = true;
    table_column(&table, TABLE_LEFT, "experiment");
    table_column(&table, TABLE_RIGHT, "measured");
    table_column(&table, TABLE_LEFT, "");
    table_column(&table, TABLE_RIGHT, "file");
    table_column(&table, TABLE_LEFT, "record");
    for (size_t i = 0; i < n; i++) {
        const struct check_value *value = &values[i];
        if (!value->value.is_known)
            continue;
        const struct unexplained_value found = unexplained_compare(&predictor, value);
        bool is_stable = table_is_stable(&value->value);
        table_cell(&table, "%s", check_value_label(arena, value));
        table_cell(&table, "%.3g", value->value.cycles);
        table_cell_colour(&table, found.is_off ? TABLE_RED : TABLE_PLAIN, "%s",
                          !is_stable           ? "unstable"
                          : !found.is_compared ? "not predicted"
                          : found.is_off       ? "≠"
                                               : "=");
        table_cell(&table, "%s", found.is_compared ? arena_printf(arena, "%.3g", found.predicted) : "");
        table_cell(&table, "%s", value->value.kernel ? value->value.kernel : "");
    }
    table_print(&table, out, colour);
}

void inferred_print_names(struct arena *arena, const struct ports_import_result *pairs, unsigned n_ports, FILE *out) {
    struct text text = {.arena = arena};
    for (unsigned q = 0; q < n_ports; q++) {
        const struct port_recipe one = {.uops = {{UINT64_C(1) << q, 1}}, .n = 1};
        text_addf(&text, "%s%s is %s", q ? ", " : "ports: ", port_recipe_text(arena, &one), pairs->names[q]);
    }
    if (text.data)
        screen_print_sentence(text.data, out);
}
