// Private to this folder.
// The experiments of a form, as kernels in the format of kernel files (gen/kernel.h). So `cyclops run --kernels` can
// repeat each of them. Their names:
//  - FORM: its throughput
//  - FORM.broken: the same, with instructions that end the dependences through fixed registers
//  - FORM.around.N: the throughput of N copies with what the form needs around them (surroundings.h)
//  - FORM.copies.N: the throughput of N copies that do not wait for each other
//  - FORM.slow: the throughput of a division or square root of numbers that are not round
//  - FORM.chain: latencies of pairs that close by themselves: a chain for each
//  - FORM.SOURCE-RESULT.WAY: the latency of one pair, through a partner (partners.h) or with dependences ended
//  ("alone")
//  - FORM.SOURCE-RESULT.WAY.longer: the same with some more steps, where flags are on the way. Without a difference,
//    the chain is open: the form does not write that flag
//  - FORM.same: the latency where all sources are one register
//  - FORM.memory: the time from a word of memory that it reads and writes to itself
//  - CHAIN.WAY: a partner's own
#ifndef SURVEY_EXPERIMENTS_H
#define SURVEY_EXPERIMENTS_H

#include "base/text.h"
#include "survey/shape.h"

// Adds the kernels of a form that is not left out.
void experiments_add(const struct isa *isa, const struct shape *shape, struct text *kernels);

// Begins a kernel file, with the kernels of all partners.
void experiments_begin(const struct isa *isa, struct text *kernels);

#endif
