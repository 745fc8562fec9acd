#include "corpus/running.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/text.h"
#include "corpus/folder.h"
#include "corpus/inputs.h"
#include "lab/budget.h"
#include "lab/passes.h"
#include "lab/run_plan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

// ---- passes

// How much a pass may spend on a value.
struct effort {
    double precision;     // half-width of the interval to stop at, as a share of the value
    double attempt_ms;    // computing time of a value, ms
    double retry_seconds; // waiting for others to leave the core, s; in a hasty pass, only for a steady clock
    unsigned processes;   // least number
    bool is_hasty;        // as in struct bench_options
};

// Further calibrations of a clock that others disturb; each waits for retry_seconds.
enum { STEADY_TRIES = 3 };

static struct lab_options options_of(const struct run *run, struct arena *arena, const struct effort *effort) {
    struct lab_options options = *run->request->lab;
    options.cpus.n_items = 0;
    *ARENA_ADD(arena, options.cpus.items, options.cpus.n_items) = "none";
    if (options.bench.precision <= 0)
        options.bench.precision = effort->precision;
    if (options.bench.budget_ms <= 0)
        options.bench.budget_ms = effort->attempt_ms;
    if (options.bench.processes == 0)
        options.bench.processes = effort->processes;
    options.bench.retry_seconds = effort->retry_seconds;
    options.wait_steady_seconds = STEADY_TRIES * effort->retry_seconds;
    options.bench.is_hasty = effort->is_hasty;
    return options;
}

static bool start(struct lab *lab, const struct lab_options *options, struct fail *fail) {
    struct program *common[N_CHAINS];
    size_t n = chains_list(lab->chains, common);
    return (lab->decoder.cpu ||
            decoder_open(&lab->decoder, lab->arena, lab->isa, option_list_first(&options->llvms), fail)) &&
           gen_assemble(lab->arena, common, n, fail) && lab_start(lab, options, fail);
}

// Measures what is open or unstable, with the clock calibrated anew.
static bool measure(struct run *run, const struct effort *effort, struct fail *fail) {
    struct arena arena = {0}, session = {0};
    struct lab lab = {0};
    const struct lab_options options = options_of(run, &arena, effort);
    bool is_done = lab_open(&lab, &session, &options, fail) && start(&lab, &options, fail);
    if (is_done) {
        run->file = record_open(run->path, lab.is_simulated ? NULL : &lab.host, &lab.bench, fail);
        is_done = run->file != NULL;
    }
    if (is_done)
        lab_say_started(run_listener(run));
    is_done = is_done && run_measure_batches(run, &lab, &options, fail);
    lab_say_measuring(run_listener(run), 1, 0);
    if (!is_done && run_is_stopped(run)) { // while the clock was calibrated
        fail_clear(fail);
        is_done = true;
    }
    if (run->file && fclose(run->file) != 0)
        is_done = fail_set(fail, FAIL_INPUT, "cannot write '%s'", run->path);
    run->file = NULL;
    lab_close(&lab);
    arena_free(&session);
    arena_free(&arena);
    return is_done;
}

// Measures what was seen once for the second time, which its value needs. So this is not part of the budget for
// unstable values. The clock is calibrated anew.
static bool measure_second_time(struct run *run, struct fail *fail) {
    static const struct effort effort = {0.005, 20, 20, 3, true};
    size_t n = run_count_seen_once(run);
    if (n == 0 || run_is_stopped(run))
        return true;
    lab_say(run_listener(run), LAB_NOTE, "%s measured a second time: the block walks over pages",
            text_count_are(run->arena, n, "value"));
    run->is_second_time = true;
    bool is_done = measure(run, &effort, fail);
    run->is_second_time = false;
    return is_done;
}

// Limit for measuring unstable values again, s.
static double budget_of(const struct run *run) {
    static const double least = 60, of_value = 0.04;
    double budget = run->request->budget_seconds;
    return budget == CORPUS_USUAL_BUDGET ? fmax(least, of_value * (double)run->n_wanted) : budget;
}

// Measures everything once, briefly, then what is unstable again with more effort.
static bool measure_all(struct run *run, struct fail *fail) {
    static const struct effort brief = {0.01, 10, 20, 1, true};
    struct passes passes;
    struct passes_effort allowed;
    run->n_wanted = run_count(run, STATE_OPEN) + run_count(run, STATE_UNSTABLE);
    if (run->n_wanted == 0)
        return true;
    if (!measure(run, &brief, fail) || !measure_second_time(run, fail))
        return false;
    passes_start(&passes, budget_of(run), 4, run->n_wanted);
    while (!run_is_stopped(run) && passes_next(&passes, run_listener(run), run_count(run, STATE_UNSTABLE), &allowed)) {
        const struct effort patient = {0.005, fmax(2 * brief.attempt_ms, allowed.attempt_ms), allowed.retry_seconds, 3,
                                       allowed.is_hasty};
        if (!measure(run, &patient, fail))
            return false;
    }
    if (budget_is_spent())
        lab_say(run_listener(run), LAB_NOTE, "the budget is spent; --resume does the rest");
    if (run_is_stopped(run) && !budget_is_spent()) {
        lab_say(run_listener(run), LAB_NOTE, "interrupted; --resume does the rest");
        run->status = RUN_PLAN_INTERRUPTED;
    } else if (run_count(run, STATE_UNSTABLE) && run->request->is_strict) {
        run->status = run_plan_worse(run->status, RUN_PLAN_UNSTABLE);
    }
    return true;
}

// ---- the folder

static bool describe_cpu(struct run *run, const char **where, struct fail *fail) {
    const struct lab_options *options = run->request->lab;
    const struct host_request request = {options->bench.cpu, options->core_type};
    struct host host;
    *where = options->target;
    if (strcmp(options->target, "native") != 0)
        return true;
    if (!host_read(run->arena, &request, &host, fail))
        return false;
    *where = arena_printf(run->arena, "%s, family %d, model %d, stepping %d", host.cpu_name ? host.cpu_name : "",
                          host.family, host.model, host.stepping);
    return true;
}

static bool settle(struct run *run, struct fail *fail) {
    const struct corpus_request *request = run->request;
    const struct block_options *start = &request->start;
    const char *set = start_state_text(run->arena, request->lab->isa, &start->state);
    struct folder_settings settings = {
        .isa = request->lab->isa->name,
        .alias = block_alias_name(start->alias),
        .memory = block_memory_name(start->memory, start->alias == ALIAS_SAME),
        .set = set ? set : "",
        .init = bytes_to_hex(run->arena, start->state.init_bytes, start->state.n_init_bytes),
        .registers = start->registers,
        .fill = start->has_fill ? arena_printf(run->arena, "%#" PRIx64, start->fill) : "",
        .pages = start->most_pages};
    if (!describe_cpu(run, &settings.where, fail))
        return false;
    if (request->is_resumed)
        return folder_check_settings(run->arena, request->folder, &settings, fail);
    if (access(run->path, F_OK) == 0)
        return fail_set(fail, FAIL_INPUT,
                        "'%s' holds a corpus: --resume goes on with it, --output names another folder",
                        request->folder);
    return folder_write_settings(run->arena, request->folder, &settings, fail);
}

// Takes the requested part of the blocks.
static void take_shard(struct run *run) {
    const struct corpus_request *request = run->request;
    struct corpus_blocks *blocks = &run->blocks;
    size_t n = 0;
    if (!request->n_shards)
        return;
    for (size_t i = 0; i < blocks->n; i++)
        if (i % request->n_shards == request->shard - 1)
            blocks->items[n++] = blocks->items[i];
    blocks->n = n;
    corpus_blocks_index(blocks);
}

static bool read_inputs(struct run *run, struct fail *fail) {
    const struct corpus_request *request = run->request;
    const struct option_list *llvms = &request->lab->llvms;
    if (request->n_inputs == 0)
        return fail_set(fail, FAIL_INPUT,
                        "name the blocks: a file of hexadecimal code, assembly, an object, or a folder");
    if (!decoder_open(&run->decoder, run->arena, request->lab->isa, option_list_first(llvms), fail))
        return false;
    run->blocks = (struct corpus_blocks){.arena = run->arena,
                                         .isa = request->lab->isa,
                                         .decoder = &run->decoder,
                                         .listener = request->lab->listener,
                                         .is_strict = request->is_strict,
                                         .most = request->most,
                                         .counts = request->counts,
                                         .range = request->range};
    for (size_t i = 0; i < request->n_inputs; i++)
        if (!corpus_inputs_read(&run->blocks, request->inputs[i], fail))
            return false;
    if (run->blocks.n == 0)
        return fail_set(fail, FAIL_INPUT, "there is no block to measure");
    take_shard(run);
    corpus_blocks_decode(&run->blocks);
    run->states = arena_alloc_array(run->arena, run->blocks.n + 1, sizeof *run->states);
    return true;
}

bool corpus_run(struct arena *arena, const struct corpus_request *request, struct corpus_tally *tally, int *status,
                struct fail *fail) {
    struct run run = {.arena = arena,
                      .request = request,
                      .path = folder_path(arena, request->folder, folder_measurements),
                      .status = *status};
    *tally = (struct corpus_tally){0};
    // The folder is made only where there is something to measure, and looked into only when it is ours.
    bool is_done = read_inputs(&run, fail) && file_lock_folder(arena, request->folder, "corpus", fail) &&
                   settle(&run, fail) && run_read_before(&run, fail) &&
                   folder_write_blocks(arena, request->folder, &run.blocks, fail);
    if (is_done) {
        size_t n_blocks = 0;
        struct corpus_left_out *reasons = NULL;
        is_done = measure_all(&run, fail) && folder_write_blocks(arena, request->folder, &run.blocks, fail);
        run_tally(&run, tally);
        is_done =
            is_done && folder_count_left_out(arena, request->folder, &n_blocks, &reasons, &tally->n_reasons, fail);
        tally->reasons = reasons;
    }
    decoder_close(&run.decoder);
    *status = run.status;
    return is_done;
}
