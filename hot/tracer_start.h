// Private to this folder.
// A process comes under the tracer: a program that is started, or one that runs. x86-64 only.
#ifndef HOT_TRACER_START_H
#define HOT_TRACER_START_H

#include "base/fail.h"
#include "hot/tracer.h"

// Starts a program, stopped behind its start, with the addresses that it has without randomization. Fails where it
// cannot be started or traced.
bool tracer_start(struct tracer *tracer, struct arena *arena, char *const *argv, struct fail *fail);
bool tracer_attach(struct tracer *tracer, struct arena *arena, pid_t pid, struct fail *fail);

// Waits for the end of a program that we started, after tracer_detach.
void tracer_wait_end(struct tracer *tracer);

// Whether a program runs as another user or group than who starts it. On all ISAs.
bool tracer_has_other_user(struct arena *arena, const char *name);

#endif
