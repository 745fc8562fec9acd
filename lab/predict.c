#include "lab/predict.h"

#include "analyzer/code/vector_start.h"
#include "analyzer/predict/dependence.h"
#include "analyzer/predict/model_prediction.h"
#include "base/text.h"
#include "lab/recorded_turns.h"

static enum verdict_kind subject(enum program_mode mode) {
    switch (mode) {
    case PROGRAM_LATENCY:
        return VERDICT_LATENCY;
    case PROGRAM_THROUGHPUT:
        return VERDICT_RTHROUGHPUT;
    case PROGRAM_BLOCK:
        break;
    }
    return VERDICT_BLOCK;
}

// Whether there are branches besides the loop's own. `without_exits`: those that leave the block where they are taken
// do not count.
static bool has_inner_branch(const struct block *block, const struct program *program, bool without_exits) {
    unsigned n_branches = 0;
    int64_t offset = 0, end = (int64_t)program_block_range(program).length;
    for (unsigned i = 0; i < block->n_insns; offset += block->insns[i++].n_bytes) {
        const struct insn *insn = &block->insns[i];
        bool leaves = insn->is_direct && insn->is_conditional && offset < end && offset + insn->displacement >= end;
        n_branches += insn->is_branch && !(leaves && without_exits);
    }
    bool has_loop = program->form == PROGRAM_LOOPED && !program->routine_range.length;
    return n_branches > (has_loop ? program->loop_branches : 0);
}

// Returns how the program differs from its kernel file, by what the model knows of its instructions; null: it does not.
static const char *find_misuse(struct arena *arena, const struct machine *machine, const struct block *block,
                               const struct experiment *experiment) {
    const struct program *program = &experiment->program;
    if (program->mode == PROGRAM_BLOCK || experiment->kernel_instructions == 0)
        return NULL;
    struct dependence found = dependence_find(machine, block, program->streams, experiment->kernel_instructions,
                                              experiment->second_instructions);
    if (program->mode == PROGRAM_LATENCY && !found.is_carried)
        return "no copy waits for the one before: not a latency (see `chain` in the kernel file)";
    if (program->mode == PROGRAM_THROUGHPUT && found.crossing)
        return arena_printf(arena, "streams wait for each other through %s: not a throughput (see `writes`)",
                            found.crossing);
    if (found.carried_flags && !program->preserves_flags)
        return arena_printf(arena,
                            "the loop's count overwrites %s, through which copies wait for each other: add `flags` to "
                            "`chain`",
                            found.carried_flags);
    return NULL;
}

// Notes a doubt for code with inner branches: a simulated CPU executes the text once, without following them.
static void doubt_simulation(const struct predict_request *request, struct experiment *experiment) {
    const struct program *program = &experiment->program;
    struct program_range range = program_simulated_range(program);
    struct block block;
    struct fail fail = {0};
    if (model_describe_part(&request->models->native, request->arena, program->code, range.offset, range.length, &block,
                            &fail) &&
        has_inner_branch(&block, program, true))
        experiment->misuse = "a simulated CPU follows no branch: this is one pass through the text";
}

// Predicts code with inner branches by a recording of its run. Fails on a simulated CPU, or where the code ran
// elsewhere.
static bool predict_branches(const struct predict_request *request, unsigned model, struct experiment *experiment,
                             struct fail *fail) {
    struct followed *followed = &experiment->followed;
    struct bench_code code = experiment_code(experiment, false);
    if (request->place == PREDICT_ELSEWHERE)
        experiment->misuse = "has branches inside; the file does not state which way they went";
    if (request->place != PREDICT_HERE)
        return fail_set(fail, FAIL_UNAVAILABLE, "no prediction where branches are not followed");
    if (!followed->n && !branches_record(request->arena, &experiment->program, &code, followed, fail))
        return false;
    return branches_predict(request->arena, &request->models->judged[model], &experiment->program, followed,
                            &experiment->predictions[model], fail);
}

// What the program's loop meets: a kernel's accesses are apart; a block's are as its user chose them.
static struct prediction_request request_of(const struct experiment *experiment, const struct execution *execution) {
    const struct program *program = &experiment->program;
    const bool is_same = program->mode == PROGRAM_BLOCK && experiment->alias == ALIAS_SAME;
    return (struct prediction_request){
        .execution = execution,
        .way = {.is_loop = program->form == PROGRAM_LOOPED,
                .copies = program->unroll,
                .start = program->line_offset,
                .registers = is_same ? BOUNDS_SAME : BOUNDS_APART,
                .pages_are_one = is_same && !experiment->foreign.is_own},
    };
}

// Adds the addresses of a run, where the model is a CPU file that cannot follow all of them, or a note why there are
// none.
static void add_run(const struct predict_request *request, const struct model *model, struct experiment *experiment,
                    struct prediction_request *wanted, const char **note) {
    struct bounds bounds;
    struct fail ignored = {0};
    const struct turns_recorder recorder = {.model = model};
    struct recorded_turns *turns = &experiment->turns;
    if (!model->own || !model->own->is_x86 || !experiment->block || request->place != PREDICT_HERE ||
        !prediction_bounds(request->arena, model, wanted, &bounds, &ignored) || !bounds.n_unfollowed)
        return;
    if (!request->addresses_are_static && !turns->run.steps && !turns->refusal)
        recorded_turns_find(request->arena, &recorder, experiment, turns);
    const char *refusal = request->addresses_are_static ? "--addresses static" : turns->refusal;
    *note = refusal ? arena_printf(request->arena, "not all addresses are known (%s)", refusal)
                    : "addresses of a run count: not all can be followed";
    wanted->way.run = refusal ? NULL : &turns->run;
}

static bool predict_straight(const struct predict_request *request, unsigned model, struct experiment *experiment,
                             const struct block *block, struct fail *fail) {
    struct prediction_request wanted = request_of(experiment, EXECUTION_OF(block));
    struct prediction *prediction = &experiment->predictions[model];
    const char *note = NULL;
    add_run(request, &request->models->judged[model], experiment, &wanted, &note);
    if (!prediction_by_model(request->arena, &request->models->judged[model], &wanted, prediction, fail))
        return false;
    prediction->are_addresses_run = wanted.way.run != NULL;
    if (note)
        *ARENA_ADD(request->arena, prediction->notes, prediction->n_notes) = note;
    return true;
}

// Notes what vector instructions are taken for that a block of RISC-V's leaves open: what its program starts with.
static void note_vectors(const struct predict_request *request, unsigned model, const struct block *block,
                         size_t offset, struct experiment *experiment) {
    struct prediction *prediction = &experiment->predictions[model];
    const struct insn *open = vector_start_find(request->models->judged[model].machine->triple, block);
    struct vector_config config;
    if (!experiment->block || !open || !vector_start_left(experiment->program.code, offset, &config))
        return;
    struct text pair = {.arena = request->arena};
    vector_config_print_pair(&config, &pair);
    *ARENA_ADD(request->arena, prediction->notes, prediction->n_notes) =
        arena_printf(request->arena, "no vsetvli before '%s': it runs, and is predicted, as %s",
                     text_without_tabs(request->arena, open->text), pair.data);
}

static bool predict_program(const struct predict_request *request, unsigned model, struct experiment *experiment,
                            const struct block *block, struct fail *fail) {
    const struct machine *machine = request->models->judged[model].machine;
    bool is_simulated = request->place == PREDICT_SIMULATED;
    bool is_called = experiment->program.routine_range.length && !is_simulated;
    bool calls = experiment->block && experiment->block->calls_others && !is_simulated;
    if (is_called || calls || has_inner_branch(block, &experiment->program, is_simulated))
        return predict_branches(request, model, experiment, fail);
    experiment->is_straight = true;
    if (!experiment->misuse)
        experiment->misuse = find_misuse(request->arena, machine, block, experiment);
    return predict_straight(request, model, experiment, block, fail);
}

static bool predict_block(const struct predict_request *request, unsigned model, struct experiment *experiment,
                          struct fail *fail) {
    const struct program_range range = program_simulated_range(&experiment->program);
    struct block block;
    if (!model_describe_part(&request->models->judged[model], request->arena, experiment->program.code, range.offset,
                             range.length, &block, fail) ||
        !predict_program(request, model, experiment, &block, fail))
        return false;
    note_vectors(request, model, &block, range.offset, experiment);
    return true;
}

// Predicts an experiment. Where the model cannot predict the code, its message becomes the reason of the verdict.
static void predict(const struct predict_request *request, unsigned model, struct experiment *experiment) {
    struct prediction *prediction = &experiment->predictions[model];
    const struct model *asked = &request->models->judged[model];
    struct fail fail = {0};
    if (asked->missing) {
        *prediction = (struct prediction){.model = asked->identity, .bottleneck = ""};
        experiment->verdicts[model] = (struct verdict){.kind = VERDICT_UNMODELLED, .blame = asked->missing};
        return;
    }
    if (!predict_block(request, model, experiment, &fail)) {
        *prediction = (struct prediction){.model = model_name(asked), .bottleneck = ""};
        experiment->verdicts[model] = (struct verdict){.kind = VERDICT_UNMODELLED, .blame = "no prediction"};
        if (!experiment->misuse) // the table shows a misuse
            lab_say(request->listener, LAB_WARNING, "%s: %s", experiment->program.kernel, fail.text);
        return;
    }
    const struct bench_measurement *m = &experiment->measurement;
    struct verdict_measured measured = {
        m->cycles, m->low, m->high, m->clock_error, m->verdict != MEASURED_UNSTABLE, subject(experiment->program.mode)};
    verdict_make(request->arena, &measured, prediction, &experiment->verdicts[model]);
}

void predict_experiment(const struct predict_request *request, struct experiment *experiment) {
    if (request->place == PREDICT_SIMULATED)
        doubt_simulation(request, experiment);
    experiment->is_done = experiment->measurement.outcome == BENCH_OK;
    experiment->n_predictions = experiment->is_done ? request->models->n_judged : 0;
    for (unsigned i = 0; i < experiment->n_predictions; i++)
        predict(request, i, experiment);
}
