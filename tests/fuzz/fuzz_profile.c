// Profiles of all kinds of text, of a program that is not there. A perf.data file is perf's own affair.
#include "hot/profile.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    static const char perf_data[] = "PERFILE2";
    struct arena arena = {0};
    struct fail fail = {0};
    struct hot_profile profile;
    if (n_bytes >= strlen(perf_data) && memcmp(data, perf_data, strlen(perf_data)) == 0)
        return 0;
    hot_profile_read(&arena, fuzz_path(data, n_bytes), "/absent/a", &profile, &fail);
    arena_free(&arena);
    return 0;
}
