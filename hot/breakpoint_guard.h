// Private to this folder.
// A process that takes our breakpoints out of a foreign process's code when we are killed: it would meet them and die.
#ifndef HOT_BREAKPOINT_GUARD_H
#define HOT_BREAKPOINT_GUARD_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct breakpoint_guard;

// Null: there can be none here.
struct breakpoint_guard *breakpoint_guard_begin(struct arena *arena, pid_t pid);
// Before a breakpoint is put there, and after it was taken out. `byte`: what else is there. Null: does nothing.
void breakpoint_guard_note(struct breakpoint_guard *guard, uint64_t address, uint8_t byte, bool is_set);
// Ends it, when no breakpoint is left. Null: does nothing.
void breakpoint_guard_end(struct breakpoint_guard *guard);

#endif
