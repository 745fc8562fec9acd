// Private to this folder.
// What `cyclops mca` prints of a block on the core of a CPU file: reports of our own, not llvm-mca's.
#ifndef CLI_MCA_CORE_REPORT_H
#define CLI_MCA_CORE_REPORT_H

#include "cli/mca/report.h"

// Fails where an option was given that only LLVM's models have a meaning for.
bool core_check_options(const struct mca_args *args, struct fail *fail);

// How a block is repeated, without more being known of it: one that ends in a branch is a loop, copies of another stand
// one after the other as `cyclops run` lays them out. The CPU and the block must live as long.
struct bounds_request core_way(const struct cpu *cpu, const struct block *block);

// Simulates every block and prints its report; with args->json, a JSON object a line.
bool core_report(const struct mca_session *session, const struct backend_source *source);

#endif
