// Private to this folder.
// Mixtures (mixtures.h) as the judge of a repair. Where other pipes with the same throughput predict the mixtures of a
// rule's forms better, the rule gets these. One that makes them worse is taken back: its pipes, or its uops. Mixtures
// that only judge are never asked for that.
#ifndef REPAIR_REPAIR_MIXTURES_H
#define REPAIR_REPAIR_MIXTURES_H

#include "check/mixtures.h"
#include "repair/repair_state.h"

// Changes rules that mixtures show to be wrong, and adds them to `result`. Returns how many.
size_t repair_by_mixtures(struct repair *repair, const struct mixtures *mixtures, struct repair_mixtures *result);

// Scores LLVM's model, and the repair, which is this overlay. False: Cyclops itself failed.
bool repair_judge_mixtures(struct repair *repair, const struct mixtures *mixtures, const char *overlay,
                           struct repair_mixtures *result, struct fail *fail);

#endif
