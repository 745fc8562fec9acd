#include "survey/table/table_reader.h"

void reader_follow(struct arena *arena, struct table_row *row, struct experiment_key key) {
    for (size_t i = 0; i < row->n_follow; i++)
        if (experiment_is_same(&row->follow[i], &key))
            return;
    *ARENA_ADD(arena, row->follow, row->n_follow) = key;
}
