#include "survey/table/table.h"

#include <string.h>

bool table_is_crossing(const struct table_value *value) {
    return value->partner && strcmp(value->partner, TABLE_CROSSING) == 0;
}

struct table_throughput *table_copy_throughputs(struct arena *arena, const struct table_row *row) {
    struct table_throughput *copy = ARENA_ARRAY(arena, struct table_throughput, row->n_throughputs);
    if (row->n_throughputs)
        memcpy(copy, row->throughputs, row->n_throughputs * sizeof *copy);
    return copy;
}
