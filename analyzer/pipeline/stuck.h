// Private to this folder.
// A simulation in which nothing will ever happen again. Private to the pipeline.
#ifndef ANALYZER_PIPELINE_STUCK_H
#define ANALYZER_PIPELINE_STUCK_H

#include "analyzer/pipeline/simulation.h"

// Nothing moved in this cycle. True where time alone changes nothing either: no pipe is held, no result is on its way.
bool simulation_is_stuck(const struct simulation *sim);
// Records the failure: which instruction, and why. Returns false.
bool simulation_tell_stuck(const struct simulation *sim, struct fail *fail);

#endif
