// How a survey ended, as text: what its folder holds now, and what to do next.
#ifndef REPORT_SURVEY_H
#define REPORT_SURVEY_H

#include "base/arena.h"
#include "survey/survey.h"

#include <stdio.h>

// `resume`: the command that goes on with it.
void survey_report_print(struct arena *arena, const struct survey_summary *summary, const char *folder,
                         const char *resume, FILE *out);

#endif
