// Private to survey/.
// The file of a survey's folder that keeps the mixtures that were drawn (survey/mixtures.h), kernels/ISA/mixtures.yaml.
#ifndef SURVEY_TABLE_MIXTURE_FILE_H
#define SURVEY_TABLE_MIXTURE_FILE_H

#include "base/arena.h"
#include "base/fail.h"
#include "gen/isa.h"
#include "survey/experiments/experiment_key.h"
#include "survey/table/table.h"

// What a mixture serves for.
enum table_mixture_use mixture_use(const struct experiment_key *key);

// What a folder's file holds.
struct mixture_file {
    const char *text; // lines of all kernels; "": there is no file
    const char **names, **abouts;
    size_t n;
};
// The file in a survey's folder.
const char *mixture_file_path(struct arena *arena, const char *folder, const struct isa *isa);
bool mixture_file_read(struct arena *arena, const char *path, struct mixture_file *file, struct fail *fail);

#endif
