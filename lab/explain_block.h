// What `cyclops explain` finds out about a block on a CPU of ours: its bounds, and who makes them. Prints nothing.
#ifndef LAB_EXPLAIN_BLOCK_H
#define LAB_EXPLAIN_BLOCK_H

#include "analyzer/model/model.h"
#include "analyzer/predict/bounds_explain.h"

struct block_explanation {
    const struct model *model;
    struct block block;
    struct bounds_request way; // as it is repeated
    struct bounds_explained found;
    const char *sentence, *next_sentence; // of the largest bound and of the next: what makes it
};

struct explain_block_options {
    bool is_given; // the form: else a block that ends in a branch is a loop
    bool is_loop;
    bool is_decoded; // as in struct bounds_request
    enum bounds_start registers;
    bool pages_are_one;
};

// Explains an assembly text, whose first region it takes. The model has a CPU file. `name`: of the text, for messages.
bool explain_block(struct arena *arena, const struct model *model, const char *name, const char *text,
                   const struct explain_block_options *options, struct block_explanation *explanation,
                   struct fail *fail);

// "2 add rax, rbx": an instruction of the block, by its number there, from 1.
const char *explain_block_insn(struct arena *arena, const struct block_explanation *explanation, unsigned insn);
// What a link waits for: "rax", "the store", "itself".
const char *explain_block_way(struct arena *arena, const struct block_explanation *explanation,
                              const struct bound_link *link);

#endif
