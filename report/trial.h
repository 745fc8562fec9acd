// The findings of a block's trial: how it ended, which pages it touched, and what it left in registers and memory.
#ifndef REPORT_TRIAL_H
#define REPORT_TRIAL_H

#include "lab/experiment.h"

#include <stdio.h>

// Prints what has changed, for people.
void trial_print(struct arena *arena, const struct decoder *decoder, const struct experiment *experiment, FILE *out);

// Prints one line of JSON, with all registers of the frame and every changed word of memory. Fails where it cannot be
// written.
bool trial_print_json(struct arena *arena, const struct decoder *decoder, const struct experiment *experiment,
                      FILE *out, struct fail *fail);

#endif
