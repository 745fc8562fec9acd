// Private to this folder.
// The kinds of experiments of a form (experiments.h). Each adds its kernels, if the form has any of that kind.
#ifndef SURVEY_EXPERIMENT_KINDS_H
#define SURVEY_EXPERIMENT_KINDS_H

#include "base/text.h"
#include "survey/shape.h"

void experiments_add_throughputs(const struct isa *isa, const struct shape *shape, struct text *out);
void experiments_add_memory_throughput(const struct shape *shape, struct text *out);
void experiments_add_latencies(const struct isa *isa, const struct shape *shape, struct text *out);
void experiments_add_same(const struct shape *shape, struct text *out);
void experiments_add_stores(const struct isa *isa, const struct shape *shape, struct text *out);
void experiments_add_index(const struct isa *isa, const struct shape *shape, struct text *out);
void experiments_add_surrounded(const struct shape *shape, struct text *out);

// The latency from one port to another through partners.
void experiments_add_ways(const struct isa *isa, const struct shape *shape, unsigned source, unsigned result,
                          struct text *out);

#endif
