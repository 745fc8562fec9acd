// Private to this folder.
// Which real pages go well together: where code stores 64 bytes to one page, and then loads from the same place of
// another, a CPU may take the load for one of what was stored, and it waits. Seen on Zen 4: of random pages, one pair
// in 16 is such, whatever their virtual addresses, and a load takes 16 ticks more. Children get other real pages each,
// so the same code would have another time in each. Which bits of a physical address count is not known: pairs are
// timed.
#ifndef BENCH_SANDBOX_FRAME_ORDER_H
#define BENCH_SANDBOX_FRAME_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FRAME_ORDER_MOST = 48 }; // pages of which it chooses

// Sets `order` to the numbers of `n` pages from `pages` on, at most FRAME_ORDER_MOST: first `n_wanted` of which no two
// make each other wait, as far as there are so many; then the others. The order stays where all pairs take the same,
// and where there are no accesses of 64 bytes. Writes to the pages; they are a file's, or have been written before.
void frame_order_choose(uint8_t *pages, size_t page_bytes, unsigned n, unsigned n_wanted, unsigned *order);

// Ticks of stores to a page, each with a load from the same place of another: the least of some runs.
uint64_t frame_order_time(uint8_t *stored, const uint8_t *loaded, size_t page_bytes);
bool frame_order_is_timed(void); // whether this machine has such accesses, so that pages can be timed

#endif
