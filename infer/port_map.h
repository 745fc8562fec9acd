// A port map: which ports each form's uops may go to, and how many slots of dispatch it takes. Ports have numbers, not
// names: evidence knows them up to renaming only. Predicts multisets of independent forms, nothing else: no latency, no
// window, no front end but its width.
#ifndef INFER_PORT_MAP_H
#define INFER_PORT_MAP_H

#include "infer/evidence.h"

#include "analyzer/cpu/cpu.h"

enum { PORT_MAP_MOST_PORTS = 60, PORT_RECIPE_MOST = 6 };

// Uops of a form; equal ones one by one. cycles: how long the uop holds its port.
struct port_recipe {
    struct cpu_use uops[PORT_RECIPE_MOST];
    unsigned n;
    double slots; // of dispatch
};

struct port_map {
    unsigned n_ports;
    double width;                // slots that are dispatched in a cycle; 0: unlimited
    struct port_recipe *recipes; // by form of the evidence
};

// Returns cycles of a multiset, by the best spread over ports. `ports`: those that decide; 0: dispatch does. May be
// null.
double port_map_cycles(const struct port_map *map, const struct evidence_item *item, uint64_t *ports);

// "p01 + 2*p5" in hexadecimal digits of ports up to 15, else "p{3,16}"; cycles other than 1 as "p0(4)"; "none".
const char *port_recipe_text(struct arena *arena, const struct port_recipe *recipe);

// Orders uops by their sets, so that equal recipes are equal in memory order.
void port_recipe_sort(struct port_recipe *recipe);
bool port_recipe_is_equal(const struct port_recipe *a, const struct port_recipe *b); // both sorted; slots do not count

#endif
