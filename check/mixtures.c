#include "check/mixtures.h"

#include "base/text.h"
#include "check/gap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double mixtures_error(struct predictor *predictor, const struct check_mixture *mixture) {
    if (!gap_is_sure(&mixture->value) || mixture->value.value.cycles <= 0)
        return NAN;
    struct predicted predicted = predictor_predict(predictor, &mixture->value);
    return predicted.is_known ? predicted.cycles / mixture->value.value.cycles - 1 : NAN;
}

void mixtures_open(struct mixtures *mixtures, const struct predictor *predictor, const struct check_results *results) {
    struct arena *arena = predictor->arena;
    *mixtures = (struct mixtures){.items = results->mixtures,
                                  .n = results->n_mixtures,
                                  .opcodes = ARENA_ARRAY(arena, const char **, results->n_mixtures),
                                  .n_opcodes = ARENA_ARRAY(arena, size_t, results->n_mixtures)};
    for (size_t i = 0; i < mixtures->n; i++) {
        struct arena scratch = {0};
        struct fail fail = {0};
        struct block block = {0};
        if (predictor_describe(predictor, &scratch, mixtures->items[i].value.code, &block, &fail)) {
            const char **names = ARENA_ARRAY(arena, const char *, block.n_insns);
            size_t n = 0;
            for (unsigned k = 0; k < block.n_insns; k++) {
                const char *name = form_unit_of(arena, &block.insns[k]);
                if (text_find(name, names, n) == n)
                    names[n++] = arena_strdup(arena, name);
            }
            mixtures->n_opcodes[i] = text_sort(names, n);
            mixtures->opcodes[i] = names;
        }
        arena_free(&scratch);
    }
}

bool mixtures_have(const struct mixtures *mixtures, size_t i, const char *opcode) {
    return mixtures->n_opcodes[i] &&
           bsearch(&opcode, mixtures->opcodes[i], mixtures->n_opcodes[i], sizeof opcode, text_compare);
}
