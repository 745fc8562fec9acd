#include "hot/loops.h"

#include "hot/loops_parts.h"
#include "hot/perf_map.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Functions with fewer samples than this, together, are left out.
static const double least_share = 0.001;
// So are the calls of loops and functions with fewer, through functions that have none.
static const double least_calling_share = 0.005;

// ---- functions that have samples

// Opens a module's file. Null: `why` says it in a clause.
static struct hot_image *open_image(struct loops_finder *finder, unsigned number, const char **why) {
    const struct hot_module *module = &finder->profile->modules[number];
    if (module->kind != HOT_FILE) {
        *why = "the kernel's code in the process";
        return NULL;
    }
    struct hot_image *image = hot_image_open(finder->arena, module->path, why);
    if (!image)
        return NULL;
    const char *id = hot_image_build_id(image);
    if (!hot_image_is_x86_64(image))
        *why = "it is not code for x86-64";
    else if (module->build_id && (!id || strcmp(id, module->build_id) != 0))
        *why = "it was built anew since it was profiled: profile it again";
    if (!*why)
        return image;
    hot_image_close(image);
    return NULL;
}

static bool is_cold(const struct hot_function *function) {
    return function->name && strstr(function->name, ".cold");
}

static size_t find_spot(const struct loops_finder *finder, size_t from, uint64_t begin) {
    for (size_t i = finder->n_spots; i-- > from;)
        if (finder->spots[i].function.begin == begin)
            return i;
    return SIZE_MAX;
}

static const char made_code[] = "code that the program made while it ran";

// Of code that a JIT made: each function with a hundredth of all samples has its name.
static void skip_made(struct loops_finder *finder, size_t first, size_t end) {
    static const double least = 0.01;
    const struct hot_sample *samples = finder->profile->samples;
    const unsigned module = samples[first].place.module;
    struct perf_map map = {.n = 0};
    if (perf_map_is_path(finder->profile->modules[module].path))
        perf_map_read(finder->arena, finder->profile->modules[module].path, &map);
    for (size_t i = first, next; i < end; i = next) {
        const char *name = perf_map_find(&map, samples[i].place.address);
        double weight = 0;
        for (next = i; next < end && perf_map_find(&map, samples[next].place.address) == name; next++)
            weight += samples[next].weight;
        loops_skip(finder, module, weight,
                   name && weight >= least * finder->profile->total
                       ? arena_printf(finder->arena, "%s: %s", made_code, name)
                       : made_code);
    }
}

// Gives the samples [first, end), all of one module, to functions.
static void add_module(struct loops_finder *finder, size_t first, size_t end) {
    const struct hot_sample *samples = finder->profile->samples;
    const unsigned module = samples[first].place.module;
    const char *why = NULL;
    if (finder->profile->modules[module].kind == HOT_JIT) {
        for (size_t i = first; i < end; i++)
            finder->owners[i] = SIZE_MAX;
        skip_made(finder, first, end);
        return;
    }
    struct hot_image *image = finder->images[module] = open_image(finder, module, &why);
    const size_t first_spot = finder->n_spots;
    size_t last = SIZE_MAX;
    for (size_t i = first; i < end; i++) {
        const uint64_t address = samples[i].place.address;
        struct hot_function function;
        finder->owners[i] = SIZE_MAX;
        if (!image) {
            loops_skip(finder, module, samples[i].weight, why);
            continue;
        }
        if (!hot_image_function(image, address, &function)) {
            loops_skip(finder, module, samples[i].weight, "these addresses are no code in the file");
            continue;
        }
        if (last == SIZE_MAX || finder->spots[last].function.begin != function.begin)
            last = find_spot(finder, first_spot, function.begin);
        if (last == SIZE_MAX) {
            last = finder->n_spots;
            *ARENA_ADD(finder->arena, finder->spots, finder->n_spots) =
                (struct hot_spot){function, module, i, i, 0, is_cold(&function)};
        }
        finder->spots[last].weight += samples[i].weight;
        finder->spots[last].end = i + 1;
        finder->owners[i] = last;
    }
}

static void find_spots(struct loops_finder *finder) {
    const struct hot_profile *profile = finder->profile;
    size_t end;
    for (size_t first = 0; first < profile->n_samples; first = end) {
        for (end = first;
             end < profile->n_samples && profile->samples[end].place.module == profile->samples[first].place.module;
             end++)
            ;
        add_module(finder, first, end);
    }
}

// ---- all of them

struct spot_order {
    const struct hot_spot *spot;
    size_t number;
};

static int compare_spots(const void *a, const void *b) {
    const struct spot_order *one = a, *other = b;
    if (one->spot->is_cold != other->spot->is_cold) // so that functions find their own parts
        return one->spot->is_cold ? 1 : -1;
    if (one->spot->weight != other->spot->weight)
        return one->spot->weight > other->spot->weight ? -1 : 1;
    return one->number < other->number ? -1 : 1;
}

static void find_loops(struct loops_finder *finder) {
    struct spot_order *order = ARENA_ARRAY(finder->arena, struct spot_order, finder->n_spots);
    const double least = least_share * finder->profile->total;
    double left = 0;
    for (size_t i = 0; i < finder->n_spots; i++) {
        order[i] = (struct spot_order){&finder->spots[i], i};
        left += finder->spots[i].weight;
    }
    if (finder->n_spots)
        qsort(order, finder->n_spots, sizeof *order, compare_spots);
    for (size_t i = 0; i < finder->n_spots; i++) {
        if (left < least)
            break;
        left -= order[i].spot->weight;
        loops_add_function(finder, order[i].number);
    }
    double rest = 0;
    for (size_t i = 0; i < finder->profile->n_samples; i++)
        if (!finder->are_counted[i] && finder->owners[i] != SIZE_MAX)
            rest += finder->profile->samples[i].weight;
    loops_skip(finder, UINT_MAX, rest, "functions with few samples");
}

struct loop_order {
    const struct hot_loop *loop;
    size_t number;
};

static int compare_loops(const void *a, const void *b) {
    const struct loop_order *one = a, *other = b;
    if (one->loop->own != other->loop->own)
        return one->loop->own > other->loop->own ? -1 : 1;
    return one->number < other->number ? -1 : 1;
}

static void sort_loops(struct loops_finder *finder, struct hot_loops *loops) {
    const size_t n = finder->n_loops;
    struct loop_order *order = ARENA_ARRAY(finder->arena, struct loop_order, n);
    struct hot_loop *sorted = ARENA_ARRAY(finder->arena, struct hot_loop, n);
    size_t *places = ARENA_ARRAY(finder->arena, size_t, n);
    double covered = 0, called = 0;
    const struct callers_scope scope = {
        .decoder = finder->decoder,
        .images = finder->images,
        .n_images = finder->profile->n_modules,
        .entries = finder->loops,
        .n_entries = n,
        .least = least_calling_share * finder->profile->total,
    };
    callers_follow(&finder->callers, &scope);
    callers_find(&finder->callers, finder->loops, n);
    for (size_t i = 0; i < n; i++)
        order[i] = (struct loop_order){&finder->loops[i], i};
    if (n)
        qsort(order, n, sizeof *order, compare_loops);
    for (size_t i = 0; i < n; i++)
        places[order[i].number] = i;
    for (size_t i = 0; i < n; i++) {
        sorted[i] = *order[i].loop;
        if (sorted[i].parent != SIZE_MAX)
            sorted[i].parent = places[sorted[i].parent];
        if (sorted[i].caller != SIZE_MAX)
            sorted[i].caller = places[sorted[i].caller];
        called += sorted[i].caller != SIZE_MAX ? sorted[i].own : 0;
        covered += sorted[i].is_loop ? sorted[i].own : 0;
    }
    *loops = (struct hot_loops){
        .loops = sorted,
        .n = n,
        .covered = covered / finder->profile->total,
        .called = called / finder->profile->total,
        .skipped = finder->skipped,
        .n_skipped = finder->n_skipped,
    };
}

bool hot_loops_find(struct arena *arena, const struct decoder *decoder, const struct hot_profile *profile,
                    struct hot_loops *loops, struct fail *fail) {
    struct loops_finder finder = {
        .arena = arena,
        .decoder = decoder,
        .profile = profile,
        .images = ARENA_ARRAY(arena, struct hot_image *, profile->n_modules),
        .lines = ARENA_ARRAY(arena, struct hot_lines *, profile->n_modules),
        .owners = ARENA_ARRAY(arena, size_t, profile->n_samples),
        .are_counted = ARENA_ARRAY(arena, bool, profile->n_samples),
        .callers = {.arena = arena},
    };
    *loops = (struct hot_loops){0};
    if (!(profile->total > 0))
        return fail_set(fail, FAIL_INPUT, "there is no sample of user code in the profile");
    find_spots(&finder);
    find_loops(&finder);
    double known = 0;
    for (size_t i = 0; i < profile->n_samples; i++)
        known += profile->samples[i].weight;
    loops_skip(&finder, UINT_MAX, profile->total - known, "at addresses where no file is known");
    sort_loops(&finder, loops);
    for (size_t i = 0; i < profile->n_modules; i++) {
        hot_lines_close(finder.lines[i]);
        hot_image_close(finder.images[i]);
    }
    return true;
}
