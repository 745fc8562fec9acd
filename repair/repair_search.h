// Private to this folder.
// Searches the numbers of some opcodes with which the fewest of some values differ. The differences suggest changes;
// each is tried by simulating the measured programs.
#ifndef REPAIR_REPAIR_SEARCH_H
#define REPAIR_REPAIR_SEARCH_H

#include "repair/repair_trial.h"

// Improves `best` as long as fewer values differ. False: nothing was found.
bool repair_search_run(struct repair_search *search);

#endif
