#include "cli/results_args.h"

#include "base/file.h"
#include "cli/cli.h"
#include "cli/lab_args.h"

#include <string.h>

bool results_find_origin(struct arena *arena, const char *path, struct table_origin *origin, struct fail *fail) {
    bool is_found = file_is_folder(path)
                        ? table_find_origin(arena, path, origin, fail)
                        : table_stands_alone(arena, path, fail) && table_find_origin_of_file(arena, path, origin, fail);
    return is_found && (origin->target || fail_set(fail, FAIL_INPUT, "there are no measurements in '%s'", path));
}

bool results_choose_model(struct arena *arena, const char *path, struct fail *fail) {
    struct option_list *cpus = &lab_args.options.cpus;
    struct table_origin origin;
    if (cpus->n_items > 1 || lab_args.options.llvms.n_items > 1)
        return fail_set(fail, FAIL_INPUT, "one model at a time: name it once, such as --mcpu llvm-19/znver4");
    if (!results_find_origin(arena, path, &origin, fail))
        return false;
    lab_args.options.isa = cli_isa(arena, origin.isa, fail);
    if (!lab_args.options.isa)
        return false;
    if (!cpus->n_items && !origin.cpu && !origin.is_here)
        return fail_set(fail, FAIL_INPUT, "'%s' is of another CPU than this one: --mcpu names the model", path);
    if (!cpus->n_items)
        *ARENA_ADD(arena, cpus->items, cpus->n_items) = origin.cpu ? origin.cpu : "native";
    return true;
}

bool results_can_write(struct arena *arena, const char *path, struct fail *fail) {
    const char *folder;
    if (path && table_is_file_of_survey(arena, path, &folder))
        return fail_set(fail, FAIL_INPUT, "'%s' is a file of the survey '%s': name another one to write", path, folder);
    return file_can_write(path, fail);
}
