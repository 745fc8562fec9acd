// Private to this folder.
// Opcodes that leave their write: they are taken out of the InstRW that names them, and get one at the file's end.
#ifndef UPSTREAM_TD_LEAVE_H
#define UPSTREAM_TD_LEAVE_H

#include "upstream/td_plan.h"

void td_let_leave(struct td_plan *plan);

#endif
