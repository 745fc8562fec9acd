// Private to this folder.
// What a survey's folder holds of forms that a run does not measure: a run that goes on with other patterns keeps it.
#ifndef SURVEY_CARRIED_OVER_H
#define SURVEY_CARRIED_OVER_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/text.h"
#include "survey/folder.h"

struct carried_over {
    const struct folder_form *forms; // by name
    size_t n;
};

// Reads the folder's forms, if it has any, but those of `measured`. Sorts that list.
bool carried_over_read(struct arena *arena, const char *folder, const char **measured, size_t n,
                       struct carried_over *carried, struct fail *fail);

bool carried_over_has(const struct carried_over *carried, const char *form);

// Adds the kernels of carried forms that the file holds, if there is one. The file has a line for each kernel.
bool carried_over_add_kernels(const struct carried_over *carried, const char *path, struct text *kernels,
                              struct fail *fail);

#endif
