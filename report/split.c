#include "report/split.h"

#include "base/file.h"
#include "base/text.h"
#include "repair/repair_split.h"

#include <string.h>

enum { MOST_ROWS = 40, MOST_LEFT = 6 };

static void add_row(struct arena *arena, struct text *text, const struct check_difference *difference) {
    const struct check_value *value = difference->value;
    text_addf(text, "| %s | %s | %.4g | %s%.4g [%.4g, %.4g] |\n", value->form,
              text_replaced(arena, check_value_label(arena, value), '|', '/'), difference->number,
              value->value.relation == TABLE_AT_MOST ? "≤ " : "", value->value.cycles, value->value.low,
              value->value.high);
}

static bool is_left(const struct td_result *td, const char *opcode) {
    bool is = false;
    for (size_t i = 0; i < td->n_left; i++)
        is |= strcmp(td->left[i].opcode, opcode) == 0;
    return is;
}

// Whether the patch changes the opcode of this value.
static bool is_wanted(const struct split_text *split, size_t d) {
    const char *form = split->finding->differences[d].value->form;
    bool is = false;
    for (size_t i = 0; i < split->patch->request.n_changes; i++) {
        const struct repair_change *change = &split->patch->request.changes[i];
        is |= repair_split_is_form(form, change->opcode) &&
              !repair_numbers_are_equal(&change->before, &change->after) && !is_left(&split->patch->td, change->opcode);
    }
    return is;
}

static void add_experiments(struct arena *arena, struct text *text, const struct split_text *split) {
    size_t n = 0;
    text_add(text, "| form | value | LLVM | measured [interval] |\n|---|---|--:|---|\n");
    for (size_t d = 0; d < split->finding->n_differences; d++)
        if (is_wanted(split, d) && n++ < MOST_ROWS)
            add_row(arena, text, &split->finding->differences[d]);
    if (n > MOST_ROWS)
        text_addf(text, "\nand %zu more.\n", n - MOST_ROWS);
}

static void add_commands(struct arena *arena, struct text *text, const struct split_text *split) {
    const char *commands[MOST_LEFT];
    size_t n = 0;
    text_add(text, "\n## To repeat it\n\n");
    for (size_t d = 0; d < split->finding->n_differences && n < MOST_LEFT; d++) {
        const char *command =
            table_repeat(arena, &split->finding->differences[d].value->value, split->results->repeat_options);
        if (!is_wanted(split, d) || text_find(command, commands, n) < n)
            continue; // several values are of one experiment
        commands[n++] = command;
        text_addf(text, "    %s\n", command);
    }
}

const char *split_write(struct arena *arena, const struct split_text *split) {
    const struct td_result *td = &split->patch->td;
    struct text text = {.arena = arena};
    text_addf(
        &text,
        "<!-- A draft that Cyclops wrote. Read it, and the edit, before you send them. -->\n"
        "# %s: %s\n\n"
        "%s of %s: %s in `%s` %s edited, %s new. The other measured opcodes keep their numbers; those that were not "
        "measured follow their class.\n\n",
        split->model, split->finding->summary, text_count(arena, split->n_changed, "opcode"), split->finding->id,
        text_count(arena, td->n_statements, "statement"), file_base(split->patch->request.path),
        td->n_statements == 1 ? "is" : "are", text_count_are(arena, td->n_inst_rws, "InstRW"));
    if (*split->needs)
        text_addf(&text, "It applies after %s: they change the same opcodes, or lines beside these.\n\n", split->needs);
    add_experiments(arena, &text, split);
    text_addf(&text, "\nllvm-tblgen has the intended numbers of %zu of %s; with all earlier patches, of %zu.\n",
              td->n_equal, text_count(arena, td->n_compared, "opcode"), split->patch->n_equal);
    for (size_t i = 0; i < td->n_left && i < MOST_LEFT; i++)
        text_addf(&text, "* not expressed: %s: %s\n", td->left[i].opcode, td->left[i].why);
    text_addf(&text, "\n## How it was measured\n\n* Host: %s\n* Clock: %s\n* Date: %s\n* Program: `cyclops survey`\n",
              split->results->machine, split->results->clock, date_range_said(arena, &split->results->when));
    add_commands(arena, &text, split);
    return text.data;
}

const char *split_add_finding(struct arena *arena, const char *text, const struct check_finding *finding) {
    static const char title[] = "\n## Findings of the same edit\n\n";
    return arena_printf(arena, "%s%s* %s: %s\n", text, strstr(text, title) ? "" : title, finding->id, finding->summary);
}
