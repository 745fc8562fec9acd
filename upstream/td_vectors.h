// Private to this folder.
// RISC-V's vectors in a scheduling model: LLVM's class of an opcode with a vector type states what it writes and reads,
// and a pseudo instruction stands for it.
#ifndef UPSTREAM_TD_VECTORS_H
#define UPSTREAM_TD_VECTORS_H

#include "upstream/td_model.h"

// The scheduling class of a form with a vector configuration; null: the opcode alone states what it needs.
const char *td_class_of(const struct repair_change *change);

// "[WriteVIALUV_M2, ReadVIALUV_M2]" of the class "WriteVIALUV_M2_ReadVIALUV_M2". Null: it is not called by these.
const char *td_operands_of_class(const struct td_model *model, const char *name);
// "PseudoVWADD_WV_M2" of the class "PseudoVWADD_WV_M2_PseudoVWSUB_WV_M2", of all that an InstRW names. Null: unknown.
const struct td_record *td_pseudo_of_class(const struct td_model *model, const char *name);

// The pseudo instructions that stand for an opcode, "VADD_VV" or "VADD_VV-e32m2"; their number.
size_t td_model_pseudos(const struct td_model *model, const char *opcode, const struct td_record *const **pseudos);
// The one with these operands; null: there is none.
const struct td_record *td_pseudo_with(const struct td_model *model, const char *opcode, const char *operands);

// Finds the model's pseudo instructions, its writes that stand for the largest group, and the statements that it
// shares.
void td_vectors_open(struct td_model *model);

#endif
