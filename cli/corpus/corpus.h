// Private to this folder.
// The subjects of `cyclops corpus`: run, score, extract.
#ifndef CLI_CORPUS_CORPUS_H
#define CLI_CORPUS_CORPUS_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/options.h"

// Options of the one command that this process runs.
extern struct corpus_args {
    const char *folder, *shard, *bundle, *runner; // as given; null: not given
    const char *symbol, *section, *hot, *measured, *column, *per, *blocks;
    struct option_count limit, worst, jobs;
    bool is_resumed, wants_csv, wants_json, is_as_llvm_mca, is_undistorted;
} corpus_args;

// Each takes the operands after its name, and returns the exit status.
int corpus_cli_run(struct arena *arena, const struct operands *operands, struct fail *fail);
int corpus_cli_score(struct arena *arena, const struct operands *operands, struct fail *fail);
int corpus_cli_extract(struct arena *arena, const struct operands *operands, struct fail *fail);

#endif
