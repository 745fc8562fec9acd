// Private to this folder.
// The kinds of experiments of a form (experiments.h). Each adds its kernels, if the form has any of that kind.
#ifndef SURVEY_EXPERIMENTS_EXPERIMENT_KINDS_H
#define SURVEY_EXPERIMENTS_EXPERIMENT_KINDS_H

#include "survey/experiments/experiment_list.h"
#include "survey/forms/shape.h"

#include <stdbool.h>

void experiments_add_throughputs(const struct isa *isa, const struct shape *shape, struct experiment_list *out);
void experiments_add_memory_throughput(const struct shape *shape, struct experiment_list *out);
void experiments_add_latencies(const struct isa *isa, const struct shape *shape, struct experiment_list *out);
// How long other instructions wait for the result of a form that closes its chain by itself.
void experiments_add_others(const struct isa *isa, const struct shape *shape, struct experiment_list *out);
void experiments_add_same(const struct shape *shape, struct experiment_list *out);
// Through a word of memory that the form may read and write, with an instruction that stores it before and one that
// loads it back behind: whether copies wait for each other there.
void experiments_add_through_memory(const struct isa *isa, const struct shape *shape, struct experiment_list *out);
void experiments_add_stores(const struct isa *isa, const struct shape *shape, struct experiment_list *out);
void experiments_add_index(const struct isa *isa, const struct shape *shape, struct experiment_list *out);
// Makes the shape of a load one with an index in its address, as its last port. Returns the number of the first result;
// n_ports where there is no such shape.
unsigned experiment_find_indexed(const struct isa *isa, struct arena *arena, const struct shape *shape,
                                 struct shape *with_index);
void experiments_add_wrapped(const struct shape *shape, struct experiment_list *out);

// The latency from one port to another through two copies of the form that cross. False: they cannot.
bool experiments_add_crossing(const struct shape *shape, unsigned source, unsigned result, struct experiment_list *out);
// Whether the vector result, which the form also reads, is all that its copies wait for beside the chain.
bool experiments_waits_for_result_only(const struct shape *shape, unsigned source, unsigned result);

// The latency from one port to another through crossing copies, or through partners.
void experiments_add_ways(const struct isa *isa, const struct shape *shape, unsigned source, unsigned result,
                          struct experiment_list *out);

#endif
