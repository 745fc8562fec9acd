#include "analyzer/sim/coder.h"

#include <string.h>

enum { FIRST_WORDS = 512 };

void coder_grow(struct coder *coder) {
    size_t room = coder->n_words != 0 ? 2 * coder->n_words : FIRST_WORDS;
    uint64_t *words = STASH_ARRAY(coder->stash, uint64_t, room);
    if (coder->n != 0)
        memcpy(words, coder->words, coder->n * sizeof *words);
    coder->words = words;
    coder->n_words = room;
}
