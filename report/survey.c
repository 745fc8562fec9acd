#include "report/survey.h"

#include "base/screen.h"
#include "base/text.h"

static void add_counts(const struct survey_summary *summary, struct text *text) {
    text_addf(text, "%s, %zu measured", text_count(text->arena, summary->n_forms, "form"), summary->n_measured);
    if (summary->n_open)
        text_addf(text, ", %zu not yet", summary->n_open);
    text_addf(text, ": %s", text_count(text->arena, summary->n_values, "value"));
    text_addf(text, " (%zu unstable, ", summary->n_unstable);
    if (summary->n_waiting)
        text_addf(text, "%zu seen at one time only, ", summary->n_waiting);
    if (summary->n_lost)
        text_addf(text, "%zu more not known yet, ", summary->n_lost);
    text_addf(text, "%s)", text_count(text->arena, summary->n_at_most, "upper bound"));
    if (summary->n_slots_missing)
        text_addf(text, "; dispatch slots of %s not measured yet",
                  text_count(text->arena, summary->n_slots_missing, "form"));
}

// What --resume would do; null: nothing.
static const char *rest_of(const struct survey_summary *summary) {
    if (!summary->is_interrupted && !summary->is_spent && !summary->n_values && summary->n_lost)
        return "try again";
    if (summary->is_interrupted || summary->is_spent || summary->n_open)
        return "do the rest";
    if (summary->n_unstable || summary->n_lost)
        return "measure again what is unstable";
    return summary->n_waiting ? "take the second look" : NULL;
}

void survey_report_print(struct arena *arena, const struct survey_summary *summary, const char *folder,
                         const char *resume, FILE *out) {
    struct text text = {.arena = arena};
    text_addf(&text, "%s after %.0f s: ",
              summary->is_interrupted ? "Interrupted"
              : summary->is_spent     ? "The budget is spent"
                                      : "Done",
              summary->seconds);
    add_counts(summary, &text);
    screen_print_sentence(text.data, out);
    if (summary->n_values && summary->no_filler)
        screen_print_sentence(
            arena_printf(arena, "Dispatch slots and throughputs among fillers are not known: %s", summary->no_filler),
            out);
    if (summary->n_values)
        screen_print_sentence(arena_printf(arena, "The table: cyclops table %s", folder), out);
    else if (summary->n_lost && !summary->is_interrupted)
        screen_print_sentence("Nothing could be measured: other threads were busy on the core all the time", out);
    const char *rest = rest_of(summary);
    if (rest)
        screen_print_whole_sentence(arena_printf(arena, "To %s: %s", rest, resume), out);
}
