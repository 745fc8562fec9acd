// The command line of `cyclops mca`: llvm-mca's options, read as LLVM reads them (llvm/lib/Support/CommandLine.cpp).
// One dash or two; the last of several is taken; numbers in any base; true and false in LLVM's spellings; refusals in
// its words.
#ifndef CLI_MCA_OPTIONS_H
#define CLI_MCA_OPTIONS_H

#include "analyzer/model/mca_rules.h"
#include "base/arena.h"
#include "base/fail.h"
#include "base/options.h"

#include <stdbool.h>

// What -instruction-tables prints instead of a simulation.
enum mca_tables { MCA_TABLES_NONE, MCA_TABLES_NORMAL, MCA_TABLES_FULL };

// What to do about input that LLVM cannot read or describe.
enum mca_skip { MCA_SKIP_NONE, MCA_SKIP_LACK_SCHED, MCA_SKIP_PARSE_FAILURE, MCA_SKIP_ANY };

struct mca_args {
    const char *const *inputs; // "-": standard input; none: that too
    size_t n_inputs;
    const char *symbol, *section, *start, *end; // of objects; null: not given
    const char *trace;                          // null: none
    const char *branch_trace;                   // file or text; null: none
    bool hex, brief;
    const char *output;
    const char *cpu, *overlay, *triple, *arch, *features, *llvm; // null: not given
    enum mca_skip skip;
    const char *skip_word; // what it was read from
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
    bool all_views, all_stats; // mca_options_settle_views makes them of these
    const unsigned *positions; // on the command line, of the last option of each row of the table; 0: not given
    bool ignored;              // options that are taken for llvm-mca's sake
    unsigned timeline_max_iterations, timeline_max_cycles;
};

// Other results than OPTIONS_OK end the program: with success after OPTIONS_HELP, else with `fail`. What is returned
// lives as long as `arena`.
enum options_result mca_options_parse(struct arena *arena, int argc, char **argv, struct mca_args *args,
                                      struct fail *fail);

// What -instruction-tables says to the version of llvm-mca that has these rules: older ones take it for a flag.
bool mca_options_settle_tables(struct mca_args *args, const struct mca_rules *rules, struct fail *fail);

// What -all-views and -all-stats say of views that no option behind them asks for. `in_order`: of the CPU, for which
// some views mean nothing.
void mca_options_settle_views(struct mca_args *args, bool in_order);

#endif
