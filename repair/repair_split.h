// One cause of a repair by itself: what a finding asks for, and nothing else, so that it can be reviewed alone.
#ifndef REPAIR_REPAIR_SPLIT_H
#define REPAIR_REPAIR_SPLIT_H

#include "repair/repair.h"

// Sets the changes of every measured opcode: those that the finding is of have the repair's numbers, of the kind that
// differs (latencies; or pipes and uops); all others stay as the model has them. Opcodes without a value are left out,
// so they may follow their class. `form`: only of that one; null: of all. Returns how many opcodes change.
size_t repair_split(struct arena *arena, const struct repair_result *repaired, const struct check_finding *finding,
                    const char *form, struct repair_change **changes, size_t *n_changes);

// Whether the finding has that identifier, or a form or scheduling class of that name. Sets `form` where it is a form.
bool repair_split_is_of(const struct check_finding *finding, const char *name, const char **form);

// Whether it is a form of the opcode, with whose name its own begins: "LEA64r-base-index".
bool repair_split_is_form(const char *form, const char *opcode);

#endif
