#include "lab/run_plan.h"

#include "lab/corun.h"
#include "lab/plan_assemble.h"

#include <string.h>

int run_plan_worse(int a, int b) {
    static const int order[] = {RUN_PLAN_INTERRUPTED, FAIL_WORK, FAIL_INPUT, FAIL_UNAVAILABLE, RUN_PLAN_UNSTABLE};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return 0;
}

// Whether a block fails only with the same address in all registers.
static bool fails_alike_only(const struct experiment *experiment) {
    const struct lab_block *block = experiment->block;
    return experiment->alias == ALIAS_SAME && block->was_tried[ALIAS_DISJOINT] &&
           block->trials[ALIAS_DISJOINT].outcome == BENCH_OK;
}

// Whether a block's failure was reported already, with different addresses in its registers.
static bool fails_again(const struct experiment *experiment) {
    const struct lab_block *block = experiment->block;
    return experiment->alias == ALIAS_SAME && block->was_tried[ALIAS_DISJOINT] &&
           block->trials[ALIAS_DISJOINT].outcome == experiment->measurement.outcome &&
           block->trials[ALIAS_SAME].outcome == experiment->measurement.outcome;
}

// Makes the failure of a block. One pass through it is the same in all forms, so a trial's failure names no form.
static void fail_block(struct arena *arena, const struct experiment *experiment, struct fail *trouble) {
    const struct record_block *seen = &experiment->seen;
    const char *outcome = bench_outcome_name(experiment->measurement.outcome);
    bool is_by_trial = experiment->block->was_tried[experiment->alias] &&
                       experiment->block->trials[experiment->alias].outcome != BENCH_OK;
    const char *form = is_by_trial ? "" : arena_printf(arena, " (%s)", program_form_name(experiment->program.form));
    const char *way = fails_alike_only(experiment) ? ", with one address in all registers" : "";
    const char *endless = block_why_endless(experiment->block, experiment->measurement.outcome);
    fail_set(trouble, FAIL_WORK, "%s%s%s: %s%s%s%s%s", experiment->program.kernel, form, way, outcome,
             seen->has_fault ? ": " : "", seen->has_fault ? seen->fault.explanation : "", endless ? "; " : "",
             endless ? endless : "");
}

// A run of a plan. Experiments end in any order, and are written to the file in that order. On standard output they
// have the plan's order.
struct plan_run {
    struct lab *lab;
    const struct plan *plan;
    struct run_journal journal;
    bool *are_finished; // for each experiment: its result is reported
    size_t n_finished, n_printed;
    int *status;
    struct fail said; // the last trouble that was reported
};

// Reports trouble unless it equals the last one: rows of one kernel often share it.
static void say_once(struct plan_run *run, const struct fail *trouble) {
    if (trouble->status == FAIL_NONE)
        return;
    if (strcmp(run->said.text, trouble->text) != 0)
        lab_say_failed(run->lab->listener, trouble);
    run->said = *trouble;
    *run->status = run_plan_worse(*run->status, (int)trouble->status);
}

// Whether a function fails only with one address in all registers, which nobody asked for, and as no program calls it:
// the row with different addresses is the answer.
static bool is_beside_the_point(const struct experiment *experiment) {
    const struct lab_block *block = experiment->block;
    return block->is_routine && !block->options.is_both_asked && fails_alike_only(experiment);
}

static void say_left_out(const struct lab *lab, const struct experiment *experiment) {
    lab_say(lab->listener, LAB_NOTE,
            "%s: with one address in all registers: %s; left out (--alias disjoint does not try it)",
            experiment->program.kernel, bench_outcome_name(experiment->measurement.outcome));
}

// Reports an experiment that cannot run here, or did not end well. The others go on.
static void say_trouble(struct plan_run *run, const struct experiment *experiment) {
    const struct lab *lab = run->lab;
    const struct program *program = &experiment->program;
    struct fail trouble = {0};
    bool has_failed = lab_can_run(lab, program, &trouble) && !experiment->is_done && !lab_is_stopped(lab);
    if (has_failed && experiment->block && fails_again(experiment))
        return;
    if (has_failed && experiment->block && is_beside_the_point(experiment)) {
        if (!experiment->block->was_left_out)
            say_left_out(lab, experiment);
        experiment->block->was_left_out = true;
        return;
    }
    if (has_failed && experiment->block)
        fail_block(lab->arena, experiment, &trouble);
    else if (has_failed)
        fail_set(&trouble, FAIL_WORK, "%s (%s, n = %u, %s): %s", program->kernel, program_mode_name(program->mode),
                 program->streams, program_form_name(program->form),
                 bench_outcome_name(experiment->measurement.outcome));
    say_once(run, &trouble);
}

// Runs the experiment with its co-runner, and writes the results. Reports trouble. Fails where it cannot write.
static bool run_corunner(struct plan_run *run, struct experiment *experiment, struct fail *fail) {
    struct lab *lab = run->lab;
    struct corun *corun = experiment->corun;
    struct experiment *other = corun->other;
    struct fail trouble = {0};
    bool was_measured = other->is_done;
    if (lab_can_run(lab, &other->program, &trouble)) {
        if (!corun_measure(lab, experiment, fail))
            return false;
        if (!corun->is_done && !lab_is_stopped(lab))
            fail_set(&trouble, FAIL_WORK, "%s beside %s: %s", experiment->program.kernel, other->program.kernel,
                     bench_outcome_name(other->is_done ? corun->together.outcome : other->measurement.outcome));
    }
    say_once(run, &trouble);
    bool is_news = other->is_done && !was_measured && !corun_is_same_code(experiment);
    if (is_news && !run_journal_write(&run->journal, lab, other, fail))
        return false;
    return !corun->is_done || corun_write(&run->journal, lab, experiment, fail);
}

static bool was_tried(const struct plan_run *run, const struct experiment *experiment) {
    return experiment->is_done || (experiment->measurement.outcome != BENCH_OK && !lab_is_stopped(run->lab));
}

static bool print_finished(struct plan_run *run, struct fail *fail) {
    const struct plan *plan = run->plan;
    for (; run->n_printed < plan->n_experiments && run->are_finished[run->n_printed]; run->n_printed++) {
        const struct experiment *experiment = plan->experiments[run->n_printed];
        if (was_tried(run, experiment) && !run_journal_print(&run->journal, run->lab, experiment, fail))
            return false;
    }
    return true;
}

// Reports and writes a finished experiment. One that was finished before was measured again: the last line counts.
static bool finish(struct plan_run *run, size_t index, struct fail *fail) {
    struct experiment *experiment = run->plan->experiments[index];
    bool is_printed = index < run->n_printed;
    if (!run->are_finished[index])
        say_trouble(run, experiment);
    run->n_finished += !run->are_finished[index];
    run->are_finished[index] = true;
    lab_say_measuring(run->lab->listener, run->n_finished + 1, run->plan->n_experiments);
    if (was_tried(run, experiment) && !run->journal.taken[index] &&
        !run_journal_append(&run->journal, run->lab, experiment, fail))
        return false;
    if (is_printed && was_tried(run, experiment))
        return run_journal_print(&run->journal, run->lab, experiment, fail);
    return print_finished(run, fail);
}

static bool finish_experiment(void *context, struct experiment *experiment, struct fail *fail) {
    return finish(context, experiment->place, fail);
}

static void say_interrupted(const struct plan_run *run) {
    size_t n = 0;
    for (size_t i = 0; i < run->plan->n_experiments; i++)
        n += was_tried(run, run->plan->experiments[i]);
    if (n == run->plan->n_experiments)
        return;
    lab_say(run->lab->listener, LAB_NOTE, "interrupted: %zu of %zu measured%s", n, run->plan->n_experiments,
            run->journal.path ? "; --resume does the rest" : "");
    *run->status = RUN_PLAN_INTERRUPTED;
}

// Whether an experiment must be measured. Takes its result from the journal, or from a block's failed trial. Returns
// false also where it cannot run here.
static bool needs_measuring(struct plan_run *run, size_t index) {
    struct experiment *experiment = run->plan->experiments[index];
    experiment->place = index;
    struct bench_measurement *m = &experiment->measurement;
    struct fail trouble = {0};
    if (!lab_can_run(run->lab, &experiment->program, &trouble))
        return false;
    if (m->outcome != BENCH_OK) { // a block whose trial failed
        m->clock = run->lab->bench.clock;
        m->why = bench_outcome_name(m->outcome);
        lab_take(run->lab, experiment, m);
        return false;
    }
    if (!run->journal.taken[index])
        return true;
    lab_take(run->lab, experiment, &run->journal.taken[index]->measurement);
    return false;
}

static bool finish_others(struct plan_run *run, struct experiment **wanted, size_t *n_wanted, struct fail *fail) {
    for (size_t i = 0; i < run->plan->n_experiments; i++) {
        struct experiment *experiment = run->plan->experiments[i];
        if (needs_measuring(run, i))
            wanted[(*n_wanted)++] = experiment;
        else if (!finish(run, i, fail))
            return false;
    }
    return true;
}

// Runs the experiments one after the other, each alone and then with its co-runner.
static bool run_coruns(struct plan_run *run, struct experiment *const *wanted, size_t n_wanted,
                       const struct lab_taker *taker, struct fail *fail) {
    for (size_t i = 0; i < n_wanted && !lab_is_stopped(run->lab); i++)
        if (!lab_run(run->lab, &wanted[i], 1, taker, fail) ||
            (wanted[i]->is_done && !run_corunner(run, wanted[i], fail)))
            return false;
    return true;
}

static void say_nothing_left(const struct plan_run *run) {
    lab_say_measuring(run->lab->listener, 1, 0);
}

static bool run_all(struct plan_run *run, const struct lab_taker *taker, struct fail *fail) {
    struct experiment **wanted = ARENA_ARRAY(run->lab->arena, struct experiment *, run->plan->n_experiments);
    size_t n_wanted = 0;
    if (!finish_others(run, wanted, &n_wanted, fail))
        return false;
    bool is_done = run->plan->corunner ? run_coruns(run, wanted, n_wanted, taker, fail)
                                       : lab_run(run->lab, wanted, n_wanted, taker, fail);
    say_nothing_left(run);
    if (is_done && lab_is_stopped(run->lab))
        say_interrupted(run);
    return is_done;
}

static bool is_unstable(const struct experiment *experiment) {
    return (experiment->is_done && experiment->measurement.verdict == MEASURED_UNSTABLE) ||
           (experiment->corun && experiment->corun->is_done &&
            experiment->corun->together.verdict == MEASURED_UNSTABLE);
}

int run_plan_strict(const struct plan *plan, int status) {
    for (size_t i = 0; i < plan->n_experiments; i++)
        if (is_unstable(plan->experiments[i]))
            return run_plan_worse(status, RUN_PLAN_UNSTABLE);
    return status;
}

// Default time for retries: waits for neighbours must not take longer than the rest.
static double usual_retry_seconds(const struct plan *plan) {
    enum { FEW = 64 };
    return plan->n_experiments <= FEW ? 5 : 60;
}

static bool prepare(struct lab *lab, const struct lab_options *options, struct plan *plan, struct fail *fail) {
    bool has_block = plan->corunner && plan->corunner->block;
    struct plan corunner = {.experiments = &plan->corunner, .n_experiments = has_block, .n_blocks = has_block};
    return lab_prepare(lab, options, plan, fail) && lab_prepare(lab, options, &corunner, fail);
}

int run_plan_say_refused(const struct plan *plan, const struct fail *fail) {
    int status = 0;
    size_t n = plan->n_refused;
    if (n > 0 && fail->status != FAIL_NONE && strcmp(fail->text, plan->refused[n - 1].text) == 0)
        n--;
    for (size_t i = 0; i < n; i++) {
        lab_say_failed(plan->listener, &plan->refused[i]);
        status = run_plan_worse(status, (int)plan->refused[i].status);
    }
    return status;
}

// Whether experiments ran, and no round of any of them counts.
static bool is_all_lost(const struct plan *plan, bool has_no_window) {
    size_t n_run = 0;
    for (size_t i = 0; i < plan->n_experiments; i++) {
        const struct experiment *experiment = plan->experiments[i];
        if (!experiment->is_done || experiment->measurement.outcome != BENCH_OK)
            continue;
        n_run++;
        if (experiment->measurement.samples || (experiment->corun && !has_no_window))
            return false;
    }
    return n_run > 0;
}

static void say_all_lost(const struct plan_run *run) {
    struct lab *lab = run->lab;
    const char *hint = lab->bench.gaps.seconds > 0
                           ? arena_printf(lab->arena, ": %s", bench_gaps_summary(lab->arena, &lab->bench.gaps))
                           : "";
    lab_say(lab->listener, LAB_WARNING,
            "%s%s. Stop what runs beside, choose another CPU (--cpu), or come back at another time%s",
            lab->bench.has_no_window ? lab->bench.unstable_why
                                     : "no value could be measured: others disturbed all rounds",
            hint,
            run->plan->n_blocks ? ". A block with a loop inside that takes milliseconds is always disturbed: give that "
                                  "fewer turns (--set)"
                                : "");
}

bool run_plan(struct lab *lab, const struct lab_options *options, struct plan *plan,
              const struct run_journal_request *files, int *status, struct fail *fail) {
    struct plan_run run = {.lab = lab, .plan = plan, .status = status};
    const struct lab_taker taker = {&run, finish_experiment};
    struct lab_options patient = *options;
    run_journal_choose_cpu(lab, options, files);
    bool is_ready = prepare(lab, options, plan, fail) && plan_assemble(lab->arena, lab->chains, plan, fail);
    *status = run_plan_worse(*status, run_plan_say_refused(plan, fail));
    if (patient.bench.retry_seconds < 0)
        patient.bench.retry_seconds = usual_retry_seconds(plan);
    run.are_finished = ARENA_ARRAY(lab->arena, bool, plan->n_experiments);
    is_ready = is_ready && lab_start(lab, &patient, fail);
    if (is_ready && options->needs_steady && !lab->bench.stable) {
        say_nothing_left(&run);
        lab_say(lab->listener, LAB_WARNING, "nothing is measured while the clock is not steady: %s",
                lab->bench.unstable_why);
        return true;
    }
    is_ready = is_ready && run_journal_open(&run.journal, lab, plan, files, fail);
    if (is_ready)
        lab_say_started(lab->listener);
    bool is_done = is_ready && run_all(&run, &taker, fail);
    say_nothing_left(&run); // must come before an error
    if (is_done && !lab_is_stopped(lab) && is_all_lost(plan, lab->bench.has_no_window)) {
        say_all_lost(&run);
        *status = run_plan_worse(*status, FAIL_UNAVAILABLE);
    }
    run_journal_close(&run.journal, fail);
    return is_done;
}
