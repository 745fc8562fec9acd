// Private to this folder.
// Edits of the statements that give writes their numbers: SchedWriteRes, WriteRes, and arguments of a defm.
#ifndef UPSTREAM_TD_STATEMENTS_H
#define UPSTREAM_TD_STATEMENTS_H

#include "upstream/td_plan.h"

// Whether a statement of this file makes it.
bool td_is_here(const struct td_plan *plan, const struct td_record *record);
// How the statement of a record may be changed.
enum td_freedom td_freedom_of(const struct td_plan *plan, const struct td_record *record);

// The atoms that the file's statements make, each once, by the line of their statement.
struct td_place {
    unsigned line;
    size_t atom; // index
};
const struct td_place *td_find_places(const struct td_plan *plan, size_t *n);

// Edits all statements whose atoms change. False: one is not understood, and is allowed less from now on.
bool td_edit_statements(struct td_plan *plan);

// "[1, 2]", "[A, B]", and " { let Latency = ...; }" with all numbers but the ports.
const char *td_cycles_of(struct arena *arena, const unsigned *cycles, unsigned n);
const char *td_list_of(struct arena *arena, const char *const *items, unsigned n);
const char *td_body_of(struct arena *arena, const struct td_numbers *numbers);

#endif
