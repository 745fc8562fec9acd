#include "report/aliases.h"

#include "base/screen.h"
#include "report/rows.h"

enum { NAME_COLUMNS = 40 };

// Returns the experiment on the same block and form with different addresses; null: there is none.
static const struct experiment *find_apart(const struct plan *plan, size_t at) {
    const struct experiment *alike = plan->experiments[at];
    if (!alike->block || alike->alias != ALIAS_SAME)
        return NULL;
    struct plan_range range = plan_around(plan, at);
    for (size_t i = range.first; i < range.end; i++) {
        const struct experiment *e = plan->experiments[i];
        if (e->alias == ALIAS_DISJOINT && e->program.form == alike->program.form)
            return e;
    }
    return NULL;
}

static bool differ(const struct experiment *apart, const struct experiment *alike) {
    return row_is_trusted(apart) && row_is_trusted(alike) && measured_differ(&apart->measurement, &alike->measurement);
}

bool aliases_agree(const struct plan *plan, size_t at) {
    const struct experiment *apart = find_apart(plan, at);
    const struct experiment *alike = plan->experiments[at];
    return apart && row_is_trusted(apart) && row_is_trusted(alike) && !differ(apart, alike);
}

void aliases_print(struct arena *arena, const struct plan *plan, FILE *out) {
    for (size_t i = 0; i < plan->n_experiments; i++) {
        const struct experiment *alike = plan->experiments[i], *apart = find_apart(plan, i);
        if (!apart || !differ(apart, alike))
            continue;
        const char *line = arena_printf(
            arena, "%s: %.3g cycles %s where its addresses are apart, %.3g where its registers hold the same one%s",
            screen_cut(arena, alike->program.kernel, NAME_COLUMNS), apart->measurement.cycles,
            program_form_name(alike->program.form), alike->measurement.cycles,
            alike->measurement.cycles > apart->measurement.cycles ? ": it then loads what it has just stored" : "");
        screen_print_sentence(line, out);
    }
}
