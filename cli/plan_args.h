// Private to this folder.
// The options that `run` and `bundle` share, and the plan of kernels and blocks that a command line requests.
#ifndef CLI_PLAN_ARGS_H
#define CLI_PLAN_ARGS_H

#include "base/options.h"
#include "blocks/object_code.h"
#include "lab/experiment.h"

// Options of this process's command.
extern struct plan_args {
    const char *mode, *form, *sweep, *placement, *syntax, *kernels; // as given; null: not given
    const char *region;                                             // of a marked text; null: all
    struct object_range range;                                      // range of code in objects
    struct option_list asm_texts, hex;
    struct option_count streams;
    bool is_replicated; // as in struct plan_options
    const char *corun;  // operand of the co-runner; null: no co-runner
} plan_args;

// Tables to include in a command's own: options of blocks only, and of kernels and blocks.
extern struct option plan_args_blocks[], plan_args_all[];

// Parses the name after --placement. Null, and "all" where it is allowed, are PLACEMENT_NONE. Fails at another name.
bool plan_read_placement(const char *name, bool may_be_all, enum program_placement *placement, struct fail *fail);

// Makes a plan. Operands are kernels, and files of assembly or machine code. A mistake in one is put into
// plan->refused, and the others stay. Fails where nothing is left.
bool plan_make(struct arena *arena, const struct plan_args *args, const struct isa *isa,
               const struct operands *operands, struct plan *plan, struct fail *fail);

#endif
