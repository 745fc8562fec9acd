// Loops whose time is known, compiled when the test runs, with TURNS for the turns of a loop. What a function computes
// goes from memory to memory: the next call may wait for it, which costs a few cycles in all turns.
#include <nmmintrin.h>
#include <stdint.h>

enum { N = TURNS };

void fnv1a(uint32_t *restrict state, const uint8_t *restrict text) {
    uint32_t hash = *state;
    for (int i = 0; i < N; i++)
        hash = (hash ^ text[i]) * 16777619u;
    *state = hash;
}

void djb2(uint32_t *restrict state, const uint8_t *restrict text) {
    uint32_t hash = *state;
    for (int i = 0; i < N; i++)
        hash = hash * 33 + text[i];
    *state = hash;
}

void crc32c(uint64_t *restrict state, const uint64_t *restrict words) {
    uint64_t crc = *state;
    for (int i = 0; i < N; i++)
        crc = _mm_crc32_u64(crc, words[i]);
    *state = crc;
}

void random_lcg(uint32_t *state) {
    uint32_t x = *state;
    for (int i = 0; i < N; i++)
        x = x * 1664525u + 1013904223u;
    *state = x;
}

void horner(uint32_t *restrict state, const uint32_t *restrict coefficients, uint32_t x) {
    uint32_t value = *state;
    for (int i = 0; i < N; i++)
        value = value * x + coefficients[i];
    *state = value;
}

void dot(double *restrict state, const double *restrict a, const double *restrict b) {
    double sum = *state;
    for (int i = 0; i < N; i++)
        sum += a[i] * b[i];
    *state = sum;
}

struct node {
    struct node *next;
};

void chase(struct node **state) {
    struct node *node = *state;
    for (int i = 0; i < N; i++)
        node = node->next;
    *state = node;
}

void copy_bytes(uint8_t *restrict to, const uint8_t *restrict from) {
    for (int i = 0; i < N; i++)
        to[i] = from[i];
}

void copy_words(uint64_t *restrict to, const uint64_t *restrict from) {
    for (int i = 0; i < N; i++)
        to[i] = from[i];
}

void popcount(uint64_t *restrict state, const uint64_t *restrict words) {
    uint64_t ones = *state;
    for (int i = 0; i < N; i++)
        ones += (uint64_t)__builtin_popcountll(words[i]);
    *state = ones;
}
