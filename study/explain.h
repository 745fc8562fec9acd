// What `cyclops explain` finds out about one instruction on one machine. Prints nothing.
#ifndef STUDY_EXPLAIN_H
#define STUDY_EXPLAIN_H

#include "analyzer/model/model.h"
#include "analyzer/predict/rthroughput.h"
#include "analyzer/views/occupancy.h"

enum { EXPLAIN_MAX_STEPS = 12, EXPLAIN_SHOWN = 4 }; // EXPLAIN_SHOWN: copies in the picture

struct explanation {
    const struct machine *machine;
    const struct insn *insn;
    bool lacks_vectors; // RISC-V: it depends on a vector configuration, and has none: LLVM takes the longest group
    const char *source; // of an overlay's numbers; null: none
    struct rthroughput rthroughput; // the closed form
    struct occupancy copies;        // EXPLAIN_SHOWN copies that wait for nothing but pipes
    // Convergence: cycles that n such copies take from the first issue to the last result.
    struct explain_step {
        unsigned n;
        uint64_t cycles;
    } steps[EXPLAIN_MAX_STEPS];
    unsigned n_steps;
    double steady; // cycles a copy in steady state; dispatch counts
};

// Explains the instruction `text`: assembly, the name of a form, or, on a machine without ISA, of an instruction.
// `most`: copies at most.
bool explain_insn(struct arena *arena, const struct model *model, const char *text, unsigned most,
                  struct explanation *explanation, struct fail *fail);

// Sets `insn` to the example of the form of that name. Where no form has it, reports what to do if the name is near to
// one, or a mnemonic.
bool explain_form(struct arena *arena, const struct model *model, const char *name, struct insn *insn,
                  struct fail *fail);
bool explain_may_be_form(const char *text); // it is a single word

// One row of a picture: a unit of a resource that some copy holds.
struct explain_row {
    unsigned resource, unit;
    const char *name; // "P1", or "JALU01.1" where there are several units
};
// The rows of all units that the copies hold, by resource; returns their number.
size_t explain_rows(struct arena *arena, const struct explanation *explanation, struct explain_row **rows);

// "Zn4FP01, held for 2 cycles, 2 pipes"; "" where no resource is used.
const char *explain_bound(struct arena *arena, const struct explanation *explanation);

#endif
