// Private to this folder.
// Steps a stopped thread through a loop, and copies what it touches before it does. x86-64
// only.
#ifndef HOT_RECORD_STEPS_H
#define HOT_RECORD_STEPS_H

#include "hot/state.h"
#include "hot/tracer.h"

// The thread is at the loop's head, and the tracer is quiet. `is_copy`: of a copy of the program, which must not write
// to memory that both share. Fills all of the state that the thread shows, in about so many seconds at most. Returns
// null, or the reason, one clause, why there is no state.
const char *record_steps(struct arena *arena, const struct decoder *decoder, struct tracer *tracer,
                         struct tracer_thread *thread, const struct hot_capture *capture, bool is_copy, double seconds,
                         struct hot_state *state);

#endif
