#include "hot/callers.h"

#include <string.h>

static void add(struct callers *callers, struct hot_image *image, const struct hot_loop *entry, size_t number,
                uint64_t to) {
    if (!to)
        return;
    struct caller_link link = {number, entry->module, to, hot_image_import(image, to)};
    for (size_t i = callers->n_links; i-- > 0 && callers->links[i].from == number;)
        if (callers->links[i].address == to)
            return;
    *ARENA_ADD(callers->arena, callers->links, callers->n_links) = link;
}

void callers_add(struct callers *callers, struct hot_image *image, const struct hot_loop *entry, size_t number) {
    for (size_t i = 0; i < entry->n_calls; i++)
        add(callers, image, entry, number, entry->calls[i].to);
    for (size_t i = 0; i < entry->n_exits; i++) {
        uint64_t to = entry->exits[i].to;
        struct hot_function function;
        bool is_call =
            to && to != entry->function_address &&
            (hot_image_import(image, to) || (hot_image_function(image, to, &function) && function.begin == to));
        if (is_call)
            add(callers, image, entry, number, to);
    }
}

// Whether a function is the one that a name means. A library may choose it when the program starts: glibc calls those
// that strcmp stands for __strcmp_avx2 and the like, and memcpy's __memmove_….
static bool is_meant(const char *function, const char *name) {
    if (strcmp(function, name) == 0)
        return true;
    if (strcmp(name, "memcpy") == 0 && strncmp(function, "__memmove_", strlen("__memmove_")) == 0)
        return true;
    size_t n = strlen(name);
    return strncmp(function, "__", 2) == 0 && strncmp(function + 2, name, n) == 0 && function[2 + n] == '_';
}

static bool leads_to(const struct caller_link *link, const struct hot_loop *entry) {
    if (link->name)
        return entry->function && is_meant(entry->function, link->name);
    return link->module == entry->module && link->address == entry->function_address;
}

// Of several loops, the one with most samples.
static size_t better(const struct hot_loop *entries, size_t a, size_t b) {
    if (a == SIZE_MAX || b == SIZE_MAX)
        return a == SIZE_MAX ? b : a;
    return entries[b].all > entries[a].all ? b : a;
}

// A function that is called outside of loops has the caller of those who call it: from the direct ones on.
void callers_find(const struct callers *callers, struct hot_loop *entries, size_t n_entries) {
    enum { MOST_CALLS = 16 };
    for (unsigned depth = 0; depth < MOST_CALLS; depth++) {
        bool has_more = false;
        for (size_t e = 0; e < n_entries; e++) {
            size_t best = SIZE_MAX;
            if (entries[e].is_loop || entries[e].caller != SIZE_MAX)
                continue;
            for (size_t i = 0; i < callers->n_links; i++) {
                const struct hot_loop *from = &entries[callers->links[i].from];
                if (!leads_to(&callers->links[i], &entries[e]))
                    continue;
                if (from->is_loop)
                    best = better(entries, best, callers->links[i].from);
                else if (depth > 0)
                    best = better(entries, best, from->caller);
            }
            entries[e].caller = best;
            has_more = has_more || best != SIZE_MAX;
        }
        if (depth > 0 && !has_more)
            return;
    }
}
