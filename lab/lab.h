// The closed loop as a library: where bytes run, the clock, and the models to hold against it, opened. A plan
// (experiment.h) goes through run_plan.h; what comes of each experiment is in it, and report/ shows it.
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include "analyzer/model/model.h"
#include "base/options.h"
#include "bench/bench.h"
#include "bench/host/control.h"
#include "bench/host/host.h"
#include "bench/target.h"
#include "bench/targets/simulated.h"
#include "lab/chains.h"
#include "lab/code_uses.h"
#include "lab/experiment.h"
#include "lab/listener.h"
#include "lab/pipes.h"

struct lab_options {
    const struct isa *isa;
    const char *target;        // "native" or "sim:CPU…"
    const char *llvm;          // as in backend_load
    const char *features;      // of simulated CPU and models, besides their own: "+neon"; null: none
    struct option_list cpus;   // models; none: the CPU the bytes run on; "none": no model
    const char *core_type;     // as in struct host_wish
    struct option_list events; // hardware events to count, by name
    bool has_corun;            // something runs beside the code:
    int corun_cpu;             // on this logical CPU; -1: the SMT sibling
    bool keeps_frequency;      // changes nothing of boost, governor and limits
    struct bench_options bench;
    double wait_quiet_seconds;           // that a run may wait, before it measures, for others to leave the core
    const struct lab_listener *listener; // null: nobody wants to hear
};

struct lab {
    struct arena *arena;
    const struct lab_listener *listener;
    bool (*is_stopped)(void); // as in struct bench_options
    const struct isa *isa;
    struct host host;
    struct host_control control; // what of the host was changed for the time being
    const char
        *elsewhere; // what measured, in a line, where that was another machine; then nothing can be run; else null
    bool is_simulated;
    int corun_cpu;                 // where the co-runner runs; -1: nowhere
    bool is_sibling;               // that is the SMT sibling of the measured CPU
    struct sim_spec sim;           // where simulated
    struct model simulated_cpu;    // that the bytes run on, where simulated
    const struct backend *backend; // null: no models wanted
    struct model models[EXPERIMENT_MAX_MODELS];
    unsigned n_models;
    struct decoder decoder;           // of blocks; not open where there are no blocks
    struct program *chains[N_CHAINS]; // the clock's; null: the ISA has none
    struct code_uses uses;            // reads what code uses of a core
    struct pipes pipes;               // whose uops are counted; none without counters
    struct target *target;
    struct bench_chains clock; // the chains as bench has them
    const char *levels_path;   // file that remembers the levels of the checks; null: there is none
    bool are_levels_known;     // they are from there
    struct bench bench;
};

// Whether the user wanted no more.
static inline bool lab_is_stopped(const struct lab *lab) {
    return lab->is_stopped && lab->is_stopped();
}

// Reads the host and opens the models, then generates the clock's chains; nothing is measured yet.
bool lab_open(struct lab *lab, struct arena *arena, const struct lab_options *options, struct fail *fail);

// The models alone, for measurements of elsewhere: lab_take and lab_summary are what can be done with it.
bool lab_open_elsewhere(struct lab *lab, struct arena *arena, const struct lab_options *options, const char *summary,
                        struct fail *fail);

// Makes the programs of the plan's blocks; see blocks_prepare.
bool lab_prepare(struct lab *lab, const struct lab_options *options, struct plan *plan, struct fail *fail);

// Opens target and clock, once lab->chains are assembled. Steadies the frequency where it can;
// what it changed is put back by lab_close, or by the guardian when the program ends without.
bool lab_start(struct lab *lab, const struct lab_options *options, struct fail *fail);

// The experiment's program for bench, and what it uses.
struct bench_code lab_code(const struct lab *lab, const struct experiment *experiment);

// The first feature that the program needs and the CPU it would run on lacks; null: none.
const char *lab_missing_feature(const struct lab *lab, const struct program *program);

// Whether the CPU the code runs on can execute it: it has the features, and a simulated one's model knows the
// instructions. FAIL_UNAVAILABLE where not, FAIL_INPUT where a feature is one that no CPU has.
bool lab_can_run(const struct lab *lab, const struct program *program, struct fail *fail);

// Who takes what lab_run measures.
struct lab_taker {
    void *context;
    // It is measured and predicted, or ended otherwise; no order, and perhaps once more, anew. False: measuring ends.
    bool (*done)(void *context, struct experiment *experiment, struct fail *fail);
};

// Measures and predicts experiments, as many as can be in the same processes. False only when Cyclops itself failed.
// `taker`: null for none.
bool lab_run(struct lab *lab, struct experiment *const *experiments, size_t n, const struct lab_taker *taker,
             struct fail *fail);

// The same with a measurement of before.
void lab_take(struct lab *lab, struct experiment *experiment, const struct bench_measurement *measurement);

// One line about host and clock.
const char *lab_summary(const struct lab *lab);

void lab_close(struct lab *lab);

#endif
