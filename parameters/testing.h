// Private to this folder.
// For tests: a session on invented times, so that the truth is known.
#ifndef PARAMETERS_TESTING_H
#define PARAMETERS_TESTING_H

#include "parameters/session.h"

struct session testing_session(struct arena *arena); // of x86-64, on a real machine

// Gives all values that are asked for: cycles by name, 0: it cannot be measured. `is_unstable`: noise disturbs it;
// null: nothing is. Returns whether there were any.
bool testing_give(struct session *session, double (*cycles_of)(const char *name),
                  bool (*is_unstable)(const char *name));

int testing_number_of(const char *name); // behind its last dot

#endif
