#include "report/machine.h"

#include "base/file.h"
#include "base/screen.h"
#include "base/svg.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static const char *print_number(struct arena *arena, double value) {
    return value == round(value) ? arena_printf(arena, "%.0f", value)
                                 : arena_printf(arena, value < 10 ? "%.2f" : "%.1f", value);
}

// Two numbers with as many digits as show that they differ.
static const char *print_range(struct arena *arena, double low, double high) {
    enum { MOST_DIGITS = 4 };
    const char *a = print_number(arena, low), *b = print_number(arena, high);
    for (int digits = 2; digits <= MOST_DIGITS && low < high && strcmp(a + (*a == '-'), b + (*b == '-')) == 0;
         digits++) {
        a = arena_printf(arena, "%.*f", digits, low);
        b = arena_printf(arena, "%.*f", digits, high);
    }
    return arena_printf(arena, "%s to %s", a, b);
}

static const char *value_of(struct arena *arena, const struct card_entry *entry) {
    switch (entry->verdict) {
    case CARD_EXACT:
        return print_number(arena, entry->value);
    case CARD_AT_LEAST:
        return arena_printf(arena, "≥ %s", print_number(arena, entry->low));
    case CARD_WITHIN:
        return print_range(arena, entry->low, entry->high);
    case CARD_UNKNOWN:
    case CARD_N_VERDICTS:
        break;
    }
    return "-";
}

static const char *model_of(struct arena *arena, const struct card_comparison *c) {
    if (!c->is_known)
        return "";
    return arena_printf(arena, "%s %s",
                        c->agreement == CARD_CONTRADICTS ? "≠"
                        : c->agreement == CARD_AGREES    ? "="
                                                         : " ",
                        c->is_unlimited ? "unlimited" : print_number(arena, c->model));
}

static void pad(FILE *out, const char *string, size_t width) {
    size_t used = text_width(string);
    fprintf(out, "%s%*s", string, used < width ? (int)(width - used) : used > 0, ""); // one blank at least
}

// The verdict, and the reason or the kind, in lines that fit.
static void print_verdict(struct arena *arena, const struct card_entry *entry, size_t at, FILE *out) {
    enum { INDENT = 34, LEAST = 24 };
    bool is_exact = entry->verdict == CARD_EXACT;
    const char *text = arena_printf(arena, "%s%s%s", is_exact ? "" : card_verdict_name(entry->verdict),
                                    entry->why && !is_exact ? ": " : "", entry->why ? entry->why : "");
    if (*text && at + LEAST > screen_columns(out)) { // no room for words: below
        fprintf(out, "\n%*s", INDENT, "");
        at = INDENT;
    }
    screen_wrap(text, at, INDENT, screen_columns(out), out);
}

// The model's numbers without an entry that judges them.
static void print_rest(struct arena *arena, const struct machine_report_model *model, FILE *out) {
    enum { NAME = 30, VALUE = 16 };
    if (model->n_rest)
        fprintf(out, "\n%s: what this card does not judge\n", model->title);
    for (size_t i = 0; i < model->n_rest; i++) {
        const struct card_rest *rest = &model->rest[i];
        fprintf(out, "  ");
        pad(out, rest->number, NAME);
        pad(out, print_number(arena, rest->value), VALUE);
        screen_wrap(rest->why, 2 + NAME + VALUE, 2 + NAME + VALUE, screen_columns(out), out);
    }
}

// How many entries behind this one are of its group and not determined for the same reason: they need only their names.
static size_t count_likewise(const struct card *card, size_t entry) {
    const struct card_entry *first = &card->entries[entry];
    size_t n = entry + 1;
    while (n < card->n_entries && first->verdict == CARD_UNKNOWN && card->entries[n].verdict == CARD_UNKNOWN &&
           strcmp(card->entries[n].group, first->group) == 0 && strcmp(card->entries[n].why, first->why) == 0)
        n++;
    return n - entry - 1;
}

static void print_likewise(const struct card *card, size_t first, size_t n, FILE *out) {
    static const char indent[] = "    likewise: ";
    struct text names = {.arena = card->arena};
    for (size_t i = first; i < first + n; i++)
        text_addf(&names, "%s%s", i > first ? ", " : "", card->entries[i].name);
    fputs(indent, out);
    screen_wrap(names.data, sizeof indent - 1, sizeof indent - 1, screen_columns(out), out);
}

size_t machine_report_print(const struct card *card, const struct machine_report_model *models, size_t n_models,
                            FILE *out) {
    enum { NAME = 30, VALUE = 16, UNIT = 16, MODEL = 16, LEAST_LIKEWISE = 2 };
    const char *group = "";
    size_t n = 0;
    for (size_t i = 0; i < card->n_entries; i++) {
        const struct card_entry *entry = &card->entries[i];
        if (strcmp(group, entry->group) != 0) {
            fprintf(out, "%s%s", *group ? "\n" : "", entry->group);
            for (size_t m = 0; m < n_models; m++)
                fprintf(out, "%*s%s", m ? 2 : NAME + VALUE + UNIT + 2 - (int)strlen(entry->group), "", models[m].title);
            fprintf(out, "\n");
        }
        group = entry->group;
        fprintf(out, "  ");
        pad(out, entry->name, NAME);
        pad(out, value_of(card->arena, entry), VALUE);
        size_t at = 2 + NAME + VALUE;
        if (entry->verdict != CARD_UNKNOWN || n_models) { // else the reason needs the room
            pad(out, entry->verdict == CARD_UNKNOWN ? "" : entry->unit, UNIT);
            at += UNIT;
        }
        for (size_t m = 0; m < n_models; m++) {
            pad(out, model_of(card->arena, &models[m].comparisons[i]), MODEL);
            n += models[m].comparisons[i].agreement == CARD_CONTRADICTS;
            at += MODEL;
        }
        print_verdict(card->arena, entry, at, out);
        size_t n_likewise = n_models ? 0 : count_likewise(card, i);
        if (n_likewise < LEAST_LIKEWISE)
            continue;
        print_likewise(card, i + 1, n_likewise, out);
        i += n_likewise;
    }
    for (size_t m = 0; m < n_models; m++)
        print_rest(card->arena, &models[m], out);
    return n;
}

// ---- the overlay

// Text in quotes, as YAML and JSON have it.
static void add_quoted(struct text *out, const char *string) {
    text_add(out, "\"");
    for (const char *c = string; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_add(out, "\\");
        if (*c == '\n')
            text_add(out, "; ");
        else
            text_append(out, c, 1);
    }
    text_add(out, "\"");
}

// Adds a line behind another; null: none.
static void add_text(struct text *out, const char *key, const char *value) {
    if (!value)
        return;
    text_addf(out, "\n%s: ", key);
    add_quoted(out, value);
}

static void add_machine_number(const struct card *card, const char *entry_name, const char *key, struct text *out) {
    const struct card_entry *entry = card_find(card, entry_name);
    if (entry && entry->verdict == CARD_EXACT)
        text_addf(out, "  %s: {value: %.0f, source: \"cyclops machine: %s\"}\n", key, entry->value, entry->how);
}

static bool has_curve(const struct card *card, const char *name) {
    for (size_t i = 0; name && i < card->n_curves; i++)
        if (strcmp(card->curves[i].name, name) == 0)
            return true;
    return false;
}

static void add_entry(const struct card *card, const struct card_entry *entry, struct text *out) {
    text_addf(out, "  - {name: %s, group: %s, verdict: %s", entry->name, entry->group,
              card_verdict_name(entry->verdict));
    if (entry->verdict == CARD_EXACT)
        text_addf(out, ", value: %s", print_number(out->arena, entry->value));
    else if (entry->verdict != CARD_UNKNOWN)
        text_addf(out, ", low: %.6g", entry->low);
    if (entry->verdict == CARD_WITHIN)
        text_addf(out, ", high: %.6g", entry->high);
    text_add(out, ", unit: ");
    add_quoted(out, entry->unit);
    text_add(out, ", how: ");
    add_quoted(out, entry->how);
    if (entry->why) {
        text_add(out, ", why: ");
        add_quoted(out, entry->why);
    }
    if (has_curve(card, entry->curve)) // what could not be measured has none
        text_addf(out, ", curve: %s.svg", entry->curve);
    text_add(out, "}\n");
}

bool machine_report_write(struct arena *arena, const struct card *card, const struct machine_report_origin *origin,
                          const char *path, struct fail *fail) {
    struct text out = {.arena = arena}, machine = {.arena = arena};
    text_addf(&out,
              "# A machine card, written by cyclops machine (version %s): docs/how-it-works/machine.md explains it.\n",
              origin->version);
    text_addf(&out, "overlay: 1\nname: %s\nabout: ", origin->name);
    add_quoted(&out, origin->about);
    add_text(&out, "measured", date_range_text(arena, &card->when));
    add_text(&out, "measured_on", origin->machine);
    add_text(&out, "clock", origin->clock);
    text_addf(&out, "\nbase: llvm\ncpu: %s\n", origin->cpu ? origin->cpu : "generic");
    add_machine_number(card, "dispatch", "dispatch_width", &machine);
    add_machine_number(card, "reorder-buffer", "reorder_buffer", &machine);
    add_machine_number(card, "load-queue", "load_queue", &machine);
    add_machine_number(card, "store-queue", "store_queue", &machine);
    if (machine.length && origin->cpu)
        text_addf(&out, "machine:\n%s", machine.data);
    text_add(&out, "card: # the simulator ignores it\n");
    for (size_t i = 0; i < card->n_entries; i++)
        add_entry(card, &card->entries[i], &out);
    if (!card->n_entries)
        text_add(&out, "  []\n");
    return file_write(path, out.data, out.length, fail);
}

// ---- curves

enum { WIDTH = 720, HEIGHT = 400, LEFT = 80, RIGHT = 20, TOP = 40, BOTTOM = 50, TICKS = 5 };

struct frame {
    struct svg svg;
    double most_x, most_y;
};

static double x_of(const struct frame *frame, double x) {
    return LEFT + x / frame->most_x * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct frame *frame, double y) {
    return HEIGHT - BOTTOM - y / frame->most_y * (HEIGHT - TOP - BOTTOM);
}

static bool draw(struct arena *arena, const struct card_curve *curve, const char *path, struct fail *fail) {
    struct frame frame = {.svg = svg_open(arena, WIDTH, HEIGHT), .most_x = 1, .most_y = 1};
    double *points = ARENA_ARRAY(arena, double, 2 * curve->n_points + 1);
    for (size_t i = 0; i < curve->n_points; i++) {
        frame.most_x = fmax(frame.most_x, curve->points[i].x);
        frame.most_y = fmax(frame.most_y, 1.1 * curve->points[i].y);
    }
    if (curve->knee_high > 0)
        svg_box(&frame.svg, x_of(&frame, curve->knee_low), TOP,
                fmax(1, x_of(&frame, curve->knee_high) - x_of(&frame, curve->knee_low)), HEIGHT - TOP - BOTTOM,
                "#f2d9b8", "none", false);
    for (int t = 0; t <= TICKS; t++) {
        double x = frame.most_x * t / TICKS, y = frame.most_y * t / TICKS;
        svg_line(&frame.svg, LEFT, y_of(&frame, y), WIDTH - RIGHT, y_of(&frame, y), "#dddddd", false);
        svg_label(&frame.svg, LEFT - 8, y_of(&frame, y) + 4, SVG_END, 11, arena_printf(arena, "%.4g", y));
        svg_label(&frame.svg, x_of(&frame, x), HEIGHT - BOTTOM + 16, SVG_MIDDLE, 11, arena_printf(arena, "%.4g", x));
    }
    for (size_t i = 0; i < curve->n_points; i++) {
        const struct card_point *p = &curve->points[i];
        points[2 * i] = x_of(&frame, p->x);
        points[2 * i + 1] = y_of(&frame, p->y);
        svg_line(&frame.svg, points[2 * i], y_of(&frame, fmin(p->high, frame.most_y)), points[2 * i],
                 y_of(&frame, p->low), "#999999", false);
        svg_circle(&frame.svg, points[2 * i], points[2 * i + 1], 2.5, "#4e79a7", "none");
    }
    svg_polyline(&frame.svg, points, curve->n_points, "#4e79a7", 1.5);
    svg_label(&frame.svg, WIDTH / 2.0, TOP - 16, SVG_MIDDLE, 14, curve->name);
    svg_label(&frame.svg, WIDTH / 2.0, HEIGHT - 12, SVG_MIDDLE, 12, curve->x);
    svg_label(&frame.svg, LEFT, TOP - 4, SVG_START, 12, curve->y);
    return svg_save(&frame.svg, path, fail);
}

bool machine_report_draw(struct arena *arena, const struct card *card, const char *folder, struct fail *fail) {
    for (size_t i = 0; i < card->n_curves; i++)
        if (!draw(arena, &card->curves[i], arena_printf(arena, "%s/%s.svg", folder, card->curves[i].name), fail))
            return false;
    return true;
}
