// The subcommands. Each is cmd_NAME.c, or a folder with that file, and has its options, help and work. argv[0] is its
// name. They return the exit status:
//  - 0: done
//  - 1: the work failed
//  - 2: the command line or an input is wrong
//  - 77: not possible on this machine
// Reports go to stdout, messages to stderr.
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "analyzer/code/vector_config.h"
#include "base/arena.h"
#include "base/fail.h"
#include "base/options.h"
#include "gen/gen.h"
#include "lab/listener.h"

int cmd_bundle(int argc, char **argv);
int cmd_complete(int argc, char **argv); // hidden: for the shells
int cmd_completion(int argc, char **argv);
int cmd_corpus(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_cpu(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_fleet(int argc, char **argv);
int cmd_gen(int argc, char **argv);
int cmd_hot(int argc, char **argv);
int cmd_infer(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_machine(int argc, char **argv);
int cmd_mca(int argc, char **argv);
int cmd_pairs(int argc, char **argv);
int cmd_repair(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_reproduce(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_survey(int argc, char **argv);
int cmd_table(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_try(int argc, char **argv);
int cmd_upstream(int argc, char **argv);

// `cyclops mca` under the name llvm-mca: what llvm-mca does not do by itself is not done. argv[0] is the program.
int cmd_llvm_mca(int argc, char **argv);

// The table of commands, in the order of the help: main.c has it.
struct cli_command {
    const char *name, *about; // about: one clause
    int (*run)(int argc, char **argv);
};
extern const struct cli_command cli_commands[];
extern const size_t cli_n_commands;

// Runs a whole command that only needs its operands and puts every failure into `fail`. Returns its exit status.
int cli_run(const struct command *command, int argc, char **argv,
            bool (*work)(struct arena *arena, const struct operands *operands, struct fail *fail));

// The same where `work` also returns an exit status. Returns the worst one (run_plan_worse) of that, of a failure's,
// and of stdout's.
int cli_run_status(const struct command *command, int argc, char **argv,
                   int (*work)(struct arena *arena, const struct operands *operands, struct fail *fail));

// Reports to the user what a lab does: messages and progress on stderr. Once there are values to show, Ctrl-C ends the
// work early instead of the program. In a copy, `context` may be the verb of the progress, a string: "repairing".
extern const struct lab_listener cli_listener;

// Prints what a report begins with: where it is measured (lab_summary), and when it began.
void cli_print_head(const char *where);

// Prints the failure to stderr and returns its exit status.
int cli_failed(const struct fail *fail);

// Flushes stdout. Returns 0, or the exit status of a failure where the report could not be written (a full disk).
int cli_finish(void);

bool cli_wants_colour(void); // stdout is a terminal, and NO_COLOR is not set

// As kernel_load_folder, but fails where any is refused. Prints all mistakes but the last one, which is the failure.
bool cli_load_kernels(struct arena *arena, const char *folder, const char *isa, struct kernel_set *set,
                      struct fail *fail);

// Adds the experiments of operands that name a form of an instruction, "VADDPSYrr", or one of its experiments,
// "VADDPSYrr.chain": as LLVM's opcodes do, they begin with an upper-case letter.
bool cli_add_forms(struct arena *arena, const struct isa *isa, const struct operands *operands, struct kernel_set *set,
                   struct fail *fail);

// As kernel_find. Fails with what to do where the name is the mnemonic of an instruction: "addq".
const struct kernel *cli_find_kernel(struct arena *arena, const struct isa *isa, const struct kernel_set *set,
                                     const char *name, struct fail *fail);

// Returns the ISA by name, or this machine's where `name` is null. Fails (null) where there is none.
const struct isa *cli_isa(struct arena *arena, const char *name, struct fail *fail);

// Reads the vector configurations of --vector: lists, with commas between the items.
bool cli_vectors(struct arena *arena, const struct option_list *lists, const struct vector_config **configs,
                 size_t *n_configs, struct fail *fail);

#endif
