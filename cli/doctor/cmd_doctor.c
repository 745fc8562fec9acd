// cyclops doctor: what this machine allows, and how to allow more.
#include "cli/cli.h"

#include "base/options.h"
#include "base/screen.h"
#include "bench/host/control.h"
#include "bench/host/files.h"
#include "cli/doctor/doctor.h"
#include "lab/lab.h"

#include <stdio.h>
#include <string.h>

static struct {
    bool json, restore;
    const char *llvm, *core_type;
    struct option_count cpu;
} args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Options", NULL},
    {OPTION_COUNT, "cpu", "N", "Logical CPU to look at. Default: the one 'cyclops run' would take.", &args.cpu},
    {OPTION_TEXT, "core-type", "performance|middle|efficiency", "Type of core to choose from.", &args.core_type},
    {OPTION_TEXT, "llvm", "LLVM", "Version (22), module or folder of LLVM to try.", &args.llvm},
    {OPTION_FLAG, "restore", NULL,
     "Put back what a run changed (boost, governor, limits) if it and its guardian were killed. Do nothing else.",
     &args.restore},
    {OPTION_FLAG, "json", NULL, "Print one JSON object.", &args.json},
    {0},
};

static const struct command command = {
    "cyclops doctor",
    "[options]",
    "Reports what Cyclops can use on this machine: CPU, caches, mitigations,\n"
    "counters, clocks, frequency control, assembler, scheduling models. It changes\n"
    "nothing. A line that is not 'ok' says what to do; where a command helps, it\n"
    "follows after '$'.\n"
    "\n"
    "Exit 0: something can be measured here; 77: nothing can.\n",
    "  cyclops doctor\n",
    options,
};

// Examines the clock by opening it: assembles its chains and calibrates.
static bool examine_clock(struct diagnosis *d, struct lab *lab, const struct lab_options *lab_options) {
    struct fail fail = {0};
    struct program *chains[N_CHAINS];
    if (!gen_assemble(d->arena, chains, chains_list(lab->chains, chains), &fail)) {
        doctor_find(d, HEALTH_MISSING, "assembler", arena_strdup(d->arena, fail.text), "", NULL);
        return false;
    }
    doctor_find(d, HEALTH_OK, "assembler", "GNU as works", "", NULL);
    if (!lab_start(lab, lab_options, &fail)) {
        doctor_find(d, HEALTH_MISSING, "clock", arena_strdup(d->arena, fail.text), "", NULL);
        return false;
    }
    doctor_examine_clocks(d, &lab->bench);
    return true;
}

static void examine_models(struct diagnosis *d) {
    struct fail fail = {0};
    const struct backend *backend = backend_load(d->arena, args.llvm, &fail);
    if (!backend) {
        doctor_find(d, HEALTH_MISSING, "models", arena_strdup(d->arena, fail.text), "", NULL);
        return;
    }
    const char *cpu = backend->host_cpu();
    const char *text =
        arena_printf(d->arena, "LLVM %s; this CPU is its '%s'", backend->version, *cpu ? cpu : "unknown");
    if (!*cpu || strcmp(cpu, "generic") == 0)
        doctor_find(d, HEALTH_LIMITED, "models", text, "Name the nearest model with --mcpu.", NULL);
    else if (strcmp(cpu, backend->llvm_host_cpu()) != 0)
        doctor_find(d, HEALTH_LIMITED, "models", arena_printf(d->arena, "%s, by its features", text),
                    arena_printf(d->arena,
                                 "By family and model LLVM would take '%s', which lacks many of this CPU's features. "
                                 "--mcpu names another model.",
                                 backend->llvm_host_cpu()),
                    NULL);
    else
        doctor_find(d, HEALTH_OK, "models", text, "", NULL);
}

// Returns the columns to use: those of the screen, up to a readable width.
static unsigned columns_to_fill(void) {
    enum { WIDE = 120 };
    size_t columns = screen_columns(stdout);
    return columns < WIDE ? (unsigned)columns : WIDE;
}

static bool print(const struct diagnosis *d, const struct host *host, struct fail *fail) {
    if (!args.json) {
        doctor_print(d, cli_wants_colour(), columns_to_fill());
        return true;
    }
    return doctor_print_json(d, host, fail);
}

static void examine_files(struct diagnosis *d, const struct host *host) {
    doctor_examine_host(d, host);
    doctor_examine_frequency(d, host);
    doctor_examine_leftovers(d);
}

// Examines a captured machine, on which Cyclops cannot run.
static bool examine_captured(struct diagnosis *d, struct fail *fail) {
    struct host_request request = {args.cpu.is_given ? (int)args.cpu.value : -1, args.core_type};
    struct host host;
    if (!host_read(d->arena, &request, &host, fail))
        return false;
    examine_files(d, &host);
    doctor_examine_time_clock(d, &host, NULL);
    return print(d, &host, fail);
}

static bool examine(struct diagnosis *d, bool *can_measure, struct fail *fail) {
    static const char *none[] = {"none"};
    struct lab lab;
    struct lab_options lab_options = {.isa = cli_isa(d->arena, NULL, fail),
                                      .target = "native",
                                      .listener = &cli_listener,
                                      .keeps_frequency = true,
                                      .cpus = {none, 1},
                                      .core_type = args.core_type,
                                      .bench.cpu = args.cpu.is_given ? (int)args.cpu.value : -1};
    if (!lab_options.isa || !lab_open(&lab, d->arena, &lab_options, fail))
        return false;
    examine_files(d, &lab.host);
    doctor_examine_process(d);
    *can_measure = examine_clock(d, &lab, &lab_options);
    doctor_examine_time_clock(d, &lab.host, *can_measure ? &lab.bench : NULL);
    examine_models(d);
    bool is_printed = print(d, &lab.host, fail);
    lab_close(&lab);
    return is_printed;
}

static bool restore(struct arena *arena, struct fail *fail) {
    struct guardian_leftovers left;
    const char *folder = host_control_folder(arena);
    if (!folder || !guardian_mend(arena, folder, &left, fail))
        return folder ||
               fail_set(fail, FAIL_UNAVAILABLE, "cannot look for what was changed: XDG_RUNTIME_DIR is not set");
    if (left.is_in_use)
        return fail_set(fail, FAIL_UNAVAILABLE, "runs are still going on; each puts back what it changed when it ends");
    if (!left.n_settings)
        puts("nothing to put back");
    for (size_t i = 0; i < left.n_settings; i++)
        if (strcmp(left.settings[i].before, left.settings[i].after) != 0)
            printf("%s: %s\n", left.settings[i].path, left.settings[i].before);
    return true;
}

static int work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    if (operands->n_items)
        return fail_set(fail, FAIL_INPUT, "doctor takes no operands, but was given '%s'", operands->items[0]);
    struct diagnosis d = {.arena = arena};
    bool can_measure = true;
    bool is_done = args.restore          ? restore(arena, fail)
                   : host_root_is_real() ? examine(&d, &can_measure, fail)
                                         : examine_captured(&d, fail);
    return !is_done ? (int)fail->status : can_measure ? 0 : (int)FAIL_UNAVAILABLE;
}

int cmd_doctor(int argc, char **argv) {
    return cli_run_status(&command, argc, argv, work);
}
