// Private to this folder.
// x86-64 instructions of any length that only dispatch and the front end limit.
#ifndef PARAMETERS_FRONTEND_CODE_H
#define PARAMETERS_FRONTEND_CODE_H

#include "parameters/session.h"

// An instruction that does nothing, of 1 to 15 bytes. The longer ones have prefixes without an effect.
const char *frontend_nop(struct session *session, unsigned length);

// Adds a zeroing of role d, of 3 bytes or more, as it has prefixes without an effect.
void frontend_add_zeroing(struct text *body, unsigned length);

#endif
