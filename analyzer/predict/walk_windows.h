// Private to this folder.
// The reorder buffer, the queues of loads and stores, and the schedulers of a walk: when an instruction may begin
// because they have room.
#ifndef ANALYZER_PREDICT_WALK_WINDOWS_H
#define ANALYZER_PREDICT_WALK_WINDOWS_H

#include "analyzer/sim/core/plan.h"

struct walk_windows;

// Of a CPU whose reorder buffer is known.
struct walk_windows *walk_windows_open(struct arena *arena, const struct cpu *cpu, const struct cpu_recipe *recipes,
                                       unsigned n);
// The next instruction enters. Returns when what takes a pipe begins at the earliest, cycles. `insn`: what it is.
double walk_windows_enter(struct walk_windows *windows, const struct core_insn **insn);
// It leaves its scheduler, and is done.
void walk_windows_leave(struct walk_windows *windows, double begins, double done);
// When all so far have retired, cycles.
double walk_windows_end(const struct walk_windows *windows);

#endif
