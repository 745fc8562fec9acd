// The closed loop as a library: opens the target, the clock and the models to compare with. A plan (experiment.h) goes
// through run_plan.h. Each experiment then holds its results, and report/ prints them.
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include "analyzer/model/model_set.h"
#include "base/options.h"
#include "bench/bench.h"
#include "bench/host/control.h"
#include "bench/host/host.h"
#include "bench/target.h"
#include "bench/targets/simulated.h"
#include "blocks/code_uses.h"
#include "lab/chains.h"
#include "lab/experiment.h"
#include "lab/listener.h"
#include "lab/pipes.h"

struct lab_options {
    const struct isa *isa;
    const char *target;        // "native" or "sim:CPU…"
    struct option_list llvms;  // versions of LLVM, as in backend_load, that models are taken from; empty: the newest
    bool names_cpu;            // summaries have LLVM's name of the CPU, also where there is no model
    bool is_brief;             // reports: models of one CPU that predict the same share a row or a column
    const char *features;      // features to add to the simulated CPU and the models: "+neon"; null: none
    struct option_list cpus;   // models; empty: of the CPU that the bytes run on; "none": no model
    bool addresses_are_static; // blocks do not run for the addresses that CPU files cannot follow
    bool refuses_base;         // CPU files predict only what they state all numbers of
    bool shows_own;            // where no model is named: also by a CPU file of this CPU, where there is one
    const char *core_type;     // as in struct host_request
    struct option_list events; // hardware events to count, by name
    bool has_corun;            // there is a co-runner
    int corun_cpu;             // logical CPU of the co-runner; -1: the SMT sibling
    bool keeps_frequency;      // boost, governor and limits stay as they are
    struct bench_options bench;
    double wait_steady_seconds;          // limit of waiting for a steady clock, before a run measures, s
    bool needs_steady;                   // nothing is measured while the clock is not steady
    double wait_quiet_seconds;           // limit of waiting for others to leave the core, before a run measures, s
    const struct lab_listener *listener; // null: none
};

struct lab {
    struct arena *arena;
    const struct lab_listener *listener;
    bool (*is_stopped)(void); // as in struct bench_options
    const struct isa *isa;
    struct host host;
    struct host_control control; // settings of the host that are changed during the run
    bool is_simulated;
    int corun_cpu;                 // logical CPU of the co-runner; -1: no co-runner
    bool is_sibling;               // that CPU is the SMT sibling of the measured one
    struct sim_spec sim;           // the simulated target's; see is_simulated
    const struct backend *backend; // null: no models requested
    struct model_set models;
    bool is_brief;                    // as in struct lab_options
    bool addresses_are_static;        // likewise
    struct decoder decoder;           // decodes blocks; not open where there are no blocks
    struct program *chains[N_CHAINS]; // programs of the clock; null: the ISA has none
    struct code_uses uses;            // finds out which units code uses
    struct pipes pipes;               // pipes whose uops are counted; empty without counters
    struct target *target;
    struct bench_chains clock; // the chains as bench/ takes them
    const char *levels_path;   // file that keeps the levels of the checks; null: none
    bool are_levels_known;     // the levels come from that file
    struct bench bench;
};

// The models that the options ask for: the judged ones. A command adds the other roles.
struct model_request lab_models(const struct lab_options *options);

// The same options without a model to predict with.
struct lab_options lab_without_models(const struct lab_options *options);

// Whether the user ended the run.
static inline bool lab_is_stopped(const struct lab *lab) {
    return lab->is_stopped && lab->is_stopped();
}

// CPU file of a host's CPU; null: there is no such file. The cores of a hybrid CPU share its family and model, and
// files are of the fastest: a slower core has no file.
const char *lab_cpu_file_of(struct arena *arena, const struct host *host);

// Reads the host and opens the models, then generates the clock's chains; nothing is measured yet.
bool lab_open(struct lab *lab, struct arena *arena, const struct lab_options *options, struct fail *fail);

// Finds the events that count uops on the CPU that code runs on: those retired, then those of each pipe, as far as they
// are known. Sets `why` to the reason where there are none, one clause; null: a simulated CPU without counters.
bool lab_find_uop_events(struct arena *arena, const struct lab_options *options, struct option_list *events,
                         const char **why, struct fail *fail);

// Makes the programs of the plan's blocks; see blocks_prepare.
bool lab_prepare(struct lab *lab, const struct lab_options *options, struct plan *plan, struct fail *fail);

// Opens target and clock, once lab->chains are assembled. Steadies the frequency where it can. lab_close puts back what
// it changed; the guardian does, where the program ends without lab_close.
bool lab_start(struct lab *lab, const struct lab_options *options, struct fail *fail);

// The experiment's code for bench/, with its uses.
struct bench_code lab_code(const struct lab *lab, const struct experiment *experiment);

// The first feature that the program needs and the CPU it would run on lacks; null: none.
const char *lab_missing_feature(const struct lab *lab, const struct program *program);

// Whether the CPU that the code runs on can execute it: the CPU has the features, and a simulated CPU's model knows the
// instructions. Else FAIL_UNAVAILABLE, or FAIL_INPUT where no CPU has such a feature.
bool lab_can_run(const struct lab *lab, const struct program *program, struct fail *fail);

// Receives the experiments that lab_run has measured.
struct lab_taker {
    void *context;
    // The experiment is measured and predicted, or failed. Experiments come in any order; one may come again, measured
    // anew. False: measuring ends.
    bool (*done)(void *context, struct experiment *experiment, struct fail *fail);
};

// Measures and predicts experiments, as many as can be in the same processes. False only when Cyclops itself failed.
// `taker`: null for none.
bool lab_run(struct lab *lab, struct experiment *const *experiments, size_t n, const struct lab_taker *taker,
             struct fail *fail);

// Takes a measurement made before instead, and predicts.
void lab_take(struct lab *lab, struct experiment *experiment, const struct bench_measurement *measurement);

// One line about host and clock.
const char *lab_summary(const struct lab *lab);

void lab_close(struct lab *lab);

#endif
