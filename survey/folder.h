// Private to survey/.
// The names of the files in a survey's folder, and its forms.jsonl.
#ifndef SURVEY_FOLDER_H
#define SURVEY_FOLDER_H

#include "analyzer/sched/machine.h"
#include "base/arena.h"
#include "base/fail.h"
#include "gen/isa.h"
#include "survey/forms/shape.h"

const char *folder_file(struct arena *arena, const char *folder, const char *name);

// A line of forms.jsonl.
struct folder_form {
    const char *form, *example, *sched_class; // as in struct table_row
    const char *left_out;
};

bool folder_write_forms(struct arena *arena, const char *folder, const struct folder_form *forms, size_t n,
                        struct fail *fail);
// Reads the file; where the folder has none, there are no forms.
bool folder_read_forms(struct arena *arena, const char *folder, const struct folder_form **forms, size_t *n,
                       struct fail *fail);

// Compresses the folder's large files, and makes them plain again so that a run can go on: its measurements, forms and
// kernels. Small ones stay text, so that they can be searched and compared.
enum { FOLDER_MOST_PLAIN = 4 << 20 }; // bytes
bool folder_pack(struct arena *arena, const char *folder, const struct isa *isa, struct fail *fail);
bool folder_unpack(struct arena *arena, const char *folder, const struct isa *isa, struct fail *fail);

#endif
