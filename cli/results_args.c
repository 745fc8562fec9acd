#include "cli/results_args.h"

#include "base/file.h"

bool results_find_origin(struct arena *arena, const char *path, struct table_origin *origin, struct fail *fail) {
    return file_is_folder(path) ? table_find_origin(arena, path, origin, fail)
                                : table_find_origin_of_file(arena, path, origin, fail);
}

bool results_have_models(const struct lab *lab, struct fail *fail) {
    for (unsigned i = 0; i < lab->n_models; i++)
        if (lab->models[i].missing)
            return fail_set(fail, FAIL_UNAVAILABLE, "there is no model %s: %s", lab->models[i].identity,
                            lab->models[i].missing);
    return true;
}
