#include "blocks/lab_block.h"

// Initial values of registers. They are low, so that results of arithmetic with them remain addresses, and far from the
// system's mappings. Their distances give each of 16 registers a separate kilobyte in the four frames.
enum { FIRST_REGISTER = 0x2324000, REGISTER_DISTANCE = 0x11400 };

const char *block_alias_name(enum block_alias alias) {
    return alias == ALIAS_SAME ? "same" : "disjoint";
}

struct block_start block_start_of(const struct lab_block *block, enum block_alias alias) {
    uint64_t first = block->options.registers ? block->options.registers : FIRST_REGISTER;
    return (struct block_start){.first = first,
                                .distance = alias == ALIAS_SAME ? 0 : REGISTER_DISTANCE,
                                .is_routine = block->is_routine,
                                .state = block->starts[alias] ? block->starts[alias] : &block->options.state};
}

int64_t block_drift(const struct lab_block *block, enum block_alias alias) {
    if (!block->was_tried[alias] || block->trials[alias].outcome != BENCH_OK)
        return 0;
    const struct isa *isa = block->source.isa;
    struct block_start start = block_start_of(block, alias);
    return (int64_t)(block->trials[alias].frame[1 + isa->stack_number] - block_stack_start(isa, &start));
}

const char *block_why_endless(const struct lab_block *block, enum bench_outcome outcome) {
    if (block->endless && (outcome == BENCH_TIMEOUT || outcome == BENCH_PAGES))
        return block->endless;
    if (outcome == BENCH_LEFT_LOOP)
        return block->source.way_out ? block->source.way_out
                                     : "with these registers and memory, a way out comes first (--set gives others); "
                                       "where the loop goes on behind this code, give that as well";
    return outcome == BENCH_TIMEOUT ? "a pass takes too long: give its loops fewer turns" : NULL;
}
