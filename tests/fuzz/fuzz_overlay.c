// Overlay files, the machines they make, and instructions of those that need no LLVM.
#include "analyzer/sched/overlay.h"
#include "analyzer/sim/mca/mca.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    struct arena arena = {0};
    struct fail fail = {0};
    struct insn insn;
    struct overlay *overlay = overlay_read(&arena, fuzz_path(data, n_bytes), &fail);
    const struct machine *machine =
        overlay && overlay_base(overlay) == OVERLAY_ALONE ? overlay_machine(overlay, NULL, &fail) : NULL;
    if (machine && overlay_insn(overlay, &arena, "A", &insn, &fail)) {
        const struct block block = {.name = "", .insns = &insn, .n_insns = 1};
        const struct pipeline_options options = {.iterations = 5, .max_cycles = 20000};
        struct pipeline_result result;
        overlay_source(overlay, &arena, &insn);
        mca_core_run(machine, EXECUTION_OF(&block), &options, NULL, &result, &fail);
    }
    overlay_close(overlay);
    arena_free(&arena);
    return 0;
}
