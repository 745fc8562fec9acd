#include "bench/sandbox/demand_memory.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The filter of system calls allows exactly this protection and, with MAP_FIXED_NOREPLACE, these flags:
// syscall_filter.c.
static void *map_at(void *page, size_t n_bytes, int flags, int file, off_t offset) {
    return mmap(page, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE | flags, file, offset);
}

bool demand_memory_open(struct demand_memory *memory, const struct bench_code *const *codes, size_t n) {
    unsigned most_pages = 0;
    for (size_t i = 0; i < n; i++)
        most_pages = codes[i]->foreign.most_pages > most_pages ? codes[i]->foreign.most_pages : most_pages;
    *memory = (struct demand_memory){.file = -1, .page_bytes = (size_t)sysconf(_SC_PAGESIZE)};
    if (most_pages == 0)
        return true;
    size_t n_bytes = BENCH_MOST_FRAMES * memory->page_bytes;
    memory->file = memfd_create("cyclops-pages", MFD_CLOEXEC);
    if (memory->file < 0 || ftruncate(memory->file, (off_t)n_bytes) != 0)
        return false;
    memory->frames = map_at(NULL, n_bytes, 0, memory->file, 0);
    memory->addresses = mmap(NULL, most_pages * sizeof *memory->addresses, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return memory->frames != MAP_FAILED && memory->addresses != MAP_FAILED;
}

static void fill(struct demand_memory *memory) {
    size_t n_bytes = memory->rules.most_pages > 0 ? memory->rules.frames * memory->page_bytes : 0;
    for (size_t at = 0; at < n_bytes; at += sizeof memory->rules.fill)
        memcpy(memory->frames + at, &memory->rules.fill, sizeof memory->rules.fill);
}

void demand_memory_start(struct demand_memory *memory, const struct bench_foreign *rules) {
    for (unsigned i = 0; i < memory->n_pages; i++)
        munmap((void *)memory->addresses[i], memory->page_bytes); // NOLINT(performance-no-int-to-ptr)
    memory->n_pages = 0;
    memory->rules = *rules;
    fill(memory);
}

void demand_memory_fill(struct demand_memory *memory) {
    if (memory->rules.stores)
        fill(memory);
}

enum demand_answer demand_memory_answer(struct demand_memory *memory, uintptr_t address) {
    if (memory->file < 0 || memory->rules.most_pages == 0 || address < memory->rules.lowest_address)
        return DEMAND_REFUSED;
    if (memory->n_pages >= memory->rules.most_pages)
        return DEMAND_FULL;
    uintptr_t number = address / memory->page_bytes, first = number * memory->page_bytes;
    off_t offset = (off_t)(number % memory->rules.frames * memory->page_bytes);
    void *page = (void *)first; // NOLINT(performance-no-int-to-ptr)
    void *there = map_at(page, memory->page_bytes, MAP_FIXED_NOREPLACE, memory->file, offset);
    if (there == MAP_FAILED)
        return DEMAND_REFUSED;
    if (there != page) { // a kernel older than MAP_FIXED_NOREPLACE
        munmap(there, memory->page_bytes);
        return DEMAND_REFUSED;
    }
    memory->addresses[memory->n_pages++] = first;
    return DEMAND_APPEARED;
}
