// cyclops list: kernels, models and events.
#include "cli/cli.h"

#include "analyzer/model/backend.h"
#include "analyzer/model/overlay.h"
#include "base/file.h"
#include "base/json.h"
#include "base/options.h"
#include "base/table.h"
#include "bench/counters/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VERSIONS = 16 }; // of LLVM, of which one row tells

static struct {
    const char *isa, *kernels;
    struct option_list llvms;
    bool json;
} args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Options", NULL},
    {OPTION_TEXT, "isa", "ISA", "Only this ISA's. Default: kernels of all ISAs; models of this one.", &args.isa},
    {OPTION_TEXT, "kernels", "DIR", "Read kernel files below DIR/ISA instead of the installed ones.", &args.kernels},
    {OPTION_LIST, "llvm", "LLVM",
     "Version (22), module or folder of LLVM whose models to list; may be repeated. Default: all that are installed.",
     &args.llvms},
    {OPTION_FLAG, "json", NULL, "Print JSON Lines.", &args.json},
    {0},
};

static const struct command command = {
    "cyclops list",
    "kernels|models|events [options]",
    "kernels   what can be measured by name: 'cyclops run NAME'\n"
    "models    CPUs with a scheduling model, and the versions of LLVM that have it:\n"
    "          'cyclops run NAME --mcpu CPU'\n"
    "events    hardware events that libpfm4 knows for this CPU\n",
    "  cyclops list kernels --isa aarch64\n"
    "  cyclops list models\n",
    options,
};

static bool print_line(json_t *line, struct fail *fail) {
    return json_write_line(stdout, line, fail);
}

// Returns the published values in the kernel file: {"cascadelake": {"latency": 4, "rthroughput": 0.5}}.
static json_t *expectations(const struct kernel *kernel) {
    json_t *all = json_object();
    for (unsigned i = 0; i < kernel->n_expectations; i++) {
        const struct kernel_expectation *expected = &kernel->expectations[i];
        json_t *one = json_object();
        if (expected->latency > 0)
            json_object_set_new(one, "latency", json_rounded(expected->latency, 4));
        if (expected->rthroughput > 0)
            json_object_set_new(one, "rthroughput", json_rounded(expected->rthroughput, 4));
        json_object_set_new(all, expected->cpu, one);
    }
    return all;
}

static bool print_kernel(const struct kernel *kernel, struct fail *fail) {
    return print_line(json_pack("{s:s, s:s, s:s, s:i, s:o}", "kernel", kernel->name, "isa", kernel->isa->name, "about",
                                kernel->about ? kernel->about : "", "instructions", (int)kernel->n_instructions,
                                "expect", expectations(kernel)),
                      fail);
}

static bool list_kernels(struct arena *arena, struct fail *fail) {
    struct kernel_set set = {0};
    const struct isa *isa = args.isa ? cli_isa(arena, args.isa, fail) : NULL;
    if ((args.isa && !isa) || !cli_load_kernels(arena, args.kernels, isa ? isa->name : NULL, &set, fail))
        return false;
    struct table table = {.arena = arena};
    table_column(&table, TABLE_LEFT, "kernel");
    table_column(&table, TABLE_LEFT, "isa");
    table_column(&table, TABLE_NOTE, "about");
    for (size_t i = 0; i < set.n_kernels; i++) {
        const struct kernel *kernel = &set.kernels[i];
        if (args.json && !print_kernel(kernel, fail))
            return false;
        table_cell(&table, "%s", kernel->name);
        table_cell(&table, "%s", kernel->isa->name);
        table_cell(&table, "%s", kernel->about ? kernel->about : "");
    }
    if (!args.json)
        table_print(&table, stdout, cli_wants_colour());
    return true;
}

// One of LLVM's CPUs, and which versions have a model of it.
struct listed {
    const char *name;
    bool is_host;
    unsigned versions[MOST_VERSIONS];
    size_t n_versions;
};

struct listing {
    struct listed *models; // in the order of their names
    size_t n_models;
};

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct listed *)a)->name, ((const struct listed *)b)->name);
}

static struct listed *find_or_add(struct arena *arena, struct listing *listing, const char *name) {
    for (size_t i = 0; i < listing->n_models; i++)
        if (strcmp(listing->models[i].name, name) == 0)
            return &listing->models[i];
    listing->models = arena_grow(arena, listing->models, listing->n_models, sizeof *listing->models);
    listing->models[listing->n_models] = (struct listed){.name = name};
    return &listing->models[listing->n_models++];
}

static bool add_version(struct arena *arena, const struct isa *isa, const char *llvm, struct listing *listing,
                        struct fail *fail) {
    const struct backend *backend = backend_load(arena, llvm, fail);
    const char *const *names;
    size_t n = backend ? backend->list_cpus(arena, isa->triple, &names, fail) : 0;
    for (size_t i = 0; i < n; i++) {
        struct listed *model = find_or_add(arena, listing, names[i]);
        model->is_host |= isa == isa_native() && strcmp(names[i], backend->host_cpu()) == 0;
        if (model->n_versions < MOST_VERSIONS)
            model->versions[model->n_versions++] = backend->major;
    }
    return fail->status == FAIL_NONE;
}

static bool print_model_json(const struct listed *model, const struct isa *isa, struct fail *fail) {
    json_t *versions = json_array();
    for (size_t i = 0; i < model->n_versions; i++)
        json_array_append_new(versions, json_integer(model->versions[i]));
    return print_line(json_pack("{s:s, s:s, s:b, s:o}", "model", model->name, "isa", isa->name, "host", model->is_host,
                                "llvm", versions),
                      fail);
}

static void add_row(struct table *table, const char *name, const char *versions, const char *about) {
    table_cell(table, "%s", name);
    table_cell(table, "%s", versions);
    table_cell(table, "%s", about);
}

static const char *version_list(struct arena *arena, const struct listed *model) {
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
        if (is_of_isa && args.json && !print_model_json(&(struct listed){.name = name}, isa, fail))
            return false;
        if (is_of_isa)
            add_row(table, name, "", arena_strdup(arena, overlay_about(overlay)));
        overlay_close(overlay);
    }
    return true;
}

static bool list_models(struct arena *arena, struct fail *fail) {
    const struct isa *isa = cli_isa(arena, args.isa, fail);
    struct listing listing = {0};
    struct table table = {.arena = arena};
    const unsigned *majors;
    if (!isa)
        return false;
    size_t n = args.llvms.n_items ? args.llvms.n_items : backend_versions(arena, &majors);
    for (size_t i = 0; i < n || i == 0; i++) {
        const char *llvm = args.llvms.n_items ? args.llvms.items[i] : n ? arena_printf(arena, "%u", majors[i]) : NULL;
        if (!add_version(arena, isa, llvm, &listing, fail))
            return false;
    }
    qsort(listing.models, listing.n_models, sizeof *listing.models, by_name);
    table_column(&table, TABLE_LEFT, "model");
    table_column(&table, TABLE_LEFT, "LLVM");
    table_column(&table, TABLE_WRAP, "");
    for (size_t i = 0; i < listing.n_models; i++) {
        const struct listed *model = &listing.models[i];
        if (args.json && !print_model_json(model, isa, fail))
            return false;
        add_row(&table, model->name, version_list(arena, model), model->is_host ? "this CPU" : "");
    }
    if (!list_overlays(arena, isa, &table, fail))
        return false;
    if (!args.json)
        table_print(&table, stdout, cli_wants_colour());
    return true;
}

static bool list_events(struct arena *arena, struct fail *fail) {
    const char **names;
    size_t n = events_list(arena, -1, &names, fail);
    for (size_t i = 0; i < n; i++) {
        if (!args.json)
            printf("  %s\n", names[i]);
        else if (!print_line(json_pack("{s:s}", "event", names[i]), fail))
            return false;
    }
    return fail->status == FAIL_NONE;
}

static bool list(struct arena *arena, const struct operands *operands, struct fail *fail) {
    static const struct {
        const char *name;
        bool (*list)(struct arena *arena, struct fail *fail);
    } subjects[] = {{"kernels", list_kernels}, {"models", list_models}, {"events", list_events}};
    if (operands->n_items != 1)
        return fail_set(fail, FAIL_INPUT, "say what to list: kernels, models or events");
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        if (strcmp(operands->items[0], subjects[i].name) == 0)
            return subjects[i].list(arena, fail);
    return fail_set(fail, FAIL_INPUT, "cannot list '%s': there are kernels, models and events", operands->items[0]);
}

int cmd_list(int argc, char **argv) {
    return cli_run(&command, argc, argv, list);
}
