// Measurement files.
#include "bench/record.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    struct arena arena = {0};
    struct fail fail = {0};
    struct record_file file = {0};
    record_read(&arena, fuzz_path(data, n_bytes), &file, &fail);
    record_file_close(&file);
    arena_free(&arena);
    return 0;
}
