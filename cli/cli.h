// The subcommands. Each is cmd_NAME.c, or a folder with that file, with its options, help and run: argv[0] is its name,
// the return value is the exit status (0 done; 1 the work failed; 2 the command line or an input is wrong; 77 not
// possible on this machine). Reports go to stdout, messages to stderr.
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/options.h"
#include "gen/gen.h"
#include "lab/listener.h"

int cmd_bundle(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_gen(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_mca(int argc, char **argv);
int cmd_pairs(int argc, char **argv);
int cmd_reproduce(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_try(int argc, char **argv);

// The whole of a command that needs no more than its operands and says all that goes wrong in `fail`.
int cli_run(const struct command *command, int argc, char **argv,
            bool (*work)(struct arena *arena, const struct operands *operands, struct fail *fail));

// The same where the work has an exit status of its own; the one that matters more is returned.
int cli_run_status(const struct command *command, int argc, char **argv,
                   int (*work)(struct arena *arena, const struct operands *operands, struct fail *fail));

// Tells the user what a lab does: messages and progress on stderr. Once there are values to show, Ctrl-C is noted.
extern const struct lab_listener cli_listener;

// Prints the failure to stderr and returns its exit status.
int cli_failed(const struct fail *fail);

// Flushes stdout; reports that could not be written (a full disk) are a failure too.
int cli_finish(void);

bool cli_wants_colour(void); // stdout is a terminal, and NO_COLOR is not set

// The kernels of one ISA (null: all) from `folder`, or from the installed ones where that is null. Some may be refused.
bool cli_find_kernels(struct arena *arena, const char *folder, const char *isa, struct kernel_set *set,
                      struct fail *fail);
// The same where none may be: all mistakes but the last are printed, and that is the failure.
bool cli_load_kernels(struct arena *arena, const char *folder, const char *isa, struct kernel_set *set,
                      struct fail *fail);

// The ISA by name, or this machine's where `name` is null; null and a failure where there is none.
const struct isa *cli_isa(struct arena *arena, const char *name, struct fail *fail);

#endif
