#include "cli/corpus/corpus.h"

int corpus_cli_score(struct arena *arena, const struct operands *operands, struct fail *fail) {
    (void)arena;
    (void)operands;
    fail_set(fail, FAIL_WORK, "not built");
    return 0;
}
