// Packs of programs, alone or behind a runner. What is read can be written, and then read again.
#include "runner/pack.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    struct arena arena = {0};
    struct fail fail = {0};
    struct pack pack, again;
    struct text written = {.arena = &arena};
    const char *text = (const char *)data;
    size_t length = n_bytes;
    pack_find(text, n_bytes, &text, &length);
    if (pack_read(&arena, "pack", text, length, &pack, &fail)) {
        pack_write(&pack, &written);
        if (!pack_read(&arena, "written", written.data, written.length, &again, &fail) ||
            again.n_programs != pack.n_programs)
            abort();
    }
    arena_free(&arena);
    return 0;
}
