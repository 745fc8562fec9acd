#include "corpus/as_measured.h"

#include "gen/block.h"

struct prediction_request predict_as_measured(const struct execution *execution, const struct corpus_value *value) {
    const struct block *block = execution->block;
    // BHive's harness ran copies too many for any cache, behind 15 bytes.
    enum { START_OF_OTHERS = 15 };
    return (struct prediction_request){
        .execution = execution,
        .way = {.is_loop = value->form == PROGRAM_LOOPED,
                .is_decoded = value->is_of_others,
                .copies = value->is_of_others ? 0 : block_copies(block->n_insns, block_bytes(block)),
                .start = value->is_of_others ? START_OF_OTHERS : 0,
                .registers = value->starts_apart ? BOUNDS_APART : BOUNDS_SAME,
                .pages_are_one = !value->memory_is_own,
                .pages_are_new = value->is_of_others},
    };
}
