// What a block's trial showed: how it ended, which pages it touched, and what it left in registers and memory.
#ifndef REPORT_TRIAL_H
#define REPORT_TRIAL_H

#include "lab/experiment.h"

#include <stdio.h>

// For people: what has changed.
void trial_print(struct arena *arena, const struct decoder *decoder, const struct experiment *experiment, FILE *out);

// One line, with all registers that the frame holds, and every word of memory that has changed.
bool trial_print_json(struct arena *arena, const struct decoder *decoder, const struct experiment *experiment,
                      FILE *out, struct fail *fail);

#endif
