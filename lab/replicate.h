// Private to this folder.
// The other layouts of an experiment's code, for --replicate and for short passes with branches.
// bench/measure/replication.h explains how their times count.
#ifndef LAB_REPLICATE_H
#define LAB_REPLICATE_H

#include "bench/bench.h"
#include "bench/measure/replication.h"
#include "gen/gen.h"

struct experiment;

struct replicate {
    struct replication_change change;
    struct program *program; // its own program, or the experiment's
    unsigned offset;         // distance by which its start is moved, bytes
};

struct replicate_list {
    struct replicate items[BENCH_MAX_REPLICATES];
    unsigned n;
};

enum { REPLICATE_PROCESSES = 8 }; // least number of fresh processes for each value

// Moves `program`, as it is, to other places in its cache lines.
void replicate_offsets(struct replicate_list *list, struct program *program);

// Does the same with a kernel's program, and adds other registers and other numbers of copies. A layout that is not
// possible is left out.
void replicate_kernel(struct arena *arena, const struct kernel *kernel, const struct gen_request *request,
                      struct program *program, struct replicate_list *list);

// Adds layouts of a block whose branches have to be predicted: at other places in a line, unless a linker has chosen
// its own, and of a function those with other callers. Their programs are not assembled yet.
bool replicate_block(struct arena *arena, struct experiment *experiment, struct fail *fail);

#endif
