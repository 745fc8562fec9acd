// What `cyclops explain` finds out about a block on a CPU of ours: its bounds, and who makes them. Prints nothing.
#ifndef STUDY_EXPLAIN_BLOCK_H
#define STUDY_EXPLAIN_BLOCK_H

#include "analyzer/model/model.h"
#include "analyzer/predict/bounds_words.h"

struct block_explanation {
    const struct model *model;
    struct block block;
    struct bounds_request way; // as it is repeated
    struct bounds_explained found;
    struct bounds_words words;            // of this one, which stays where it is
    double core_cycles;                   // that its core takes; what is more than the largest bound is interaction
    const char *sentence, *next_sentence; // of the largest bound and of the next: what makes it
    const char **notes;                   // what the bounds do not know of the block, a sentence each
    size_t n_notes;
};

struct explain_block_options {
    // The code: an assembly text, or the name of a form; or machine code.
    const char *name;   // in messages
    const char *text;   // null: `bytes` are the code
    bool is_file;       // the text is a file's: it is no name of a form
    const char *region; // of a file: its region of that name; null: it has one region
    const uint8_t *bytes;
    size_t n_bytes;
    bool is_given;   // the form: else a block that ends in a branch is a loop
    bool is_loop;    // a block that does not go back to its own begin gets the loop that `cyclops run` gives it
    bool is_decoded; // as in struct bounds_request
    enum bounds_start registers;
    bool pages_are_one;
};

// The model has a CPU file.
bool explain_block(struct arena *arena, const struct model *model, const struct explain_block_options *options,
                   struct block_explanation *explanation, struct fail *fail);

#endif
