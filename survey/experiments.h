// Private to this folder.
// The experiments of a form, as kernels in the format of kernel files (gen/kernel.h). So `cyclops run --kernels` can
// repeat each of them. experiment_key.h lists what there is.
#ifndef SURVEY_EXPERIMENTS_H
#define SURVEY_EXPERIMENTS_H

#include "base/text.h"
#include "gen/program.h"
#include "survey/experiment_key.h"
#include "survey/shape.h"
#include "survey/slots.h"

// Name of the places of accesses that only load (struct kernel_place).
#define EXPERIMENTS_LOAD "load"

// Adds the kernels of a form that is not left out. `is_first`: also those that one form of each scheduling class has.
void experiments_add(const struct isa *isa, const struct shape *shape, bool is_first, struct text *kernels);

// Adds the kernel of a form with so many fillers. These are known once the form's throughput is. `kind`:
// EXPERIMENT_SLOTS or EXPERIMENT_FILLED.
void experiments_add_fillers(const struct shape *shape, enum experiment_kind kind, const struct slots_filler *filler,
                             unsigned n, struct text *kernels);

struct table_padding; // table.h
// Adds the kernels of padded chains of a form. Which are needed is known once the others' values are. Null: all.
void experiments_add_padded(const struct isa *isa, const struct shape *shape, const struct table_padding *which,
                            struct text *kernels);

// Adds the kernels of a form's throughputs elsewhere, in those of the placements, a bit for each, that it can have.
void experiments_add_places(const struct shape *shape, unsigned placements, struct text *out);
enum { EXPERIMENTS_ALL_PLACES = (1 << PROGRAM_N_PLACEMENTS) - 1 };

// Begins a kernel file without kernels.
void experiments_head(const struct isa *isa, struct text *kernels);
// Begins a kernel file, with the kernels of all partners and fillers.
void experiments_begin(const struct isa *isa, struct text *kernels);

#endif
