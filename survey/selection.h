// Private to this folder.
// Which forms a survey is of: patterns of names, a shard, and the forms of a folder with which it goes on.
#ifndef SURVEY_SELECTION_H
#define SURVEY_SELECTION_H

#include "analyzer/code/form.h"
#include "base/arena.h"
#include "base/fail.h"
#include "survey/survey.h"

struct model;

// RISC-V: adds forms with vector configurations: those that the request names by its list or by a pattern, those that a
// folder with which it goes on has, and, without a list, all pairs of element and group.
bool selection_add_vectors(struct arena *arena, const struct survey_request *request, const struct model *model,
                           const struct form **forms, size_t *n_forms, struct fail *fail);

struct selection {
    struct arena *arena;
    const struct survey_request *request;
    const struct form *forms; // all of the ISA's
    size_t n_forms;
};

// Sets `is_selected` of each form. A survey that goes on without patterns goes on with the folder's forms. A pattern
// that no form has is an error.
bool selection_make(const struct selection *selection, bool *is_selected, struct fail *fail);

#endif
