// The simulated CPU as a target: our own pipeline runs the bytes, and noise of known size is put on its time, so that
// the whole way from kernel to verdict is tested anywhere, deterministically. The only part of bench/ that sees the
// analyzer.
#ifndef BENCH_TARGET_SIM_H
#define BENCH_TARGET_SIM_H

#include "analyzer/model/backend.h"
#include "bench/target.h"

// What is put on the simulated time.
struct sim_noise {
    const char *name;       // "none", "vm"
    double jitter_ticks;    // standard deviation of one timed run
    double drift;           // the frequency wanders within ± this share of itself
    double interrupt_share; // of timed runs that an interrupt lengthens
    double switch_share;    // of those, the share in which the thread is also seen to be switched out
    uint64_t seed;
};

// What follows "sim:" on the command line: CPU[,noise=none|vm][,seed=N].
struct sim_spec {
    const char *cpu; // LLVM's name
    struct sim_noise noise;
};
bool sim_spec_parse(struct arena *arena, const char *text, struct sim_spec *spec, struct fail *fail);

// `cpu` must stay open as long as the target.
struct target *target_sim_open(struct arena *arena, const struct backend *backend, struct backend_cpu *cpu,
                               const struct sim_noise *noise);

#endif
