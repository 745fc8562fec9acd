// The repair of a model as edits in LLVM's own file of it (llvm/lib/Target/X86/X86ScheduleZnver4.td).
//
// A write is edited in its place where most measured opcodes that have it need the same change. The others leave it,
// with an InstRW behind it. Then llvm-tblgen reads the edited file, and its numbers of every measured opcode
// are compared with the repair's. A statement that did not come to what was meant is written out; if that does not
// help, it stays as it was, and its opcodes leave it.
#ifndef UPSTREAM_TD_H
#define UPSTREAM_TD_H

#include "analyzer/sched/machine.h"
#include "base/arena.h"
#include "base/fail.h"
#include "repair/repair_numbers.h"

#include <stdbool.h>
#include <stddef.h>

struct td_request {
    const char *path;   // of LLVM's file
    const char *text;   // that is edited in its place; null: the file
    const char *tblgen; // program; null: that of the same LLVM, such as llvm-tblgen-22
    unsigned llvm;      // major version of it
    const struct machine *machine;
    const struct repair_change *changes; // of every measured opcode, also of those that stay as they are, and spread
    size_t n_changes;
    unsigned dispatch_width; // 0: it stays
};

struct td_left {
    const char *opcode, *why;
};

struct td_result {
    const char *text;           // the edited file
    const char *diff;           // unified, against the file as it is
    const char *narrow_diff;    // the same with one line around each edit
    size_t n_statements;        // edited
    size_t n_inst_rws;          // added
    size_t n_compared;          // opcodes of the request that the sources have
    size_t n_changed;           // those whose numbers the repair changes
    size_t n_equal;             // those of which llvm-tblgen has the repair's numbers, changed or not
    const struct td_left *left; // those of which it has others, by opcode
    size_t n_left;
};

// Fails where td_repair would before its work: a file that is not in LLVM's sources, no llvm-tblgen.
bool td_can_repair(const char *path, const char *tblgen, unsigned llvm, struct fail *fail);

bool td_repair(struct arena *arena, const struct td_request *request, struct td_result *result, struct fail *fail);
// Of how many opcodes llvm-tblgen has the numbers `after`, with the request's text as it is.
bool td_compare(struct arena *arena, const struct td_request *request, struct td_result *result, struct fail *fail);

#endif
