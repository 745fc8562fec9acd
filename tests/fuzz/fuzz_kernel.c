// Kernel files, and the programs that come of them.
#include "gen/gen.h"
#include "gen/kernel_read.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    enum { MOST_KERNELS = 8 };
    struct arena arena = {0};
    struct fail fail = {0};
    struct kernel_set set = {0};
    if (kernel_read_file(&arena, fuzz_path(data, n_bytes), NULL, &set, &fail)) {
        for (size_t i = 0; i < set.n_kernels && i < MOST_KERNELS; i++) {
            struct program program = {0};
            struct fail why = {0};
            struct gen_request request = {.mode = PROGRAM_LATENCY, .form = PROGRAM_LOOPED};
            gen_expand(&arena, &set.kernels[i], &request, &program, &why);
            request = (struct gen_request){.mode = PROGRAM_THROUGHPUT, .form = PROGRAM_UNROLLED, .streams = 3};
            for (request.placement = PLACEMENT_NONE; request.placement < PROGRAM_N_PLACEMENTS; request.placement++) {
                why = (struct fail){0};
                gen_expand(&arena, &set.kernels[i], &request, &program, &why);
            }
        }
    }
    arena_free(&arena);
    return 0;
}
