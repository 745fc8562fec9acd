// Private to check/ and repair/.
// Mixtures of forms as a judge of models (survey/mixtures.h): how far a model is off on loops of several forms. Single
// forms cannot tell apart pipes that give the same throughput; a mixture can.
#ifndef CHECK_MIXTURES_H
#define CHECK_MIXTURES_H

#include "check/predictor.h"
#include "check/values.h"

// Returns by how much the predictor's model is off on a mixture, relative to what was measured; above 0: it takes too
// long. NAN: it cannot be predicted, or the value is not stable.
double mixtures_error(struct predictor *predictor, const struct check_mixture *mixture);

// The mixtures of a folder by the opcodes in them. What it holds lives as long as the arena.
struct mixtures {
    const struct check_mixture *items; // the results'
    size_t n;
    const char ***opcodes; // of each, sorted; the loop's own are among them
    size_t *n_opcodes;
};
// Decodes them with the predictor's model.
void mixtures_open(struct mixtures *mixtures, const struct predictor *predictor, const struct check_results *results);
// Whether a mixture, by its number, has the opcode in it.
bool mixtures_have(const struct mixtures *mixtures, size_t i, const char *opcode);

#endif
