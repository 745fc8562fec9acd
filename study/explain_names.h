// Private to this folder.
// Operands of a text that are nearly registers. LLVM takes any word that it does not know for a symbol, so for memory.
#ifndef STUDY_EXPLAIN_NAMES_H
#define STUDY_EXPLAIN_NAMES_H

#include "analyzer/model/model.h"
#include "base/arena.h"
#include "base/fail.h"

// Fails at the first one, with its place in `text`, which `name` is called.
bool explain_check_names(struct arena *arena, const struct machine *machine, const char *name, const char *text,
                         const struct block *block, struct fail *fail);

#endif
