// Private to this folder.
// What stands in the one page of memory that BHive maps behind all pages: a number of 8 bytes again and again, until
// the block stores something else.
#ifndef ANALYZER_PREDICT_MEMORY_PAGE_H
#define ANALYZER_PREDICT_MEMORY_PAGE_H

#include "analyzer/predict/addresses.h"

static const uint64_t memory_page_start = 0x2324000; // that number

struct memory_page;
struct memory_page *memory_page_new(struct arena *arena);

// The byte that was at an address at the start.
static inline uint8_t memory_page_start_byte(uint64_t at) {
    return (uint8_t)(memory_page_start >> (at % sizeof memory_page_start * 8));
}
// What a load of that place reads; false: it is not known. `page`: null: nothing has been stored.
bool memory_page_load(struct memory_page *page, const struct place *place, uint64_t *loaded);
// `number`: null: it is not known.
void memory_page_store(struct memory_page *page, const struct place *place, const uint64_t *number);

#endif
