#include "cli/run_plan.h"

#include "cli/cli.h"
#include "cli/corun.h"
#include "cli/interrupt.h"

#include <string.h>
#include <unistd.h>

// All programs, and the clock's, in one run of the assembler.
static bool assemble(struct arena *arena, const struct plan *plan, const struct lab *lab, struct fail *fail) {
    size_t most = plan->n_experiments * (1 + BENCH_MAX_REPLICATES) + N_CHAINS + 1;
    struct program **programs = ARENA_ARRAY(arena, struct program *, most);
    size_t n = chains_list(lab->chains, programs);
    for (size_t i = 0; i < plan->n_experiments; i++) {
        struct experiment *experiment = plan->experiments[i];
        programs[n++] = &experiment->program;
        for (unsigned r = 0; r < experiment->replicates.n; r++)
            if (experiment->replicates.items[r].program != &experiment->program)
                programs[n++] = experiment->replicates.items[r].program;
    }
    if (plan->corunner)
        programs[n++] = &plan->corunner->program;
    return gen_assemble(arena, programs, n, fail);
}

int run_plan_worse(int a, int b) {
    static const int order[] = {INTERRUPT_STATUS, FAIL_WORK, FAIL_INPUT, FAIL_UNAVAILABLE};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return 0;
}

static void clear_progress(void) {
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

// The rows of one kernel often have the same trouble.
static int say_once(const struct fail *trouble) {
    static char said[sizeof trouble->text];
    if (strcmp(said, trouble->text) != 0) {
        clear_progress();
        cli_failed(trouble);
    }
    memcpy(said, trouble->text, sizeof said);
    return (int)trouble->status;
}

// What cannot run here, or did not end well, is said and does not stop the rest.
static void say_trouble(const struct lab *lab, const struct experiment *experiment, int *status) {
    const struct program *program = &experiment->program;
    struct fail trouble = {0};
    if (lab_can_run(lab, program, &trouble) && !experiment->is_done && !interrupt_seen())
        fail_set(&trouble, FAIL_WORK, "%s (%s, n = %u, %s): %s", program->kernel, program_mode_name(program->mode),
                 program->streams, program_form_name(program->form),
                 bench_outcome_name(experiment->measurement.outcome));
    if (trouble.status != FAIL_NONE)
        *status = run_plan_worse(*status, say_once(&trouble));
}

// The same for what runs beside it.
static bool run_beside(struct lab *lab, struct experiment *experiment, struct run_journal *journal, int *status,
                       struct fail *fail) {
    struct corun *corun = experiment->corun;
    struct experiment *other = corun->other;
    struct fail trouble = {0};
    bool was_measured = other->is_done;
    if (lab_can_run(lab, &other->program, &trouble)) {
        if (!corun_measure(lab, experiment, fail))
            return false;
        if (!corun->is_done && !interrupt_seen())
            fail_set(&trouble, FAIL_WORK, "%s beside %s: %s", experiment->program.kernel, other->program.kernel,
                     bench_outcome_name(other->is_done ? corun->together.outcome : other->measurement.outcome));
    }
    if (trouble.status != FAIL_NONE)
        *status = run_plan_worse(*status, say_once(&trouble));
    bool is_news = other->is_done && !was_measured && !corun_is_same_code(experiment);
    if (is_news && !run_journal_write(journal, lab, other, false, fail))
        return false;
    return !corun->is_done || corun_write(journal, lab, experiment, fail);
}

static void show_progress(size_t done, size_t total) {
    clear_progress();
    if (done < total && isatty(STDERR_FILENO))
        fprintf(stderr, "measuring %zu of %zu", done + 1, total);
}

// The first experiment behind those that are measured together with the one at `start`. A simulated CPU gains nothing
// by that, and shows its progress.
static size_t end_of_batch(const struct lab *lab, const struct plan *plan, const struct run_journal *journal,
                           size_t start) {
    size_t n_codes = 0, most = lab->is_simulated ? 1 : BENCH_MOST_TOGETHER, end = start;
    while (end < plan->n_experiments && n_codes < most) {
        n_codes += journal->taken[end] ? 0 : lab_codes(plan->experiments[end]);
        end++;
    }
    return end;
}

// What the journal does not have of them.
static bool measure_batch(struct lab *lab, const struct plan *plan, const struct run_journal *journal, size_t start,
                          size_t end, struct fail *fail) {
    struct experiment **wanted = ARENA_ARRAY(lab->arena, struct experiment *, end - start);
    size_t n = 0;
    for (size_t i = start; i < end; i++) {
        struct fail trouble = {0};
        struct experiment *experiment = plan->experiments[i];
        if (!lab_can_run(lab, &experiment->program, &trouble))
            continue;
        if (journal->taken[i])
            lab_take(lab, experiment, &journal->taken[i]->measurement);
        else
            wanted[n++] = experiment;
    }
    return lab_run(lab, wanted, n, fail);
}

static bool was_tried(const struct experiment *experiment) {
    return experiment->is_done || (experiment->measurement.outcome != BENCH_OK && !interrupt_seen());
}

static bool finish_one(struct lab *lab, struct experiment *experiment, struct run_journal *journal, bool is_taken,
                       int *status, struct fail *fail) {
    say_trouble(lab, experiment, status);
    if (was_tried(experiment) && !run_journal_write(journal, lab, experiment, is_taken, fail))
        return false;
    return !experiment->corun || !experiment->is_done || run_beside(lab, experiment, journal, status, fail);
}

static void say_interrupted(const struct plan *plan, const struct run_journal *journal, int *status) {
    size_t n = 0;
    for (size_t i = 0; i < plan->n_experiments; i++)
        n += was_tried(plan->experiments[i]);
    if (n == plan->n_experiments)
        return;
    fprintf(stderr, "cyclops: interrupted: %zu of %zu measured%s\n", n, plan->n_experiments,
            journal->path ? "; --resume does the rest" : "");
    *status = INTERRUPT_STATUS;
}

static bool run_all(struct lab *lab, const struct plan *plan, struct run_journal *journal, int *status,
                    struct fail *fail) {
    for (size_t i = 0, end; i < plan->n_experiments && !interrupt_seen(); i = end) {
        show_progress(i, plan->n_experiments);
        end = end_of_batch(lab, plan, journal, i);
        if (!measure_batch(lab, plan, journal, i, end, fail))
            return false;
        for (size_t e = i; e < end; e++)
            if (!finish_one(lab, plan->experiments[e], journal, journal->taken[e] != NULL, status, fail))
                return false;
    }
    show_progress(plan->n_experiments, plan->n_experiments);
    if (interrupt_seen())
        say_interrupted(plan, journal, status);
    return true;
}

bool run_plan(struct lab *lab, const struct lab_options *options, const struct plan *plan,
              const struct run_journal_wish *files, int *status, struct fail *fail) {
    struct run_journal journal = {0};
    run_journal_choose_cpu(lab, options, files);
    bool is_ready = assemble(lab->arena, plan, lab, fail) && lab_start(lab, options, fail) &&
                    run_journal_open(&journal, lab, plan, files, fail);
    if (is_ready)
        interrupt_watch();
    bool is_done = is_ready && run_all(lab, plan, &journal, status, fail);
    run_journal_close(&journal, fail);
    return is_done;
}
