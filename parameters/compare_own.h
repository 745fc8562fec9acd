// Private to this folder.
// Which parameters of a CPU file the entries of a card show.
#ifndef PARAMETERS_COMPARE_OWN_H
#define PARAMETERS_COMPARE_OWN_H

#include "parameters/compare.h"

// What the file states of the entry; the agreement is not set. `insn`: the entry's example, as the file's base
// describes it; null: it has none.
struct card_comparison own_comparison(const struct card_entry *entry, const struct model *model,
                                      const struct insn *insn);

// Parameters that entries show, by number from 0; null from the number of them on. `value`: 0 where the file has none.
// `entry`: a name of one that shows it.
const char *own_number(const struct cpu *cpu, size_t index, double *value, const char **entry);

#endif
