// The experiments as constraints on port sets, for a solver: a second opinion on what ports_infer found.
#ifndef INFER_PORT_SMT_H
#define INFER_PORT_SMT_H

#include "infer/ports.h"

// Returns SMT-LIB 2.6 text (QF_LRA). m_F_U_P: uop U of form F may go to port P. Each form has as many uops as in the
// map, and of a form without a recipe no experiment is in. The text asks two questions: whether the chosen map fits all
// experiments (in them: those that are used), and whether any map does. Source of the encoding: F. Ritter, S. Hack,
// "Explainable Port Mapping Inference with Sparse Performance Counters for AMD's Zen Architectures", ASPLOS 2024.
const char *port_smt_text(struct arena *arena, const struct ports *ports);

#endif
