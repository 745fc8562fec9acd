// Private to this folder.
// Where measured blocks access memory, by running them here: those whose addresses a CPU file cannot follow.
#ifndef CORPUS_ADDRESSES_H
#define CORPUS_ADDRESSES_H

#include "blocks/decoder.h"
#include "corpus/predict.h"

struct addresses {
    struct arena *arena; // of what lives as long as this
    struct turns_recorder recorder;
    struct decoder decoder;
    const char *refusal; // why no block is run, one clause; null: blocks are run
};

// `models`: the first of a CPU file decides which addresses it cannot follow. Nothing is run where none is.
void addresses_open(struct addresses *addresses, struct arena *arena, const struct score_request *request,
                    const struct model_set *models);
void addresses_close(struct addresses *addresses);

// Runs the blocks whose addresses do not follow, and fills in each run, or why there is none. Other values get neither.
// What it fills in lives as long as `arena`.
void addresses_record(struct addresses *addresses, struct arena *arena, struct predicted *items, size_t n);

#endif
