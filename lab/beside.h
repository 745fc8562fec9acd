// `cyclops run --corun`: the same code alone and while another hardware thread runs the co-runner, measured and
// predicted, and what both threads together get done.
#ifndef LAB_BESIDE_H
#define LAB_BESIDE_H

#include "lab/experiment.h"
#include "lab/lab.h"
#include "lab/run_journal.h"

// Another CPU than the measured one for the co-runner: as asked for, else the SMT sibling of the measured CPU. May move
// the measurement where its CPU was not asked for. FAIL_UNAVAILABLE where there is no such CPU.
bool corun_choose_cpu(struct lab *lab, const struct lab_options *options, int *cpu, struct fail *fail);

// Measures and predicts experiment->corun. The experiment itself is measured already; its co-runner is, at the first
// time. False only when Cyclops itself failed; what did not run well is in the outcomes.
bool corun_measure(struct lab *lab, struct experiment *experiment, struct fail *fail);

// Both threads run the same bytes: alone, they are measured once.
bool corun_is_same_code(const struct experiment *experiment);

// The co-run's line; `experiment` has its own.
bool corun_write(struct run_journal *journal, struct lab *lab, const struct experiment *experiment, struct fail *fail);

#endif
