// Private to this folder.
// What the steps of ports_infer share.
#ifndef INFER_PORT_SEARCH_H
#define INFER_PORT_SEARCH_H

#include "infer/ports.h"

enum { MOST_BASES = 32, MOST_FAMILIES = 2000, MOST_HYPOTHESES = 64, NO_BASE = -1 };

// A group of one-uop forms with the same ports, seen through one of them.
struct base {
    unsigned form, width;
    unsigned n_members;
    uint64_t ports; // in the chosen family; 0: it has no place in one
    unsigned cluster;
};

// Ports of the bases of a cluster, by their place in it.
struct family {
    uint64_t sets[MOST_BASES];
    unsigned n_ports;
};

struct port_search {
    struct arena *arena;
    const struct evidence *evidence;
    struct ports *ports;
    size_t **items; // by form: the items that it is part of
    size_t *n_items;
    double *low, *high; // by item: what a prediction must lie within
    struct base bases[MOST_BASES];
    unsigned n_bases;
    bool *may_be_base; // by form: it stands for a group that was measured beside too few others to be a base
    int *base_of;      // by form: the base that it is; NO_BASE
    double steps_left;
    struct ambiguous_cluster {
        unsigned bases[MOST_BASES], n_bases;
        struct family *families;
        size_t n_families;
    } * clusters; // as ports->clusters
};

static inline bool search_fits(const struct port_search *search, size_t item, double cycles) {
    return search->low[item] <= cycles && cycles <= search->high[item];
}

// port_groups.c: sets the map's width, forms without ports, bases.
void search_group(struct port_search *search);
// port_families.c: places the bases on ports.
void search_place(struct port_search *search);
// port_recipes.c: finds all recipes of each form.
void search_recipes(struct port_search *search);
// port_next.c: chooses experiments that tell hypotheses apart.
void search_next(struct port_search *search);

#endif
