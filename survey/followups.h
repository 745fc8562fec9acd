// Private to this folder.
// Which experiments follow from what a survey's table knows so far: those with fillers (slots.h, fills.h), and padded
// chains (experiments.h).
#ifndef SURVEY_FOLLOWUPS_H
#define SURVEY_FOLLOWUPS_H

#include "survey/experiments/experiments.h"
#include "survey/table/table.h"

struct followups {
    struct arena *arena;
    const struct isa *isa;
    struct planned_form *forms; // in the order of their names
    size_t n_forms;
    struct experiment_list all; // experiments so far
};

// The shapes must outlive the plan.
void followups_open(struct followups *plan, struct arena *arena, const struct isa *isa, const struct shape *shapes,
                    size_t n);

// Adds the experiments of the table's rows that are not in the plan yet, those that an earlier run has measured
// included. A form whose shape is left out has no experiments.
void followups_add(struct followups *plan, const struct survey_table *table);

// Adds the experiment of a name such as "VADDPSYrr.slots.xor.16", or a form's padded chains for the name of one; for
// another name nothing.
void followups_add_name(const struct isa *isa, const struct shape *shape, const char *name,
                        struct experiment_list *kernels);

#endif
