#include "report/survey.h"

#include "base/screen.h"
#include "base/text.h"

static void add_counts(const struct survey_summary *summary, struct text *text) {
    text_addf(text, "%s, %zu measured: %s", text_count(text->arena, summary->n_forms, "form"), summary->n_measured,
              text_count(text->arena, summary->n_values, "value"));
    text_addf(text, " (%zu unstable, ", summary->n_unstable);
    if (summary->n_waiting)
        text_addf(text, "%zu seen at one time only, ", summary->n_waiting);
    if (summary->n_lost)
        text_addf(text, "%zu more not known yet, ", summary->n_lost);
    text_addf(text, "%s)", text_count(text->arena, summary->n_at_most, "upper bound"));
}

void survey_report_print(struct arena *arena, const struct survey_summary *summary, const char *folder, FILE *out) {
    struct text text = {.arena = arena};
    text_addf(&text, "%s after %.0f s: ", summary->is_interrupted ? "Interrupted" : "Done", summary->seconds);
    add_counts(summary, &text);
    screen_print_sentence(text.data, out);
    if (summary->n_values)
        screen_print_sentence(arena_printf(arena, "The table: cyclops table %s", folder), out);
    else if (summary->n_lost && !summary->is_interrupted)
        screen_print_sentence("Nothing could be measured: other threads were busy on the core all the time", out);
    const char *rest = summary->is_interrupted                  ? "does the rest"
                       : !summary->n_values && summary->n_lost  ? "tries again"
                       : summary->n_unstable || summary->n_lost ? "measures again what is unstable"
                       : summary->n_waiting                     ? "takes the second look"
                                                                : NULL;
    if (rest)
        screen_print_sentence(arena_printf(arena, "The same command with --resume %s", rest), out);
}
