#include "bench/code_memory.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// `size` bytes between two pages that nobody may touch, so that running off either end is a fault and not a
// surprise. Locked where the limits allow, which also brings the pages in; null without memory.
static uint8_t *map_guarded(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size = (size + page - 1) / page * page;
    uint8_t *start = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED || mprotect(start + page, size, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    if (mlock(start + page, size) != 0)
        memset(start + page, 0, size);
    return start + page;
}

code_function code_map(const struct bench_code *code) {
    uint8_t *start = map_guarded(code->n_bytes);
    if (!start)
        return NULL;
    memcpy(start, code->bytes, code->n_bytes);
    __builtin___clear_cache((char *)start, (char *)start + code->n_bytes);
    if (mprotect(start, code->n_bytes, PROT_READ | PROT_EXEC) != 0)
        return NULL;
    code_function function;
    memcpy(&function, &start, sizeof function); // ISO C has no cast from data to functions
    return function;
}

void *code_map_memory(void) {
    uint8_t *memory = map_guarded(CODE_MEMORY_BYTES);
    return memory ? memory + CODE_MEMORY_BYTES / 2 : NULL;
}

const void *code_start(code_function function) {
    const void *start;
    memcpy(&start, &function, sizeof start);
    return start;
}
