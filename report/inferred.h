// What `cyclops infer` made a CPU file from: what came from where, and what the file does not explain. As text.
#ifndef REPORT_INFERRED_H
#define REPORT_INFERRED_H

#include "infer/whole.h"

#include <stdio.h>

void inferred_print(struct arena *arena, const char *output, const struct whole_paths *paths,
                    const struct whole_result *result, FILE *out, bool colour);

// A form's experiments of a survey, each beside what the file predicts; `why`: what that is from.
void inferred_print_values(struct arena *arena, const struct model *model, const struct check_value *values, size_t n,
                           FILE *out, bool colour);
// "p0: Zn4FP0, p4: P4"
void inferred_print_names(struct arena *arena, const struct ports_import_result *pairs, unsigned n_ports, FILE *out);

#endif
