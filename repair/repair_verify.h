// Private to this folder.
// The end of a repair: it simulates every measured program with all changes. It takes back what makes a value worse,
// what undercuts bounds more than it mends, and what mixtures of forms show to be wrong; then it simulates all again.
#ifndef REPAIR_REPAIR_VERIFY_H
#define REPAIR_REPAIR_VERIFY_H

#include "repair/repair_state.h"

// The rules so far, as the text of an overlay. `about`: its description, quoted.
const char *repair_write(const struct repair *repair, const char *about);

// Verifies all, and fills in the result's overlay, counts after, findings after, and mixtures. False: Cyclops itself
// failed.
bool repair_verify(struct repair *repair, const char *about, struct repair_result *result, struct fail *fail);

#endif
