// Private to this folder.
// Which pipes a form may come to be on, where its throughput excludes those that LLVM's model has it on, and which of
// these come first. A throughput shows how many pipes there are, and not which: those are taken from what the model
// says of forms of the same kind.
#ifndef REPAIR_REPAIR_PIPES_H
#define REPAIR_REPAIR_PIPES_H

#include "repair/repair_state.h"

// What the model says of pipes, by kinds of forms.
struct repair_pipes;

// Learns from all forms of the repair's CPU: those that were measured, and those that were not.
struct repair_pipes *repair_pipes_learn(const struct repair *repair);
// Notes what a rule makes of its opcodes.
void repair_pipes_note(struct repair_pipes *pipes, const struct repair_rule *rule);

// How near other pipes are to LLVM's. Small numbers come first; REPAIR_FARTHEST: the form may not be on them.
//  1 to 4    a part of LLVM's pipes, or all of them and more
//  5 to 8    those of the form with a register instead of memory
//  9 to 12   those of the same instruction with wider or narrower registers
//  13 to 16  others that have a pipe of LLVM's
// In each four, pipes that the model has forms with registers of the same width on come first, then those that the same
// instruction with other operands has. Forms of one kind are those whose registers overlap: general ones, vectors,
// masks. Pipes on which the model has no form of the kind are the farthest, and so are those of loads and stores for
// what is not on them in LLVM's model.
enum { REPAIR_FARTHEST = 255 };

// Returns the ranks of each resource for each use of members with the same numbers, [use * n_resources + resource].
const unsigned char *repair_pipes_rank(const struct repair *repair, struct arena *arena,
                                       const struct repair_member *members, size_t n);

// Pipes that a rule has instead of those in `before`, where as few values differ with others: a comment line of the
// overlay that names them. Null: the throughput tells these pipes, or they are as before.
const char *repair_pipes_guess(struct arena *arena, const struct repair_search *search,
                               const struct repair_numbers *before);

// Whether an operand of the form is memory.
bool repair_pipes_has_memory(const struct repair_pipes *pipes, const char *form);

#endif
