// Private to this folder.
// Rules that name forms (overlay: 2). A rule of an opcode holds for all its forms; these come behind all of them.
#ifndef REPAIR_REPAIR_FORMS_H
#define REPAIR_REPAIR_FORMS_H

#include "repair/repair_state.h"

// Adds a rule for each form that only follows its opcode's plain one, where other numbers predict its values better.
// Returns how many it added. The rules of opcodes are settled; the model's instructions have their forms.
size_t repair_add_forms(struct repair *repair);

#endif
