// Private to this folder.
// The forms of an ISA, and the kernels of one of them by itself (survey_form_kernels in survey.h).
#ifndef SURVEY_FORM_KERNELS_H
#define SURVEY_FORM_KERNELS_H

#include "analyzer/code/form.h"
#include "analyzer/model/model.h"
#include "gen/isa.h"

// Lists the forms of an ISA, of every CPU. They live as long as `model`.
bool form_kernels_list(struct arena *arena, const struct isa *isa, const char *llvm, struct model *model,
                       const struct form **forms, size_t *n, struct fail *fail);

#endif
