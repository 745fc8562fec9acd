// Private to this folder.
// What recorded turns have in them besides the loop's own code, for people.
#ifndef HOT_TURN_WORDS_H
#define HOT_TURN_WORDS_H

#include "hot/hot.h"
#include "hot/image.h"

struct turn_words {
    struct arena *arena;
    const struct hot_profile *profile;
    struct hot_image **images; // of each module, once it was asked for
    bool *are_open;
};

void turn_words_open(struct turn_words *words, struct arena *arena, const struct hot_profile *profile);
void turn_words_close(struct turn_words *words);

// Returns a clause; null: the turns have the loop's own function only.
const char *turn_words_find(struct turn_words *words, const struct hot_finding *finding, const struct hot_state *state);

#endif
