// Private to this folder.
// The simulated CPU of a CPU file: its core runs the bytes. Part of simulated.c.
#ifndef BENCH_TARGETS_SIMULATED_CORE_H
#define BENCH_TARGETS_SIMULATED_CORE_H

#include "analyzer/code/block.h"
#include "analyzer/model/model.h"
#include "analyzer/sim/pipeline.h"
#include "bench/bench.h"

// `block`: code's body, described by the model, which has a CPU file. `slow_cycles`: latency of the steps of
// a chase in rings too large for any cache; 0: the code has none. Registers are addresses of their own. Fails as
// core_simulate does.
bool simulated_core_run(const struct model *model, const struct bench_code *code, const struct block *block,
                        unsigned slow_cycles, const struct pipeline_options *options, struct pipeline_result *result,
                        struct fail *fail);

#endif
