#include "report/shared.h"

#include <string.h>

static bool predicts_same(const struct experiment *e, unsigned a, unsigned b) {
    return e->verdicts[a].kind != VERDICT_UNMODELLED && e->verdicts[b].kind != VERDICT_UNMODELLED &&
           e->predictions[a].cycles == e->predictions[b].cycles &&
           strcmp(e->verdicts[a].blame, e->verdicts[b].blame) == 0;
}

static bool is_same(const struct run_report *run, const struct experiment *const *rows, size_t n_rows, unsigned a,
                    unsigned b) {
    const struct model *first = &run->models->judged[a], *second = &run->models->judged[b];
    if (first->missing || second->missing || first->overlay || second->overlay ||
        strcmp(first->machine->cpu, second->machine->cpu) != 0)
        return false;
    for (size_t i = 0; i < n_rows; i++)
        if (!predicts_same(rows[i], a, b))
            return false;
    return true;
}

// Where the model stands: its own place, or that of the first one that is the same.
static unsigned place_of(const struct run_report *run, const struct experiment *const *rows, size_t n_rows,
                         unsigned model) {
    for (unsigned i = 0; i < model && run->is_brief; i++)
        if (is_same(run, rows, n_rows, i, model))
            return i;
    return model;
}

bool model_is_shared(const struct run_report *run, const struct experiment *const *rows, size_t n_rows,
                     unsigned model) {
    return place_of(run, rows, n_rows, model) != model;
}

const char *model_shared_title(const struct run_report *run, const struct experiment *const *rows, size_t n_rows,
                               unsigned model) {
    const char *versions = "";
    for (unsigned i = model + 1; i < run->models->n_judged; i++)
        if (place_of(run, rows, n_rows, i) == model)
            versions = arena_printf(run->arena, "%s,%u", versions, run->models->judged[i].backend->major);
    const char *title = run->models->judged[model].title;
    if (!*versions)
        return title;
    size_t length = strcspn(title, "/"); // "llvm-22"
    return arena_printf(run->arena, "%.*s%s%s", (int)length, title, versions, title + length);
}
