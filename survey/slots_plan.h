// Private to this folder.
// Which experiments with fillers (slots.h) a survey makes: they follow from what its table knows so far.
#ifndef SURVEY_SLOTS_PLAN_H
#define SURVEY_SLOTS_PLAN_H

#include "survey/experiments.h"
#include "survey/table.h"

struct slots_plan {
    struct arena *arena;
    const struct isa *isa;
    struct planned_form *forms; // in the order of their names
    size_t n_forms;
    struct text all; // kernel file of all experiments so far
};

// The shapes must outlive the plan.
void slots_plan_open(struct slots_plan *plan, struct arena *arena, const struct isa *isa, const struct shape *shapes,
                     size_t n);

// Returns a kernel file with the experiments of the table's rows that are not in the plan yet, those that an earlier
// run has measured included; null: there are none. Forms whose shape is left out have none.
const char *slots_plan_next(struct slots_plan *plan, const struct survey_table *table);

// Adds the kernel of a name such as "VADDPSYrr.slots.xor.16"; of another name none.
void slots_plan_add_name(const struct isa *isa, const struct shape *shape, const char *name, struct text *kernels);

#endif
