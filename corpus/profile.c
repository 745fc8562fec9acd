#include "corpus/profile.h"

#include "base/file.h"
#include "hot/profile.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_among(const char *path, const char *const *programs, size_t n_programs) {
    for (size_t i = 0; i < n_programs; i++)
        if (strcmp(path, programs[i]) == 0 || file_is_same(path, programs[i]))
            return true;
    return false;
}

static int compare(const void *a, const void *b) {
    const struct profile_entry *one = a, *other = b;
    return one->address < other->address ? -1 : one->address > other->address;
}

static void sort(struct profile *profile) {
    size_t n = 0;
    if (profile->n)
        qsort(profile->entries, profile->n, sizeof *profile->entries, compare);
    for (size_t i = 0; i < profile->n; i++)
        if (n > 0 && profile->entries[n - 1].address == profile->entries[i].address)
            profile->entries[n - 1].count += profile->entries[i].count;
        else
            profile->entries[n++] = profile->entries[i];
    profile->n = n;
}

// Addresses of several files are not each other's. The only file of a profile may have another name now.
static void take(struct arena *arena, const struct hot_profile *from, const char *const *programs, size_t n_programs,
                 struct profile *profile) {
    bool *are_taken = ARENA_ARRAY(arena, bool, from->n_modules + 1);
    for (size_t i = 0; i < from->n_modules; i++)
        are_taken[i] = from->n_modules == 1 || is_among(from->modules[i].path, programs, n_programs);
    for (size_t i = 0; i < from->n_samples; i++)
        if (are_taken[from->samples[i].place.module])
            *ARENA_ADD(arena, profile->entries, profile->n) =
                (struct profile_entry){from->samples[i].place.address, (uint64_t)llround(from->samples[i].weight)};
    sort(profile);
}

bool profile_read(struct arena *arena, const char *path, const char *const *programs, size_t n_programs,
                  struct profile *profile, struct fail *fail) {
    struct hot_profile all;
    *profile = (struct profile){0};
    if (!hot_profile_read(arena, path, n_programs ? programs[0] : "", &all, fail))
        return false;
    take(arena, &all, programs, n_programs, profile);
    return profile->n > 0 ||
           fail_at(fail, file_name(path), 0, 0, "it counts nothing of %s, but of %s%s",
                   n_programs ? programs[0] : "the program", all.n_modules ? all.modules[0].path : "no file",
                   all.n_modules > 1 ? " and others" : "");
}

uint64_t profile_count(const struct profile *profile, uint64_t address) {
    size_t first = 0, end = profile->n;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (profile->entries[middle].address < address)
            first = middle + 1;
        else
            end = middle;
    }
    return first < profile->n && profile->entries[first].address == address ? profile->entries[first].count : 0;
}
