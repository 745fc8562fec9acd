// Private to this folder.
// The experiments of a form, as kernels in the format of kernel files (gen/kernel.h). So `cyclops run --kernels` can
// repeat each of them. Their names, of throughputs:
//  - FORM: the throughput
//  - FORM.broken: the same, with instructions that end the dependences through fixed registers
//  - FORM.broken.N: the same, with N copies of the form to one set of such instructions. Each of these takes no pipe
//    if possible
//  - FORM.lines: as FORM.broken, of a gather or scatter whose lanes are on lines of their own
//  - FORM.places.PLACEMENT: as FORM, of a load or a store with its operands elsewhere (struct table_throughput). The
//    first form of each scheduling class has them, and those of classes where they matter
//  - FORM.around.N: N copies with what the form needs around them (surroundings.h)
//  - FORM.copies.N: N copies that do not wait for each other
//  - FORM.slow, FORM.slow.around.N: as FORM and FORM.around.N, of a division or square root of numbers that are not
//    round
//  - FORM.slots.FILLER.N: the form mixed with N fillers (slots.h)
//  - FORM.filled.FILLER.N: as FORM, with N fillers behind each copy (fills.h)
// Of latencies:
//  - FORM.chain: pairs that close by themselves, with a chain for each
//  - FORM.SOURCE-RESULT.WAY: one pair, through a partner (partners.h), or with dependences ended ("alone")
//  - FORM.SOURCE-RESULT_whole.WAY: the same to the whole register of which the form writes the high byte
//  - FORM.SOURCE-RESULT.crossing: one pair, through two copies of the form, of which each reads the other's result
//  - FORM.SOURCE-RESULT.WAY.together: one pair through a partner, where the result still depends on its earlier value
//  - FORM.SOURCE-RESULT.WAY.others: one pair through a partner, though it closes by itself: other instructions may
//    wait longer for the result
//  - FORM.SOURCE-RESULT.WAY.longer: the same with some more steps, where flags are on the way. Without a difference,
//    the chain is open: the form does not write that flag, or does not read carry
//  - FORM.SOURCE-RESULT.WAY.padded.STEP: the same with many more of that step. It is made where the chain may take
//    longer than its latency, for other reasons, or may not be closed
//  - FORM.SOURCE-RESULT.WAY.padded.STEP.N: with so many more of it, where the usual number made a difference
//  - FORM.SOURCE-memory.WAY: the time through memory: the form stores, and an instruction loads the same bytes back
//    into the source
//  - FORM.SOURCE-memory.WAY.longer.STEP: the same with some more of that step behind the load
//  - FORM.slow.SOURCE-RESULT.WAY: one pair of a division or square root of numbers that are not round
//  - FORM.same: all sources are one register
//  - FORM.memory: from a word of memory that the form reads and writes to itself, in straight code and as a loop
//  - FORM.memory.WAY: the same through instructions that store the word and load it back, with many steps in between.
//    What the form adds to CHAIN.WAY shows whether it reads and writes the word at all
// Of no form:
//  - CHAIN.WAY: a partner's own latency
//  - SIDE.STEP: a partner's step, side by side
//  - FILL.FILLER, FILL.FILLER.N: a filler by itself, and N of them beside simple instructions
#ifndef SURVEY_EXPERIMENTS_H
#define SURVEY_EXPERIMENTS_H

#include "base/text.h"
#include "gen/program.h"
#include "survey/shape.h"
#include "survey/slots.h"

// Name of the places of accesses that only load (struct kernel_place).
#define EXPERIMENTS_LOAD "load"
// Behind a form's name: experiments in other placements; throughputs with fillers; dispatch slots.
#define EXPERIMENTS_PLACES "places"
#define EXPERIMENTS_FILLED "filled"
#define EXPERIMENTS_SLOTS "slots"

// Adds the kernels of a form that is not left out. `is_first`: also those that one form of each scheduling class has.
void experiments_add(const struct isa *isa, const struct shape *shape, bool is_first, struct text *kernels);

// Adds the kernel of a form with so many fillers. These are known once the form's throughput is. `kind`:
// EXPERIMENTS_SLOTS or EXPERIMENTS_FILLED.
void experiments_add_fillers(const struct shape *shape, const char *kind, const struct slots_filler *filler, unsigned n,
                             struct text *kernels);

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
