// Private to this folder.
// Divisions and square roots of numbers that are not round: many CPUs take longer for them. Kernels of experiments.h:
// FORM.slow, and FORM.slow.SOURCE-RESULT.WAY. Nothing is added where a form is no division or square root.
#ifndef SURVEY_EXPERIMENTS_SLOW_VALUES_H
#define SURVEY_EXPERIMENTS_SLOW_VALUES_H

#include "survey/experiments/experiment_list.h"
#include "survey/forms/shape.h"

// Adds the form's throughput and latencies with such numbers. Returns whether a latency is through a partner in vector
// registers, which may wait longer for the result than copies of the form do.
bool slow_values_add(const struct isa *isa, const struct shape *shape, struct experiment_list *kernels);

// The part of it for x86's divisions of fixed registers.
void slow_divisions_add(const struct shape *shape, struct experiment_list *out);

// The same of x87, whose set-up has the numbers.
void slow_x87_add(const struct shape *shape, struct experiment_list *kernels);

#endif
