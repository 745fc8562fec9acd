// Private to this folder.
// What a model of LLVM's has no number for, so that no repair predicts it.
#ifndef REPAIR_REPAIR_LIMITS_H
#define REPAIR_REPAIR_LIMITS_H

#include "analyzer/sched/machine.h"
#include "check/predictor.h"
#include "repair/repair.h"

// Returns the gap (gap.h) of the number nearest to the value that the model can state. Pipes are held, and results are
// there, after whole cycles; dispatch is of whole uops. A throughput that any of the machine's pipes could give counts,
// so 0 does not prove that the form's own can. `predicted`: for the cycles of its programs.
double repair_nearest_gap(const struct machine *machine, const struct check_value *value,
                          const struct predicted *predicted);

// Why the model cannot predict a value that is equal to what was measured. `is_other_code`: the form's code decodes to
// another opcode.
enum repair_limit repair_limit_of(const struct machine *machine, const struct check_value *value,
                                  const struct predicted *predicted, bool is_other_code);

#endif
