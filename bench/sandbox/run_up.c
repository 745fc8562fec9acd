#include "bench/sandbox/run_up.h"

#include <string.h>

#if defined(__x86_64__)

enum { LONGEST = 8, NOP = 0x90 };

// The no-operations that Intel's and AMD's manuals recommend, by their length.
static const uint8_t no_operations[LONGEST][LONGEST] = {{NOP},
                                                        {0x66, NOP},
                                                        {0x0f, 0x1f, 0x00},
                                                        {0x0f, 0x1f, 0x40},
                                                        {0x0f, 0x1f, 0x44},
                                                        {0x66, 0x0f, 0x1f, 0x44},
                                                        {0x0f, 0x1f, 0x80},
                                                        {0x0f, 0x1f, 0x84}};

static bool has_run_up(const struct bench_code *code) {
    if (!bench_code_is_foreign(code) || !code->body || code->body < code->bytes + RUN_UP_BYTES)
        return false;
    for (const uint8_t *at = code->body - RUN_UP_BYTES; at < code->body; at++)
        if (*at != NOP)
            return false;
    return true;
}

void run_up_vary(uint8_t *copy, const struct bench_code *code, uint64_t number) {
    if (!has_run_up(code))
        return;
    uint8_t *at = copy + (code->body - code->bytes) - RUN_UP_BYTES;
    const unsigned n = RUN_UP_FEWEST + (unsigned)(number % (RUN_UP_BYTES - RUN_UP_FEWEST + 1));
    for (unsigned i = 0; i < n; i++) {
        unsigned length = RUN_UP_BYTES * (i + 1) / n - RUN_UP_BYTES * i / n;
        memcpy(at, no_operations[length - 1], length);
        at += length;
    }
}

#else

void run_up_vary(uint8_t *copy, const struct bench_code *code, uint64_t number) {
    (void)copy;
    (void)code;
    (void)number;
}

#endif
