// Files of published results.
#include "study/reference.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    struct arena arena = {0};
    struct fail fail = {0};
    struct reference_set set = {0};
    reference_load(&arena, fuzz_path(data, n_bytes), &set, &fail);
    arena_free(&arena);
    return 0;
}
