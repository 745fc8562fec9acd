// Private to this folder.
// Which events count the uops of which pipes: the files events/ISA.yaml, whose format is explained in
// events/x86_64.yaml; for a simulated CPU, its own resources by their names.
#ifndef LAB_PIPES_H
#define LAB_PIPES_H

#include "analyzer/sched/machine.h"
#include "base/arena.h"
#include "base/fail.h"
#include "bench/target.h"

#include <stdbool.h>

struct pipe {
    const char *name;             // for tables: "p0", "p23"
    const char *event;            // as for --events
    const char *const *resources; // resources of LLVM's models, null-terminated; empty: all uops retired
};

struct pipes {
    unsigned n;
    struct pipe pipes[TARGET_MAX_EVENTS];
};

// The pipes of a CPU, by LLVM's name of it; none where the files do not list it. False where a file is damaged.
bool pipes_read(struct arena *arena, const char *isa, const char *cpu, struct pipes *pipes, struct fail *fail);
// The pipes of a simulated CPU; none where it has more than can be counted.
void pipes_of_machine(struct arena *arena, const struct machine *machine, struct pipes *pipes);

#endif
