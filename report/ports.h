// What `cyclops infer ports` found: as text, as CSV, and why.
#ifndef REPORT_PORTS_H
#define REPORT_PORTS_H

#include "infer/port_judge.h"
#include "infer/ports.h"

#include <stdio.h>

// Clusters, forms, and what is not explained, with its experiments. `most`: rows of each table; 0: all.
void ports_print(struct arena *arena, const struct ports *ports, size_t most, FILE *out, bool colour);
// The experiments that would decide most of what is open, as rows that evidence_read takes once they have cycles.
void ports_print_next(struct arena *arena, const struct ports *ports, size_t most, FILE *out);
void ports_print_judgement(const struct port_judgement *judgement, FILE *out);
// The form's hypotheses; and for the choice, and for each other recipe of it that differs by one uop, the experiment
// that fits worst.
void ports_print_why(struct arena *arena, const struct ports *ports, unsigned form, FILE *out, bool colour);
// A row for each form: docs/reference/schema/infer-ports-csv.json.
const char *ports_csv(struct arena *arena, const struct ports *ports);

#endif
