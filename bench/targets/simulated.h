// The simulated CPU as a target: our own pipeline runs the bytes, and noise of known size is added to its time. So
// tests can go the whole way from kernel to verdict, anywhere and deterministically. The only part of bench/ that sees
// the analyzer.
#ifndef BENCH_TARGETS_SIMULATED_H
#define BENCH_TARGETS_SIMULATED_H

#include "analyzer/model/model.h"
#include "bench/targets/noise.h"

// What follows "sim:" on the command line: CPU[,noise=KIND[:PARAMETER…][+KIND…]][,seed=N][,slow=CYCLES]. There are no
// caches; but a load of a chase (gen/kernel.h) in a ring of SIM_SLOW_BYTES or more takes that many cycles.
struct sim_spec {
    const char *cpu;        // LLVM's name, an overlay, or a CPU file, whose core is simulated by either name
    const char *noise_text; // as it was written
    struct noise_spec noise;
    unsigned slow_cycles; // latency of such a load, cycles
};
enum { SIM_SLOW_BYTES = 1 << 25, SIM_SLOW_CYCLES = 1000 };
bool sim_spec_parse(struct arena *arena, const char *text, struct sim_spec *spec, struct fail *fail);
// The target in records: "sim:znver4,noise=none,seed=1".
const char *sim_spec_text(struct arena *arena, const struct sim_spec *spec);

// `model` must stay open as long as the target. Events: see simulated_events.h. Null and a failure where an event is
// unknown, or events are requested without counters.
struct target *target_sim_open(struct arena *arena, const struct model *model, const struct sim_spec *spec,
                               const struct target_request *request, struct fail *fail);

#endif
