// Prints the matrix on a terminal.
#include "report/pairs.h"

#include "base/screen.h"

#include <math.h>
#include <string.h>

static const char *const signs[PAIRING_N_KINDS] = {
    [PAIRING_TOGETHER] = "‖", [PAIRING_PARTLY] = "~",  [PAIRING_APART] = "+",
    [PAIRING_SLOWER] = ">",   [PAIRING_WAITING] = "·", [PAIRING_UNCLEAR] = "·",
};

static const char *result_text(struct arena *arena, const struct pair_result *result) {
    if (!result->is_known)
        return "-";
    return arena_printf(arena, "%.2f%s%s", result->mix.cycles, signs[result->pairing.kind],
                        result->is_unstable ? "?" : "");
}

static const char *alone_text(struct arena *arena, const struct pairs *pairs, unsigned kernel, int model) {
    struct pairing_time time;
    if (!pairs_alone(pairs, kernel, model, &time))
        return "-";
    bool is_unstable = model == PAIRS_MEASURED && pairs->alone[kernel]->measurement.verdict == MEASURED_UNSTABLE;
    return arena_printf(arena, "%.2f%s", time.cycles, is_unstable ? "?" : "");
}

static void add_cell(struct table *table, const struct pairs *pairs, unsigned first, unsigned second, int model) {
    struct arena *arena = table->arena;
    if (first == second) {
        const char *measured = alone_text(arena, pairs, first, PAIRS_MEASURED);
        const char *predicted = model == PAIRS_MEASURED ? NULL : alone_text(arena, pairs, first, model);
        table_cell_colour(table, TABLE_DIM, "%s%s%s", measured, predicted ? " " : "", predicted ? predicted : "");
        return;
    }
    if (first > second && !pairs->has_both_orders) {
        table_cell(table, "%s", "");
        return;
    }
    struct pair_result measured = pairs_result(arena, pairs, first, second, PAIRS_MEASURED);
    if (model == PAIRS_MEASURED) {
        table_cell_colour(table, measured.doubt ? TABLE_YELLOW : TABLE_PLAIN, "%s", result_text(arena, &measured));
        return;
    }
    struct pair_result predicted = pairs_result(arena, pairs, first, second, model);
    bool is_wrong = pairs_disagree(&measured, &predicted);
    table_cell_colour(table,
                      is_wrong         ? TABLE_RED
                      : measured.doubt ? TABLE_YELLOW
                                       : TABLE_PLAIN,
                      "%s %s%s", result_text(arena, &measured), result_text(arena, &predicted), is_wrong ? " !" : "");
}

static void print_matrix(const struct lab *lab, const struct pairs *pairs, int model, FILE *out, bool colour) {
    struct table table = {.arena = lab->arena};
    fprintf(out, "cycles of a pair: measured%s%s\n", model == PAIRS_MEASURED ? "" : ", and by ",
            model == PAIRS_MEASURED ? "" : lab->models.judged[model].title);
    table_column(&table, TABLE_LEFT, pairs->has_both_orders ? "first \\ second" : "");
    for (unsigned i = 0; i < pairs->n_kernels; i++)
        table_column(&table, TABLE_LEFT, pairs->kernels[i]->name);
    for (unsigned i = 0; i < pairs->n_kernels; i++) {
        table_cell(&table, "%s", pairs->kernels[i]->name);
        for (unsigned j = 0; j < pairs->n_kernels; j++)
            add_cell(&table, pairs, i, j, model);
    }
    table_print(&table, out, colour);
}

static const char *words(struct arena *arena, const struct pair_result *result) {
    const char *name = pairing_name(result->pairing.kind);
    if (result->pairing.kind != PAIRING_PARTLY)
        return arena_printf(arena, "%.2f %s", result->mix.cycles, name);
    return arena_printf(arena, "%.2f %s (%.0f %% of the shorter is free)", result->mix.cycles, name,
                        result->pairing.overlap * 100);
}

// Prints a line for a cell that is not reliable, or that the models predict differently.
static void print_notes(const struct lab *lab, const struct pairs *pairs, unsigned first, unsigned second, FILE *out) {
    const struct experiment *mix = pairs->cells[first * pairs->n_kernels + second].mix;
    struct pair_result measured = pairs_result(lab->arena, pairs, first, second, PAIRS_MEASURED);
    const char *a = pairs->kernels[first]->name, *b = pairs->kernels[second]->name;
    for (unsigned i = 0; mix && i < lab->models.n_judged; i++) {
        struct pair_result predicted = pairs_result(lab->arena, pairs, first, second, (int)i);
        if (!pairs_disagree(&measured, &predicted))
            continue;
        const char *blame = mix->verdicts[i].blame;
        screen_print_sentence(arena_printf(lab->arena, "! %s and %s: measured %s; %s has %s%s%s", a, b,
                                           words(lab->arena, &measured), mix->predictions[i].model,
                                           words(lab->arena, &predicted), *blame ? ": " : "", blame),
                              out);
    }
    if (measured.doubt)
        screen_print_sentence(arena_printf(lab->arena, "%s %s and %s: %s",
                                           measured.is_unstable ? "?"
                                           : measured.is_known  ? "·"
                                                                : "-",
                                           a, b, measured.doubt),
                              out);
}

void pairs_print(const struct lab *lab, const struct pairs *pairs, FILE *out, bool colour) {
    screen_print_sentence(lab_summary(lab), out);
    for (int model = lab->models.n_judged ? 0 : PAIRS_MEASURED; model < (int)lab->models.n_judged; model++)
        print_matrix(lab, pairs, model, out, colour);
    screen_puts("‖ together: as long as the longer one   + apart: as long as both\n"
                "~ in between   > longer than both   · undecided\n"
                "? not to be trusted   ! the model disagrees   diagonal: one alone\n",
                out);
    for (unsigned i = 0; i < pairs->n_kernels; i++)
        for (unsigned j = 0; j < pairs->n_kernels; j++)
            print_notes(lab, pairs, i, j, out);
}
