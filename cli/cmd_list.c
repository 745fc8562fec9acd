// cyclops list: kernels, machines and events.
#include "cli/cli.h"

#include "analyzer/model/backend.h"
#include "analyzer/model/overlay.h"
#include "base/file.h"
#include "base/json.h"
#include "base/options.h"
#include "base/screen.h"
#include "base/table.h"
#include "bench/counters/events.h"

#include <stdio.h>
#include <string.h>

static struct {
    const char *isa, *kernels, *llvm;
    bool json;
} args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Options", NULL},
    {OPTION_TEXT, "isa", "ISA", "Only this ISA's. Default: kernels of all ISAs; machines of this one.", &args.isa},
    {OPTION_TEXT, "kernels", "DIR", "Read kernel files below DIR/ISA instead of the installed ones.", &args.kernels},
    {OPTION_TEXT, "llvm", "LLVM", "Version (19), module or folder of LLVM to ask for machines.", &args.llvm},
    {OPTION_FLAG, "json", NULL, "Print JSON Lines.", &args.json},
    {0},
};

static const struct command command = {
    "cyclops list",
    "kernels|machines|events [options]",
    "kernels    what can be measured by name: 'cyclops run NAME'\n"
    "machines   CPUs with a scheduling model: 'cyclops run NAME --mcpu CPU'\n"
    "events     hardware events that libpfm4 knows for this CPU\n",
    "  cyclops list kernels --isa aarch64\n"
    "  cyclops list machines\n",
    options,
};

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
    return json_write_line(stdout,
                           json_pack("{s:s, s:s, s:s, s:i, s:o}", "kernel", kernel->name, "isa", kernel->isa->name,
                                     "about", kernel->about ? kernel->about : "", "instructions",
                                     (int)kernel->n_instructions, "expect", expectations(kernel)),
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

static bool print_machine(const char *name, const char *isa, bool is_host, const char *about, struct fail *fail) {
    if (args.json)
        return json_write_line(stdout, json_pack("{s:s, s:s, s:b}", "machine", name, "isa", isa, "host", is_host),
                               fail);
    struct arena arena = {0};
    const char *line =
        arena_printf(&arena, "  %s%s%s%s", name, is_host ? "   (this CPU)" : "", *about ? "   " : "", about);
    screen_print_sentence(line, stdout);
    arena_free(&arena);
    return true;
}

// Lists the installed overlays of an ISA.
static bool list_overlays(struct arena *arena, const struct isa *isa, struct fail *fail) {
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
        if (is_of_isa && !print_machine(name, isa->name, false, overlay_about(overlay), fail))
            return false;
        overlay_close(overlay);
    }
    return true;
}

static bool list_machines(struct arena *arena, struct fail *fail) {
    const struct isa *isa = cli_isa(arena, args.isa, fail);
    const struct backend *backend = isa ? backend_load(arena, args.llvm, fail) : NULL;
    const char *const *names;
    if (!backend)
        return false;
    size_t n = backend->list_cpus(arena, isa->triple, &names, fail);
    for (size_t i = 0; i < n; i++) {
        bool is_host = isa == isa_native() && strcmp(names[i], backend->host_cpu()) == 0;
        if (!print_machine(names[i], isa->name, is_host, "", fail))
            return false;
    }
    return fail->status == FAIL_NONE && list_overlays(arena, isa, fail);
}

static bool list_events(struct arena *arena, struct fail *fail) {
    const char **names;
    size_t n = events_list(arena, -1, &names, fail);
    for (size_t i = 0; i < n; i++) {
        if (!args.json)
            printf("  %s\n", names[i]);
        else if (!json_write_line(stdout, json_pack("{s:s}", "event", names[i]), fail))
            return false;
    }
    return fail->status == FAIL_NONE;
}

static bool list(struct arena *arena, const struct operands *operands, struct fail *fail) {
    static const struct {
        const char *name;
        bool (*list)(struct arena *arena, struct fail *fail);
    } subjects[] = {{"kernels", list_kernels}, {"machines", list_machines}, {"events", list_events}};
    if (operands->n_items != 1)
        return fail_set(fail, FAIL_INPUT, "say what to list: kernels, machines or events");
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        if (strcmp(operands->items[0], subjects[i].name) == 0)
            return subjects[i].list(arena, fail);
    return fail_set(fail, FAIL_INPUT, "cannot list '%s': there are kernels, machines and events", operands->items[0]);
}

int cmd_list(int argc, char **argv) {
    return cli_run(&command, argc, argv, list);
}
