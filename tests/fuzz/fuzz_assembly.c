// Assembly text of several targets: the first byte chooses one.
#include "tests/fuzz/fuzz.h"

#include <string.h>

// Directives by which a few bytes make LLVM's parser work for minutes or read other files: macros that call themselves
// twice, repetitions of a billion times. llvm-mca does not guard against them either.
static bool can_take_forever(const char *text) {
    static const char *const words[] = {".macro", ".rep", ".irp", ".inc", ".fill", ".space", ".skip", ".zero", ".org"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(text, words[i]) != NULL)
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    if (n_bytes == 0)
        return 0;
    struct arena arena = {0};
    struct fail fail = {0};
    struct backend_source source = {0};
    struct model cpu = fuzz_cpu(data[0]);
    const char *text = arena_copy(&arena, (const char *)data + 1, n_bytes - 1);
    if (!can_take_forever(text) && model_describe_text(&cpu, &arena, "input.s", text, &source, &fail))
        fuzz_simulate(cpu, source.blocks, source.n_blocks);
    arena_free(&arena);
    return 0;
}
