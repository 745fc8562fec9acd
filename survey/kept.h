// Private to this folder.
// What a survey's folder holds of forms that a run does not measure: a run that goes on with other patterns keeps it.
#ifndef SURVEY_KEPT_H
#define SURVEY_KEPT_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/text.h"
#include "survey/folder.h"

struct kept {
    const struct folder_form *forms; // by name
    size_t n;
};

// Reads the folder's forms, if it has any, but those of `measured`. Sorts that list.
bool kept_read(struct arena *arena, const char *folder, const char **measured, size_t n, struct kept *kept,
               struct fail *fail);

bool kept_has(const struct kept *kept, const char *form);

// Adds the kernels of kept forms that the file holds, if there is one. The file has a line for each kernel.
bool kept_add_kernels(const struct kept *kept, const char *path, struct text *kernels, struct fail *fail);

#endif
