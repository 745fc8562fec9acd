// Private to this folder.
// Register files: which write defines a register now, how many physical registers are in use, and which moves
// renaming does away with. Behaviour: llvm/lib/MCA/HardwareUnits/RegisterFile.cpp.
#ifndef ANALYZER_SIM_MCA_REGISTER_FILE_H
#define ANALYZER_SIM_MCA_REGISTER_FILE_H

#include "analyzer/sim/coder.h"
#include "analyzer/sim/mca/flight.h"
#include "analyzer/sim/mca/plan.h"
#include "analyzer/sim/stash.h"

#include <stdbool.h>
#include <stdint.h>

struct definition {
    uint64_t index; // of the instruction; NOBODY: it was not written yet
    unsigned write;
};

struct physical_file {
    unsigned size;             // 0: unlimited
    unsigned used;             // where there is a limit
    unsigned max_moves, moves; // eliminated per cycle: at most (0: unlimited), and in this one
    bool zero_moves_only;
};

struct register_unit {
    const struct simulation_plan *plan;
    struct physical_file *files; // [0] is the default one
    unsigned n_files;
    bool has_moves; // some were eliminated in this cycle
    // Kept only where the plan is not fixed.
    struct definition *definitions; // by class
    uint16_t *alias;                // by class: target it is an alias of; 0: none
    bool *is_zero;                  // by class
};

// `default_size`: physical registers of the default file; 0: unlimited.
void register_unit_init(struct register_unit *unit, const struct simulation_plan *plan, unsigned default_size,
                        struct stash *stash);
void register_unit_cycle(struct register_unit *unit);

bool register_unit_can_rename(const struct register_unit *unit, const struct plan_insn *insn);
// Finds what the instruction waits for and makes it define its registers. Sets is_eliminated.
void register_unit_rename(struct register_unit *unit, struct flight *flight, struct in_flight *insn, int64_t now);
// Gives back the physical registers.
void register_unit_free(struct register_unit *unit, const struct in_flight *insn);

// What influences later cycles, but for which instructions are in flight.
void register_unit_put(const struct register_unit *unit, const struct flight *flight, struct coder *coder);

// Cycles until the operands of an instruction that has not been renamed yet are there (in-order machines ask first).
int64_t register_unit_hazard(const struct register_unit *unit, const struct flight *flight,
                             const struct in_flight *insn, int64_t now);

#endif
