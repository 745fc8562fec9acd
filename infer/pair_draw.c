#include "infer/pair_draw.h"

#include "base/bytes.h"

#include <string.h>

const char *const pair_draw_names[PAIR_DRAW_N_KINDS] = {
    [PAIR_DRAW_VECTOR] = "vector", [PAIR_DRAW_GENERAL] = "general", [PAIR_DRAW_MEMORY] = "memory"};

// Steele, Lea and Flood's splitmix64 (OOPSLA 2014): neighbouring numbers have unrelated results.
static uint64_t scramble(uint64_t number) {
    number += 0x9e3779b97f4a7c15;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
    number = (number ^ number >> 27) * 0x94d049bb133111eb;
    return number ^ number >> 31;
}

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
        uint64_t hash = scramble(seed ^ bytes_hash(form->name, strlen(form->name)));
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
    uint64_t seed = scramble((uint64_t)number * PAIR_DRAW_N_KINDS + kind);
    unsigned wanted = LEAST + (unsigned)(seed % (MOST - LEAST + 1)), n = 0;
    for (unsigned slot = 0; slot < wanted; slot++) {
        uint64_t own = scramble(seed + slot);
        bool loads = kind == PAIR_DRAW_MEMORY && own % EACH_LOADS == 0;
        unsigned form = choose(sets, kind, loads, scramble(own)), t = 0;
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
