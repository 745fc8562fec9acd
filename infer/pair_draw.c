#include "infer/pair_draw.h"

#include "base/bytes.h"

#include <string.h>

const char *const pair_draw_names[PAIR_DRAW_N_KINDS] = {
    [PAIR_DRAW_VECTOR] = "vector", [PAIR_DRAW_GENERAL] = "general", [PAIR_DRAW_MEMORY] = "memory"};

static bool is_of_kind(const struct multiset_form *form, enum pair_draw_kind kind, bool loads) {
    bool is_vector = form->has_vectors || form->has_masks;
    return form->loads == loads && (kind == PAIR_DRAW_MEMORY || is_vector == (kind == PAIR_DRAW_VECTOR));
}

// Of the classes of the kind, that with the least hash. Returns n_forms where there is none.
static unsigned choose(const struct multisets *sets, enum pair_draw_kind kind, bool loads, uint64_t seed) {
    unsigned best = (unsigned)sets->n_forms;
    uint64_t least = 0;
    for (unsigned f = 0; f < sets->n_forms; f++) {
        const struct multiset_form *form = &sets->forms[f];
        if (form->first != f || !is_of_kind(form, kind, loads))
            continue;
        uint64_t hash = bytes_scramble(seed ^ bytes_hash(form->name, strlen(form->name)));
        if (best == sets->n_forms || hash < least) {
            best = f;
            least = hash;
        }
    }
    return best;
}

unsigned pair_draw(const struct multisets *sets, enum pair_draw_kind kind, unsigned number,
                   struct multiset_term *terms) {
    enum { LEAST = 3, MOST = 10, EACH_LOADS = 3 };
    uint64_t seed = bytes_scramble((uint64_t)number * PAIR_DRAW_N_KINDS + kind);
    unsigned wanted = LEAST + (unsigned)(seed % (MOST - LEAST + 1)), n = 0;
    for (unsigned slot = 0; slot < wanted; slot++) {
        uint64_t own = bytes_scramble(seed + slot);
        bool loads = kind == PAIR_DRAW_MEMORY && own % EACH_LOADS == 0;
        unsigned form = choose(sets, kind, loads, bytes_scramble(own)), t = 0;
        if (form == sets->n_forms)
            return 0;
        while (t < n && terms[t].form != form)
            t++;
        if (t == n)
            terms[n++] = (struct multiset_term){form, 0};
        terms[t].count++;
    }
    return n >= LEAST ? n : 0;
}
