// Private to this folder.
// What a difference between measured and predicted suggests: other latencies, other pipes or times on them, other uops.
#ifndef REPAIR_REPAIR_SUGGEST_H
#define REPAIR_REPAIR_SUGGEST_H

#include "repair/repair_trial.h"

// Tries the changes that the value suggests. `kind`: what the prediction, `predicted` cycles, is bound by.
void repair_suggest(struct repair_search *search, struct arena *arena, const struct check_value *value,
                    double predicted, enum bottleneck kind);

#endif
