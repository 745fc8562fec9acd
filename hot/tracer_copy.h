// Private to this folder.
// A copy of a process at the place where one of its threads is, to step through while the program goes on. x86-64 only.
#ifndef HOT_TRACER_COPY_H
#define HOT_TRACER_COPY_H

#include "hot/tracer.h"

// Makes a copy of the process, which has only this thread and is stopped where that is; the program goes on alone. All
// are quiet. False: it was not made: the program filters its system calls, or has no memory for it.
bool tracer_copy(struct tracer *tracer, struct tracer_thread *thread, struct tracer *copy);
void tracer_end_copy(struct tracer *copy);

#endif
