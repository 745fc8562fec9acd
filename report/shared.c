#include "report/shared.h"

#include "base/text.h"

#include <string.h>

static bool predicts_same(const struct experiment *e, unsigned a, unsigned b) {
    return e->verdicts[a].kind != VERDICT_UNMODELLED && e->verdicts[b].kind != VERDICT_UNMODELLED &&
           e->predictions[a].cycles == e->predictions[b].cycles &&
           strcmp(e->verdicts[a].blame, e->verdicts[b].blame) == 0;
}

static bool is_same(const struct lab *lab, const struct experiment *const *rows, size_t n_rows, unsigned a,
                    unsigned b) {
    const struct model *first = &lab->models[a], *second = &lab->models[b];
    if (first->missing || second->missing || first->overlay || second->overlay ||
        strcmp(first->machine->cpu, second->machine->cpu) != 0)
        return false;
    for (size_t i = 0; i < n_rows; i++)
        if (!predicts_same(rows[i], a, b))
            return false;
    return true;
}

// Where the model stands: its own place, or that of the first one that is the same.
static unsigned place_of(const struct lab *lab, const struct experiment *const *rows, size_t n_rows, unsigned model) {
    for (unsigned i = 0; i < model && lab->is_brief; i++)
        if (is_same(lab, rows, n_rows, i, model))
            return i;
    return model;
}

bool model_is_shared(const struct lab *lab, const struct experiment *const *rows, size_t n_rows, unsigned model) {
    return place_of(lab, rows, n_rows, model) != model;
}

const char *model_shared_title(const struct lab *lab, const struct experiment *const *rows, size_t n_rows,
                               unsigned model) {
    const char *versions = "";
    for (unsigned i = model + 1; i < lab->n_models; i++)
        if (place_of(lab, rows, n_rows, i) == model)
            versions = arena_printf(lab->arena, "%s,%u", versions, lab->models[i].backend->major);
    const char *title = lab->models[model].title;
    if (!*versions)
        return title;
    size_t length = strcspn(title, "/"); // "llvm-22"
    return arena_printf(lab->arena, "%.*s%s%s", (int)length, title, versions, title + length);
}
