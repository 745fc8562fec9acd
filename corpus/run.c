#include "corpus/run.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/text.h"
#include "corpus/folder.h"
#include "corpus/inputs.h"
#include "lab/budget.h"
#include "lab/experiment.h"
#include "lab/passes.h"
#include "lab/plan_assemble.h"
#include "lab/run_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Blocks that are prepared, tried and measured together. All values of a batch take turns, so that the processes of
// each are apart in time.
enum { BATCH_BLOCKS = 1024, N_FORMS = 2 };

// State of one block in one form.
enum state { STATE_OPEN, STATE_UNSTABLE, STATE_DONE };
struct form_state {
    enum state state;
    bool is_seen_once; // unstable only because it was seen at one time
    enum bench_outcome outcome;
    const struct bench_measurement *look; // fastest of its looks (enum bench_look); null: none
};

// A corpus while it runs.
struct run {
    struct arena *arena;
    const struct corpus_request *request;
    struct decoder decoder;
    struct corpus_blocks blocks;
    struct form_state (*states)[N_FORMS]; // by block and enum program_form
    FILE *file;                           // the measurement file
    const char *path;
    bool is_second_time;         // this pass measures only what was seen once
    size_t n_wanted, n_finished; // values of this pass
    float *times;                // time of each value, ms
    size_t n_times;
    int status;
};

static const struct lab_listener *listener_of(const struct run *run) {
    return run->request->lab->listener;
}

static bool is_stopped(const struct run *run) {
    bool (*stopped)(void) = run->request->lab->bench.is_stopped;
    return stopped && stopped();
}

// ---- what was measured before

// Whether the code itself caused the outcome, which would happen again.
static bool is_final(enum bench_outcome outcome) {
    return outcome != BENCH_KILLED && outcome != BENCH_STARVED && outcome != BENCH_STOPPED;
}

static void take_state(struct run *run, struct form_state *state, const struct bench_measurement *m) {
    bool is_value = m->outcome == BENCH_OK;
    bool is_done = is_value ? m->verdict != MEASURED_UNSTABLE : is_final(m->outcome);
    state->state = is_done ? STATE_DONE : STATE_UNSTABLE;
    state->outcome = m->outcome;
    state->is_seen_once = is_value && !is_done && m->look == LOOK_FIRST;
    if (is_value && (m->look == LOOK_FIRST || m->look == LOOK_MOVED) &&
        (!state->look || m->cycles < state->look->cycles)) {
        struct bench_measurement *look = ARENA_ARRAY(run->arena, struct bench_measurement, 1);
        *look = (struct bench_measurement){
            .cycles = m->cycles, .low = m->low, .high = m->high, .clock_error = m->clock_error};
        state->look = look;
    }
}

// A block that walks over pages meets translations and caches as they happen to be: in two runs, one such block took 18
// and 41 cycles, each time with a narrow interval. So its value must come again at another time.
static void confirm_walking(struct arena *arena, const struct form_state *state, struct experiment *experiment) {
    struct bench_measurement *m = &experiment->measurement;
    const struct bench_looks looks = {.fastest = state->look};
    if (!experiment->seen.walks || m->outcome != BENCH_OK || m->verdict == MEASURED_UNSTABLE)
        return;
    measured_confirm(arena, &looks, m);
    if (state->look)
        return;
    m->verdict = MEASURED_UNSTABLE;
    m->look = LOOK_FIRST;
    m->why = "it walks over pages, and was seen at one time only";
}

// Finds the block that a record is of; blocks->n: none.
static size_t block_of_record(const struct run *run, struct arena *scratch, const struct record *record) {
    size_t n = record->kernel ? strlen(record->kernel) : 0;
    uint8_t *bytes = arena_alloc(scratch, n / 2 + 1);
    if (n == 0 || n % 2 || !bytes_from_hex(record->kernel, n / 2, bytes))
        return run->blocks.n;
    return corpus_blocks_find(&run->blocks, bytes, n / 2);
}

static bool read_before(struct run *run, struct fail *fail) {
    struct record_stream *stream = access(run->path, F_OK) == 0 ? record_stream_open(run->path, fail) : NULL;
    struct arena scratch = {0};
    struct record record;
    size_t n_taken = 0, n_again = 0;
    while (stream && record_stream_next(stream, &scratch, &record, fail)) {
        enum program_form form;
        size_t index = block_of_record(run, &scratch, &record);
        if (index < run->blocks.n && record.form && program_form_parse(record.form, &form))
            take_state(run, &run->states[index][form], &record.measurement);
        arena_reset(&scratch);
    }
    const char *damage = stream ? record_damage_text(run->arena, run->path, record_stream_damage(stream)) : NULL;
    if (damage)
        lab_say(listener_of(run), LAB_WARNING, "%s", damage);
    record_stream_close(stream);
    arena_free(&scratch);
    for (size_t i = 0; i < run->blocks.n; i++)
        for (unsigned form = 0; form < N_FORMS; form++) {
            n_taken += run->states[i][form].state == STATE_DONE;
            n_again += run->states[i][form].state == STATE_UNSTABLE;
        }
    if (fail->status == FAIL_NONE && run->request->is_resumed)
        lab_say(listener_of(run), LAB_NOTE, "%zu of %s taken from '%s'. Unstable, and measured again: %zu", n_taken,
                text_count_are(run->arena, N_FORMS * run->blocks.n, "value"), run->path, n_again);
    return fail->status == FAIL_NONE;
}

// ---- a batch

struct batch {
    struct run *run;
    struct lab *lab;
    struct arena arena;
    struct plan plan;
    size_t *owners;            // of the plan's blocks, by their number from 1: index of the corpus's block
    struct lab_block **blocks; // by the same number
    size_t n_owners;
};

static void leave_out(const struct batch *batch, size_t index, const char *word, const char *why) {
    struct corpus_block *block = &batch->run->blocks.items[index];
    if (!block->left_out)
        block->left_out = arena_printf(batch->run->arena, "%s: %s", word, why);
}

static struct experiment *last_of(const struct plan *plan) {
    return plan->experiments[plan->n_experiments - 1];
}

// Adds one form of a block. `copies`: of the block in one body.
static bool add_form(struct batch *batch, size_t index, enum program_form form, unsigned copies, struct fail *why) {
    const struct corpus_block *block = &batch->run->blocks.items[index];
    struct arena *arena = &batch->arena;
    uint8_t *bytes = arena_alloc(arena, block->n_bytes * copies);
    for (unsigned i = 0; i < copies; i++)
        memcpy(bytes + i * block->n_bytes, block->bytes, block->n_bytes);
    const struct block_source source = {.isa = batch->run->request->lab->isa,
                                        .name = block->file,
                                        .bytes = bytes,
                                        .n_bytes = block->n_bytes * copies,
                                        .line = block->line};
    const struct plan_options options = {.has_form = true, .form = form, .block = batch->run->request->start};
    const char *label = bytes_to_hex(arena, block->bytes, block->n_bytes);
    bool is_added = plan_add_block(arena, &batch->plan, &source, label, &options, why);
    if (batch->n_owners < batch->plan.n_blocks) { // it has a number even where it was refused
        batch->blocks = arena_grow(arena, batch->blocks, batch->n_owners, sizeof(struct lab_block *));
        batch->blocks[batch->n_owners] = is_added ? last_of(&batch->plan)->block : NULL;
        *ARENA_ADD(arena, batch->owners, batch->n_owners) = index;
    }
    return is_added;
}

static bool is_short(const struct corpus_block *block) {
    return block->instructions < CORPUS_LOOP_INSTRUCTIONS;
}

// Whether this pass measures the value.
static bool is_wanted(const struct run *run, const struct form_state *state) {
    return state->state != STATE_DONE && (!run->is_second_time || state->is_seen_once);
}

// Adds the wanted forms of a block. Both share a process, and, where they can, the block's trial.
static void add_block(struct batch *batch, size_t index) {
    const struct corpus_block *block = &batch->run->blocks.items[index];
    const struct form_state *states = batch->run->states[index];
    bool wants_unrolled = is_wanted(batch->run, &states[PROGRAM_UNROLLED]);
    unsigned copies = is_short(block) ? (CORPUS_LOOP_INSTRUCTIONS - 1) / block->instructions + 1 : 1;
    struct fail why = {0};
    bool is_added = !wants_unrolled || add_form(batch, index, PROGRAM_UNROLLED, 1, &why);
    struct lab_block *first = is_added && batch->plan.n_experiments ? last_of(&batch->plan)->block : NULL;
    bool has_first = wants_unrolled && first;
    if (is_added && is_wanted(batch->run, &states[PROGRAM_LOOPED])) {
        is_added = add_form(batch, index, PROGRAM_LOOPED, copies, &why);
        struct experiment *looped = is_added ? last_of(&batch->plan) : NULL;
        if (looped && has_first && copies == 1)
            looped->block = first;
        else if (looped && has_first)
            looped->block->number = first->number;
    }
    if (!is_added)
        leave_out(batch, index, "cannot be repeated", why.text);
}

static size_t owner_of(const struct batch *batch, const struct experiment *experiment) {
    return batch->owners[experiment->block->number - 1];
}

// Blocks that the assembler or the generator refused.
static void take_refused(const struct batch *batch) {
    for (size_t i = 0; i < batch->n_owners; i++) {
        const struct lab_block *block = batch->blocks[i];
        if (!block || !block->is_refused)
            continue;
        const char *why = "no program of it can be made";
        for (size_t r = 0; r < batch->plan.n_refused; r++)
            if (strncmp(batch->plan.refused[r].text, block->label, strlen(block->label)) == 0)
                why = batch->plan.refused[r].text + strlen(block->label) + strlen(": ");
        leave_out(batch, batch->owners[i], "refused", why);
    }
}

static bool write_result(struct run *run, struct lab *lab, struct experiment *experiment, size_t index,
                         struct fail *fail) {
    const struct bench_measurement *m = &experiment->measurement;
    struct form_state *state = &run->states[index][experiment->program.form];
    struct record record;
    struct fail inner = {0};
    if (m->outcome == BENCH_STOPPED)
        return true;
    run->n_finished += state->state == STATE_OPEN;
    confirm_walking(lab->arena, state, experiment);
    take_state(run, state, m);
    lab_say_measuring(listener_of(run), run->n_finished + 1, run->n_wanted);
    experiment_to_record(lab->arena, experiment, &record);
    if (record_write(run->file, &record, &inner))
        return true;
    return fail_set(fail, inner.status, "'%s': %s; --resume goes on with what it holds", run->path, inner.text);
}

static bool take_result(void *context, struct experiment *experiment, struct fail *fail) {
    struct batch *batch = context;
    if (experiment->measurement.outcome == BENCH_OK)
        *ARENA_ADD(batch->run->arena, batch->run->times, batch->run->n_times) =
            (float)experiment->measurement.milliseconds;
    return write_result(batch->run, batch->lab, experiment, owner_of(batch, experiment), fail);
}

// Whether the experiment must be measured. Writes the outcome of a block whose trial failed.
static bool needs_measuring(const struct batch *batch, struct experiment *experiment, struct fail *fail) {
    struct bench_measurement *m = &experiment->measurement;
    const struct lab_block *block = experiment->block;
    struct fail unable = {0};
    if (!lab_can_run(batch->lab, &experiment->program, &unable)) {
        leave_out(batch, owner_of(batch, experiment), "not on this CPU", unable.text);
        return false;
    }
    if (m->outcome == BENCH_OK && block->was_tried[experiment->alias] &&
        block->trials[experiment->alias].seen.pages > CORPUS_MOST_PAGES)
        *m = (struct bench_measurement){.outcome = BENCH_PAGES, .seen = block->trials[experiment->alias].seen};
    if (m->outcome == BENCH_OK)
        return true;
    m->clock = batch->lab->bench.clock;
    m->why = bench_outcome_name(m->outcome);
    lab_take(batch->lab, experiment, m);
    write_result(batch->run, batch->lab, experiment, owner_of(batch, experiment), fail);
    return false;
}

// Makes and tries the programs of the batch. Returns false only where nothing can go on.
static bool prepare_batch(struct batch *batch, const struct lab_options *options, struct fail *fail) {
    static struct program *const no_chains[N_CHAINS];
    struct fail refused = {0};
    bool is_prepared = lab_prepare(batch->lab, options, &batch->plan, &refused) &&
                       plan_assemble(&batch->arena, no_chains, &batch->plan, &refused);
    take_refused(batch);
    if (is_prepared)
        return true;
    if (batch->plan.n_experiments > 0)
        *fail = refused;
    return batch->plan.n_experiments == 0;
}

static bool measure_batch(struct batch *batch, const struct lab_options *options, struct fail *fail) {
    if (batch->plan.n_experiments == 0)
        return true;
    if (!prepare_batch(batch, options, fail))
        return false;
    struct experiment **wanted = ARENA_ARRAY(&batch->arena, struct experiment *, batch->plan.n_experiments);
    const struct lab_taker taker = {batch, take_result};
    size_t n = 0;
    for (size_t i = 0; i < batch->plan.n_experiments; i++)
        if (needs_measuring(batch, batch->plan.experiments[i], fail))
            wanted[n++] = batch->plan.experiments[i];
    return fail->status == FAIL_NONE && (n == 0 || lab_run(batch->lab, wanted, n, &taker, fail));
}

// Whether the block has a form to measure in this pass.
static bool has_wanted(const struct run *run, size_t index) {
    return !run->blocks.items[index].left_out && (is_wanted(run, &run->states[index][PROGRAM_UNROLLED]) ||
                                                  is_wanted(run, &run->states[index][PROGRAM_LOOPED]));
}

static bool measure_batches(struct run *run, struct lab *lab, const struct lab_options *options, struct fail *fail) {
    const struct lab_listener silent = {0}; // refused blocks are in blocks.jsonl
    struct arena *session = lab->arena;
    bool is_done = true;
    for (size_t i = 0; i < run->blocks.n && is_done && !is_stopped(run);) {
        struct batch batch = {.run = run, .lab = lab, .plan = {.listener = &silent}};
        for (size_t n = 0; i < run->blocks.n && n < BATCH_BLOCKS; i++)
            if (has_wanted(run, i)) {
                add_block(&batch, i);
                n++;
            }
        lab->arena = &batch.arena;
        is_done = measure_batch(&batch, options, fail);
        lab->arena = session;
        arena_free(&batch.arena);
    }
    return is_done;
}

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
    return (lab->decoder.cpu || decoder_open(&lab->decoder, lab->arena, lab->isa,
                                             options->llvms.n_items ? options->llvms.items[0] : NULL, fail)) &&
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
        lab_say_started(listener_of(run));
    is_done = is_done && measure_batches(run, &lab, &options, fail);
    lab_say_measuring(listener_of(run), 1, 0);
    if (!is_done && is_stopped(run)) { // while the clock was calibrated
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

// Counts the values that are in this state, without those of blocks that are left out.
static size_t count(const struct run *run, enum state state) {
    size_t n = 0;
    for (size_t i = 0; i < run->blocks.n; i++)
        for (unsigned form = 0; form < N_FORMS && !run->blocks.items[i].left_out; form++)
            n += run->states[i][form].state == state;
    return n;
}

// Measures what was seen once for the second time, which its value needs. So this is not part of the budget for
// unstable values. The clock is calibrated anew.
static bool measure_second_time(struct run *run, struct fail *fail) {
    static const struct effort effort = {0.005, 20, 20, 3, true};
    size_t n = 0;
    for (size_t i = 0; i < run->blocks.n; i++)
        for (unsigned form = 0; form < N_FORMS && !run->blocks.items[i].left_out; form++)
            n += run->states[i][form].is_seen_once;
    if (n == 0 || is_stopped(run))
        return true;
    lab_say(listener_of(run), LAB_NOTE, "%s measured a second time: the block walks over pages",
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
    run->n_wanted = count(run, STATE_OPEN) + count(run, STATE_UNSTABLE);
    if (run->n_wanted == 0)
        return true;
    if (!measure(run, &brief, fail) || !measure_second_time(run, fail))
        return false;
    passes_start(&passes, budget_of(run), 4, run->n_wanted);
    while (!is_stopped(run) && passes_next(&passes, listener_of(run), count(run, STATE_UNSTABLE), &allowed)) {
        const struct effort patient = {0.005, fmax(2 * brief.attempt_ms, allowed.attempt_ms), allowed.retry_seconds, 3,
                                       allowed.is_hasty};
        if (!measure(run, &patient, fail))
            return false;
    }
    if (budget_is_spent())
        lab_say(listener_of(run), LAB_NOTE, "the budget is spent; --resume does the rest");
    if (is_stopped(run) && !budget_is_spent()) {
        lab_say(listener_of(run), LAB_NOTE, "interrupted; --resume does the rest");
        run->status = RUN_PLAN_INTERRUPTED;
    } else if (count(run, STATE_UNSTABLE) && run->request->is_strict) {
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
    if (!decoder_open(&run->decoder, run->arena, request->lab->isa, llvms->n_items ? llvms->items[0] : NULL, fail))
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

static int compare_times(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static void add_form_tally(const struct run *run, size_t index, enum program_form form, struct corpus_tally *tally) {
    const struct form_state *state = &run->states[index][form];
    struct corpus_form_tally *of_form = &tally->forms[form];
    if (state->state == STATE_OPEN) {
        of_form->n_missing++;
        return;
    }
    of_form->by_outcome[state->outcome]++;
    of_form->n_values += state->outcome == BENCH_OK;
    of_form->n_stable += state->outcome == BENCH_OK && state->state == STATE_DONE;
}

static void count_all(struct run *run, struct corpus_tally *tally) {
    *tally = (struct corpus_tally){.n_blocks = run->blocks.n, .read = corpus_blocks_summary(&run->blocks)};
    for (size_t i = 0; i < run->blocks.n; i++) {
        const struct form_state *states = run->states[i];
        if (run->blocks.items[i].left_out) {
            tally->n_left_out++;
            continue;
        }
        bool is_value = true, is_stable = true;
        for (unsigned form = 0; form < N_FORMS; form++) {
            add_form_tally(run, i, (enum program_form)form, tally);
            is_value = is_value && states[form].state != STATE_OPEN && states[form].outcome == BENCH_OK;
            is_stable = is_stable && states[form].state == STATE_DONE && states[form].outcome == BENCH_OK;
        }
        tally->n_both += is_value;
        tally->n_both_stable += is_stable;
    }
    if (run->n_times) {
        qsort(run->times, run->n_times, sizeof *run->times, compare_times);
        tally->median_ms = run->times[run->n_times / 2];
    }
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
                   settle(&run, fail) && read_before(&run, fail) &&
                   folder_write_blocks(arena, request->folder, &run.blocks, fail);
    if (is_done) {
        size_t n_blocks = 0;
        struct corpus_left_out *reasons = NULL;
        is_done = measure_all(&run, fail) && folder_write_blocks(arena, request->folder, &run.blocks, fail);
        count_all(&run, tally);
        is_done =
            is_done && folder_count_left_out(arena, request->folder, &n_blocks, &reasons, &tally->n_reasons, fail);
        tally->reasons = reasons;
    }
    decoder_close(&run.decoder);
    *status = run.status;
    return is_done;
}
