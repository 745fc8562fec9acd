#include "report/score.h"

#include "base/columns.h"
#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

enum { N_FORMS = 2 };
static const double to_percent = 100;

static double share(size_t part, size_t whole) {
    return whole ? (double)part / (double)whole : 0;
}

static double mean_percent(const struct score_errors *errors) {
    return to_percent * score_mean(errors);
}

static double bias(const struct score_errors *errors) {
    return errors->n ? errors->relative / (double)errors->n : 0;
}

static const char *form_name(unsigned form) {
    return program_form_name((enum program_form)form);
}

static void print_addresses(const struct score_values *values, const char *form, FILE *out) {
    if (values->n_run)
        fprintf(out, "%s: %zu value%s predicted with the addresses of a run here\n", form, values->n_run,
                values->n_run == 1 ? " is" : "s are");
    if (values->n_unrecorded)
        fprintf(out, "%s: %zu value%s addresses that cannot be followed and did not run, for example: %s\n", form,
                values->n_unrecorded, values->n_unrecorded == 1 ? " has" : "s have", values->unrecorded);
}

static void print_values(const struct scores *scores, FILE *out) {
    for (unsigned form = 0; form < N_FORMS; form++) {
        const struct score_values *values = &scores->values[form];
        if (values->n_stable + values->n_unstable + values->n_missing + values->n_branches + values->n_distorted == 0)
            continue;
        fprintf(out, "%s: %zu stable value%s", form_name(form), values->n_stable, values->n_stable == 1 ? "" : "s");
        if (values->n_unstable)
            fprintf(out, "; left out: %zu unstable", values->n_unstable);
        if (values->n_distorted)
            fprintf(out, "; left out: %zu distorted", values->n_distorted);
        if (values->n_missing)
            fprintf(out, "; %zu block%s could not run", values->n_missing, values->n_missing == 1 ? "" : "s");
        if (values->n_branches)
            fprintf(out, "; %zu have branches inside", values->n_branches);
        fprintf(out, "\n");
    }
    for (unsigned form = 0; form < N_FORMS; form++)
        print_addresses(&scores->values[form], form_name(form), out);
    if (scores->n_malformed)
        fprintf(out, "%zu line%s no value\n", scores->n_malformed, scores->n_malformed == 1 ? " holds" : "s hold");
}

static bool has_score(const struct scores *scores, unsigned model, unsigned form) {
    return scores->models[model].forms[form].all.n + scores->models[model].forms[form].n_refused > 0;
}

// Percent, of which what rounds to 0 has no minus.
static double signed_percent(double share, unsigned decimals) {
    double percent = to_percent * share;
    return fabs(percent) < 0.5 * pow(10, -(double)decimals) ? 0 : percent;
}

static void print_all(struct arena *arena, const struct scores *scores, FILE *out, bool colour) {
    struct table table = {.arena = arena};
    table_column(&table, TABLE_LEFT, "model and form"); // one column: a table that is parted repeats the first
    table_column(&table, TABLE_RIGHT, "blocks");
    table_column(&table, TABLE_RIGHT, "mean error");
    table_column(&table, TABLE_RIGHT, "median");
    table_column(&table, TABLE_RIGHT, "bias");
    table_column(&table, TABLE_RIGHT, "tau-b");
    table_column(&table, TABLE_RIGHT, "within 5 %");
    table_column(&table, TABLE_RIGHT, "in the interval");
    table_column(&table, TABLE_RIGHT, "refused");
    for (unsigned m = 0; m < scores->n_models; m++)
        for (unsigned f = 0; f < N_FORMS; f++) {
            const struct score_form *form = &scores->models[m].forms[f];
            if (!has_score(scores, m, f))
                continue;
            table_cell(&table, "%s %s", scores->models[m].title, form_name(f));
            table_cell(&table, "%zu", form->all.n);
            table_cell(&table, "%.2f %%", mean_percent(&form->all));
            table_cell(&table, "%.2f %%", to_percent * form->median);
            table_cell(&table, "%+.2f %%", signed_percent(bias(&form->all), 2));
            table_cell(&table, "%.3f", form->tau);
            table_cell(&table, "%.1f %%", to_percent * share(form->all.n_close, form->all.n));
            table_cell(&table, "%.1f %%", to_percent * share(form->all.n_within, form->all.n));
            table_cell(&table, "%zu", form->n_refused);
        }
    table_print(&table, out, colour);
    for (unsigned m = 0; m < scores->n_models; m++)
        for (unsigned f = 0; f < N_FORMS; f++)
            if (scores->models[m].forms[f].refusal)
                fprintf(out, "%s refuses, for example (%s): %s\n", scores->models[m].title, form_name(f),
                        scores->models[m].forms[f].refusal);
}

static void add_mean(struct table *table, const struct score_errors *errors) {
    if (errors->n)
        table_cell(table, "%.2f %%", mean_percent(errors));
    else
        table_cell(table, "-");
}

// A column for each model and form, as far as they fit into a table.
static void print_groups(struct arena *arena, const struct scores *scores, FILE *out, bool colour) {
    for (unsigned f = 0; f < N_FORMS; f++) {
        struct table table = {.arena = arena};
        bool is_any = false;
        table_column(&table, TABLE_LEFT, arena_printf(arena, "mean error, %s", form_name(f)));
        table_column(&table, TABLE_RIGHT, "blocks");
        for (unsigned m = 0; m < scores->n_models; m++)
            table_column(&table, TABLE_RIGHT, scores->models[m].title);
        for (unsigned g = 0; g < SCORE_N_GROUPS; g++) {
            size_t n = 0;
            for (unsigned m = 0; m < scores->n_models; m++)
                n = scores->models[m].forms[f].groups[g].n > n ? scores->models[m].forms[f].groups[g].n : n;
            if (n == 0)
                continue;
            is_any = true;
            table_cell(&table, "%s", score_group_name((enum score_group)g));
            table_cell(&table, "%zu", n);
            for (unsigned m = 0; m < scores->n_models; m++)
                add_mean(&table, &scores->models[m].forms[f].groups[g]);
        }
        if (!is_any)
            continue;
        fprintf(out, "\n");
        table_print(&table, out, colour);
    }
}

static void print_classes(struct arena *arena, const struct scores *scores, FILE *out, bool colour) {
    enum { MOST = 10 };
    for (unsigned m = 0; m < scores->n_models; m++)
        for (unsigned f = 0; f < N_FORMS; f++) {
            const struct score_form *form = &scores->models[m].forms[f];
            struct table table = {.arena = arena};
            if (form->n_classes == 0)
                continue;
            table_column(&table, TABLE_CUT, "class");
            table_column(&table, TABLE_RIGHT, "blocks");
            table_column(&table, TABLE_RIGHT, "mean error");
            table_column(&table, TABLE_RIGHT, "bias");
            table_column(&table, TABLE_WRAP, "opcodes");
            for (size_t c = 0; c < form->n_classes && c < MOST; c++) {
                table_cell(&table, "%s", form->classes[c].name);
                table_cell(&table, "%zu", form->classes[c].errors.n);
                table_cell(&table, "%.1f %%", mean_percent(&form->classes[c].errors));
                table_cell(&table, "%+.1f %%", signed_percent(bias(&form->classes[c].errors), 1));
                table_cell(&table, "%s", form->classes[c].opcodes);
            }
            fprintf(out, "\n%s, %s: scheduling classes whose blocks add most to the error\n", scores->models[m].title,
                    form_name(f));
            table_print(&table, out, colour);
        }
}

// Whether an earlier model has the same worst blocks with the same predictions: its number, or this one's.
static unsigned same_worst(const struct scores *scores, unsigned model, unsigned form) {
    const struct score_form *own = &scores->models[model].forms[form];
    for (unsigned m = 0; m < model; m++) {
        const struct score_form *other = &scores->models[m].forms[form];
        bool is_same = other->n_worst == own->n_worst;
        for (size_t i = 0; is_same && i < own->n_worst; i++)
            is_same = own->worst[i].predicted == other->worst[i].predicted &&
                      strcmp(own->worst[i].hex, other->worst[i].hex) == 0;
        if (is_same)
            return m;
    }
    return model;
}

static void print_worst(struct arena *arena, const struct scores *scores, FILE *out, bool colour) {
    for (unsigned m = 0; m < scores->n_models; m++)
        for (unsigned f = 0; f < N_FORMS; f++) {
            const struct score_form *form = &scores->models[m].forms[f];
            struct table table = {.arena = arena};
            if (form->n_worst == 0)
                continue;
            unsigned same = same_worst(scores, m, f);
            if (same != m) {
                fprintf(out, "\n%s, %s: the worst blocks are those of %s\n", scores->models[m].title, form_name(f),
                        scores->models[same].title);
                continue;
            }
            table_column(&table, TABLE_RIGHT, "measured");
            table_column(&table, TABLE_BESIDE, "predicted");
            table_column(&table, TABLE_BESIDE, "error");
            table_column(&table, TABLE_WRAP, "blamed");
            table_column(&table, TABLE_WRAP, "block");
            for (size_t i = 0; i < form->n_worst; i++) {
                const struct score_worst *worst = &form->worst[i];
                table_cell(&table, "%.2f ±%.2f", worst->measured,
                           fmax(worst->high - worst->measured, worst->measured - worst->low));
                table_cell(&table, "%.2f", worst->predicted);
                table_cell(&table, "%+.0f %%", signed_percent(worst->error, 0));
                table_cell(&table, "%s", worst->blame);
                table_cell(&table, "%s", worst->text);
            }
            fprintf(out, "\n%s, %s: the worst blocks\n", scores->models[m].title, form_name(f));
            table_print(&table, out, colour);
        }
}

// The fewest blocks of which scores can judge models.
const char *score_warning(struct arena *arena, const struct scores *scores) {
    enum { FEWEST_BLOCKS = 30 };
    struct text text = {.arena = arena};
    for (unsigned f = 0; f < N_FORMS; f++) {
        size_t most = 0;
        for (unsigned m = 0; m < scores->n_models; m++)
            most = scores->models[m].forms[f].all.n > most ? scores->models[m].forms[f].all.n : most;
        if (most > 0 && most < FEWEST_BLOCKS)
            text_addf(&text, "%s%s %s", text.length ? ", " : "", text_count(arena, most, "block"), form_name(f));
    }
    return text.length ? arena_printf(arena, "not representative: %s; fewer than %d say little about other code",
                                      text.data, FEWEST_BLOCKS)
                       : NULL;
}

void score_print(struct arena *arena, const struct scores *scores, FILE *out, bool colour) {
    print_values(scores, out);
    fprintf(out, "\n");
    print_all(arena, scores, out, colour);
    print_groups(arena, scores, out, colour);
    print_classes(arena, scores, out, colour);
    print_worst(arena, scores, out, colour);
}

// ---- for programs

enum { DECIMALS = 6 };

struct line {
    const char *model, *form, *kind;
    int64_t blocks;
    double mean_error, bias, within_5_percent, in_interval, median_error, tau_b;
    int64_t refused;
};
enum {
    MODEL,
    FORM,
    KIND,
    BLOCKS,
    MEAN_ERROR,
    BIAS,
    WITHIN_5_PERCENT,
    IN_INTERVAL,
    MEDIAN_ERROR,
    TAU_B,
    REFUSED,
    N_COLUMNS,
};
static const struct column columns[N_COLUMNS] = {
    [MODEL] = {"model", COLUMN_TEXT, 0, offsetof(struct line, model)},
    [FORM] = {"form", COLUMN_TEXT, 0, offsetof(struct line, form)},
    [KIND] = {"kind", COLUMN_QUOTED, 0, offsetof(struct line, kind)},
    [BLOCKS] = {"blocks", COLUMN_COUNT, 0, offsetof(struct line, blocks)},
    [MEAN_ERROR] = {"mean_error", COLUMN_FIXED, DECIMALS, offsetof(struct line, mean_error)},
    [BIAS] = {"bias", COLUMN_FIXED, DECIMALS, offsetof(struct line, bias)},
    [WITHIN_5_PERCENT] = {"within_5_percent", COLUMN_FIXED, DECIMALS, offsetof(struct line, within_5_percent)},
    [IN_INTERVAL] = {"in_interval", COLUMN_FIXED, DECIMALS, offsetof(struct line, in_interval)},
    [MEDIAN_ERROR] = {"median_error", COLUMN_FIXED, DECIMALS, offsetof(struct line, median_error)},
    [TAU_B] = {"tau_b", COLUMN_FIXED, DECIMALS, offsetof(struct line, tau_b)},
    [REFUSED] = {"refused", COLUMN_COUNT, 0, offsetof(struct line, refused)},
};

// Of a part of the blocks: a kind, or those of a class.
static struct line line_of(const struct score_errors *errors) {
    return (struct line){
        .blocks = (int64_t)errors->n,
        .mean_error = score_mean(errors),
        .bias = bias(errors),
        .within_5_percent = share(errors->n_close, errors->n),
        .in_interval = share(errors->n_within, errors->n),
        .median_error = NAN,
        .tau_b = NAN,
        .refused = -1,
    };
}

static struct line line_of_all(const struct scores *scores, unsigned model, unsigned form) {
    const struct score_form *all = &scores->models[model].forms[form];
    struct line line = line_of(&all->all);
    line.model = scores->models[model].name;
    line.form = form_name(form);
    line.kind = "all";
    line.median_error = all->median;
    line.tau_b = all->tau;
    line.refused = (int64_t)all->n_refused;
    return line;
}

// ---- CSV

static void write_line(struct csv *csv, const struct line *line, FILE *out) {
    columns_put_cells(columns, N_COLUMNS, line, csv);
    csv_end_line(csv, out);
}

void score_print_csv(struct arena *arena, const struct scores *scores, FILE *out) {
    struct csv csv = {.line.arena = arena};
    columns_put_titles(columns, N_COLUMNS, "", &csv);
    csv_end_line(&csv, out);
    for (unsigned m = 0; m < scores->n_models; m++)
        for (unsigned f = 0; f < N_FORMS; f++) {
            if (!has_score(scores, m, f))
                continue;
            struct line all = line_of_all(scores, m, f);
            write_line(&csv, &all, out);
            for (unsigned g = 0; g < SCORE_N_GROUPS; g++) {
                struct line group = line_of(&scores->models[m].forms[f].groups[g]);
                group.model = all.model;
                group.form = all.form;
                group.kind = score_group_name((enum score_group)g);
                if (group.blocks)
                    write_line(&csv, &group, out);
            }
        }
}

// ---- JSON

// `kind`: null: not a kind.
static void put_errors(struct json_text *json, const char *kind, const struct score_errors *errors) {
    static const unsigned char which[] = {KIND, BLOCKS, MEAN_ERROR, BIAS, WITHIN_5_PERCENT, IN_INTERVAL};
    struct line line = line_of(errors);
    line.kind = kind;
    columns_put_members(columns, which, sizeof which, &line, json);
}

static void put_parts(struct json_text *json, const struct score_form *form) {
    json_open_list(json, "kinds");
    for (unsigned g = 0; g < SCORE_N_GROUPS; g++) {
        if (!form->groups[g].n)
            continue;
        json_open(json, NULL);
        put_errors(json, score_group_name((enum score_group)g), &form->groups[g]);
        json_close(json);
    }
    json_close_list(json);
    json_open_list(json, "classes");
    for (size_t c = 0; c < form->n_classes; c++) {
        json_open(json, NULL);
        json_put_text(json, "class", form->classes[c].name);
        json_put_text(json, "opcodes", form->classes[c].opcodes);
        put_errors(json, NULL, &form->classes[c].errors);
        json_close(json);
    }
    json_close_list(json);
    json_open_list(json, "worst");
    for (size_t i = 0; i < form->n_worst; i++) {
        const struct score_worst *worst = &form->worst[i];
        json_open(json, NULL);
        json_put_text(json, "block", worst->hex);
        json_put_text(json, "bytes", worst->code);
        json_put_text(json, "text", worst->text);
        json_put_real(json, "measured", worst->measured, DECIMALS);
        json_put_real(json, "low", worst->low, DECIMALS);
        json_put_real(json, "high", worst->high, DECIMALS);
        json_put_real(json, "predicted", worst->predicted, DECIMALS);
        json_put_real(json, "error", worst->error, DECIMALS);
        json_put_text(json, "blame", worst->blame);
        json_close(json);
    }
    json_close_list(json);
}

bool score_print_json(struct arena *arena, const struct scores *scores, FILE *out, struct fail *fail) {
    static const unsigned char which[] = {MODEL,       FORM,         BLOCKS, MEAN_ERROR, BIAS, WITHIN_5_PERCENT,
                                          IN_INTERVAL, MEDIAN_ERROR, TAU_B,  REFUSED};
    bool is_written = true;
    for (unsigned m = 0; m < scores->n_models; m++)
        for (unsigned f = 0; f < N_FORMS && is_written; f++) {
            const struct score_form *form = &scores->models[m].forms[f];
            const struct score_values *values = &scores->values[f];
            struct json_text json = {.text.arena = arena};
            struct line line = line_of_all(scores, m, f);
            if (!has_score(scores, m, f))
                continue;
            json_open(&json, NULL);
            json_put_text(&json, "record", "score");
            columns_put_members(columns, which, sizeof which, &line, &json);
            json_put_text(&json, "refusal", form->refusal);
            json_put_integer(&json, "unstable", (int64_t)values->n_unstable);
            json_put_integer(&json, "distorted", (int64_t)values->n_distorted);
            json_put_integer(&json, "could_not_run", (int64_t)values->n_missing);
            json_put_integer(&json, "branches_inside", (int64_t)values->n_branches);
            if (scores->runs_blocks) {
                json_put_integer(&json, "addresses_run", (int64_t)values->n_run);
                json_put_integer(&json, "addresses_unknown", (int64_t)values->n_unrecorded);
            }
            json_put_text(&json, "addresses_refusal", values->unrecorded);
            json_put_integer(&json, "malformed", (int64_t)scores->n_malformed);
            put_parts(&json, form);
            json_close(&json);
            is_written = json_print_line(out, &json, fail);
        }
    return is_written;
}
