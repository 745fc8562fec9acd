// Private to this folder.
// Divisions and square roots of numbers that are not round: many CPUs take longer for them. Kernels of experiments.h:
// FORM.slow, and FORM.slow.SOURCE-RESULT.WAY.
#ifndef SURVEY_SLOW_VALUES_H
#define SURVEY_SLOW_VALUES_H

#include "base/text.h"
#include "survey/shape.h"

// Adds the form's throughput and latencies with such numbers; nothing where it is no division or square root.
void slow_values_add(const struct shape *shape, struct text *kernels);

// The same of x87, whose set-up has the numbers.
void slow_values_add_x87(const struct shape *shape, struct text *kernels);

#endif
