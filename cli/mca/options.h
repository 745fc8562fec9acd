// The command line of `cyclops mca`: llvm-mca's options, parsed as LLVM does (llvm/lib/Support/CommandLine.cpp). One
// dash or two; the last one of several counts; numbers in any base; true and false in LLVM's spellings; LLVM's
// messages.
#ifndef CLI_MCA_OPTIONS_H
#define CLI_MCA_OPTIONS_H

#include "analyzer/sched/mca_rules.h"
#include "base/arena.h"
#include "base/fail.h"
#include "base/options.h"

#include <stdbool.h>

// What -instruction-tables prints instead of a simulation.
enum mca_tables { MCA_TABLES_NONE, MCA_TABLES_NORMAL, MCA_TABLES_FULL };

// Input that LLVM cannot read or describe, and that is to be skipped.
enum mca_skip { MCA_SKIP_NONE, MCA_SKIP_LACK_SCHED, MCA_SKIP_PARSE_FAILURE, MCA_SKIP_ANY };

struct mca_args {
    const char *const *inputs; // "-", or no input: standard input
    size_t n_inputs;
    const char *symbol, *section, *start, *end; // range of objects; null: not given
    const char *trace;                          // format and file of the trace; null: no trace
    const char *branch_trace;                   // file or text of a branch trace; null: none
    bool hex, brief;
    const char *output;
    const char *cpu, *overlay, *triple, *arch, *features, *llvm; // null: not given
    bool as_llvm_mca; // called by that name: an overlay changes numbers only, not what llvm-mca does with them
    enum mca_skip skip;
    const char *skip_word; // word that `skip` is from
    int syntax;            // -1: the input's
    bool version, print_hex, json, no_instruments, no_custom_behaviour;

    unsigned iterations, dispatch, register_file_size, load_queue, store_queue, call_latency;
    unsigned micro_op_queue, decoder_throughput, retire_width, branch_penalty, jobs;
    bool no_alias, resource_segments, walk_all;

    bool summary, instruction_info, resource_pressure, timeline, bottlenecks;
    const char *tables_word; // null: not given
    enum mca_tables tables;  // mca_options_settle_tables makes it of the word
    bool dispatch_stats, scheduler_stats, retire_stats, register_file_stats;
    bool show_encoding, show_barriers;
    bool all_views, all_stats; // mca_options_settle_views sets the views by these
    const unsigned *positions; // for each row of the table: position of its last option in argv; 0: not given
    bool ignored;              // value of options accepted only for llvm-mca's sake
    unsigned timeline_max_iterations, timeline_max_cycles;
};

// Parses a command line. OPTIONS_HELP: help was printed, and the program ends with success. OPTIONS_BAD: it ends with
// `fail`. `args` is valid as long as `arena`.
enum options_result mca_options_parse(struct arena *arena, int argc, char **argv, struct mca_args *args,
                                      struct fail *fail);

// Sets args->tables from the word of -instruction-tables. Older versions of llvm-mca take the option for a flag.
bool mca_options_settle_tables(struct mca_args *args, const struct mca_rules *rules, struct fail *fail);

// Applies -all-views and -all-stats to views that no later option sets. `in_order`: the CPU is in-order, for which some
// views mean nothing.
void mca_options_settle_views(struct mca_args *args, bool in_order);

#endif
