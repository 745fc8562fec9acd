#include "bench/sandbox/code_memory.h"

#include "bench/host/timer.h"
#include "bench/sandbox/run_up.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t in_pages(size_t n_bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (n_bytes + page - 1) / page * page;
}

static void *reserve(void *address, size_t size) {
    int fixed = address ? MAP_FIXED_NOREPLACE : 0;
    return mmap(address, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
}

// Turns reserved addresses into memory.
static bool bring_in(uint8_t *start, size_t size) {
    return mmap(start, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_POPULATE, -1, 0) !=
           MAP_FAILED;
}

// Returns `size` bytes of populated memory between two pages without access: an access beyond either end faults. Null
// without memory.
static uint8_t *map_guarded(size_t size) {
    size_t page = in_pages(1);
    uint8_t *start = reserve(NULL, in_pages(size) + 2 * page);
    return start != MAP_FAILED && bring_in(start + page, in_pages(size)) ? start + page : NULL;
}

// Size of a code in whole pages, with the distance to its frame where it has one.
static size_t size_of(const struct bench_code *code) {
    return (bench_code_is_foreign(code) ? BENCH_FRAME_DISTANCE : 0) + in_pages(code->offset + code->n_bytes);
}

// Another number in each process.
static uint64_t random_number(void) {
    enum { MIXED = 32 }; // bits below which a product is hardly mixed
    return timer_read() * UINT64_C(0x9E3779B97F4A7C15) >> MIXED;
}

// Reserves addresses between what Linux places itself (from 0x55… and 0x7f… on) and the shadow memory of
// AddressSanitizer (below 0x11…). Where there is no such address (32 or 39 bits), the kernel picks one.
static uint8_t *reserve_apart(size_t size) {
#if UINTPTR_MAX > UINT32_MAX
    const uint64_t first = UINT64_C(0x200000000000), range = UINT64_C(0x100000000000), page = in_pages(1);
    void *wanted =
        (void *)(uintptr_t)(first + random_number() * page % range / page * page); // NOLINT(performance-no-int-to-ptr)
    void *start = reserve(wanted, size);
    if (start != MAP_FAILED)
        return start;
#endif
    return reserve(NULL, size);
}

static void copy(const struct bench_code *code, uint8_t *at, code_function *function) {
    uint8_t *first = at + code->offset;
    memcpy(first, code->bytes, code->n_bytes);
    run_up_vary(first, code, random_number());
    memcpy(function, &first, sizeof first); // ISO C has no cast from data to functions
}

static bool close_code(uint8_t *start, size_t size) {
    __builtin___clear_cache((char *)start, (char *)start + size);
    return mprotect(start, size, PROT_READ | PROT_EXEC) == 0;
}

// Maps all codes at once: there are no frames in between.
static bool put_known(const struct bench_code *const *codes, size_t n, uint8_t *start, size_t size,
                      code_function *functions) {
    if (!bring_in(start, size))
        return false;
    for (size_t i = 0, at = 0; i < n; at += size_of(codes[i++]))
        copy(codes[i], start + at, &functions[i]);
    return close_code(start, size);
}

// Pages that the frame of code of unknown origin reaches into, which lies as far behind a page's start as its exit.
static size_t frame_bytes(const struct bench_code *code) {
    return in_pages(code->offset + code->foreign.exit_offset + BENCH_FRAME_WORDS * sizeof(uint64_t));
}
_Static_assert(4096 + BENCH_MOST_EXIT_OFFSET + BENCH_FRAME_WORDS * sizeof(uint64_t) < BENCH_FRAME_DISTANCE,
               "the frame fits");

static bool put_foreign(const struct bench_code *const *codes, size_t n, uint8_t *at, code_function *functions) {
    for (size_t i = 0; i < n; at += size_of(codes[i++])) {
        size_t distance = bench_code_is_foreign(codes[i]) ? BENCH_FRAME_DISTANCE : 0,
               size = size_of(codes[i]) - distance;
        if ((distance && !bring_in(at, frame_bytes(codes[i]))) || !bring_in(at + distance, size))
            return false;
        copy(codes[i], at + distance, &functions[i]);
        if (!close_code(at + distance, size))
            return false;
    }
    return true;
}

static void *at_address(uint64_t address) {
    return (void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
}

static bool put_segment(const struct segment *segment) {
    uint8_t *start = at_address(segment->address);
    size_t size = in_pages(segment->size);
    if (!bring_in(start, size))
        return false;
    if (segment->n_bytes)
        memcpy(start, segment->bytes, segment->n_bytes);
    int write = segment->is_writable ? PROT_WRITE : 0, execute = segment->is_executable ? PROT_EXEC : 0;
    return mprotect(start, size, PROT_READ | write | execute) == 0;
}

static void *start_of(const struct bench_code *code) {
    return at_address(code->address);
}

// Bytes from the code's frame to the end of its last page.
static size_t size_with_frame(const struct bench_code *code) {
    return BENCH_FRAME_DISTANCE + in_pages(code->n_bytes);
}

static bool reserve_at(uint64_t address, size_t size) {
    return reserve(at_address(address), size) == at_address(address); // else taken; or a kernel without NOREPLACE
}

// Reserves one range from the first segment to the code's end, with a page around it.
static bool reserve_together(const struct bench_code *code, uint64_t first, size_t page) {
    return reserve_at(first - page, (size_t)(code->address + in_pages(code->n_bytes) - first) + 2 * page);
}

// Reserves the places of the code and of each segment, which may be anywhere in the address space.
static bool reserve_apiece(const struct bench_code *code) {
    for (unsigned i = 0; i < code->n_segments; i++)
        if (!reserve_at(code->segments[i].address, in_pages(code->segments[i].size)))
            return false;
    return reserve_at(code->address - BENCH_FRAME_DISTANCE, size_with_frame(code));
}

// Maps a code at its address, and its segments at theirs. `region`: all of it, from the first segment on; where other
// memory is in between, the code alone.
static bool put_at_address(const struct bench_code *code, code_function *function, struct code_region *region) {
    size_t page = in_pages(1);
    uint64_t frame = code->address - BENCH_FRAME_DISTANCE, first = code->n_segments ? code->segments->address : frame;
    bool is_far = code->are_segments_far;
    if (!(is_far ? reserve_apiece(code) : reserve_together(code, first, page))) {
        errno = EADDRINUSE;
        return false;
    }
    size_t size = is_far ? size_with_frame(code) : (size_t)(code->address + in_pages(code->n_bytes) - first);
    *region = (struct code_region){at_address(is_far ? frame : first), size};
    for (unsigned i = 0; i < code->n_segments; i++)
        if (!put_segment(&code->segments[i]))
            return false;
    if (!bring_in(at_address(frame), page) || !bring_in(start_of(code), in_pages(code->n_bytes)))
        return false;
    copy(code, start_of(code), function);
    return close_code(start_of(code), in_pages(code->n_bytes));
}

void code_restore_segments(const struct bench_code *code) {
    size_t size = 0;
    for (unsigned i = 0; i < code->n_segments; i++)
        size += code->segments[i].is_writable ? code->segments[i].size : 0;
    for (unsigned i = 0; i < code->n_segments && size <= BENCH_MOST_RESTORED; i++) {
        const struct segment *segment = &code->segments[i];
        uint8_t *start = at_address(segment->address);
        if (!segment->is_writable)
            continue;
        memcpy(start, segment->bytes, segment->n_bytes);
        memset(start + segment->n_bytes, 0, segment->size - segment->n_bytes);
    }
}

bool code_map_all(const struct bench_code *const *codes, size_t n, code_function *functions,
                  struct code_region *region) {
    for (size_t i = 0; i < n; i++)
        if (codes[i]->address)
            return n == 1 && put_at_address(codes[0], functions, region);
    size_t size = 0, page = in_pages(1);
    bool has_foreign = false;
    for (size_t i = 0; i < n; i++) {
        size += size_of(codes[i]);
        has_foreign = has_foreign || bench_code_is_foreign(codes[i]);
    }
    uint8_t *guard = has_foreign ? reserve_apart(size + 2 * page) : reserve(NULL, size + 2 * page);
    if (guard == MAP_FAILED)
        return false;
    *region = (struct code_region){guard + page, size};
    return has_foreign ? put_foreign(codes, n, guard + page, functions)
                       : put_known(codes, n, guard + page, size, functions);
}

const uintptr_t *code_frame(code_function function, const struct bench_code *code) {
    const uint8_t *exit = (const uint8_t *)code_start(function) + code->foreign.exit_offset;
    return (const uintptr_t *)(const void *)(exit - BENCH_FRAME_DISTANCE);
}

void *code_map_memory(void) {
    uint8_t *memory = map_guarded(CODE_MEMORY_BYTES);
    return memory ? memory + CODE_MEMORY_BYTES / 2 : NULL;
}

void *code_map_page(void) {
    size_t page = in_pages(1);
    uint8_t *memory = map_guarded(page);
    return memory ? memory + page / 2 : NULL;
}

void code_clear_memory(void *memory) {
    memset((uint8_t *)memory - CODE_MEMORY_BYTES / 2, 0, CODE_MEMORY_BYTES);
}

const void *code_start(code_function function) {
    const void *start;
    memcpy(&start, &function, sizeof start);
    return start;
}
