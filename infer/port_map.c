#include "infer/port_map.h"

#include "analyzer/predict/port_spread.h"
#include "base/text.h"

#include <stdlib.h>

double port_map_cycles(const struct port_map *map, const struct evidence_item *item, uint64_t *ports) {
    enum { MOST_SETS = 200 };
    struct cpu_use work[MOST_SETS];
    unsigned n = 0;
    double slots = 0;
    for (unsigned t = 0; t < item->n_terms; t++) {
        const struct port_recipe *recipe = &map->recipes[item->terms[t].form];
        slots += item->terms[t].count * recipe->slots;
        for (unsigned u = 0; u < recipe->n; u++) {
            unsigned at = 0;
            while (at < n && work[at].pipes != recipe->uops[u].pipes)
                at++;
            if (at == n && n < MOST_SETS)
                work[n++] = (struct cpu_use){recipe->uops[u].pipes, 0};
            else if (at == n) // more different sets than that: a lower bound
                work[--at].pipes |= recipe->uops[u].pipes;
            work[at].cycles += item->terms[t].count * recipe->uops[u].cycles;
        }
    }
    double cycles = port_spread(work, n, ports), dispatch = map->width > 0 ? slots / map->width : 0;
    if (dispatch > cycles && ports)
        *ports = 0;
    return dispatch > cycles ? dispatch : cycles;
}

static int compare_uops(const void *a, const void *b) {
    const struct cpu_use *x = a, *y = b;
    if (x->pipes != y->pipes)
        return x->pipes < y->pipes ? -1 : 1;
    return (x->cycles > y->cycles) - (x->cycles < y->cycles);
}

void port_recipe_sort(struct port_recipe *recipe) {
    qsort(recipe->uops, recipe->n, sizeof *recipe->uops, compare_uops);
}

bool port_recipe_is_equal(const struct port_recipe *a, const struct port_recipe *b) {
    bool is_equal = a->n == b->n;
    for (unsigned u = 0; is_equal && u < a->n; u++)
        is_equal = compare_uops(&a->uops[u], &b->uops[u]) == 0;
    return is_equal;
}

static void add_ports(struct text *text, uint64_t ports) {
    bool is_long = ports >> 16;
    text_add(text, is_long ? "p{" : "p");
    for (uint64_t left = ports; left; left &= left - 1)
        text_addf(text, is_long ? "%u%s" : "%x%s", (unsigned)__builtin_ctzll(left),
                  is_long && (left & (left - 1)) ? "," : "");
    if (is_long)
        text_add(text, "}");
}

const char *port_recipe_text(struct arena *arena, const struct port_recipe *recipe) {
    struct text text = {.arena = arena};
    for (unsigned u = 0, n; u < recipe->n; u += n) {
        for (n = 1; u + n < recipe->n && compare_uops(&recipe->uops[u], &recipe->uops[u + n]) == 0;)
            n++;
        text_add(&text, u ? " + " : "");
        if (n > 1)
            text_addf(&text, "%u*", n);
        add_ports(&text, recipe->uops[u].pipes);
        if (recipe->uops[u].cycles != 1)
            text_addf(&text, "(%.3g)", recipe->uops[u].cycles);
    }
    return text.data ? text.data : "none";
}
