// Private to this folder.
// Random multisets of a survey's forms, which judge a port map: 3 to 10 forms, each with equal chances among the
// classes of its kind. They follow from the number of the multiset and the names of forms alone.
#ifndef INFER_PAIR_DRAW_H
#define INFER_PAIR_DRAW_H

#include "survey/multisets.h"

enum pair_draw_kind { PAIR_DRAW_VECTOR, PAIR_DRAW_GENERAL, PAIR_DRAW_MEMORY, PAIR_DRAW_N_KINDS };
extern const char *const pair_draw_names[PAIR_DRAW_N_KINDS];

// Vector and mask forms without loads; forms of general registers without loads; any, of which a third load. Returns
// how many different forms; 0: there are too few.
unsigned pair_draw(const struct multisets *sets, enum pair_draw_kind kind, unsigned number,
                   struct multiset_term *terms);

#endif
