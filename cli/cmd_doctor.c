// cyclops doctor: what this machine allows, and what to do about what it doesn't.
#include "cli/cli.h"

#include "base/json.h"
#include "base/table.h"
#include "cli/lab.h"
#include "cli/options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    bool json;
    const char *llvm;
    unsigned long cpu;
} args = {.cpu = ~0UL};

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Options", NULL},
    {OPTION_COUNT, "cpu", "N", "Logical CPU to look at. Default: the one 'cyclops run' would take.", &args.cpu},
    {OPTION_TEXT, "llvm", "LLVM", "Version (19), module or folder of LLVM to try.", &args.llvm},
    {OPTION_FLAG, "json", NULL, "Print one JSON object.", &args.json},
    {0},
};

static const struct command command = {
    "doctor",
    "[options]",
    "Says what of this machine Cyclops can use: CPU, clocks, frequency control,\n"
    "assemblers, scheduling models. Each line that is not 'ok' says what to do.\n"
    "Exit 0: something can be measured here; 77: nothing can.\n",
    "  cyclops doctor\n",
    options,
};

enum health { HEALTH_OK, HEALTH_LIMITED, HEALTH_MISSING };

struct diagnosis {
    struct arena *arena;
    struct table table;
    json_t *findings;
};

static void add(struct diagnosis *d, enum health health, const char *subject, const char *finding, const char *advice) {
    static const char *const names[] = {"ok", "limited", "missing"};
    static const enum table_colour colours[] = {TABLE_GREEN, TABLE_YELLOW, TABLE_RED};
    table_cell_colour(&d->table, colours[health], "%s", names[health]);
    table_cell(&d->table, "%s", subject);
    table_cell(&d->table, "%s%s%s", finding, *advice ? ": " : "", advice);
    json_array_append_new(d->findings, json_pack("{s:s, s:s, s:s, s:s}", "subject", subject, "health", names[health],
                                                 "finding", finding, "advice", advice));
}

static void examine_host(struct diagnosis *d, const struct host *host) {
    add(d, HEALTH_OK, "CPU",
        arena_printf(d->arena, "%s, family %u model %u stepping %u, microcode %s", host->cpu_name, host->family,
                     host->model, host->stepping, host->microcode ? host->microcode : "unknown"),
        "");
    add(d, HEALTH_OK, "measuring on",
        arena_printf(d->arena, "CPU %d%s%s of %u; %u cores%s", host->cpu, host->core_type ? ", type " : "",
                     host->core_type ? host->core_type : "", host->n_cpus, host->n_cores,
                     host->smt ? "; SMT: its sibling should be idle" : ""),
        "");
    if (host->hypervisor)
        add(d, HEALTH_LIMITED, "hypervisor", host->hypervisor,
            "a neighbour on the same core cannot be seen: repeat values that matter");
    if (host->has_pmu)
        add(d, HEALTH_OK, "counters", "a core PMU is registered", "");
    else
        add(d, HEALTH_LIMITED, "counters", host->pmu_note ? host->pmu_note : "none",
            "cycles come from the ratio clock, and uops and pipes cannot be counted");
}

static void examine_frequency(struct diagnosis *d, const struct host *host) {
    static const char *const turbo[] = {"unknown", "on", "off"};
    if (!host->turbo_file)
        add(d, HEALTH_LIMITED, "boost", "not controllable here",
            "the reference chain beside each sample cancels slow changes of frequency");
    else if (host->turbo == TURBO_OFF || host->turbo_writable)
        add(d, HEALTH_OK, "boost",
            arena_printf(d->arena, "%s (%s)", turbo[host->turbo],
                         host->turbo_writable ? "switched off while measuring" : host->turbo_file),
            "");
    else
        add(d, HEALTH_LIMITED, "boost", turbo[host->turbo],
            arena_printf(d->arena, "run as root, or write to %s", host->turbo_file));
    if (host->governor)
        add(d, strcmp(host->governor, "performance") == 0 ? HEALTH_OK : HEALTH_LIMITED, "governor", host->governor,
            strcmp(host->governor, "performance") == 0 ? "" : "'cpupower frequency-set -g performance' steadies it");
}

// Opens the clock for real: assembles its chains and calibrates.
static bool examine_clock(struct diagnosis *d, struct lab *lab, const struct lab_options *lab_options) {
    struct fail fail = {0};
    if (!lab->chains[N_CHAINS - 1]) {
        add(d, HEALTH_MISSING, "clock", "no reference chain", "");
        return false;
    }
    if (!gen_assemble(d->arena, lab->chains, N_CHAINS, &fail)) {
        add(d, HEALTH_MISSING, "assembler", fail.text, "");
        return false;
    }
    add(d, HEALTH_OK, "assembler", "GNU as works", "");
    if (!lab_start(lab, lab_options, &fail)) {
        add(d, HEALTH_MISSING, "clock", fail.text, "");
        return false;
    }
    const struct bench *bench = &lab->bench;
    add(d, bench->stable ? HEALTH_OK : HEALTH_LIMITED, "clock", bench->clock_note,
        bench->stable ? "" : "the host is too noisy now; results will be flagged unstable");
    add(d, bench->stable ? HEALTH_OK : HEALTH_LIMITED, "cross-check",
        arena_printf(d->arena, "a multiply takes %.3f adds", bench->cross_check_cycles),
        bench->stable ? "" : "it should be an integer");
    return true;
}

static void examine_models(struct diagnosis *d) {
    struct fail fail = {0};
    const struct backend *backend = backend_load(d->arena, args.llvm, &fail);
    if (!backend) {
        add(d, HEALTH_MISSING, "models", fail.text, "");
        return;
    }
    const char *cpu = backend->host_cpu();
    bool is_known = *cpu && strcmp(cpu, "generic") != 0;
    add(d, is_known ? HEALTH_OK : HEALTH_LIMITED, "models",
        arena_printf(d->arena, "LLVM %s; this CPU is its '%s'", backend->version, *cpu ? cpu : "unknown"),
        is_known ? "" : "name the nearest model with --mcpu");
}

static void examine_features(struct diagnosis *d, const struct host *host) {
    static const char *const features[] = {"sse2", "avx", "avx2", "fma", "avx512f", "neon", "sve"};
    struct text have = {.arena = d->arena};
    text_add(&have, "");
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (host_has_feature(host, features[i]))
            text_addf(&have, "%s%s", have.length ? " " : "", features[i]);
    add(d, HEALTH_OK, "features", have.length ? have.data : "none of those that kernels ask for", "");
}

static int print(struct diagnosis *d, const struct host *host, struct fail *fail) {
    if (!args.json) {
        table_print(&d->table, stdout, cli_wants_colour());
        json_decref(d->findings);
        return 0;
    }
    json_t *all = json_object();
    json_object_set_new(all, "host", host_to_json(host));
    json_object_set_new(all, "findings", d->findings);
    return json_write_line(stdout, all, fail) ? 0 : (int)fail->status;
}

static int examine(struct arena *arena, struct fail *fail) {
    struct diagnosis d = {.arena = arena, .table = {.arena = arena}, .findings = json_array()};
    for (int i = 0; i < 3; i++)
        table_column(&d.table, TABLE_LEFT, "");
    static const char *none[] = {"none"};
    struct lab lab;
    struct lab_options lab_options = {.isa = cli_isa(arena, NULL, fail),
                                      .target = "native",
                                      .keeps_frequency = true,
                                      .cpus = {none, 1},
                                      .bench.cpu = args.cpu == ~0UL ? -1 : (int)args.cpu};
    bool can_measure = false;
    if (!lab_options.isa || !lab_open(&lab, arena, &lab_options, fail)) {
        json_decref(d.findings);
        return (int)fail->status;
    }
    examine_host(&d, &lab.host);
    examine_features(&d, &lab.host);
    examine_frequency(&d, &lab.host);
    can_measure = examine_clock(&d, &lab, &lab_options);
    examine_models(&d);
    int status = print(&d, &lab.host, fail);
    lab_close(&lab);
    return status ? status : can_measure ? 0 : (int)FAIL_UNAVAILABLE;
}

int cmd_doctor(int argc, char **argv) {
    struct arena arena = {0};
    struct operands operands = {0};
    struct fail fail = {0};
    int status = 0;
    if (options_parse(&arena, &command, argc, argv, &operands, &fail) == OPTIONS_OK) {
        if (operands.n_items)
            fail_set(&fail, FAIL_INPUT, "doctor takes no operands, but was given '%s'", operands.items[0]);
        else
            status = examine(&arena, &fail);
    }
    if (fail.status != FAIL_NONE)
        status = cli_failed(&fail);
    else if (cli_finish() != 0)
        status = FAIL_WORK;
    arena_free(&arena);
    return status;
}
