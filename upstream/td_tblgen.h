// Private to this folder.
// Runs llvm-tblgen on a target's description, with one of its files replaced by another text.
#ifndef UPSTREAM_TD_TBLGEN_H
#define UPSTREAM_TD_TBLGEN_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/text.h"

#include <stdbool.h>

struct td_tree {
    const char *program;   // llvm-tblgen
    const char *path;      // of the schedule's file
    const char *main;      // of the file that includes it: X86.td beside X86ScheduleZnver4.td
    const char *main_text; // what is read in place of that file; null: the file
    const char **includes;
    size_t n_includes;
};

// Finds the target's main file, the includes and the program. `program`: null: llvm-tblgen of that version of LLVM.
bool td_tree_find(struct arena *arena, const char *path, const char *program, unsigned llvm, struct td_tree *tree,
                  struct fail *fail);

// The same for a file that need not be there yet, in a folder that is.
bool td_tree_find_new(struct arena *arena, const char *path, const char *program, unsigned llvm, struct td_tree *tree,
                      struct fail *fail);

// The line of the text that a failure of the calls below is about, if it is one of llvm-tblgen's; 0: it is not known.
unsigned td_tree_failed_line(const struct td_tree *tree, const struct fail *fail);

// What a program printed.
struct td_output {
    char *data;
    size_t length;
};

// All records, as text, which td_output_release frees. `text`: of the schedule's file; null: as it is.
bool td_tree_records(struct arena *arena, const struct td_tree *tree, const char *text, struct td_output *records,
                     struct fail *fail);
// Whether it makes the target's tables of it. Else fails, with its first message.
bool td_tree_accepts(struct arena *arena, const struct td_tree *tree, const char *text, struct fail *fail);
void td_output_release(struct td_output *output);

#endif
