// Private to this folder.
// Pages of memory, each copied once.
#ifndef HOT_PAGE_SET_H
#define HOT_PAGE_SET_H

#include "base/index.h"
#include "base/segment.h"

#include <stdbool.h>
#include <stdint.h>

enum { PAGE_SET_BYTES = 4096 };

struct page_copy {
    uint64_t address;
    uint8_t *bytes; // PAGE_SET_BYTES; null: nothing is there
    bool is_written, is_executed;
};

struct page_set {
    struct arena *arena;
    struct page_copy *pages; // in the order in which they were added
    size_t n;
    struct index index;
};

void page_set_open(struct page_set *set, struct arena *arena);

struct page_copy *page_set_find(const struct page_set *set, uint64_t address); // null: there is no such page
struct page_copy *page_set_add(struct page_set *set, uint64_t address);        // which is not there

// Those with bytes, as segments of one page each, ascending.
struct segment *page_set_list(struct arena *arena, const struct page_set *set, size_t *n);

#endif
