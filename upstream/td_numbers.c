#include "upstream/td_model.h"

#include <string.h>

int td_numbers_compare(const struct td_numbers *a, const struct td_numbers *b) {
    if (a->latency != b->latency)
        return a->latency < b->latency ? -1 : 1;
    if (a->uops != b->uops)
        return a->uops < b->uops ? -1 : 1;
    if (a->n_ports != b->n_ports)
        return a->n_ports < b->n_ports ? -1 : 1;
    for (unsigned i = 0; i < a->n_ports; i++) {
        int order = strcmp(a->ports[i], b->ports[i]);
        if (order || a->cycles[i] != b->cycles[i])
            return order ? order : a->cycles[i] < b->cycles[i] ? -1 : 1;
        if (a->acquires[i] != b->acquires[i])
            return a->acquires[i] < b->acquires[i] ? -1 : 1;
    }
    return 0;
}

bool td_numbers_are_equal(const struct td_numbers *a, const struct td_numbers *b) {
    return td_numbers_compare(a, b) == 0;
}
