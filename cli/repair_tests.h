// LLVM's tests of llvm-mca under a repair (--llvm-mca-tests of `cyclops repair`): makes their runs by `cyclops mca`.
#ifndef CLI_REPAIR_TESTS_H
#define CLI_REPAIR_TESTS_H

#include "analyzer/model/model.h"
#include "check/mca_tests.h"

struct repair_tests_request {
    const char *folder;        // of the tests
    const struct model *model; // LLVM's, which is repaired
    const char *overlay;       // text of the repair
};

// As mca_tests_make.
bool repair_tests_make(struct arena *arena, const struct repair_tests_request *request, struct mca_tests_result *result,
                       struct fail *fail);

#endif
