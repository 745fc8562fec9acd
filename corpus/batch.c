#include "corpus/running.h"

#include "base/bytes.h"
#include "base/text.h"
#include "lab/collect.h"
#include "lab/experiment.h"
#include "lab/plan_assemble.h"

#include <string.h>

// Blocks that are prepared, tried and measured together. All values of a batch take turns, so that the processes of
// each are apart in time.
enum { BATCH_BLOCKS = 1024 };

struct block_batch {
    struct corpus_run *run;
    struct lab *lab;
    struct arena arena;
    struct plan plan;
    size_t *owners;            // of the plan's blocks, by their number from 1: index of the corpus's block
    struct lab_block **blocks; // by the same number
    size_t n_owners;
};

static void leave_out(const struct block_batch *batch, size_t index, const char *word, const char *why) {
    struct corpus_block *block = &batch->run->blocks.items[index];
    if (!block->left_out)
        block->left_out = arena_printf(batch->run->arena, "%s: %s", word, why);
}

static struct experiment *last_of(const struct plan *plan) {
    return plan->experiments[plan->n_experiments - 1];
}

// Adds one form of a block. `copies`: of the block in one body.
static bool add_form(struct block_batch *batch, size_t index, enum program_form form, unsigned copies,
                     struct fail *why) {
    const struct corpus_block *block = &batch->run->blocks.items[index];
    struct arena *arena = &batch->arena;
    uint8_t *bytes = arena_alloc(arena, block->n_bytes * copies);
    for (unsigned i = 0; i < copies; i++)
        memcpy(bytes + i * block->n_bytes, block->bytes, block->n_bytes);
    const struct block_source source = {.isa = batch->run->request->campaign.lab->isa,
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

// Adds the wanted forms of a block. Both share a process, and, where they can, the block's trial.
static void add_block(struct block_batch *batch, size_t index) {
    const struct corpus_block *block = &batch->run->blocks.items[index];
    const struct form_state *states = batch->run->states[index];
    bool wants_unrolled = run_wants(batch->run, &states[PROGRAM_UNROLLED]);
    unsigned copies = is_short(block) ? (CORPUS_LOOP_INSTRUCTIONS - 1) / block->instructions + 1 : 1;
    struct fail why = {0};
    bool is_added = !wants_unrolled || add_form(batch, index, PROGRAM_UNROLLED, 1, &why);
    struct lab_block *first = is_added && batch->plan.n_experiments ? last_of(&batch->plan)->block : NULL;
    bool has_first = wants_unrolled && first;
    if (is_added && run_wants(batch->run, &states[PROGRAM_LOOPED])) {
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

static size_t owner_of(const struct block_batch *batch, const struct experiment *experiment) {
    return batch->owners[experiment->block->number - 1];
}

// Blocks that the assembler or the generator refused.
static void take_refused(const struct block_batch *batch) {
    for (size_t i = 0; i < batch->n_owners; i++) {
        const struct lab_block *block = batch->blocks[i];
        if (block && block->mistake)
            leave_out(batch, batch->owners[i], "refused", block->mistake);
    }
}

static bool write_result(struct corpus_run *run, struct lab *lab, struct experiment *experiment, size_t index,
                         struct fail *fail) {
    const struct bench_measurement *m = &experiment->measurement;
    struct form_state *state = &run->states[index][experiment->program.form];
    struct record record;
    struct fail inner = {0};
    if (m->outcome == BENCH_STOPPED)
        return true;
    run->n_finished += state->state == STATE_OPEN;
    run_confirm_walking(lab->arena, state, experiment);
    run_take_value(run, state, m);
    lab_say_measuring(run_listener(run), run->n_finished + 1, run->n_wanted);
    experiment_to_record(lab->arena, experiment, &record);
    if (record_write(run->file, &record, &inner))
        return true;
    return fail_set(fail, inner.status, "'%s': %s; --resume goes on with what it holds", run->campaign.path,
                    inner.text);
}

static bool take_result(void *context, struct experiment *experiment, struct fail *fail) {
    struct block_batch *batch = context;
    if (experiment->measurement.outcome == BENCH_OK)
        *ARENA_ADD(batch->run->arena, batch->run->times, batch->run->n_times) =
            (float)experiment->measurement.milliseconds;
    return write_result(batch->run, batch->lab, experiment, owner_of(batch, experiment), fail);
}

// Whether the experiment must be measured. Writes the outcome of a block whose trial failed.
static bool needs_measuring(const struct block_batch *batch, struct experiment *experiment, struct fail *fail) {
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

// Makes and tries the programs of the batch. Without a lab, makes them for another machine. Returns false only where
// nothing can go on.
static bool prepare_batch(struct block_batch *batch, const struct lab_options *options, struct fail *fail) {
    static struct program *const no_chains[N_CHAINS];
    struct fail refused = {0};
    bool is_prepared = batch->lab ? lab_prepare(batch->lab, options, &batch->plan, &refused)
                                  : blocks_prepare(&batch->arena, &batch->plan, &batch->run->decoder, false, &refused);
    is_prepared = is_prepared && plan_assemble(&batch->arena, no_chains, &batch->plan, &refused);
    take_refused(batch);
    if (is_prepared)
        return true;
    if (batch->plan.n_experiments > 0)
        *fail = refused;
    return batch->plan.n_experiments == 0;
}

static bool measure_wanted(struct block_batch *batch, const struct lab_options *options, struct fail *fail) {
    if (batch->plan.n_experiments == 0)
        return true;
    if (!prepare_batch(batch, options, fail))
        return false;
    struct experiment **wanted = ARENA_ARRAY(&batch->arena, struct experiment *, batch->plan.n_experiments);
    const struct lab_taker taker = {batch, take_result};
    size_t n = 0;
    for (size_t i = 0; i < batch->plan.n_experiments; i++) {
        struct experiment *experiment = batch->plan.experiments[i];
        if (!needs_measuring(batch, experiment, fail))
            continue;
        const struct form_state *state = &batch->run->states[owner_of(batch, experiment)][experiment->program.form];
        experiment->looks.modes = state->uneven;
        experiment->looks.n_modes = state->n_uneven;
        wanted[n++] = experiment;
    }
    return fail->status == FAIL_NONE && (n == 0 || lab_run(batch->lab, wanted, n, &taker, fail));
}

// What the lab makes meanwhile ends with the batch.
static bool measure_batch(struct block_batch *batch, const struct lab_options *options, struct fail *fail) {
    struct arena *session = batch->lab->arena;
    batch->lab->arena = &batch->arena;
    bool is_done = measure_wanted(batch, options, fail);
    batch->lab->arena = session;
    return is_done;
}

// Whether the block has a form to measure in this pass.
static bool has_wanted(const struct corpus_run *run, size_t index) {
    return !run->blocks.items[index].left_out && (run_wants(run, &run->states[index][PROGRAM_UNROLLED]) ||
                                                  run_wants(run, &run->states[index][PROGRAM_LOOPED]));
}

// Adds the next blocks, from number `i` on. Returns the number behind them.
static size_t add_blocks(struct block_batch *batch, size_t i) {
    for (size_t n = 0; i < batch->run->blocks.n && n < BATCH_BLOCKS; i++)
        if (has_wanted(batch->run, i)) {
            add_block(batch, i);
            n++;
        }
    return i;
}

static bool collect_batch(struct block_batch *batch, struct fail *fail) {
    struct collect *collect = batch->run->request->campaign.collects;
    if (batch->plan.n_experiments && !prepare_batch(batch, NULL, fail))
        return false;
    for (size_t i = 0; i < batch->plan.n_experiments; i++, collect->n_taken++)
        if (!collect->take(collect->context, batch->plan.experiments[i], NULL, 0, fail))
            return false;
    return true;
}

bool run_measure_batches(struct corpus_run *run, struct lab *lab, const struct lab_options *options,
                         struct fail *fail) {
    const struct lab_listener silent = {0}; // refused blocks are in blocks.jsonl
    bool is_done = true;
    for (size_t i = 0; i < run->blocks.n && is_done && !(lab && run_is_stopped(run));) {
        struct block_batch batch = {.run = run, .lab = lab, .plan = {.listener = &silent}};
        i = add_blocks(&batch, i);
        is_done = lab ? measure_batch(&batch, options, fail) : collect_batch(&batch, fail);
        arena_free(&batch.arena);
    }
    return is_done;
}
