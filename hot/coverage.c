#include "hot/coverage.h"

#include "base/file.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_within(const struct hot_loop *loop, const struct hot_place *place) {
    for (size_t i = 0; loop->module == place->module && i < loop->n_ranges; i++)
        if (place->address >= loop->ranges[i].begin && place->address < loop->ranges[i].end)
            return true;
    return false;
}

// Of loops around each other, the innermost has it.
static size_t find_entry(const struct hot_loops *loops, const struct hot_place *place) {
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < loops->n; i++) {
        const struct hot_loop *loop = &loops->loops[i];
        bool is_deeper = found == SIZE_MAX || (loop->is_loop && !loops->loops[found].is_loop) ||
                         (loop->is_loop && loop->depth > loops->loops[found].depth);
        if (is_deeper && is_within(loop, place))
            found = i;
    }
    return found;
}

void coverage_open(struct coverage *coverage, struct arena *arena, const struct hot_profile *profile,
                   const struct hot_loops *loops) {
    const size_t n = profile->n_samples;
    *coverage = (struct coverage){.arena = arena,
                                  .profile = profile,
                                  .loops = loops,
                                  .entries = ARENA_ARRAY(arena, size_t, n + 1),
                                  .owners = ARENA_ARRAY(arena, size_t, n + 1),
                                  .heat = ARENA_ARRAY(arena, double, n + 1)};
    for (size_t i = 0; i < n; i++) {
        coverage->entries[i] = find_entry(loops, &profile->samples[i].place);
        coverage->owners[i] = SIZE_MAX;
    }
}

// A sample whose instruction steps run, and how many of them.
struct run_over {
    size_t sample, n;
};

static int compare(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static unsigned module_of(const struct hot_profile *profile, const char *path) {
    for (unsigned i = 0; i < profile->n_modules; i++)
        if (profile->modules[i].kind == HOT_FILE &&
            (strcmp(profile->modules[i].path, path) == 0 || file_is_same(profile->modules[i].path, path)))
            return i;
    return UINT_MAX;
}

static size_t find_sample(const struct hot_profile *profile, const struct hot_place *place) {
    size_t first = 0, end = profile->n_samples;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        const struct hot_place *at = &profile->samples[middle].place;
        if (at->module == place->module && at->address == place->address)
            return middle;
        if (at->module < place->module || (at->module == place->module && at->address < place->address))
            first = middle + 1;
        else
            end = middle;
    }
    return SIZE_MAX;
}

void coverage_steps_open(struct coverage_steps *steps, struct arena *arena, const struct hot_profile *profile,
                         const struct hot_state *state, size_t n_steps) {
    uint64_t *sorted = ARENA_ARRAY(arena, uint64_t, n_steps + 1);
    unsigned *modules = ARENA_ARRAY(arena, unsigned, state->n_files + 1);
    *steps = (struct coverage_steps){.n = 0};
    memcpy(sorted, state->steps, n_steps * sizeof *sorted);
    qsort(sorted, n_steps, sizeof *sorted, compare);
    for (size_t i = 0; i < state->n_files; i++)
        modules[i] = module_of(profile, state->files[i].path);
    for (size_t first = 0, end, file = 0; first < n_steps; first = end) {
        const uint64_t address = sorted[first];
        for (end = first + 1; end < n_steps && sorted[end] == address;)
            end++;
        while (file < state->n_files && address >= state->files[file].end)
            file++;
        if (file == state->n_files || address < state->files[file].begin)
            continue;
        *ARENA_ADD(arena, steps->items, steps->n) =
            (struct coverage_step){.place = {modules[file], address - state->files[file].load_address},
                                   .file = state->files[file].path,
                                   .n = end - first};
    }
}

static struct run_over *list(const struct coverage *coverage, const struct hot_state *state, size_t n_steps,
                             size_t *n) {
    struct run_over *all = NULL;
    struct coverage_steps steps;
    coverage_steps_open(&steps, coverage->arena, coverage->profile, state, n_steps);
    *n = 0;
    for (size_t i = 0; i < steps.n; i++) {
        const size_t sample = find_sample(coverage->profile, &steps.items[i].place);
        if (sample != SIZE_MAX)
            *ARENA_ADD(coverage->arena, all, *n) = (struct run_over){sample, steps.items[i].n};
    }
    return all;
}

void coverage_add(struct coverage *coverage, size_t number, size_t entry, const struct hot_state *state, size_t n_steps,
                  double share) {
    size_t n;
    const struct run_over *all = list(coverage, state, n_steps, &n);
    for (size_t i = 0; i < n; i++) {
        const size_t sample = all[i].sample;
        const double heat = coverage->entries[sample] == entry ? INFINITY : share * (double)all[i].n / (double)n_steps;
        if (coverage->owners[sample] != SIZE_MAX && heat <= coverage->heat[sample])
            continue;
        coverage->owners[sample] = number;
        coverage->heat[sample] = heat;
    }
}

double coverage_of(const struct coverage *coverage, size_t number) {
    double sum = 0;
    for (size_t i = 0; i < coverage->profile->n_samples; i++)
        sum += coverage->owners[i] == number ? coverage->profile->samples[i].weight : 0;
    return sum / coverage->profile->total;
}

double coverage_left(const struct coverage *coverage, size_t entry) {
    double sum = 0;
    for (size_t i = 0; i < coverage->profile->n_samples; i++)
        sum +=
            coverage->owners[i] == SIZE_MAX && coverage->entries[i] == entry ? coverage->profile->samples[i].weight : 0;
    return sum / coverage->profile->total;
}

double coverage_in(const struct coverage *coverage, size_t entry, const struct hot_state *state) {
    size_t n;
    double sum = 0;
    const struct run_over *all = list(coverage, state, state->n_steps, &n);
    for (size_t i = 0; i < n; i++)
        sum += coverage->entries[all[i].sample] == entry ? coverage->profile->samples[all[i].sample].weight : 0;
    return sum / coverage->profile->total;
}
