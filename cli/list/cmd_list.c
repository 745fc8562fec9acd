// cyclops list: kernels, models, what changed in them, and events.
#include "cli/cli.h"
#include "cli/list/list.h"

#include "base/json.h"
#include "base/options.h"
#include "base/table.h"
#include "bench/counters/events.h"

#include <stdio.h>
#include <string.h>

struct list_args list_args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Options", NULL},
    {OPTION_TEXT, "isa", "x86_64|aarch64|armv7|mips|mipsel|riscv64",
     "Only this ISA's. Default: kernels of all ISAs; models of this one.", &list_args.isa},
    {OPTION_TEXT, "kernels", "DIR", "Read kernel files below DIR/ISA instead of the installed ones.",
     &list_args.kernels},
    {OPTION_LIST, "llvm", "LLVM",
     "Version (22), module or folder of LLVM whose models to list; may be repeated. Default: all that are installed. "
     "changes: from the first to the second.",
     &list_args.llvms},
    {OPTION_TEXT, "mcpu", "CPU",
     "changes: list the opcodes of this CPU, each with its numbers before and after. forms: with this CPU's extensions "
     "and "
     "scheduling classes.",
     &list_args.cpu},
    {OPTION_FLAG, "run", NULL,
     "forms: run each usable one once, in the sandbox, and print how it ended: so it shows which of them this CPU has.",
     &list_args.run},
    {OPTION_LIST, "vector", "all|CONFIG,...",
     "forms: RISC-V's vector forms with these configurations, as 'cyclops survey' has them.", &list_args.vectors},
    {OPTION_FLAG, "json", NULL, "Print JSON Lines.", &list_args.json},
    {0},
};

static const struct command command = {
    "cyclops list",
    "kernels|forms [PATTERN...]|models|changes|events [options]",
    "kernels   what can be measured by name: 'cyclops run NAME'\n"
    "forms     what LLVM knows of the ISA, opcode by opcode, each with an example; a\n"
    "          PATTERN is a regular expression of whole names or mnemonics, and shows\n"
    "          those left out too\n"
    "models    CPUs with a scheduling model, and the versions of LLVM that have it:\n"
    "          'cyclops run NAME --mcpu CPU'. CPUs that schedule as the same one\n"
    "          share a model\n"
    "changes   opcodes with other numbers in another version of LLVM: how many there\n"
    "          are, by CPU, or (--mcpu) which\n"
    "events    hardware events that libpfm4 knows for this CPU\n",
    "  cyclops list kernels --isa aarch64\n"
    "  cyclops list forms 'VADDPS.*'\n"
    "  cyclops list forms addq\n"
    "  cyclops list forms --run 'PREFETCH.*'\n"
    "  cyclops list models\n"
    "  cyclops list changes --llvm 19 --llvm 22\n",
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
    const struct isa *isa = list_args.isa ? cli_isa(arena, list_args.isa, fail) : NULL;
    if ((list_args.isa && !isa) || !cli_load_kernels(arena, list_args.kernels, isa ? isa->name : NULL, &set, fail))
        return false;
    struct table table = {.arena = arena};
    table_column(&table, TABLE_LEFT, "kernel");
    table_column(&table, TABLE_LEFT, "isa");
    table_column(&table, TABLE_NOTE, "about");
    for (size_t i = 0; i < set.n_kernels; i++) {
        const struct kernel *kernel = &set.kernels[i];
        if (list_args.json && !print_kernel(kernel, fail))
            return false;
        table_cell(&table, "%s", kernel->name);
        table_cell(&table, "%s", kernel->isa->name);
        table_cell(&table, "%s", kernel->about ? kernel->about : "");
    }
    if (!list_args.json)
        table_print(&table, stdout, cli_wants_colour());
    return true;
}

static bool list_events(struct arena *arena, struct fail *fail) {
    const char **names;
    size_t n = events_list(arena, -1, &names, fail);
    for (size_t i = 0; i < n; i++) {
        if (!list_args.json)
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
    } subjects[] = {
        {"kernels", list_kernels}, {"models", list_models}, {"changes", list_changes}, {"events", list_events}};
    if (operands->n_items > 0 && strcmp(operands->items[0], "forms") == 0)
        return list_forms(arena, operands, fail);
    if (operands->n_items != 1)
        return fail_set(fail, FAIL_INPUT, "say what to list: kernels, forms, models, changes or events");
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        if (strcmp(operands->items[0], subjects[i].name) == 0)
            return subjects[i].list(arena, fail);
    return fail_set(fail, FAIL_INPUT, "cannot list '%s': there are kernels, forms, models, changes and events",
                    operands->items[0]);
}

int cmd_list(int argc, char **argv) {
    return cli_run(&command, argc, argv, list);
}
