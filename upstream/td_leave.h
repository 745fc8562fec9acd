// Private to this folder.
// Opcodes that leave their write: they are taken out of the InstRW that names them, and get one behind it, or behind
// the statement of their class. Where that is in a multiclass, theirs is at the file's end.
#ifndef UPSTREAM_TD_LEAVE_H
#define UPSTREAM_TD_LEAVE_H

#include "upstream/td_plan.h"

void td_let_leave(struct td_plan *plan);
// Whether it is an edit of the above that is not at the file's end.
bool td_leave_made(const struct td_edit *edit);

#endif
