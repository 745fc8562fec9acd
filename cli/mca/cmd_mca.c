// cyclops mca: simulates assembly under a scheduling model, with llvm-mca's options and in its layout.
#include "cli/cli.h"

#include "analyzer/cpu/pipes.h"
#include "analyzer/model/model.h"
#include "cli/mca/input.h"
#include "cli/mca/option_table.h"
#include "cli/mca/options.h"
#include "cli/mca/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// Reports to the --output file. Opens it before the simulation, so that a failure comes at once.
static bool report_to_output(struct mca_session *session, const struct model *model,
                             const struct backend_source *source) {
    const char *path = session->args->output;
    if (strcmp(path, "-") == 0)
        return mca_run(session, model, source);
    session->out = fopen(path, "we");
    if (session->out == NULL)
        return fail_set(session->fail, FAIL_WORK, "cannot write '%s': %s", path, strerror(errno));
    bool done = mca_run(session, model, source);
    bool failed = ferror(session->out) != 0;
    failed |= fclose(session->out) != 0;
    if (done && failed)
        return fail_set(session->fail, FAIL_WORK, "cannot write '%s': %s", path, strerror(errno));
    if (!done)
        remove(path); // as llvm-mca does: leaves no partial report
    return done;
}

// As llvm-mca: the regions before one that the model does not describe have their reports.
static void report_before(const struct mca_session *session, const struct model *model,
                          const struct backend_source *source) {
    struct fail ignored = {0};
    struct mca_session before = *session;
    before.fail = &ignored; // what ended the reading is reported
    mca_run(&before, model, source);
}

// Without -mcpu, another machine's triple has a CPU that the user never named, and that the report does not name.
static void say_which_cpu(const struct mca_args *args, const struct backend *backend, const struct machine *machine) {
    if (!args->as_llvm_mca && args->cpu == NULL && args->overlay == NULL &&
        strcmp(machine->cpu, backend->llvm_host_cpu()) != 0)
        fprintf(stderr, "cyclops: note: no -mcpu: this is the model of LLVM's CPU '%s' of %s\n", machine->cpu,
                machine->triple);
}

static bool simulate(const struct backend *backend, struct mca_args *args, struct arena *arena, struct fail *fail) {
    struct backend_source source = {0};
    struct model model = {0};
    if (!mca_inputs_exist(args, fail) || !mca_open_model(args, arena, &model, fail)) {
        model_close(&model);
        return false;
    }
    say_which_cpu(args, backend, model.machine);
    if (model.overlay != NULL && !args->as_llvm_mca && args->positions[mca_option_find("resource-segments")] == 0)
        args->resource_segments = true; // results need not equal llvm-mca's
    struct mca_session session = {
        .args = args,
        .model = &model,
        .machine = model.own ? cpu_pipe_machine(arena, model.own) : model.machine,
        .rules = backend->rules,
        .arena = arena,
        .out = stdout,
        .fail = fail,
    };
    mca_options_settle_views(args, session.machine->in_order);
    bool done = mca_read_inputs(&session, &model, &source);
    if (done)
        done = report_to_output(&session, &model, &source);
    else if (source.n_blocks != 0 && args->branch_trace == NULL && !args->json && args->trace == NULL &&
             strcmp(args->output, "-") == 0)
        report_before(&session, &model, &source);
    model_close(&model);
    return done;
}

static bool run(struct mca_args *args, struct arena *arena, struct fail *fail) {
    args->cpu = model_split_version(arena, args->cpu, &args->llvm);
    const struct backend *backend = backend_load(arena, args->llvm, fail);
    if (backend == NULL)
        return false;
    if (args->version) {
        printf("cyclops %s\nLLVM version %s\n", CYCLOPS_VERSION, backend->version);
        return true;
    }
    if (args->cpu != NULL && strcmp(args->cpu, "help") == 0) {
        bool is_printed = backend->print_cpus(args->triple, args->arch, fail);
        if (is_printed && !backend->rules->cpu_help_succeeds)
            fail->status = FAIL_WORK;
        return is_printed;
    }
    return mca_options_settle_tables(args, backend->rules, fail) && simulate(backend, args, arena, fail);
}

// Returns llvm-mca's exit status: 1 for any failure, except for a machine without LLVM.
static int status_of(const struct fail *fail) {
    if (fail->status == FAIL_NONE)
        return cli_finish();
    fflush(stdout);
    if (fail->text[0] != '\0')
        fail_print(fail, stderr);
    return fail->status == FAIL_UNAVAILABLE ? FAIL_UNAVAILABLE : FAIL_WORK;
}

static int parse_and_run(int argc, char **argv, bool as_llvm_mca) {
    struct arena arena = {0};
    struct mca_args args;
    struct fail fail = {0};
    if (mca_options_parse(&arena, argc, argv, &args, &fail) == OPTIONS_OK) {
        args.as_llvm_mca = as_llvm_mca;
        run(&args, &arena, &fail);
    }
    int status = status_of(&fail);
    arena_free(&arena);
    return status;
}

int cmd_mca(int argc, char **argv) {
    return parse_and_run(argc, argv, false);
}

int cmd_llvm_mca(int argc, char **argv) {
    return parse_and_run(argc, argv, true);
}
