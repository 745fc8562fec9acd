// cyclops mca: simulates assembly under a scheduling model, with llvm-mca's options and in its layout.
#include "cli/cli.h"

#include "analyzer/bounds/rthroughput.h"
#include "analyzer/model/backend.h"
#include "analyzer/pipeline/pipeline.h"
#include "analyzer/views/views.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static struct {
    const char *cpu, *triple, *arch, *llvm, *output;
    struct option_list features;
    unsigned long iterations, dispatch, register_file_size, load_queue, store_queue;
    unsigned long call_latency;
    const char *syntax;
    bool no_alias, print_hex, summary, instruction_info, resource_pressure;
} args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Which machine", NULL},
    {OPTION_TEXT, "mcpu", "CPU", "LLVM's name of the CPU. Default: native, this one.", &args.cpu},
    {OPTION_TEXT, "mtriple", "TRIPLE", "Target, as in aarch64-linux-gnu. Default: this machine's.", &args.triple},
    {OPTION_TEXT, "march", "ARCH", "Architecture, where the triple does not tell it.", &args.arch},
    {OPTION_LIST, "mattr", "+A,-B", "CPU features to add and to take away.", &args.features},
    {OPTION_TEXT, "llvm", "LLVM", "Version (19), module or folder of LLVM to ask. Default: the newest.", &args.llvm},
    {OPTION_HEADING, NULL, NULL, "What to change on it", NULL},
    {OPTION_COUNT, "dispatch", "N", "Uops dispatched a cycle. Default: 0, the model's.", &args.dispatch},
    {OPTION_COUNT, "register-file-size", "N", "Physical registers for renaming. Default: 0, unlimited.",
     &args.register_file_size},
    {OPTION_COUNT, "lqueue", "N", "Entries of the load queue. Default: 0, the model's.", &args.load_queue},
    {OPTION_COUNT, "squeue", "N", "Entries of the store queue. Default: 0, the model's.", &args.store_queue},
    {OPTION_FLAG, "noalias", NULL, "Loads do not wait for older stores. Default: true.", &args.no_alias},
    {OPTION_COUNT, "call-latency", "N", "Cycles that a call is taken to last. Default: 100.", &args.call_latency},
    {OPTION_HEADING, NULL, NULL, "What to run and print", NULL},
    {OPTION_COUNT, "iterations", "N", "How often the block is executed. Default: 0, 100 times.", &args.iterations},
    {OPTION_FLAG, "summary-view", NULL, "Print the totals. Default: true.", &args.summary},
    {OPTION_FLAG, "instruction-info", NULL, "Print what the model says of each instruction. Default: true.",
     &args.instruction_info},
    {OPTION_FLAG, "resource-pressure", NULL, "Print how long each pipe is held. Default: true.",
     &args.resource_pressure},
    {OPTION_TEXT, "output-asm-variant", "N", "Print instructions in syntax N (x86: 0 AT&T, 1 Intel).", &args.syntax},
    {OPTION_FLAG, "print-imm-hex", NULL, "Print immediates in hexadecimal.", &args.print_hex},
    {OPTION_TEXT, "o", "FILE", "Write the report there instead of to stdout.", &args.output},
    {0},
};

static const struct command command = {
    "mca",
    "[options] FILE.s|-",
    "Simulates the instructions of an assembly file, over and over, on the CPU as\n"
    "LLVM's scheduling model describes it. No instruction is executed, and no branch\n"
    "is followed: the block is a loop body. Caches are taken to hit.\n"
    "\n"
    "Options, regions and reports are llvm-mca's. Only the instructions between these\n"
    "comments are simulated, each region by itself; without comments, all are:\n"
    "  # LLVM-MCA-BEGIN name\n"
    "  # LLVM-MCA-END name\n"
    "\n"
    "Start with 'Block RThroughput', the cycles an iteration takes if nothing waits\n"
    "for a result; if Total Cycles / Iterations is well above, a chain of dependent\n"
    "instructions or the spread over pipes is what costs time.\n",
    "  cyclops mca -mcpu=znver4 dot-product.s\n"
    "  echo 'imul %rax, %rbx' | cyclops mca -mcpu=skylake -iterations=1000 -\n",
    options,
};

static bool fits(const char *name, unsigned long value, struct fail *fail) {
    if (value <= UINT_MAX)
        return true;
    return fail_set(fail, FAIL_INPUT, "option --%s takes at most %u, not %lu", name, UINT_MAX, value);
}

static bool check_args(struct fail *fail) {
    return fits("dispatch", args.dispatch, fail) && fits("register-file-size", args.register_file_size, fail) &&
           fits("lqueue", args.load_queue, fail) && fits("squeue", args.store_queue, fail) &&
           fits("call-latency", args.call_latency, fail);
}

static bool parse_syntax(int *syntax, struct fail *fail) {
    *syntax = -1;
    if (args.syntax == NULL || strcmp(args.syntax, "-1") == 0)
        return true;
    if (args.syntax[0] < '0' || args.syntax[0] > '9' || args.syntax[1] != '\0')
        return fail_set(fail, FAIL_INPUT, "option --output-asm-variant takes a syntax number such as 0 or 1, not '%s'",
                        args.syntax);
    *syntax = args.syntax[0] - '0';
    return true;
}

// Several -mattr are one list.
static const char *joined_features(struct arena *arena) {
    struct text text = {.arena = arena};
    for (size_t i = 0; i < args.features.n_items; i++)
        text_addf(&text, "%s%s", i != 0 ? "," : "", args.features.items[i]);
    return text.length != 0 ? text.data : NULL;
}

static struct backend_cpu *open_cpu(const struct backend *backend, struct arena *arena, struct fail *fail) {
    struct backend_options cpu = {
        .triple = args.triple,
        .arch = args.arch,
        .cpu = args.cpu,
        .features = joined_features(arena),
        .call_latency = (unsigned)args.call_latency,
        .print_hex = args.print_hex,
    };
    return parse_syntax(&cpu.output_syntax, fail) ? backend->open(arena, &cpu, fail) : NULL;
}

// An open CPU, and what the reports need of it.
struct session {
    const struct machine *machine;
    unsigned llvm; // major version; the reports are to equal its llvm-mca's
    struct arena *arena;
    FILE *out;
    struct fail *fail;
};

static bool run(const struct session *session, const struct block *block, struct event_listener *const *listeners) {
    const struct pipeline_options simulated = {
        .iterations = args.iterations,
        .dispatch_width = (unsigned)args.dispatch,
        .register_file_size = (unsigned)args.register_file_size,
        .load_queue = (unsigned)args.load_queue,
        .store_queue = (unsigned)args.store_queue,
        .assume_alias = !args.no_alias,
        .mistakes_of_llvm = session->llvm,
    };
    struct pipeline_result result;
    return pipeline_run(session->machine, block, &simulated, listeners, &result, session->fail);
}

static bool report(const struct session *session, const struct block *block) {
    const struct machine *machine = session->machine;
    unsigned width = args.dispatch != 0 ? (unsigned)args.dispatch : machine->dispatch_width;
    struct summary_view summary;
    struct resource_pressure_view pressure;
    struct event_listener *listeners[3] = {NULL};
    unsigned n_listeners = 0;
    summary_view_init(&summary, block, width, session->arena);
    resource_pressure_view_init(&pressure, machine, block, session->arena);
    if (args.summary)
        listeners[n_listeners++] = &summary.listener;
    if (args.resource_pressure)
        listeners[n_listeners++] = &pressure.listener;
    if (!run(session, block, listeners))
        return false;
    if (args.summary)
        summary_view_print(&summary, block_rthroughput(machine, &summary.retired, width), session->out);
    if (args.instruction_info)
        instruction_info_print(block, false, false, session->out);
    if (args.resource_pressure)
        resource_pressure_view_print(&pressure, session->out);
    return true;
}

static bool report_all(const struct session *session, const struct backend_source *source) {
    for (size_t i = 0; i < source->n_blocks; i++) {
        const struct block *block = &source->blocks[i];
        const char *dash = block->name[0] != '\0' ? " - " : "";
        if (block->is_marked)
            fprintf(session->out, "\n[%zu] Code Region%s%s\n\n", i, dash, block->name);
        if (!report(session, block))
            return false;
    }
    return true;
}

// The file is opened before anything is simulated: who cannot write there shall not wait for it.
static bool report_to_output(struct session *session, const struct backend_source *source) {
    if (args.output == NULL || strcmp(args.output, "-") == 0)
        return report_all(session, source);
    session->out = fopen(args.output, "w");
    if (session->out == NULL)
        return fail_set(session->fail, FAIL_WORK, "cannot write '%s': %s", args.output, strerror(errno));
    bool done = report_all(session, source);
    bool failed = ferror(session->out) != 0;
    failed |= fclose(session->out) != 0;
    if (done && failed)
        return fail_set(session->fail, FAIL_WORK, "cannot write '%s': %s", args.output, strerror(errno));
    return done;
}

static bool simulate(struct arena *arena, const char *path, struct fail *fail) {
    char *text;
    size_t length;
    struct backend_source source;
    const struct backend *backend = backend_load(arena, args.llvm, fail);
    if (backend == NULL || !file_read(arena, path, &text, &length, fail))
        return false;
    struct backend_cpu *cpu = open_cpu(backend, arena, fail);
    if (cpu == NULL)
        return false;
    struct session session = {
        .machine = backend->machine(cpu), .llvm = backend->major, .arena = arena, .out = stdout, .fail = fail};
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    bool done = backend->describe_text(cpu, arena, name, text, &source, fail) && report_to_output(&session, &source);
    backend->close(cpu);
    return done;
}

int cmd_mca(int argc, char **argv) {
    struct arena arena = {0};
    struct operands operands = {0};
    struct fail fail = {0};
    args.no_alias = args.summary = args.instruction_info = args.resource_pressure = true;
    if (options_parse(&arena, &command, argc, argv, &operands, &fail) == OPTIONS_OK && check_args(&fail)) {
        if (operands.n_items > 1)
            fail_set(&fail, FAIL_INPUT, "give one file, not '%s' and '%s'", operands.items[0], operands.items[1]);
        else
            simulate(&arena, operands.n_items != 0 ? operands.items[0] : "-", &fail);
    }
    int status = fail.status != FAIL_NONE ? cli_failed(&fail) : cli_finish();
    arena_free(&arena);
    return status;
}
