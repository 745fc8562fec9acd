#include "hot/turn_words.h"

#include "base/file.h"
#include "hot/coverage.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void turn_words_open(struct turn_words *words, struct arena *arena, const struct hot_profile *profile) {
    *words = (struct turn_words){.arena = arena,
                                 .profile = profile,
                                 .images = ARENA_ARRAY(arena, struct hot_image *, profile->n_modules + 1),
                                 .are_open = ARENA_ARRAY(arena, bool, profile->n_modules + 1)};
}

void turn_words_close(struct turn_words *words) {
    for (size_t i = 0; i < words->profile->n_modules; i++)
        hot_image_close(words->images[i]);
}

static struct hot_image *image_of(struct turn_words *words, unsigned module) {
    const char *why = NULL;
    if (module == UINT_MAX)
        return NULL;
    if (!words->are_open[module])
        words->images[module] = hot_image_open(words->arena, words->profile->modules[module].path, &why);
    words->are_open[module] = true;
    return words->images[module];
}

// A function, and how many steps run its code.
struct part {
    const char *path;
    uint64_t begin;
    const char *name; // null: no symbol names it
    size_t n;
};

static int compare(const void *a, const void *b) {
    const struct part *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->begin > y->begin) - (x->begin < y->begin);
}

static const char *name_of(struct arena *arena, const struct part *part) {
    return part->name ? part->name
                      : arena_printf(arena, "%s+0x%llx", file_base(part->path), (unsigned long long)part->begin);
}

// Functions other than the loop's own, those with most steps first. Stubs that lead to them are not among them.
static struct part *list_parts(struct turn_words *words, const struct hot_finding *finding,
                               const struct hot_state *state, size_t *n) {
    struct part *parts = NULL;
    struct coverage_steps steps;
    coverage_steps_open(&steps, words->arena, words->profile, state, state->n_steps);
    *n = 0;
    for (size_t i = 0; i < steps.n; i++) {
        const struct coverage_step *step = &steps.items[i];
        struct hot_image *image = image_of(words, step->place.module);
        struct hot_function function = {.begin = step->place.address};
        if (!image || hot_image_import(image, step->place.address))
            continue;
        const bool is_known = hot_image_function(image, step->place.address, &function) && !function.is_gap;
        if (step->file == finding->module->path || file_is_same(step->file, finding->module->path))
            if (is_known && function.begin == finding->loop->function_address)
                continue;
        if (!is_known || hot_image_import(image, function.begin))
            continue;
        size_t k = *n;
        while (k > 0 && (parts[k - 1].begin != function.begin || parts[k - 1].path != step->file))
            k--;
        if (k)
            parts[k - 1].n += step->n;
        else
            *ARENA_ADD(words->arena, parts, *n) = (struct part){step->file, function.begin, function.name, step->n};
    }
    if (*n)
        qsort(parts, *n, sizeof *parts, compare);
    return parts;
}

const char *turn_words_find(struct turn_words *words, const struct hot_finding *finding,
                            const struct hot_state *state) {
    struct arena *arena = words->arena;
    size_t n, n_steps = 0;
    const struct part *parts = list_parts(words, finding, state, &n);
    for (size_t i = 0; i < n; i++)
        n_steps += parts[i].n;
    const char *kind = finding->turn == HOT_TURN_CALL ? "a turn is from one call to the next"
                       : finding->turn == HOT_TURN_PLACE
                           ? "a turn is from one time to the next that control comes there"
                           : NULL;
    if (!n)
        return kind;
    const char *with = name_of(arena, &parts[0]);
    if (n == 2)
        with = arena_printf(arena, "%s and %s", with, name_of(arena, &parts[1]));
    else if (n > 2)
        with = arena_printf(arena, "%s, %s and %zu more functions", with, name_of(arena, &parts[1]), n - 2);
    return arena_printf(arena, "%s%s %s in it, %.0f %% of the instructions", kind ? kind : "a turn has",
                        kind ? ", with" : "", with, 100 * (double)n_steps / (double)state->n_steps);
}
