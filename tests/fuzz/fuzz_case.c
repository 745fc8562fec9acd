// Case files of cyclops hot: what is compressed in them, and what is made of it before anything runs.
#include "hot/replay.h"
#include "hot/stop.h"
#include "hot/stub.h"
#include "hot/trace.h"
#include "hot/ways.h"
#include "tests/fuzz/fuzz.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>

static struct decoder decoder; // static: opened once
static struct arena of_decoder;

static void take(struct arena *arena, const struct hot_state *state) {
    struct trace trace;
    struct stop stop;
    struct ways ways;
    struct stub stub;
    if (trace_open(&trace, arena, &decoder, state) || stop_choose(arena, &trace, &stop))
        return;
    ways_find(arena, &trace, &stop, &ways);
    const struct stub_request request = {.state = state,
                                         .trace = &trace,
                                         .stop = &stop,
                                         .lines = ways.written,
                                         .keeps_code = ways.keeps_code,
                                         .uses_fs = ways.uses_fs};
    stub_make(arena, &request, &stub);
}

// The data is what a case file holds compressed.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    static const char first_line[] = "cyclops hot case 4\n";
    struct arena arena = {0};
    struct fail fail = {0};
    struct hot_case saved;
    size_t at = sizeof first_line - 1, room = at + lzma_stream_buffer_bound(n_bytes);
    if (!decoder.cpu && !decoder_open(&decoder, &of_decoder, isa_find("x86_64"), NULL, &fail))
        abort();
    uint8_t *file = arena_alloc(&arena, room);
    memcpy(file, first_line, at);
    if (lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, data, n_bytes, file, &at, room) == LZMA_OK &&
        hot_case_read(&arena, fuzz_path(file, at), &saved, &fail))
        for (size_t i = 0; i < saved.n; i++)
            take(&arena, saved.states[i]);
    arena_free(&arena);
    return 0;
}
