// `cyclops run --corun`: the same code alone and while another hardware thread runs the co-runner, measured and
// predicted, and what both threads together get done.
#ifndef LAB_CORUN_H
#define LAB_CORUN_H

#include "lab/experiment.h"
#include "lab/lab.h"
#include "lab/run_journal.h"

// Chooses the co-runner's CPU: the requested one, else the SMT sibling of the measured CPU. Where both are the same CPU
// and the measured one was not requested, the measurement moves. FAIL_UNAVAILABLE where there is no such CPU.
bool corun_choose_cpu(struct lab *lab, const struct lab_options *options, int *cpu, struct fail *fail);

// Measures and predicts experiment->corun. The experiment itself is measured already. Its co-runner is measured alone
// at the first call. False only when Cyclops itself failed; code that did not run well has its outcome.
bool corun_measure(struct lab *lab, struct experiment *experiment, struct fail *fail);

// Whether both threads run the same bytes. Then they are measured alone only once.
bool corun_is_same_code(const struct experiment *experiment);

// Writes the co-run's line; `experiment` has its own.
bool corun_write(struct run_journal *journal, struct lab *lab, const struct experiment *experiment, struct fail *fail);

#endif
