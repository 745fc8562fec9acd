#include "survey/carried_over.h"

#include "base/compressed.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static int compare_forms(const void *a, const void *b) {
    const struct folder_form *one = a, *other = b;
    return strcmp(one->form, other->form);
}

bool carried_over_read(struct arena *arena, const char *folder, const char **measured, size_t n,
                       struct carried_over *carried, struct fail *fail) {
    const struct folder_form *all;
    struct folder_form *list = NULL;
    size_t n_all;
    *carried = (struct carried_over){NULL, 0};
    if (!folder_read_forms(arena, folder, &all, &n_all, fail))
        return false;
    n = text_sort(measured, n);
    for (size_t i = 0; i < n_all; i++)
        if (!n || !bsearch(&all[i].form, measured, n, sizeof *measured, text_compare))
            *ARENA_ADD(arena, list, carried->n) = all[i];
    if (list)
        qsort(list, carried->n, sizeof *list, compare_forms);
    carried->forms = list;
    return true;
}

bool carried_over_has(const struct carried_over *carried, const char *form) {
    const struct folder_form wanted = {.form = form};
    return carried->n && bsearch(&wanted, carried->forms, carried->n, sizeof wanted, compare_forms);
}

bool carried_over_add_kernels(const struct carried_over *carried, const char *path, struct text *kernels,
                              struct fail *fail) {
    static const char start[] = "  - {name: ";
    char *data;
    size_t length;
    struct slice rest, line;
    if (!carried->n || !compressed_find(kernels->arena, path))
        return true;
    if (!compressed_read(kernels->arena, path, &data, &length, fail))
        return false;
    rest = (struct slice){data, length};
    while (slice_next(&rest, '\n', &line)) {
        if (!slice_starts(line, start))
            continue;
        const char *name = line.data + strlen(start);
        if (!carried_over_has(carried, arena_copy(kernels->arena, name, strcspn(name, ".,"))))
            continue;
        text_append(kernels, line.data, line.length);
        text_add(kernels, "\n");
    }
    return true;
}
