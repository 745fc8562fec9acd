// Private to survey/.
// The experiments of a form. experiment_key.h lists what there is.
#ifndef SURVEY_EXPERIMENTS_EXPERIMENTS_H
#define SURVEY_EXPERIMENTS_EXPERIMENTS_H

#include "gen/program.h"
#include "survey/experiments/experiment_list.h"
#include "survey/experiments/slots.h"
#include "survey/forms/shape.h"

// Name of the places of accesses that only load (struct kernel_place).
#define EXPERIMENTS_LOAD "load"

// Adds the kernels of a form that is not left out. `is_first`: also those that one form of each scheduling class has.
void experiments_add(const struct isa *isa, const struct shape *shape, bool is_first, struct experiment_list *kernels);

// Adds the kernel of a form with so many fillers. These are known once the form's throughput is. `kind`:
// EXPERIMENT_SLOTS or EXPERIMENT_FILLED.
void experiments_add_fillers(const struct shape *shape, enum experiment_kind kind, const struct slots_filler *filler,
                             unsigned n, struct experiment_list *kernels);

// Adds the kernels of padded chains of a form. Which are needed is known once the others' values are: a pair, a number
// of steps, and a way, or any where it is empty. Null: all.
void experiments_add_padded(const struct isa *isa, const struct shape *shape, const struct experiment_key *which,
                            struct experiment_list *kernels);

// Adds the kernels of a form's throughputs elsewhere, in those of the placements, a bit for each, that it can have.
void experiments_add_places(const struct shape *shape, unsigned placements, struct experiment_list *out);
enum { EXPERIMENTS_ALL_PLACES = (1 << PROGRAM_N_PLACEMENTS) - 1 };

// Adds the experiments of all partners and fillers.
void experiments_add_scaffold(const struct isa *isa, struct experiment_list *kernels);
// Adds those of the partners with a vector configuration; with each that one of these forms has.
void experiments_add_vector_scaffold(const struct isa *isa, const struct vector_config *config,
                                     struct experiment_list *kernels);
void experiments_add_vector_scaffolds(const struct isa *isa, const struct shape *shapes, size_t n,
                                      struct experiment_list *kernels);
// Adds those of the first form of each scheduling class to `first`, which notes that it is, and those of the others.
void experiments_add_forms(const struct isa *isa, struct shape *shapes, size_t n, struct experiment_list *first,
                           struct experiment_list *others);

#endif
