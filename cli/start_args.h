// The options for what blocks start with: registers, memory, code before them. `run`, `try`, `bundle` and `corpus`
// share them.
#ifndef CLI_START_ARGS_H
#define CLI_START_ARGS_H

#include "base/options.h"
#include "lab/experiment.h"

struct start_args {
    const char *alias, *memory, *registers, *fill, *init; // as given; null: not given
    struct option_list set;
    struct option_count pages;
};

// Options of this process's command; `alias` and `pages`, whose defaults differ, are in the command's own table.
extern struct start_args start_args;
extern struct option start_args_memory[], start_args_values[];

bool start_args_are_given(void); // any of them

// Sets what blocks start with. `may_be_both`: --alias may be both, which is its default; else the default is same.
// `syntax`: of --init. Fails at an option with a mistake.
bool start_args_read(struct arena *arena, const struct isa *isa, const char *syntax, bool may_be_both,
                     struct block_options *start, struct fail *fail);

#endif
