// Published results, compared with measurements and predictions from here.
#ifndef REPORT_REPRODUCE_H
#define REPORT_REPRODUCE_H

#include "study/reproduce.h"

// Print the list of experiments; the results as a JSON object for each value; or as a table. A single sweep is shown in
// full. `with_about`: prints each experiment's source and tolerance before.
void reproduce_print_list(struct arena *arena, const struct reference_set *set, bool colour);
bool reproduce_print_json(struct arena *arena, const struct reproduction *all, size_t n, struct fail *fail);
void reproduce_print(struct arena *arena, const struct reproduction *all, size_t n, bool with_about, bool colour);

// Draws cycles against n for a sweep (reproduce_svg.c). Fails where the file cannot be written.
bool reproduce_svg(struct arena *arena, const struct reproduction *reproduction, const char *path, struct fail *fail);

#endif
