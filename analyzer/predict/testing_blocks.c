#include "analyzer/predict/testing_blocks.h"

#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char *const pool[] = {
    "4801d8",       "4829d1",   "480fafc3",   "488b06",     "488907",     "488b00",     "8907",
    "488b4708",     "50",       "58",         "31c0",       "4889d8",     "488d441804", "48ffc0",
    "4839d8",       "480f44c3", "f3480fb8c3", "0f58c1",     "f20f59c8",   "0f2807",     "0f2907",
    "48d3e0",       "48c1e003", "4811d8",     "6681c33412", "480307",     "480107",     "488b0487",
    "8a07",         "8807",     "0fb607",     "90",         "660fefc0",   "c5fc58c1",   "c4e27d1807",
    "f0480fc107",   "480fb6c0", "48f7d8",     "4887d9",     "488b442408", "480fc1d8",   "66480f38f6c3",
    "f3480f38f6ca", "480f46c3", "480fb10f",   "c9",         "8a03",       "480fa3d1",   "48894719",
    "488b473c",     "0f10473c", "d8c1",       "d9e8",       "dec1",       "0f1f440000", "662e0f1f840000000000",
};

static unsigned next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*state >> 33);
}

size_t testing_block_make(uint64_t *random, uint8_t bytes[TESTING_BLOCK_BYTES]) {
    unsigned n = 1 + next_random(random) % TESTING_BLOCK_INSNS;
    size_t n_bytes = 0;
    for (unsigned i = 0; i < n; i++) {
        const char *hex = pool[next_random(random) % (sizeof pool / sizeof *pool)];
        assert_true(bytes_from_digits(hex, strlen(hex), bytes + n_bytes));
        n_bytes += strlen(hex) / 2;
    }
    return n_bytes;
}
