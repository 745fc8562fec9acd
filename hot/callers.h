// Private to this folder.
// Which loop calls a function that has samples in no loop: by the calls that the code itself names. A call into another
// file goes by the name of the function. Functions without samples in between are followed, as far as they are few.
#ifndef HOT_CALLERS_H
#define HOT_CALLERS_H

#include "hot/image.h"
#include "hot/loops.h"

// All zero but the arena.
struct callers {
    struct arena *arena;
    struct caller_node {        // a function without samples
        unsigned module, depth; // functions between it and an entry
        uint64_t address;
        const char *name;
        size_t caller; // number of the entry
        bool has_callers;
    } * nodes;
    size_t n_nodes;
    struct caller_link {
        size_t from;      // number of the entry that calls; behind these, of the node
        unsigned module;  // of both, where there is no name
        uint64_t address; // of the function
        const char *name; // of one in another file; null: none
    } * links;
    size_t n_links;
};

// Adds the calls of an entry, with the jumps that are a function's last call. `number`: of the entry.
void callers_add(struct callers *callers, struct hot_image *image, const struct hot_loop *entry, size_t number);

// Follows the calls of entries with at least so many samples through functions without samples. `images`: of modules;
// null: not there.
struct callers_scope {
    const struct decoder *decoder;
    struct hot_image *const *images;
    size_t n_images;
    const struct hot_loop *entries;
    size_t n_entries;
    double least;
};
void callers_follow(struct callers *callers, const struct callers_scope *scope);

// Sets the callers of all entries.
void callers_find(struct callers *callers, struct hot_loop *entries, size_t n_entries);

#endif
