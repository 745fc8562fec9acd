#include "hot/callers.h"

#include "hot/flow.h"

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

static bool leads_to(const struct caller_link *link, unsigned module, uint64_t address, const char *function) {
    if (link->name)
        return function && is_meant(function, link->name);
    return link->module == module && link->address == address;
}

// ---- functions without samples

enum { MOST_NODES = 1000, MOST_DEPTH = 3, MOST_BYTES = 1 << 16 };

static bool is_known(const struct callers *callers, const struct callers_scope *scope, const struct caller_link *link) {
    for (size_t i = 0; i < scope->n_entries; i++)
        if (leads_to(link, scope->entries[i].module, scope->entries[i].function_address, scope->entries[i].function))
            return true;
    for (size_t i = 0; i < callers->n_nodes; i++)
        if (leads_to(link, callers->nodes[i].module, callers->nodes[i].address, callers->nodes[i].name))
            return true;
    return false;
}

static bool find_function(const struct callers_scope *scope, const struct caller_link *link, unsigned *module,
                          struct hot_function *function) {
    *module = link->module;
    if (!link->name)
        return hot_image_function(scope->images[link->module], link->address, function) &&
               function->begin == link->address;
    for (unsigned i = 0; i < scope->n_images; i++)
        if (scope->images[i] && hot_image_named(scope->images[i], link->name, 0, function)) {
            *module = i;
            return true;
        }
    return false;
}

static void add_link(struct callers *callers, struct hot_image *image, size_t number, uint64_t to) {
    const struct caller_link link = {number, callers->nodes[number].module, to, hot_image_import(image, to)};
    *ARENA_ADD(callers->arena, callers->links, callers->n_links) = link;
}

// Adds a function, and its calls.
static void add_node(struct callers *callers, const struct callers_scope *scope, const struct caller_node *node,
                     const struct hot_function *function) {
    struct arena scratch = {0};
    struct hot_image *image = scope->images[node->module];
    struct flow flow = {.arena = &scratch, .decoder = scope->decoder, .image = image, .function = *function};
    const size_t number = callers->n_nodes;
    *ARENA_ADD(callers->arena, callers->nodes, callers->n_nodes) = *node;
    if (function->end - function->begin <= MOST_BYTES && flow_read(&flow, NULL, 0)) {
        for (size_t i = 0; i < flow.n_calls; i++)
            if (flow.calls[i].to)
                add_link(callers, image, number, flow.calls[i].to);
        for (size_t i = 0; i < flow.n_jumps; i++)
            for (size_t t = 0; t < flow.jumps[i].n_targets; t++)
                if (!flow_part_of(&flow, flow.jumps[i].targets[t]))
                    add_link(callers, image, number, flow.jumps[i].targets[t]);
    }
    arena_free(&scratch);
}

void callers_follow(struct callers *callers, const struct callers_scope *scope) {
    const size_t n_own = callers->n_links;
    for (size_t i = 0; i < callers->n_links && callers->n_nodes < MOST_NODES; i++) {
        struct caller_link *link = &callers->links[i];
        struct caller_node node = {.caller = SIZE_MAX};
        struct hot_function function;
        bool is_own = i < n_own;
        if (is_own && scope->entries[link->from].all < scope->least)
            continue;
        node.depth = is_own ? 0 : callers->nodes[link->from].depth + 1;
        if (node.depth < MOST_DEPTH && !is_known(callers, scope, link) &&
            find_function(scope, link, &node.module, &function)) {
            node.address = function.begin;
            node.name = function.name;
            add_node(callers, scope, &node, &function);
        }
    }
    for (size_t i = n_own; i < callers->n_links; i++)
        callers->links[i].from += scope->n_entries;
}

// ---- all of them

struct found_caller {
    size_t best; // SIZE_MAX: none
    bool has_others;
};

static bool is_around(const struct hot_loop *entries, size_t outer, size_t inner) {
    while (inner != SIZE_MAX && inner != outer)
        inner = entries[inner].parent;
    return inner == outer;
}

// Takes the inner one of two loops around each other; else that with most samples.
static void consider(const struct hot_loop *entries, size_t caller, bool has_others, struct found_caller *found) {
    found->has_others |= has_others || caller == SIZE_MAX;
    if (caller == SIZE_MAX || caller == found->best)
        return;
    if (found->best == SIZE_MAX || is_around(entries, found->best, caller)) {
        found->best = caller;
    } else if (!is_around(entries, caller, found->best)) {
        found->has_others = true;
        if (entries[caller].all > entries[found->best].all)
            found->best = caller;
    }
}

// A function that is called.
struct callee {
    unsigned module;
    uint64_t address;
    const char *name;
};

// Its callers. `is_direct`: only loops that call it themselves.
static struct found_caller find_caller(const struct callers *callers, const struct hot_loop *entries, size_t n_entries,
                                       const struct callee *callee, bool is_direct) {
    struct found_caller found = {.best = SIZE_MAX};
    for (size_t i = 0; i < callers->n_links; i++) {
        const struct caller_link *link = &callers->links[i];
        if (!leads_to(link, callee->module, callee->address, callee->name))
            continue;
        if (link->from >= n_entries) {
            const struct caller_node *node = &callers->nodes[link->from - n_entries];
            if (!is_direct)
                consider(entries, node->caller, node->has_callers, &found);
        } else if (entries[link->from].is_loop) {
            consider(entries, link->from, false, &found);
        } else if (!is_direct && entries[link->from].function_address != callee->address) {
            consider(entries, entries[link->from].caller, entries[link->from].has_callers, &found);
        }
    }
    return found;
}

static struct callee callee_of_entry(const struct hot_loop *entry) {
    return (struct callee){entry->module, entry->function_address, entry->function};
}

static struct callee callee_of_node(const struct caller_node *node) {
    return (struct callee){node->module, node->address, node->name};
}

// Sets callers where none is known yet. Returns whether one was found.
static bool find_more(struct callers *callers, struct hot_loop *entries, size_t n_entries, bool is_direct) {
    bool has_more = false;
    for (size_t i = 0; i < n_entries; i++)
        if (!entries[i].is_loop && entries[i].caller == SIZE_MAX) {
            const struct callee callee = callee_of_entry(&entries[i]);
            entries[i].caller = find_caller(callers, entries, n_entries, &callee, is_direct).best;
            has_more = has_more || entries[i].caller != SIZE_MAX;
        }
    for (size_t i = 0; i < callers->n_nodes; i++)
        if (callers->nodes[i].caller == SIZE_MAX) {
            const struct callee callee = callee_of_node(&callers->nodes[i]);
            callers->nodes[i].caller = find_caller(callers, entries, n_entries, &callee, is_direct).best;
            has_more = has_more || callers->nodes[i].caller != SIZE_MAX;
        }
    return has_more;
}

// Of nodes first, as entries may be called by them.
static void find_others(struct callers *callers, struct hot_loop *entries, size_t n_entries) {
    for (size_t i = 0; i < callers->n_nodes; i++) {
        const struct callee callee = callee_of_node(&callers->nodes[i]);
        callers->nodes[i].has_callers = find_caller(callers, entries, n_entries, &callee, false).has_others;
    }
    for (size_t i = 0; i < n_entries; i++)
        if (!entries[i].is_loop) {
            const struct callee callee = callee_of_entry(&entries[i]);
            entries[i].has_callers = find_caller(callers, entries, n_entries, &callee, false).has_others;
        }
}

// A function that is called outside of loops has the caller of those who call it: from the direct ones on.
void callers_find(struct callers *callers, struct hot_loop *entries, size_t n_entries) {
    enum { MOST_CALLS = 16 };
    bool has_more = true;
    for (unsigned depth = 0; depth < MOST_CALLS && (has_more || depth < 2); depth++)
        has_more = find_more(callers, entries, n_entries, depth == 0);
    find_others(callers, entries, n_entries);
}
