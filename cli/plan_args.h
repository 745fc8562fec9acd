// Private to this folder.
// What of which kernels and blocks a command line asks for: the options that `run` and `bundle` have in common, and the
// plan that follows from them.
#ifndef CLI_PLAN_ARGS_H
#define CLI_PLAN_ARGS_H

#include "base/options.h"
#include "lab/experiment.h"
#include "lab/object_code.h"

// Of the one command that this process runs.
extern struct plan_args {
    const char *mode, *form, *sweep, *placement, *syntax, *kernels; // as they were written; null: not given
    const char *alias, *registers, *fill;                           // likewise
    struct object_range range;                                      // of objects
    struct option_list asm_texts, hex;
    struct option_count streams, pages;
    bool is_replicated; // as in struct plan_options
    const char *corun;  // operand that another hardware thread runs beside all; null: none
} plan_args;

// Tables for a command's own: the options of blocks alone, and of kernels and blocks.
extern struct option plan_args_blocks[], plan_args_all[];

// `name` as after --placement; null, and where it may be, "all": PLACEMENT_NONE.
bool plan_read_placement(const char *name, bool may_be_all, enum program_placement *placement, struct fail *fail);

// Operands are kernels, and files of assembly or machine code. What is wrong with one of them is in `refused`, and does
// not cost the others. Fails where nothing is left.
bool plan_make(struct arena *arena, const struct plan_args *wish, const struct isa *isa,
               const struct operands *operands, struct plan *plan, struct fail *fail);

#endif
