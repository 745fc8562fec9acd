#include "corpus/running.h"

#include <stdlib.h>

static int compare_times(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static void add_form_tally(const struct corpus_run *run, size_t index, enum program_form form,
                           struct corpus_tally *tally) {
    const struct form_state *state = &run->states[index][form];
    struct corpus_form_tally *of_form = &tally->forms[form];
    if (state->state == STATE_OPEN) {
        of_form->n_missing++;
        return;
    }
    of_form->by_outcome[state->outcome]++;
    of_form->n_values += state->outcome == BENCH_OK;
    of_form->n_stable += state->outcome == BENCH_OK && state->state == STATE_DONE;
}

void run_tally(struct corpus_run *run, struct corpus_tally *tally) {
    *tally = (struct corpus_tally){.n_blocks = run->blocks.n, .read = corpus_blocks_summary(&run->blocks)};
    for (size_t i = 0; i < run->blocks.n; i++) {
        const struct form_state *states = run->states[i];
        if (run->blocks.items[i].left_out) {
            tally->n_left_out++;
            continue;
        }
        bool is_value = true, is_stable = true;
        for (unsigned form = 0; form < N_FORMS; form++) {
            add_form_tally(run, i, (enum program_form)form, tally);
            is_value = is_value && states[form].state != STATE_OPEN && states[form].outcome == BENCH_OK;
            is_stable = is_stable && states[form].state == STATE_DONE && states[form].outcome == BENCH_OK;
        }
        tally->n_both += is_value;
        tally->n_both_stable += is_stable;
    }
    if (run->n_times) {
        qsort(run->times, run->n_times, sizeof *run->times, compare_times);
        tally->median_ms = run->times[run->n_times / 2];
    }
}
