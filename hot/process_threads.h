// Private to this folder.
// The threads of a process, from /proc.
#ifndef HOT_PROCESS_THREADS_H
#define HOT_PROCESS_THREADS_H

#include "base/arena.h"

#include <sys/types.h>

// Lists them as they are now. Returns their number; 0: there is no such process.
size_t process_threads(struct arena *arena, pid_t pid, pid_t **tids);

#endif
