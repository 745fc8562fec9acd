// What imports into a CPU file took, and what they left: as text.
#ifndef REPORT_IMPORTS_H
#define REPORT_IMPORTS_H

#include "infer/card_import.h"
#include "infer/ports_import.h"
#include "infer/survey_import.h"

#include <stdio.h>

// `output`: the new file.
void imports_print_survey(const char *output, const struct import_result *result, FILE *out);
// What the card shows, beside what the base states; then what it does not show.
void imports_print_card(struct arena *arena, const char *output, const struct card_import_result *result, FILE *out,
                        bool colour);
// Forms with their inferred pipes beside the base's. `all`: also those that are equal, and more than 40.
void imports_print_ports(struct arena *arena, const struct ports_import_result *result, bool all, FILE *out,
                         bool colour);

#endif
