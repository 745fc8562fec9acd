// Private to survey/.
// Which forms a target can execute: the others are left out, with the reason.
#ifndef SURVEY_FORMS_USABLE_H
#define SURVEY_FORMS_USABLE_H

#include "analyzer/model/model.h"
#include "survey/forms/shape.h"

// Leaves out forms that this CPU does not execute. Runs each of the others once (probe.h).
bool usable_here(struct arena *arena, struct shape *shapes, size_t n, struct fail *fail);

// Leaves out forms that the simulated CPU's model does not describe, or with which its simulation would never end.
void usable_by_model(struct arena *arena, const struct model *model, struct shape *shapes, size_t n);

#endif
