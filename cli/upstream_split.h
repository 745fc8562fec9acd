// cyclops upstream split: a repair of LLVM's model, one cause a patch.
#ifndef CLI_UPSTREAM_SPLIT_H
#define CLI_UPSTREAM_SPLIT_H

#include "base/options.h"

struct upstream_split_request {
    const char *td, *tblgen, *output, *only; // only: a finding, a form or a class; null: all
    size_t most;                             // patches
};

// The model is lab_args.options'.
bool upstream_split(struct arena *arena, const struct upstream_split_request *request, const char *const *folders,
                    size_t n, struct fail *fail);

#endif
