// What is measured of a CPU, put onto the text of a CPU file: a survey, a machine card, or pairs, one call each. Writes
// no file. Each replaces what an earlier import of its kind wrote, and leaves the rest.
#ifndef INFER_IMPORT_H
#define INFER_IMPORT_H

#include "infer/card_import.h"
#include "infer/ports_import.h"
#include "infer/survey_import.h"

struct import_onto {
    const char *text;     // of the base
    const char *name;     // of the base, for messages
    const char *output;   // of the new file, likewise
    const char *llvm;     // as in model_open
    bool takes_other_cpu; // also where what was measured is of another CPU than the base's identity names
    const struct lab_listener *listener;
};

// Each fails where the new file would be wrong.
bool import_survey(struct arena *arena, const struct import_onto *onto, const struct check_results *results,
                   struct import_result *result, struct fail *fail);
bool import_card(struct arena *arena, const struct import_onto *onto, const char *path,
                 struct card_import_result *result, struct fail *fail);
// `folders`: of pairs, or of the parts of one campaign. `ports`: what was inferred from them.
bool import_pairs(struct arena *arena, const struct import_onto *onto, const char *const *folders, size_t n,
                  struct ports *ports, struct ports_import_result *result, struct fail *fail);

#endif
