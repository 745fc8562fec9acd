// Private to this folder.
// Instructions that ask for several groups with pipes in common, where taking the groups' pipes one after the other may
// leave nothing to the last.
// Behaviour: HasPartiallyOverlappingGroups in llvm/lib/MCA/HardwareUnits/ResourceManager.cpp.
#ifndef ANALYZER_SIM_MCA_OVERLAP_H
#define ANALYZER_SIM_MCA_OVERLAP_H

#include "analyzer/sim/mca/pipes.h"

// Groups that find no unit which the instruction's other uses leave; 0: all do. Its pipes are free.
uint64_t overlap_busy(const struct resource_unit *unit, const struct plan_insn *insn);
// Like resource_unit_issue.
unsigned overlap_issue(struct resource_unit *unit, const struct plan_insn *insn, int64_t now, struct event_use *uses);

#endif
