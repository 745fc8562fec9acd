// cyclops list models: CPUs with a scheduling model, and the versions of LLVM that have it.
#include "cli/list/list.h"

#include "analyzer/model/backend.h"
#include "analyzer/sched/overlay.h"
#include "base/file.h"
#include "base/json.h"
#include "base/table.h"
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct listed_model *)a)->name, ((const struct listed_model *)b)->name);
}

static struct listed_model *find_or_add(struct arena *arena, struct listed_models *listing, const char *name) {
    for (size_t i = 0; i < listing->n_items; i++)
        if (strcmp(listing->items[i].name, name) == 0)
            return &listing->items[i];
    listing->items = arena_grow(arena, listing->items, listing->n_items, sizeof *listing->items);
    listing->items[listing->n_items] = (struct listed_model){.name = name};
    return &listing->items[listing->n_items++];
}

static bool add_version(struct arena *arena, const struct isa *isa, const char *llvm, struct listed_models *listing,
                        struct fail *fail) {
    const struct backend *backend = backend_load(arena, llvm, fail);
    const char *const *names, *const *schedules_as;
    size_t n = backend ? backend->list_cpus(arena, isa->triple, &names, &schedules_as, fail) : 0;
    for (size_t i = 0; i < n; i++) {
        struct listed_model *model = find_or_add(arena, listing, names[i]);
        model->is_host |= isa == isa_native() && strcmp(names[i], backend->host_cpu()) == 0;
        model->schedules_as = model->n_versions ? model->schedules_as : schedules_as[i];
        if (model->n_versions < LIST_MOST_VERSIONS)
            model->versions[model->n_versions++] = backend->major;
    }
    return fail->status == FAIL_NONE;
}

static bool print_model_json(const struct listed_model *model, const struct isa *isa, struct fail *fail) {
    json_t *versions = json_array();
    for (size_t i = 0; i < model->n_versions; i++)
        json_array_append_new(versions, json_integer(model->versions[i]));
    return json_write_line(stdout,
                           json_pack("{s:s, s:s, s:b, s:o, s:s*}", "model", model->name, "isa", isa->name, "host",
                                     model->is_host, "llvm", versions, "schedules_as", model->schedules_as),
                           fail);
}

static void add_row(struct table *table, const char *name, const char *versions, const char *schedules_as,
                    const char *about) {
    table_cell(table, "%s", name);
    table_cell(table, "%s", versions);
    table_cell(table, "%s", schedules_as);
    table_cell(table, "%s", about);
}

static const char *version_list(struct arena *arena, const struct listed_model *model) {
    const char *list = "";
    for (size_t i = 0; i < model->n_versions; i++)
        list = arena_printf(arena, "%s%s%u", list, i ? ", " : "", model->versions[i]);
    return list;
}

// Lists the installed overlays of an ISA.
static bool list_overlays(struct arena *arena, const struct isa *isa, struct table *table, struct fail *fail) {
    const char *folder = file_installed(arena, "share/cyclops/machines");
    const char **files;
    size_t n = file_list(arena, folder, ".yaml", &files);
    for (size_t i = 0; i < n; i++) {
        struct overlay *overlay = overlay_read(arena, arena_printf(arena, "%s/%s", folder, files[i]), fail);
        if (!overlay)
            return false;
        const char *triple = overlay_triple(overlay);
        size_t n_isa = strcspn(isa->triple, "-");
        const char *name = arena_printf(arena, "overlay:%s", overlay_name(overlay));
        bool is_of_isa = triple && strcspn(triple, "-") == n_isa && strncmp(triple, isa->triple, n_isa) == 0;
        if (is_of_isa && list_args.json && !print_model_json(&(struct listed_model){.name = name}, isa, fail))
            return false;
        if (is_of_isa)
            add_row(table, name, "", "", arena_strdup(arena, overlay_about(overlay)));
        overlay_close(overlay);
    }
    return true;
}

bool list_find_models(struct arena *arena, const struct isa *isa, const char *const *llvms, size_t n_llvms,
                      struct listed_models *models, struct fail *fail) {
    *models = (struct listed_models){0};
    for (size_t i = 0; i < n_llvms; i++)
        if (!add_version(arena, isa, llvms[i], models, fail))
            return false;
    if (models->n_items)
        qsort(models->items, models->n_items, sizeof *models->items, by_name);
    return true;
}

// The versions that the user asks for, else all that are installed; where there are none, what fails to load.
static size_t find_versions(struct arena *arena, const char *const **llvms) {
    const unsigned *majors;
    size_t n = backend_versions(arena, &majors);
    const char **names = ARENA_ARRAY(arena, const char *, n + 1);
    *llvms = list_args.llvms.n_items ? list_args.llvms.items : names;
    for (size_t i = 0; i < n; i++)
        names[i] = arena_printf(arena, "%u", majors[i]);
    return list_args.llvms.n_items ? list_args.llvms.n_items : n ? n : 1;
}

bool list_models(struct arena *arena, struct fail *fail) {
    const struct isa *isa = cli_isa(arena, list_args.isa, fail);
    struct listed_models models;
    struct table table = {.arena = arena};
    const char *const *llvms;
    size_t n = find_versions(arena, &llvms);
    if (!isa || !list_find_models(arena, isa, llvms, n, &models, fail))
        return false;
    table_column(&table, TABLE_LEFT, "model");
    table_column(&table, TABLE_LEFT, "LLVM");
    table_column(&table, TABLE_LEFT, "schedules as");
    table_column(&table, TABLE_WRAP, "");
    for (size_t i = 0; i < models.n_items; i++) {
        const struct listed_model *model = &models.items[i];
        if (list_args.json && !print_model_json(model, isa, fail))
            return false;
        add_row(&table, model->name, version_list(arena, model), model->schedules_as, model->is_host ? "this CPU" : "");
    }
    if (!list_overlays(arena, isa, &table, fail))
        return false;
    if (!list_args.json)
        table_print(&table, stdout, cli_wants_colour());
    return true;
}
