// A picture of the pipes that an instruction holds on a machine.
#ifndef REPORT_EXPLAIN_H
#define REPORT_EXPLAIN_H

#include "study/explain.h"

bool explain_svg(struct arena *arena, const struct explanation *explanation, const char *path, struct fail *fail);

#endif
