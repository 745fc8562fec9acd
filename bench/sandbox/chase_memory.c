#include "bench/sandbox/chase_memory.h"

#include <string.h>
#include <sys/mman.h>

enum { LINE = 64 };

static size_t bytes_of(const struct bench_code *code) {
    return code->chase.n * code->chase.bytes;
}

// Large pages spare most of the page walks, where the kernel has some.
bool chase_memory_open(struct chase_memory *chases, const struct bench_code *const *codes, size_t n) {
    static const size_t large = (size_t)1 << 21;
    *chases = (struct chase_memory){0};
    for (size_t i = 0; i < n; i++)
        chases->n_bytes = bytes_of(codes[i]) > chases->n_bytes ? bytes_of(codes[i]) : chases->n_bytes;
    if (!chases->n_bytes)
        return true;
    size_t whole = chases->n_bytes + 2 * large;
    void *start = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return false;
    size_t gap = (large - (uintptr_t)start % large) % large;
    chases->start = (uint8_t *)start + gap;
    (void)madvise(chases->start, (chases->n_bytes + large - 1) / large * large, MADV_HUGEPAGE);
    return true;
}

// Makes a ring of all lines in random order (Sattolo's algorithm). Its random accesses are slow in large memory.
static void make_random_ring(uint8_t *start, uint64_t n) {
    uint64_t random = UINT64_C(0x9E3779B97F4A7C15);
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *own = start + i * LINE;
        memcpy(start + i * LINE, &own, sizeof own);
    }
    for (uint64_t i = n - 1; i > 0; i--) {
        random ^= random << 13; // Marsaglia, "Xorshift RNGs", 2003
        random ^= random >> 7;
        random ^= random << 17;
        uint8_t *other = start + random % i * LINE, swapped[sizeof(void *)];
        memcpy(swapped, other, sizeof swapped);
        memcpy(other, start + i * LINE, sizeof swapped);
        memcpy(start + i * LINE, swapped, sizeof swapped);
    }
}

// Makes a ring of all lines: line i leads to line (FACTOR i + 1) modulo their number, a power of two. With a factor of
// 4 k + 1 that visits each line once (Hull and Dobell 1962). Lines are written in the order of their addresses, which
// is fast.
static void make_large_ring(uint8_t *start, uint64_t n) {
    static const uint64_t factor = UINT64_C(0x5851F42D4C957F2D); // Knuth's, of MMIX
    for (uint64_t i = 0, next = 1; i < n; i++, next += factor) {
        const uint8_t *to = start + (next & (n - 1)) * LINE;
        memcpy(start + i * LINE, &to, sizeof to);
    }
}

static void make_ring(uint8_t *start, size_t n_bytes) {
    static const uint64_t most_random = UINT64_C(1) << 16;
    uint64_t n = n_bytes / LINE;
    (n <= most_random ? make_random_ring : make_large_ring)(start, n);
}

void chase_memory_make(struct chase_memory *chases, const struct bench_code *code) {
    const struct bench_chase *chase = &code->chase;
    if (!chase->n || (chase->n == chases->now.n && chase->bytes == chases->now.bytes))
        return;
    for (unsigned i = 0; i < chase->n; i++) {
        make_ring(chases->start + i * chase->bytes, chase->bytes);
        chases->places[i] = (uintptr_t)(chases->start + i * chase->bytes);
    }
    chases->now = *chase;
}

void chase_memory_enter(const struct chase_memory *chases, const struct bench_code *code, void *buffer) {
    if (code->chase.n)
        memcpy((uint8_t *)buffer + BENCH_CHASES, chases->places, code->chase.n * sizeof *chases->places);
}

// Follows the ring as the code did. That is quick: the lines have just been loaded.
void chase_memory_leave(struct chase_memory *chases, const struct bench_code *code, uint64_t iterations) {
    for (unsigned i = 0; i < code->chase.n; i++) {
        uint64_t n = code->chase.bytes / LINE;
        uint64_t steps = iterations * code->bodies * code->chase.steps[i] & (n - 1); // whole rounds lead back
        uintptr_t place = chases->places[i];
        for (uint64_t k = 0; k < steps; k++)
            memcpy(&place, (const void *)place, sizeof place); // NOLINT(performance-no-int-to-ptr)
        chases->places[i] = place;
    }
}
