// Private to this folder.
// Plans the edits of a schedule's file: which statement gets which numbers, and which opcodes leave their write.
#ifndef UPSTREAM_TD_PLAN_H
#define UPSTREAM_TD_PLAN_H

#include "upstream/td.h"
#include "upstream/td_model.h"
#include "upstream/td_text.h"

// How a statement may be changed: its arguments and values; or it says all its numbers itself, also those that stay; or
// not at all. Where one does not come to what was meant, the next one is tried.
enum td_freedom { TD_ARGUMENTS, TD_WRITTEN_OUT, TD_UNTOUCHED };

// An opcode of the request.
struct td_wanted {
    const struct repair_change *change;
    struct td_opcode opcode;
    const char *why;                          // why it is not expressed; null: it is
    struct td_numbers numbers[TD_MOST_ATOMS]; // of its atoms
    bool has_other_reads;
    bool has_other_results; // implicit results get writes of their own: without, they have the longest latency
};

struct td_plan {
    struct arena *arena;
    const struct td_request *request;
    struct td_model *model;
    struct td_text text;
    struct td_wanted *wanted;  // by opcode
    enum td_freedom *freedom;  // by line of the file
    const char **why;          // likewise: why its statement stays; null: that is not known
    size_t *behind;            // likewise: where statements may follow its own; 0: not looked for yet
    bool is_at_end;            // new statements go to the file's end
    struct td_numbers *chosen; // by atom of the model: what its statement shall say
    bool *is_free;             // by atom: no measured opcode has it; so it may follow those of its statement
    size_t n_statements, n_inst_rws;
};

// What each opcode needs of its atoms.
void td_plan_want(struct td_plan *plan);
// Chooses the atoms' numbers, and makes all edits of `text` anew.
void td_plan_make(struct td_plan *plan);

#endif
