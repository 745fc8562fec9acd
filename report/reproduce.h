// Published results beside what was measured and predicted here.
#ifndef REPORT_REPRODUCE_H
#define REPORT_REPRODUCE_H

#include "lab/reproduce.h"

// Which experiments there are; what was found, an object for each value, or a table. One sweep is
// shown in full instead. `with_about`: where each experiment is from, and its tolerance, before.
void reproduce_print_list(struct arena *arena, const struct reference_set *set, bool colour);
bool reproduce_print_json(struct arena *arena, const struct reproduction *all, size_t n, struct fail *fail);
void reproduce_print(struct arena *arena, const struct reproduction *all, size_t n, bool with_about, bool colour);

// reproduce_svg.c: n against cycles, of a sweep.
bool reproduce_svg(struct arena *arena, const struct reproduction *reproduction, const char *path, struct fail *fail);

#endif
