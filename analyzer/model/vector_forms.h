// RISC-V: forms with vector configurations (analyzer/code/vector_config.h), made of those that a model lists.
#ifndef ANALYZER_MODEL_VECTOR_FORMS_H
#define ANALYZER_MODEL_VECTOR_FORMS_H

#include "analyzer/model/model.h"

// Adds to `forms` each of them with each of the configurations, in that order; forms that do not depend on it stay
// alone. The added ones that the manual does not allow are `refused`. False: none of the forms depends on it.
bool vector_forms_add(struct arena *arena, const struct model *model, const struct vector_config *configs,
                      size_t n_configs, const struct form **forms, size_t *n_forms);

#endif
