// Where the turns of a block access memory, by a run of its program: what the bounds of a CPU file take in place of
// addresses that they follow themselves. Runs on x86-64 only; measures nothing.
#ifndef LAB_RECORDED_TURNS_H
#define LAB_RECORDED_TURNS_H

#include "analyzer/model/model.h"
#include "lab/experiment.h"
#include "lab/recorded.h"

enum { RECORDED_TURNS = 32 }; // at least: as many as a walk of bounds makes

// What prepares and runs blocks whose addresses are wanted.
struct turns_recorder {
    const struct decoder *decoder;
    const struct model *model; // decodes what ran, with addresses
};

// Why no program of that ISA can be recorded here, one clause; null: it can.
const char *recorded_turns_refusal(const struct isa *isa);

// Runs the program of an experiment with a block, from the start that its measurement has: as many turns as above or
// more, each of the instructions of program_simulated_range. `experiment`: assembled. There is a refusal where it
// cannot run here, does not come that far, or does not execute its instructions one after the other.
void recorded_turns_find(struct arena *arena, const struct turns_recorder *recorder,
                         const struct experiment *experiment, struct recorded_turns *turns);

// The same of all blocks of a plan, which need not be prepared or assembled. `turns`: by the number of the block, from
// 1. Fails only where nothing can go on.
bool recorded_turns_of_plan(struct arena *arena, const struct turns_recorder *recorder, struct plan *plan,
                            struct recorded_turns *turns, struct fail *fail);

#endif
