#include "bench/code_memory.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t in_pages(size_t n_bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (n_bytes + page - 1) / page * page;
}

// `size` bytes between two pages that nobody may touch, so that running off either end is a fault and not a
// surprise. The pages are brought in; null without memory.
static uint8_t *map_guarded(size_t size) {
    size_t page = in_pages(1);
    uint8_t *start = mmap(NULL, in_pages(size) + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED || mmap(start + page, in_pages(size), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_POPULATE, -1, 0) == MAP_FAILED)
        return NULL;
    return start + page;
}

bool code_map_all(const struct bench_code *const *codes, size_t n, code_function *functions) {
    size_t size = 0;
    for (size_t i = 0; i < n; i++)
        size += in_pages(codes[i]->offset + codes[i]->n_bytes);
    uint8_t *start = map_guarded(size), *at = start;
    if (!start)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint8_t *first = at + codes[i]->offset;
        memcpy(first, codes[i]->bytes, codes[i]->n_bytes);
        memcpy(&functions[i], &first, sizeof first); // ISO C has no cast from data to functions
        at += in_pages(codes[i]->offset + codes[i]->n_bytes);
    }
    __builtin___clear_cache((char *)start, (char *)start + size);
    return mprotect(start, size, PROT_READ | PROT_EXEC) == 0;
}

code_function code_map(const struct bench_code *code) {
    code_function function;
    return code_map_all(&code, 1, &function) ? function : NULL;
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
