// Private to this folder.
// A profile in the making: modules, samples and branches as a reader or a sampler finds them, each place merged.
#ifndef HOT_GATHER_H
#define HOT_GATHER_H

#include "hot/image.h"
#include "hot/profile.h"

// All zero but the arena and the program.
struct gather {
    struct arena *arena;
    const char *program; // stands for a module of its name whose path is not there; null: none
    struct hot_module *modules;
    size_t n_modules;
    struct gather_image { // of each module
        struct hot_image *image;
        bool is_open;
    } * images;
    struct hot_sample *samples;
    size_t n_samples, most_samples; // number at which places are merged
    struct hot_timed *timed;
    size_t n_timed;
    double start;                  // of the program, by the clock of these, s
    unsigned n_between, n_skipped; // samples between two of these that are left out; so far
    struct hot_way *ways;
    size_t n_ways, most_ways;
    double unknown; // weight of samples whose place is not known
};

// Adds a module, or finds it. `name`: path, or the profiler's name of what is no file. `build_id`: null: unknown.
unsigned gather_module(struct gather *gather, const char *name, const char *build_id);
// The module's file; null: it is no file, or cannot be read. Lives until gather_finish.
struct hot_image *gather_image(struct gather *gather, unsigned module);

void gather_sample(struct gather *gather, struct hot_place place, double weight);
// One sample with its time, by the clock of gather->start.
void gather_timed_sample(struct gather *gather, struct hot_place place, double seconds);
void gather_way(struct gather *gather, const struct hot_way *way); // counts once, with its cycles

// Ends it: all but unit, time and source are set.
void gather_finish(struct gather *gather, struct hot_profile *profile);

#endif
