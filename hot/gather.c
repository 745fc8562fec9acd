#include "hot/gather.h"

#include "hot/perf_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_MERGE = 1 << 16, MOST_TIMED = 1 << 18 };

// ---- modules

static bool begins_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static enum hot_module_kind kind_of(const char *name) {
    static const char *const kernel[] = {"[vdso]", "[vsyscall]", "[kernel", "[guest.kernel", "[uprobes]"};
    static const char *const made[] = {"//anon",    "[anon",       "[heap]", "[stack]", "/memfd:",
                                       "/dev/zero", "anon_inode:", "/SYSV",  "[JIT]",   "/anon_hugepage"};
    for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++)
        if (begins_with(name, kernel[i]))
            return HOT_KERNEL;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (begins_with(name, made[i]))
            return HOT_JIT;
    return perf_map_is_path(name) || !*name ? HOT_JIT : HOT_FILE;
}

// The program may stand elsewhere than where it was profiled.
static const char *path_of(const struct gather *gather, const char *name) {
    const char *own = gather->program ? strrchr(gather->program, '/') : NULL, *base = strrchr(name, '/');
    own = own ? own + 1 : gather->program;
    base = base ? base + 1 : name;
    return own && strcmp(own, base) == 0 && access(name, R_OK) != 0 ? gather->program : name;
}

unsigned gather_module(struct gather *gather, const char *name, const char *build_id) {
    const enum hot_module_kind kind = kind_of(name);
    const char *path = kind == HOT_FILE ? path_of(gather, name) : name;
    for (size_t i = gather->n_modules; i-- > 0;) {
        struct hot_module *module = &gather->modules[i];
        bool is_other = module->build_id && build_id && strcmp(module->build_id, build_id) != 0;
        if (is_other || strcmp(module->path, path) != 0)
            continue;
        if (!module->build_id && build_id)
            module->build_id = arena_strdup(gather->arena, build_id);
        return (unsigned)i;
    }
    size_t n_images = gather->n_modules;
    *ARENA_ADD(gather->arena, gather->images, n_images) = (struct gather_image){0};
    *ARENA_ADD(gather->arena, gather->modules, gather->n_modules) = (struct hot_module){
        .path = arena_strdup(gather->arena, path),
        .kind = kind,
        .build_id = build_id ? arena_strdup(gather->arena, build_id) : NULL,
    };
    return (unsigned)(gather->n_modules - 1);
}

struct hot_image *gather_image(struct gather *gather, unsigned module) {
    struct gather_image *image = &gather->images[module];
    const char *why;
    if (!image->is_open && gather->modules[module].kind == HOT_FILE)
        image->image = hot_image_open(gather->arena, gather->modules[module].path, &why);
    image->is_open = true;
    return image->image;
}

// ---- places

static int compare_places(const struct hot_place *a, const struct hot_place *b) {
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

static int compare_samples(const void *a, const void *b) {
    const struct hot_sample *one = a, *other = b;
    return compare_places(&one->place, &other->place);
}

static int compare_ways(const void *a, const void *b) {
    const struct hot_way *one = a, *other = b;
    int from = compare_places(&one->from, &other->from);
    return from ? from : compare_places(&one->to, &other->to);
}

static void merge_samples(struct gather *gather) {
    struct hot_sample *samples = gather->samples;
    size_t n = 0;
    if (gather->n_samples)
        qsort(samples, gather->n_samples, sizeof *samples, compare_samples);
    for (size_t i = 0; i < gather->n_samples; i++)
        if (n > 0 && compare_samples(&samples[n - 1], &samples[i]) == 0)
            samples[n - 1].weight += samples[i].weight;
        else
            samples[n++] = samples[i];
    gather->n_samples = n;
}

// Two means become one; where only some branches have cycles, it is that of these.
static double join_cycles(const struct hot_way *a, const struct hot_way *b) {
    if (isnan(a->cycles) || isnan(b->cycles))
        return isnan(a->cycles) ? b->cycles : a->cycles;
    return (a->cycles * a->count + b->cycles * b->count) / (a->count + b->count);
}

static void merge_ways(struct gather *gather) {
    struct hot_way *ways = gather->ways;
    size_t n = 0;
    if (gather->n_ways)
        qsort(ways, gather->n_ways, sizeof *ways, compare_ways);
    for (size_t i = 0; i < gather->n_ways; i++)
        if (n > 0 && compare_ways(&ways[n - 1], &ways[i]) == 0) {
            ways[n - 1].cycles = join_cycles(&ways[n - 1], &ways[i]);
            ways[n - 1].count += ways[i].count;
        } else {
            ways[n++] = ways[i];
        }
    gather->n_ways = n;
}

// Merging frees room. The room grows where that was not much: so it is proportional to the number of places.
static void *make_room(struct arena *arena, void *items, size_t n, size_t size, size_t *most) {
    if (*most && n < *most - *most / 4)
        return items;
    *most = *most ? 2 * *most : FIRST_MERGE;
    void *more = arena_alloc_array(arena, *most, size);
    if (n)
        memcpy(more, items, n * size);
    return more;
}

void gather_sample(struct gather *gather, struct hot_place place, double weight) {
    if (gather->n_samples == gather->most_samples) {
        merge_samples(gather);
        gather->samples = make_room(gather->arena, gather->samples, gather->n_samples, sizeof *gather->samples,
                                    &gather->most_samples);
    }
    gather->samples[gather->n_samples++] = (struct hot_sample){place, weight};
}

// Leaves out each second one where there are too many.
static void thin_out(struct gather *gather) {
    size_t n = 0;
    for (size_t i = 0; i < gather->n_timed; i += 2)
        gather->timed[n++] = gather->timed[i];
    gather->n_timed = n;
    gather->n_between = 2 * gather->n_between + 1;
}

void gather_timed_sample(struct gather *gather, struct hot_place place, double seconds) {
    gather_sample(gather, place, 1);
    if (gather->n_skipped++ < gather->n_between)
        return;
    gather->n_skipped = 0;
    if (gather->n_timed == MOST_TIMED)
        thin_out(gather);
    *ARENA_ADD(gather->arena, gather->timed, gather->n_timed) = (struct hot_timed){place, seconds};
}

void gather_way(struct gather *gather, const struct hot_way *way) {
    if (gather->n_ways == gather->most_ways) {
        merge_ways(gather);
        gather->ways = make_room(gather->arena, gather->ways, gather->n_ways, sizeof *gather->ways, &gather->most_ways);
    }
    gather->ways[gather->n_ways++] = *way;
}

void gather_finish(struct gather *gather, struct hot_profile *profile) {
    merge_samples(gather);
    merge_ways(gather);
    for (size_t i = 0; i < gather->n_modules; i++)
        hot_image_close(gather->images[i].image);
    *profile = (struct hot_profile){
        .modules = gather->modules,
        .n_modules = gather->n_modules,
        .samples = gather->samples,
        .n_samples = gather->n_samples,
        .timed = gather->timed,
        .n_timed = gather->n_timed,
        .ways = gather->ways,
        .n_ways = gather->n_ways,
        .total = gather->unknown,
    };
    for (size_t i = 0; i < gather->n_samples; i++)
        profile->total += gather->samples[i].weight;
    for (size_t i = 0; i < gather->n_timed; i++)
        gather->timed[i].seconds -= gather->start;
}
