#include "report/forms.h"

#include "base/screen.h"
#include "report/aliases.h"
#include "report/rows.h"

#include <math.h>
#include <string.h>

enum { NAME_COLUMNS = 40 };

static bool is_other_form(const struct experiment *unrolled, const struct experiment *looped) {
    const struct program *u = &unrolled->program, *l = &looped->program;
    if (unrolled->alias != looped->alias)
        return false;
    bool is_same_arc = u->arc == l->arc || (u->arc && l->arc && strcmp(u->arc, l->arc) == 0);
    return u->form == PROGRAM_UNROLLED && l->form == PROGRAM_LOOPED && u->mode == l->mode && u->streams == l->streams &&
           u->placement == l->placement && unrolled->is_sweep == looped->is_sweep && is_same_arc &&
           strcmp(u->kernel, l->kernel) == 0;
}

// Returns the first model whose two predictions differ by as much as the results do; null: there is none.
static const char *model_that_knows(const struct experiment *unrolled, const struct experiment *looped) {
    const struct bench_measurement *u = &unrolled->measurement, *l = &looped->measurement;
    double least = measured_low(l) - measured_high(u), most = measured_high(l) - measured_low(u);
    for (unsigned i = 0; i < unrolled->n_predictions && i < looped->n_predictions; i++) {
        double predicted = looped->predictions[i].cycles - unrolled->predictions[i].cycles;
        if (fabs(predicted) <= MEASURED_LEAST_DIFFERENCE * l->cycles)
            continue; // the model predicts no difference
        if (predicted >= least - MEASURED_LEAST_DIFFERENCE * l->cycles &&
            predicted <= most + MEASURED_LEAST_DIFFERENCE * l->cycles)
            return unrolled->predictions[i].model;
    }
    return NULL;
}

// Returns a known reason for the difference; null: unknown.
static const char *reason(struct arena *arena, const struct experiment *unrolled, const struct experiment *looped) {
    const struct bench_measurement *u = &unrolled->measurement, *l = &looped->measurement;
    const char *model = model_that_knows(unrolled, looped);
    if (model)
        return arena_printf(arena, "by %s, the loop's own instructions take the difference", model);
    if (l->cycles > u->cycles && measured_low(l) <= 1 && 1 <= measured_high(l))
        return "an iteration with a taken branch takes a cycle at least";
    for (unsigned i = 0; i < u->n_replicates; i++)
        if (strstr(u->replicates[i].change, "copies") && u->replicates[i].verdict != MEASURED_UNSTABLE &&
            (u->replicates[i].high < u->low || u->replicates[i].low > u->high))
            return arena_printf(arena, "straight code takes %.4g cycles %s, so the supply of instructions limits it",
                                u->replicates[i].cycles, u->replicates[i].change);
    return NULL;
}

// The instructions of a call: those of the way that was recorded, with the call and the return.
static const char *what_runs(struct arena *arena, const struct experiment *looped) {
    double n = looped->followed.instructions;
    return n > 0 ? arena_printf(arena, " (%.4g instructions run)", n) : "";
}

static void print_pair(struct arena *arena, const struct experiment *unrolled, const struct experiment *looped,
                       FILE *out) {
    const struct program *u = &unrolled->program, *l = &looped->program;
    const char *why = reason(arena, unrolled, looped);
    const char *streams = u->mode == PROGRAM_BLOCK ? "" : arena_printf(arena, ", n = %u", u->streams);
    const char *name = screen_cut(arena, u->kernel, NAME_COLUMNS), *because = why ? why : "the reason is not known";
    const char *line =
        u->routine
            ? arena_printf(arena,
                           "%s: a call takes %.3f cycles looped%s and %.3f unrolled (%u calls, one behind the other, "
                           "then a taken branch): %s",
                           name, looped->measurement.cycles, what_runs(arena, looped), unrolled->measurement.cycles,
                           u->unroll, because)
            : arena_printf(arena,
                           "%s%s: an iteration takes %.3f cycles looped (%u instructions in %zu bytes, one a "
                           "taken branch) and %.3f unrolled (%u copies in %zu bytes, then a taken branch): %s",
                           name, streams, looped->measurement.cycles, l->instructions, l->loop_range.length,
                           unrolled->measurement.cycles, u->unroll, u->unroll * u->body_range.length, because);
    screen_print_sentence(line, out);
}

void forms_print(struct arena *arena, const struct plan *plan, FILE *out) {
    for (size_t i = 0; i < plan->n_experiments; i++) {
        struct plan_range range = plan_around(plan, i);
        for (size_t j = range.first; j < range.end; j++) {
            const struct experiment *a = plan->experiments[i], *b = plan->experiments[j];
            if (row_is_trusted(a) && row_is_trusted(b) && is_other_form(a, b) && !aliases_agree(plan, i) &&
                measured_differ(&a->measurement, &b->measurement))
                print_pair(arena, a, b, out);
        }
    }
}
