#include "corpus/running.h"

#include "base/bytes.h"
#include "base/text.h"
#include "corpus/folder.h"
#include "corpus/inputs.h"
#include "lab/budget.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// ---- passes

static bool start(struct lab *lab, const struct lab_options *options, struct fail *fail) {
    struct program *common[N_CHAINS];
    size_t n = chains_list(lab->chains, common);
    return decoder_open(&lab->decoder, lab->arena, lab->isa, option_list_first(&options->llvms), fail) &&
           gen_assemble(lab->arena, common, n, fail) && lab_start(lab, options, fail);
}

// Measures what is open or unstable.
static bool measure(void *context, struct campaign_pass *pass, struct fail *fail) {
    struct corpus_run *run = context;
    struct lab *lab = &pass->lab;
    bool is_done = start(lab, &pass->options, fail);
    if (is_done) {
        run->file = record_open(run->campaign.path, lab->is_simulated ? NULL : &lab->host, &lab->bench, fail);
        is_done = run->file != NULL;
    }
    if (is_done)
        lab_say_started(pass->options.listener);
    is_done = is_done && run_measure_batches(run, lab, &pass->options, fail);
    lab_say_measuring(pass->options.listener, 1, 0);
    if (run->file && fclose(run->file) != 0)
        is_done = fail_set(fail, FAIL_INPUT, "cannot write '%s'", run->campaign.path);
    run->file = NULL;
    return is_done;
}

static const struct campaign_client client = {.work = "corpus", .holds = "a corpus", .measure = measure};

// Waiting for others to leave the core, s; and for a clock that others disturb: three further calibrations.
enum { RETRY_SECONDS = 20, STEADY_SECONDS = 3 * RETRY_SECONDS };

// Measures what was seen once for the second time, which its value needs. So this is not part of the budget for
// unstable values. The clock is calibrated anew.
static bool measure_second_time(struct corpus_run *run, struct fail *fail) {
    static const struct pass_effort effort = {.precision = 0.005,
                                              .attempt_ms = 20,
                                              .processes = 3,
                                              .retry_seconds = RETRY_SECONDS,
                                              .steady_seconds = STEADY_SECONDS,
                                              .is_hasty = true};
    size_t n = run_count_seen_once(run);
    if (n == 0 || run_is_stopped(run))
        return true;
    lab_say(run_listener(run), LAB_NOTE, "%s measured a second time: the block walks over pages",
            text_count_are(run->arena, n, "value"));
    run->is_second_time = true;
    bool is_done = campaign_pass(&run->campaign, &effort, fail);
    run->is_second_time = false;
    return is_done;
}

// Limit for measuring unstable values again, s.
static double budget_of(const struct corpus_run *run) {
    static const double least = 60, of_value = 0.04;
    double budget = run->request->campaign.budget_seconds;
    return budget == CORPUS_USUAL_BUDGET ? fmax(least, of_value * (double)run->n_wanted) : budget;
}

// Measures everything once, briefly, then what is unstable again with more effort.
static bool measure_all(struct corpus_run *run, struct fail *fail) {
    static const struct pass_effort brief = {.precision = 0.01,
                                             .attempt_ms = 10,
                                             .processes = 1,
                                             .retry_seconds = RETRY_SECONDS,
                                             .steady_seconds = STEADY_SECONDS,
                                             .is_hasty = true};
    struct campaign *campaign = &run->campaign;
    struct pass_effort patient;
    run->n_wanted = run_count(run, STATE_OPEN) + run_count(run, STATE_UNSTABLE);
    if (run->n_wanted == 0)
        return true;
    if (!campaign_pass(campaign, &brief, fail) || !measure_second_time(run, fail))
        return false;
    campaign_start_again(campaign, budget_of(run), 4, run->n_wanted);
    while (campaign_again(campaign, run_count(run, STATE_UNSTABLE), &patient)) {
        patient.precision = 0.005;
        patient.attempt_ms = fmax(2 * brief.attempt_ms, patient.attempt_ms);
        patient.processes = 3;
        patient.steady_seconds = STEADY_SECONDS;
        if (!campaign_pass(campaign, &patient, fail))
            return false;
    }
    campaign_end(campaign, run_count(run, STATE_UNSTABLE));
    if (budget_is_spent())
        lab_say(run_listener(run), LAB_NOTE, "the budget is spent; --resume does the rest");
    else if (run_is_stopped(run))
        lab_say(run_listener(run), LAB_NOTE, "interrupted; --resume does the rest");
    return true;
}

// Hands on what the folder lacks.
static bool collect_all(struct corpus_run *run, struct fail *fail) {
    run->request->campaign.collects->n_measured = run_count(run, STATE_DONE);
    return run_measure_batches(run, NULL, NULL, fail);
}

// ---- the folder

static bool describe_cpu(struct corpus_run *run, const char **where, struct fail *fail) {
    const struct lab_options *options = run->request->campaign.lab;
    const struct host_request request = {options->bench.cpu, options->core_type};
    struct host host;
    *where = run->request->campaign.collects ? "another machine" : options->target;
    if (run->request->campaign.collects)
        return true;
    if (strcmp(options->target, "native") != 0)
        return true;
    if (!host_read(run->arena, &request, &host, fail))
        return false;
    *where = arena_printf(run->arena, "%s, family %d, model %d, stepping %d", host.cpu_name ? host.cpu_name : "",
                          host.family, host.model, host.stepping);
    return true;
}

static bool settle(struct corpus_run *run, struct fail *fail) {
    const struct corpus_request *request = run->request;
    const struct block_options *start = &request->start;
    const char *set = start_state_text(run->arena, request->campaign.lab->isa, &start->state);
    struct folder_settings settings = {
        .isa = request->campaign.lab->isa->name,
        .alias = block_alias_name(start->alias),
        .memory = block_memory_name(start->memory, start->alias == ALIAS_SAME),
        .set = set ? set : "",
        .init = bytes_to_hex(run->arena, start->state.init_bytes, start->state.n_init_bytes),
        .registers = start->registers,
        .fill = start->has_fill ? arena_printf(run->arena, "%#" PRIx64, start->fill) : "",
        .pages = start->most_pages};
    if (!describe_cpu(run, &settings.where, fail))
        return false;
    return (request->campaign.is_resumed ? folder_check_settings : folder_write_settings)(
        run->arena, request->campaign.folder, &settings, fail);
}

// Takes the requested part of the blocks.
static void take_shard(struct corpus_run *run) {
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

static bool read_inputs(struct corpus_run *run, struct fail *fail) {
    const struct corpus_request *request = run->request;
    const struct option_list *llvms = &request->campaign.lab->llvms;
    if (request->n_inputs == 0)
        return fail_set(fail, FAIL_INPUT,
                        "name the blocks: a file of hexadecimal code, assembly, an object, or a folder");
    if (!decoder_open(&run->decoder, run->arena, request->campaign.lab->isa, option_list_first(llvms), fail))
        return false;
    run->blocks = (struct corpus_blocks){.arena = run->arena,
                                         .isa = request->campaign.lab->isa,
                                         .decoder = &run->decoder,
                                         .listener = request->campaign.lab->listener,
                                         .is_strict = request->campaign.is_strict,
                                         .most = request->most,
                                         .counts = request->counts,
                                         .range = request->range};
    for (size_t i = 0; i < request->n_inputs; i++) {
        if (corpus_inputs_read(&run->blocks, request->inputs[i], fail))
            continue;
        if (request->campaign.is_strict || (run->blocks.n == 0 && i + 1 == request->n_inputs))
            return false;
        lab_say_failed(request->campaign.lab->listener, fail);
        run->campaign.status = run_plan_worse(run->campaign.status, (int)fail->status);
        fail_clear(fail);
    }
    if (run->blocks.n == 0)
        return fail_set(fail, FAIL_INPUT, "there is no block to measure");
    take_shard(run);
    corpus_blocks_decode(&run->blocks);
    run->states = arena_alloc_array(run->arena, run->blocks.n + 1, sizeof *run->states);
    return true;
}

bool corpus_run(struct arena *arena, const struct corpus_request *request, struct corpus_tally *tally, int *status,
                struct fail *fail) {
    struct corpus_run run = {.arena = arena, .request = request};
    campaign_start(&run.campaign, arena, &request->campaign, &client, &run);
    run.campaign.status = *status;
    *tally = (struct corpus_tally){0};
    // The folder is made only where there is something to measure, and looked into only when it is ours.
    bool is_done = read_inputs(&run, fail) && campaign_open_folder(&run.campaign, fail) && settle(&run, fail) &&
                   run_read_before(&run, fail) &&
                   folder_write_blocks(arena, request->campaign.folder, &run.blocks, fail);
    if (is_done) {
        size_t n_blocks = 0;
        struct corpus_left_out *reasons = NULL;
        is_done = (request->campaign.collects ? collect_all(&run, fail) : measure_all(&run, fail)) &&
                  folder_write_blocks(arena, request->campaign.folder, &run.blocks, fail);
        run_tally(&run, tally);
        is_done = is_done &&
                  folder_count_left_out(arena, request->campaign.folder, &n_blocks, &reasons, &tally->n_reasons, fail);
        tally->reasons = reasons;
    }
    decoder_close(&run.decoder);
    *status = run.campaign.status;
    return is_done;
}
