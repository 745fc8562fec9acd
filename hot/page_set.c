#include "hot/page_set.h"

#include <stdlib.h>

void page_set_open(struct page_set *set, struct arena *arena) {
    *set = (struct page_set){.arena = arena, .index = {.arena = arena}};
}

static uint64_t first_of(uint64_t address) {
    return address / PAGE_SET_BYTES * PAGE_SET_BYTES;
}

static uint64_t hash_of(uint64_t first) {
    return first / PAGE_SET_BYTES * UINT64_C(0x9E3779B97F4A7C15);
}

struct page_copy *page_set_find(const struct page_set *set, uint64_t address) {
    uint64_t first = first_of(address);
    size_t place = 0, i;
    while ((i = index_next(&set->index, hash_of(first), &place)) != INDEX_END)
        if (set->pages[i].address == first)
            return &set->pages[i];
    return NULL;
}

struct page_copy *page_set_add(struct page_set *set, uint64_t address) {
    uint64_t first = first_of(address);
    index_add(&set->index, hash_of(first), set->n);
    struct page_copy *page = ARENA_ADD(set->arena, set->pages, set->n);
    *page = (struct page_copy){.address = first};
    return page;
}

static int compare(const void *a, const void *b) {
    const struct segment *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

struct segment *page_set_list(struct arena *arena, const struct page_set *set, size_t *n) {
    struct segment *list = ARENA_ARRAY(arena, struct segment, set->n + 1);
    *n = 0;
    for (size_t i = 0; i < set->n; i++) {
        const struct page_copy *page = &set->pages[i];
        if (page->bytes)
            list[(*n)++] = (struct segment){.address = page->address,
                                            .bytes = page->bytes,
                                            .n_bytes = PAGE_SET_BYTES,
                                            .size = PAGE_SET_BYTES,
                                            .is_writable = page->is_written,
                                            .is_executable = page->is_executed};
    }
    qsort(list, *n, sizeof *list, compare);
    return list;
}
