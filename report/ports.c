#include "report/ports.h"

#include "base/csv.h"
#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>

static const char *experiment_text(struct arena *arena, const struct evidence *evidence,
                                   const struct evidence_term *terms, unsigned n) {
    struct text text = {.arena = arena};
    for (unsigned t = 0; t < n; t++) {
        text_add(&text, t ? ";" : "");
        if (terms[t].count != 1)
            text_addf(&text, "%u*", terms[t].count);
        text_add(&text, text_printable(arena, evidence->forms[terms[t].form], 200));
    }
    return text.data;
}

static const char *alternatives_text(struct arena *arena, const struct ports_form *form) {
    struct text text = {.arena = arena};
    enum { MOST = 3 };
    for (size_t h = 1; h < form->n_hypotheses && h <= MOST; h++)
        text_addf(&text, "%s%s", h > 1 ? " or " : "", port_recipe_text(arena, &form->hypotheses[h]));
    if (form->n_all > MOST + 1)
        text_addf(&text, " or %zu more", form->n_all - MOST - 1);
    return text.data ? text.data : "";
}

static void print_clusters(struct arena *arena, const struct ports *ports, FILE *out) {
    size_t counts[N_PORTS_STATES] = {0};
    struct text text = {.arena = arena};
    for (size_t f = 0; f < ports->evidence->n_forms; f++)
        counts[ports->forms[f].state]++;
    fprintf(out, "%s, %s; dispatch: %g a cycle at least\n", text_count(arena, ports->evidence->n_forms, "form"),
            text_count(arena, ports->evidence->n_items, "experiment"), ports->map.width);
    for (size_t c = 0; c < ports->n_clusters; c++) {
        const struct ports_cluster *cluster = &ports->clusters[c];
        struct port_recipe all = {.uops = {{cluster->ports, 1}}, .n = 1};
        fprintf(out, "ports that compete: %s; %s%s of one-uop forms\n", port_recipe_text(arena, &all),
                text_count(arena, cluster->n_families, "map"), cluster->is_cut ? " and more" : "");
    }
    for (unsigned s = 0; s < N_PORTS_STATES; s++)
        if (counts[s])
            text_addf(&text, "%s%zu %s", text.length ? ", " : "forms: ", counts[s], ports_state_names[s]);
    screen_print_sentence(text.data, out);
}

static void print_forms(struct arena *arena, const struct ports *ports, size_t most, FILE *out, bool colour) {
    static const enum table_colour colours[N_PORTS_STATES] = {
        [PORTS_UNMEASURED] = TABLE_DIM, [PORTS_CERTAIN] = TABLE_GREEN, [PORTS_AMBIGUOUS] = TABLE_PLAIN,
        [PORTS_DOUBTED] = TABLE_YELLOW, [PORTS_CUT] = TABLE_YELLOW,    [PORTS_DISPATCH] = TABLE_PLAIN,
        [PORTS_UNEXPLAINED] = TABLE_RED};
    struct table table = {.arena = arena};
    table_column(&table, TABLE_CUT, "form");
    table_column(&table, TABLE_RIGHT, "alone");
    table_column(&table, TABLE_LEFT, "ports");
    table_column(&table, TABLE_LEFT, "state");
    table_column(&table, TABLE_WRAP, "or");
    size_t n = ports->evidence->n_forms, shown = most && most < n ? most : n;
    for (size_t f = 0; f < shown; f++) {
        const struct ports_form *form = &ports->forms[f];
        bool has_recipe = ports->map.recipes[f].n > 0 || form->state == PORTS_DISPATCH;
        table_cell(&table, "%s", text_printable(arena, ports->evidence->forms[f], 200));
        table_cell(&table, form->alone > 0 ? "%.3g" : "-", form->alone);
        table_cell(&table, "%s", has_recipe ? port_recipe_text(arena, &ports->map.recipes[f]) : "-");
        table_cell_colour(&table, colours[form->state], "%s", ports_state_names[form->state]);
        table_cell(&table, "%s", alternatives_text(arena, form));
    }
    table_print(&table, out, colour);
    if (shown < n)
        fprintf(out, "%zu more (--all)\n", n - shown);
}

struct miss {
    size_t item;
    double predicted, off;
};

static int compare_misses(const void *a, const void *b) {
    const struct miss *x = a, *y = b;
    if (x->off != y->off)
        return x->off < y->off ? 1 : -1;
    return (x->item > y->item) - (x->item < y->item);
}

// Items whose forms all have a recipe, and which the map does not predict within their band. Sets how many have.
static size_t find_misses(struct arena *arena, const struct ports *ports, struct miss **misses, size_t *n_predicted) {
    size_t n = 0;
    *misses = NULL;
    *n_predicted = 0;
    for (size_t i = 0; i < ports->evidence->n_items; i++) {
        const struct evidence_item *item = &ports->evidence->items[i];
        struct ports_band band = ports_band_of(ports, i);
        bool is_known = true;
        for (unsigned t = 0; t < item->n_terms; t++)
            is_known &= ports->map.recipes[item->terms[t].form].n > 0 ||
                        ports->forms[item->terms[t].form].state == PORTS_DISPATCH;
        if (!is_known)
            continue;
        double cycles = port_map_cycles(&ports->map, item, NULL);
        ++*n_predicted;
        if (cycles < band.low || cycles > band.high)
            *ARENA_ADD(arena, *misses, n) = (struct miss){i, cycles, fabs(cycles / item->cycles - 1)};
    }
    if (n)
        qsort(*misses, n, sizeof **misses, compare_misses);
    return n;
}

static void print_misses(struct arena *arena, const struct ports *ports, size_t most, FILE *out, bool colour) {
    struct table table = {.arena = arena};
    struct miss *misses;
    size_t n_predicted, n = find_misses(arena, ports, &misses, &n_predicted);
    fprintf(out, "not explained: %zu of %s; %zu more have a form without a hypothesis\n", n,
            text_count(arena, n_predicted, "experiment"), ports->evidence->n_items - n_predicted);
    if (ports->n_slower)
        fprintf(out, "%s longer than in another order: not their ports delay these\n",
                text_count_are(arena, ports->n_slower, "experiment"));
    if (ports->n_conflicts)
        fprintf(out, "%s longer than their forms one after the other: these forms disturb each other\n",
                text_count_are(arena, ports->n_conflicts, "experiment"));
    if (n == 0)
        return;
    table_column(&table, TABLE_CUT, "experiment");
    table_column(&table, TABLE_RIGHT, "measured");
    table_column(&table, TABLE_RIGHT, "by the map");
    table_column(&table, TABLE_LEFT, "record");
    table_column(&table, TABLE_LEFT, "");
    for (size_t m = 0; m < n && (most == 0 || m < most); m++) {
        const struct evidence_item *item = &ports->evidence->items[misses[m].item];
        table_cell(&table, "%s", experiment_text(arena, ports->evidence, item->terms, item->n_terms));
        table_cell(&table, "%.3g", item->cycles);
        table_cell(&table, "%.3g", misses[m].predicted);
        table_cell(&table, "%s", text_printable(arena, item->id, 60));
        table_cell(&table, "%s", ports->is_unused[misses[m].item] ? "disturb each other" : "");
    }
    table_print(&table, out, colour);
    if (most && n > most)
        fprintf(out, "%zu more (--all)\n", n - most);
}

void ports_print(struct arena *arena, const struct ports *ports, size_t most, FILE *out, bool colour) {
    print_clusters(arena, ports, out);
    print_forms(arena, ports, most, out, colour);
    print_misses(arena, ports, most ? most / 2 : 0, out, colour);
}

void ports_print_next(struct arena *arena, const struct ports *ports, size_t most, FILE *out) {
    fprintf(out, "experiments that would decide most of what is open: %zu\n", ports->n_next);
    for (size_t i = 0; i < ports->n_next && (most == 0 || i < most); i++)
        fprintf(out, "  %s\n", experiment_text(arena, ports->evidence, ports->next[i].terms, ports->next[i].n_terms));
}

void ports_print_judgement(const struct port_judgement *judgement, FILE *out) {
    fprintf(out,
            "judged: %zu multisets; %zu are evidence, %zu have a form of which no time alone is known,\n"
            "%zu one that nothing explains\n",
            judgement->n, judgement->n_seen, judgement->n_unknown, judgement->n_unexplained);
    if (judgement->n)
        fprintf(
            out,
            "error: mean %.1f %%, median %.1f %%, 90 %% of them below %.1f %%; predicted %.1f %% too %s on average\n"
            "to compare: %.1f %% by the longest of the times alone, %.1f %% by their sum\n",
            100 * judgement->mean, 100 * judgement->median, 100 * judgement->p90, 100 * fabs(judgement->bias),
            judgement->bias < 0 ? "short" : "long", 100 * judgement->mean_most, 100 * judgement->mean_sum);
}

// Of the experiments with the form whose others all have a recipe, that which the recipe fits worst; returns by how
// many bands it is off, 1 at their edge.
static double find_worst(const struct ports *ports, unsigned form, const struct port_recipe *recipe, size_t *worst,
                         double *predicted, size_t *n_fit) {
    struct port_recipe kept = ports->map.recipes[form];
    double most = -1, slots = kept.slots;
    *n_fit = 0;
    ports->map.recipes[form] = *recipe;
    ports->map.recipes[form].slots = slots;
    for (size_t i = 0; i < ports->evidence->n_items; i++) {
        const struct evidence_item *item = &ports->evidence->items[i];
        bool has_form = false, is_known = !ports->is_unused[i];
        for (unsigned t = 0; t < item->n_terms; t++) {
            unsigned other = item->terms[t].form;
            has_form |= other == form;
            is_known &= other == form || ports->map.recipes[other].n || ports->forms[other].state == PORTS_DISPATCH;
        }
        if (!has_form || !is_known)
            continue;
        struct ports_band band = ports_band_of(ports, i);
        double cycles = port_map_cycles(&ports->map, item, NULL);
        double off = cycles < item->cycles ? (item->cycles - cycles) / (item->cycles - band.low)
                                           : (cycles - item->cycles) / (band.high - item->cycles);
        *n_fit += off <= 1;
        if (off > most) {
            most = off;
            *worst = i;
            *predicted = cycles;
        }
    }
    ports->map.recipes[form] = kept;
    return most;
}

static void add_why_row(struct table *table, const struct ports *ports, unsigned form, const struct port_recipe *recipe,
                        const char *what) {
    size_t worst = 0, n_fit;
    double predicted = 0, off = find_worst(ports, form, recipe, &worst, &predicted, &n_fit);
    if (off < 0)
        return;
    const struct evidence_item *item = &ports->evidence->items[worst];
    bool is_chosen = port_recipe_is_equal(recipe, &ports->map.recipes[form]); // it is taken where nothing fits, too
    table_cell(table, "%s", port_recipe_text(table->arena, recipe));
    table_cell_colour(table, off <= 1 ? TABLE_GREEN : TABLE_RED, "%s",
                      off <= 1    ? what
                      : is_chosen ? "nearest"
                                  : "excluded");
    table_cell(table, "%zu", n_fit);
    table_cell(table, "%s", experiment_text(table->arena, ports->evidence, item->terms, item->n_terms));
    table_cell(table, "%.3g", item->cycles);
    table_cell(table, "%.3g", predicted);
    table_cell(table, "%s", text_printable(table->arena, item->id, 40));
}

// Recipes that differ by one uop: on another set that one-uop forms have, or with one less.
static void add_neighbours(struct table *table, const struct ports *ports, unsigned form) {
    const struct port_recipe *chosen = &ports->map.recipes[form];
    for (unsigned u = 0; u < chosen->n; u++) {
        if (u && chosen->uops[u].pipes == chosen->uops[u - 1].pipes)
            continue;
        uint64_t tried[64];
        unsigned n_tried = 0;
        for (unsigned f = 0; f < ports->evidence->n_forms; f++) {
            uint64_t set = ports->map.recipes[f].uops[0].pipes;
            bool is_new = ports->forms[f].is_base && set != chosen->uops[u].pipes && n_tried < 64;
            for (unsigned k = 0; k < n_tried; k++)
                is_new &= tried[k] != set;
            if (!is_new)
                continue;
            tried[n_tried++] = set;
            struct port_recipe other = *chosen;
            other.uops[u].pipes = set;
            port_recipe_sort(&other);
            add_why_row(table, ports, form, &other, "possible");
        }
        if (chosen->n > 1) {
            struct port_recipe other = *chosen;
            other.uops[u] = other.uops[--other.n];
            port_recipe_sort(&other);
            add_why_row(table, ports, form, &other, "possible");
        }
    }
}

void ports_print_why(struct arena *arena, const struct ports *ports, unsigned form, FILE *out, bool colour) {
    const struct ports_form *at = &ports->forms[form];
    struct table table = {.arena = arena};
    fprintf(out, "%s: %s, %s", text_printable(arena, ports->evidence->forms[form], 200), ports_state_names[at->state],
            text_count(arena, at->n_items, "experiment"));
    if (at->alone > 0)
        fprintf(out, "; %.3g cycles alone", at->alone);
    fprintf(out, "\n");
    if (ports->map.recipes[form].n == 0)
        return;
    table_column(&table, TABLE_LEFT, "ports");
    table_column(&table, TABLE_LEFT, "");
    table_column(&table, TABLE_RIGHT, "fits");
    table_column(&table, TABLE_CUT, "fits worst");
    table_column(&table, TABLE_RIGHT, "measured");
    table_column(&table, TABLE_RIGHT, "predicted");
    table_column(&table, TABLE_LEFT, "record");
    add_why_row(&table, ports, form, &ports->map.recipes[form], "chosen");
    for (size_t h = 0; h < at->n_hypotheses && h < 12; h++)
        if (!port_recipe_is_equal(&at->hypotheses[h], &ports->map.recipes[form]))
            add_why_row(&table, ports, form, &at->hypotheses[h], "possible");
    add_neighbours(&table, ports, form);
    table_print(&table, out, colour);
}

const char *ports_csv(struct arena *arena, const struct ports *ports) {
    struct text text = {.arena = arena};
    struct csv csv = {.line.arena = arena};
    text_add(&text, "form,state,alone,ports,slots,hypotheses,experiments,others\n");
    for (size_t f = 0; f < ports->evidence->n_forms; f++) {
        const struct ports_form *form = &ports->forms[f];
        const struct port_recipe *recipe = &ports->map.recipes[f];
        bool has_recipe = recipe->n > 0 || form->state == PORTS_DISPATCH;
        csv_put_quoted(&csv, ports->evidence->forms[f]);
        csv_put(&csv, ports_state_names[form->state]);
        csv_put(&csv, form->alone > 0 ? arena_printf(arena, "%.6g", form->alone) : NULL);
        csv_put(&csv, has_recipe ? port_recipe_text(arena, recipe) : NULL);
        csv_put(&csv, has_recipe ? arena_printf(arena, "%g", recipe->slots) : NULL);
        csv_put_count(&csv, (int64_t)form->n_all);
        csv_put_count(&csv, form->n_items);
        csv_put_quoted(&csv, alternatives_text(arena, form));
        csv_end_text(&csv, &text);
    }
    return text.data;
}
