// Private to this folder.
// The other ways to lay an experiment's code out: --replicate. See bench/measure/replication.h for what becomes of
// their times.
#ifndef LAB_REPLICATE_H
#define LAB_REPLICATE_H

#include "bench/bench.h"
#include "gen/gen.h"

struct replicate {
    const char *change;      // how it differs, for people
    struct program *program; // of its own, or the experiment's
    unsigned offset;         // bytes by which its start is moved
};

struct replicate_list {
    struct replicate items[BENCH_MAX_REPLICATES];
    unsigned n;
};

enum { REPLICATE_PROCESSES = 8 }; // fresh ones, each value then rests on at least

// Moves `program`, as it is, to other places in its cache lines.
void replicate_offsets(struct replicate_list *list, struct program *program);

// The same of a kernel's program, in other registers and with other numbers of copies besides. A way that cannot be
// gone is left out.
void replicate_kernel(struct arena *arena, const struct kernel *kernel, const struct gen_request *request,
                      struct program *program, struct replicate_list *list);

#endif
