// Private to this folder.
// The experiments. Each asks the session for values (session_value), and adds its entries to the card once it has them.
// It is called again as long as a value was missing, with an empty card.
#ifndef PARAMETERS_EXPERIMENTS_H
#define PARAMETERS_EXPERIMENTS_H

#include "parameters/session.h"

void widths_find(struct session *session); // widths.c: instructions per cycle
// What dispatch takes in a cycle, and an instruction with which it can be filled.
struct slots {
    double most;             // no CPU dispatches more a cycle, as far as the widths show; 0: not known
    double width;            // instructions of `filler` a cycle, each in a slot of its own; 0: there is no such filler
    enum recipe_line filler; // zeroings or nops
};
bool widths_slots(struct session *session, struct slots *slots); // false: not measured yet
void windows_find(struct session *session);     // windows.c: reorder buffer, queues, register files, schedulers
void frontend_find(struct session *session);    // frontend.c: code by length, footprint and place; taken branches
void targets_find(struct session *session);     // targets.c: the first level of taken branches; part of the front end
void loops_find(struct session *session);       // loops.c: the loop buffer; part of the front end
void branches_find(struct session *session);    // branches.c: cost of a misprediction
void latencies_find(struct session *session);   // latencies.c: loads by addressing mode, level, crossing
void load_widths_find(struct session *session); // load_widths.c: loads by width; part of latencies
void pages_find(struct session *session);       // pages.c: address translations, page walks
void bandwidth_find(struct session *session);   // bandwidth.c: loads and stores by footprint, across boundaries
void forwarding_find(struct session *session);  // forwarding.c: loads of what was just stored
void idioms_find(struct session *session);      // idioms.c: what renaming does alone
void costs_find(struct session *session);       // costs.c: stack pointer, merges, old and wide vectors
void fusion_find(struct session *session);      // fusion.c: pairs that take one slot

// Of several parts (parts.c).
void banks_find(struct session *session);
void load_banks_find(struct session *session);  // load_banks.c: loads that meet in a bank of the first level
void store_lines_find(struct session *session); // store_lines.c: stores by line in program order
void renaming_find(struct session *session);
void constants_find(struct session *session);       // constants.c: additions of constants
void memory_renaming_find(struct session *session); // memory_renaming.c: loads of what was just stored
void logic_flags_find(struct session *session);     // logic_flags.c: what waits for flags of logic operations
void slots_find(struct session *session);
// `why`: why slots cannot be counted; null: they can.
void loop_copies_find(struct session *session, const struct slots *slots, const char *why);  // loop_copies.c
void move_fusion_find(struct session *session, const struct slots *slots, const char *why);  // move_fusion.c
void stack_engine_find(struct session *session, const struct slots *slots, const char *why); // stack_engine.c
// Slots that the end of a loop takes; 0: not known, `why` then has the reason. False: not measured yet.
bool loop_end_slots(struct session *session, const struct slots *slots, unsigned *n, const char **why);
// Whether a loop of m whole groups of dispatch takes m cycles: `why` is null then, else the reason. False: not measured
// yet.
bool loop_groups_fit(struct session *session, const struct slots *slots, unsigned end, unsigned m, const char **why);

#endif
