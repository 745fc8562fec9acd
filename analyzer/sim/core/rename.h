// Private to this folder.
// Which instruction in flight makes the value of each register. Moves that are done here only rename, idioms are known,
// and the stack engine's synchronisation comes later than the register.
#ifndef ANALYZER_SIM_CORE_RENAME_H
#define ANALYZER_SIM_CORE_RENAME_H

#include "analyzer/sim/core/flight.h"

struct maker {
    uint64_t index;       // of the instruction, from 1; 0: the value has always been there
    int64_t more;         // ticks after that result
    int64_t known;        // ticks, where `index` is 0: when it is there
    unsigned own;         // struct cpu_recipe: the rule whose instructions have it early
    unsigned write_class; // cpu_recipe_class
    unsigned write;       // of the instruction
};

struct rename {
    struct maker *makers; // by unit
    unsigned n_units;
    uint16_t *written; // units that the block writes, and the stack pointer; each once
    unsigned n_written;
    unsigned stack, adjuster; // units
};

void rename_open(struct rename *rename, const struct core_plan *plan, struct stash *stash);
// Ties the sources of the newest flight to those that make them, then its results to it.
// `cycle`: the one of the flight's dispatch. `ignores_dependences`: it waits for no register.
void rename_flight(struct rename *rename, struct flights *flights, struct flight *flight, int64_t cycle,
                   bool ignores_dependences);

void rename_put(const struct rename *rename, const struct flights *flights, struct coder *coder);

#endif
