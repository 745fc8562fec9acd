#include "bench/sandbox/chase_memory.h"

#include <string.h>
#include <sys/mman.h>

enum { LINE = 64, PAGE = 1 << 12, MOST_RANDOM = 1 << 16, BLOCK = (1 << 17) / LINE };

// The size of the largest memory that these codes need, in small pages or in others.
static size_t find_most(const struct bench_code *const *codes, size_t n, bool are_small) {
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        const struct bench_chase *chase = &codes[i]->chase;
        if ((chase->layout == BENCH_CHASE_PAGES) == are_small && chase->n * chase->bytes > most)
            most = chase->n * chase->bytes;
    }
    return most;
}

// Large pages spare most of the page walks, where the kernel has some.
static bool map(size_t n_bytes, bool are_small, uint8_t **memory) {
    static const size_t large = (size_t)1 << 21;
    if (!n_bytes)
        return true;
    size_t whole = n_bytes + 2 * large;
    void *start = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return false;
    size_t gap = (large - (uintptr_t)start % large) % large;
    *memory = (uint8_t *)start + gap;
    (void)madvise(*memory, (n_bytes + large - 1) / large * large, are_small ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
    return true;
}

bool chase_memory_open(struct chase_memory *chases, const struct bench_code *const *codes, size_t n) {
    *chases = (struct chase_memory){0};
    return map(find_most(codes, n, false), false, &chases->start) &&
           map(find_most(codes, n, true), true, &chases->small);
}

// Where the addresses of a ring are: address i is at `start` + i * `step`, and further by a line for each one before
// it, modulo `turn`, a power of two.
struct places {
    uint8_t *start;
    uint64_t n, step, turn;
};

static uint8_t *place_of(const struct places *places, uint64_t i) {
    return places->start + i * places->step + (i & (places->turn - 1)) * LINE;
}

// Makes a ring of all places in random order (Sattolo's algorithm). Its random accesses are slow in large memory.
static void make_random_ring(const struct places *places) {
    uint64_t random = UINT64_C(0x9E3779B97F4A7C15);
    for (uint64_t i = 0; i < places->n; i++) {
        uint8_t *own = place_of(places, i);
        memcpy(own, &own, sizeof(uint8_t *));
    }
    for (uint64_t i = places->n - 1; i > 0; i--) {
        random ^= random << 13; // Marsaglia, "Xorshift RNGs", 2003
        random ^= random >> 7;
        random ^= random << 17;
        uint8_t *own = place_of(places, i), *other = place_of(places, random % i), swapped[sizeof(void *)];
        memcpy(swapped, other, sizeof swapped);
        memcpy(other, own, sizeof swapped);
        memcpy(own, swapped, sizeof swapped);
    }
}

// Makes a ring of all places: place i leads to place (FACTOR i + 1) modulo their number, a power of two. With a factor
// of 4 k + 1 that visits each one once (Hull and Dobell 1962). They are written in the order of their addresses, which
// is fast.
static void make_large_ring(const struct places *places) {
    static const uint64_t factor = UINT64_C(0x5851F42D4C957F2D); // Knuth's, of MMIX
    for (uint64_t i = 0, next = 1; i < places->n; i++, next += factor) {
        const uint8_t *to = place_of(places, next & (places->n - 1));
        memcpy(place_of(places, i), &to, sizeof to);
    }
}

// Joins the rings of blocks, each made alone: the last place of one leads to the first of the next.
static void make_blocks(const struct places *places) {
    for (uint64_t i = 0; i < places->n; i += BLOCK) {
        struct places block = *places;
        block.start = place_of(places, i);
        block.n = places->n - i < BLOCK ? places->n - i : BLOCK;
        make_random_ring(&block);
        const uint8_t *to = place_of(places, i + block.n < places->n ? i + block.n : 0);
        uint8_t *last = block.start, *next;
        for (memcpy(&next, last, sizeof next); next != block.start; memcpy(&next, last, sizeof next))
            last = next;
        memcpy(last, &to, sizeof to);
    }
}

// Touches the pages in an order that jumps. So the system does not give neighbours that the CPU could keep as one.
static void touch(const struct places *places) {
    static const uint64_t factor = 2654435761U; // odd: it visits each number below a power of two once
    uint64_t power = 1;
    while (power < places->n)
        power *= 2;
    for (uint64_t k = 0; k < power; k++) {
        uint64_t i = k * factor & (power - 1);
        if (i < places->n)
            *place_of(places, i) = 0;
    }
}

void chase_memory_make(struct chase_memory *chases, const struct bench_code *code) {
    const struct bench_chase *chase = &code->chase;
    if (!chase->n ||
        (chase->n == chases->now.n && chase->bytes == chases->now.bytes && chase->layout == chases->now.layout))
        return;
    bool is_by_page = chase->layout == BENCH_CHASE_PAGES;
    uint64_t step = is_by_page ? PAGE : LINE;
    for (unsigned i = 0; i < chase->n; i++) {
        const struct places places = {.start = (is_by_page ? chases->small : chases->start) + i * chase->bytes,
                                      .n = chase->bytes / step,
                                      .step = step,
                                      .turn = is_by_page ? PAGE / LINE : 1};
        if (is_by_page)
            touch(&places);
        if (chase->layout == BENCH_CHASE_BLOCKS)
            make_blocks(&places);
        else if (places.n <= MOST_RANDOM)
            make_random_ring(&places);
        else
            make_large_ring(&places);
        chases->places[i] = (uintptr_t)places.start;
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
        uint64_t n = code->chase.bytes / (code->chase.layout == BENCH_CHASE_PAGES ? PAGE : LINE);
        uint64_t steps = iterations * code->bodies * code->chase.steps[i] % n; // whole rounds lead back
        uintptr_t place = chases->places[i];
        for (uint64_t k = 0; k < steps; k++)
            memcpy(&place, (const void *)place, sizeof place); // NOLINT(performance-no-int-to-ptr)
        chases->places[i] = place;
    }
}
