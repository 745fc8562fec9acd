// Private to this folder.
// The numbers of models beside those of a survey.
#ifndef SURVEY_TABLE_TABLE_MODELS_H
#define SURVEY_TABLE_TABLE_MODELS_H

#include "survey/table/table.h"

// Sets `models` of the rows, and of the table: of LLVM's models what their tables state, of a CPU file what it makes of
// each form's example.
bool table_add_models(struct arena *arena, const struct model *models, size_t n_models, struct table_row *rows,
                      struct survey_table *table, struct fail *fail);

#endif
