#include "lab/run_journal.h"

#include "base/text.h"

#include <string.h>
#include <unistd.h>

static const struct host *host_of(const struct lab *lab) {
    return lab->is_simulated ? NULL : &lab->host;
}

static void find_taken(struct run_journal *journal, struct lab *lab, const struct plan *plan,
                       const struct run_journal_request *files) {
    const struct option_list *events = files->events;
    for (size_t i = 0; i < plan->n_experiments; i++) {
        struct record like;
        const struct record *found;
        struct journal_request request = {events->items, events->n_items, plan->experiments[i]->replicates.n,
                                          files->n_stable};
        experiment_to_record(lab->arena, plan->experiments[i], &like);
        enum journal_state state = journal_find(&journal->before, &like, &request, &found);
        if (state == JOURNAL_UNSTABLE && files->takes_unstable) {
            const struct record *quickest = journal_quickest(&journal->before, &like);
            found = quickest ? quickest : found;
            state = JOURNAL_DONE;
        }
        journal->taken[i] = state == JOURNAL_DONE ? found : NULL;
        if (state == JOURNAL_UNSTABLE || state == JOURNAL_SELDOM)
            plan->experiments[i]->looks = journal_looks(lab->arena, &journal->before, &like);
        journal->n_by_state[state]++;
    }
}

static void say_what_is_not_taken(const struct run_journal *journal, const struct lab *lab) {
    static const char *const names[JOURNAL_N_STATES] = {
        [JOURNAL_UNSTABLE] = "unstable",
        [JOURNAL_UNFINISHED] = "timed out or killed",
        [JOURNAL_SELDOM] = "stable at too few times",
        [JOURNAL_COARSE] = "with less effort or precision than this run asks for",
    };
    struct text text = {.arena = lab->arena};
    for (enum journal_state state = JOURNAL_NOTHING; state < JOURNAL_N_STATES; state++)
        if (names[state] && journal->n_by_state[state])
            text_addf(&text, "%s%zu %s", text.length ? ", " : "", journal->n_by_state[state], names[state]);
    if (text.length)
        lab_say(lab->listener, LAB_NOTE, "measured again: %s", text.data);
}

static void say_what_is_of_others(const struct run_journal *journal, const struct lab *lab) {
    const struct journal *before = &journal->before;
    if (before->n_headless)
        lab_say(lab->listener, LAB_WARNING,
                "%zu measurements in '%s' stand below no header, or a damaged one: where they were made is not known, "
                "and they are not taken",
                before->n_headless, journal->path);
    if (before->n_elsewhere)
        lab_say(lab->listener, LAB_WARNING,
                "%zu measurements in '%s' are of another host, target, model or clock, and are not taken",
                before->n_elsewhere, journal->path);
    if (before->n_other_cpu)
        lab_say(lab->listener, LAB_WARNING,
                "%zu measurements in '%s' were made on another CPU than CPU %d, and are not taken; --cpu %d goes on "
                "there",
                before->n_other_cpu, journal->path, lab->host.cpu, before->other_cpu);
}

static void say_what_was_found(const struct run_journal *journal, const struct lab *lab, size_t n_experiments,
                               bool is_resumed) {
    const struct record_file *file = journal->before.file;
    const char *damage = record_damage_text(lab->arena, journal->path, &file->damage);
    if (damage)
        lab_say(lab->listener, LAB_WARNING, "%s", damage);
    if (!is_resumed)
        return;
    lab_say(lab->listener, LAB_NOTE, "%zu of %s taken from '%s'", journal->n_by_state[JOURNAL_DONE],
            text_count_are(lab->arena, n_experiments, "measurement"), journal->path);
    say_what_is_not_taken(journal, lab);
    say_what_is_of_others(journal, lab);
}

static bool open_file(struct run_journal *journal, struct lab *lab, const struct plan *plan,
                      const struct run_journal_request *request, struct fail *fail) {
    struct fail unreadable = {0};
    bool is_read = journal_read(lab->arena, journal->path, request->known, host_of(lab), &lab->bench, &journal->before,
                                &unreadable);
    if (!is_read && request->is_resumed) {
        *fail = unreadable;
        return false;
    }
    if (is_read && request->is_of_one_target &&
        !record_check_target(journal->path, journal->before.file, NULL, lab->bench.target->description,
                             lab->bench.target->model, fail))
        return false;
    if (is_read && request->is_resumed)
        find_taken(journal, lab, plan, request);
    if (request->n_taken)
        *request->n_taken += journal->n_by_state[JOURNAL_DONE];
    say_what_was_found(journal, lab, plan->n_experiments, request->is_resumed);
    if (journal->n_by_state[JOURNAL_DONE] == plan->n_experiments)
        return true;
    journal->file = record_open(journal->path, host_of(lab), &lab->bench, fail);
    return journal->file != NULL;
}

// Returns the CPU of the file's last run; -1: unknown, or on another host.
static int cpu_of_before(struct lab *lab, const struct run_journal_request *request) {
    struct record_file own = {.arena = lab->arena}, *file = request->known ? request->known : &own;
    struct fail unreadable = {0}; // run_journal_open reports it
    int cpu = -1;
    if (access(request->path, F_OK) == 0 && record_read_on(request->path, file, &unreadable) && file->n_headers)
        cpu = record_cpu(file->headers[file->n_headers - 1], &lab->host);
    record_file_close(&own);
    return cpu;
}

void run_journal_choose_cpu(struct lab *lab, const struct lab_options *options,
                            const struct run_journal_request *request) {
    bool is_free = !lab->is_simulated && options->bench.cpu < 0;
    int cpu = request->is_resumed && is_free ? cpu_of_before(lab, request) : -1;
    struct host_request there = {.cpu = cpu};
    struct host host;
    struct fail refused = {0}; // the CPU is offline now, or we may not use it
    if (cpu >= 0 && cpu != lab->host.cpu && host_read(lab->arena, &there, &host, &refused))
        lab->host = host;
}

bool run_journal_open(struct run_journal *journal, struct lab *lab, const struct plan *plan,
                      const struct run_journal_request *request, struct fail *fail) {
    *journal = (struct run_journal){.path = request->path};
    journal->taken = ARENA_ARRAY(lab->arena, const struct record *, plan->n_experiments);
    if (request->path && !open_file(journal, lab, plan, request, fail))
        return false;
    return !request->wants_json || (journal->json = record_open("-", host_of(lab), &lab->bench, fail));
}

static bool append(const struct run_journal *journal, const struct record *record, struct fail *fail) {
    struct fail inner = {0};
    return !journal->file || record_write(journal->file, record, &inner) ||
           fail_set(fail, inner.status, "'%s': %s; --resume goes on with what it holds", journal->path, inner.text);
}

bool run_journal_append(struct run_journal *journal, struct lab *lab, const struct experiment *experiment,
                        struct fail *fail) {
    struct record record;
    experiment_to_record(lab->arena, experiment, &record);
    return append(journal, &record, fail);
}

bool run_journal_print(struct run_journal *journal, struct lab *lab, const struct experiment *experiment,
                       struct fail *fail) {
    struct record record;
    experiment_to_record(lab->arena, experiment, &record);
    return !journal->json || record_write(journal->json, &record, fail);
}

bool run_journal_write(struct run_journal *journal, struct lab *lab, const struct experiment *experiment,
                       struct fail *fail) {
    struct record record;
    experiment_to_record(lab->arena, experiment, &record);
    return run_journal_write_record(journal, &record, fail);
}

bool run_journal_write_record(struct run_journal *journal, const struct record *record, struct fail *fail) {
    return (!journal->json || record_write(journal->json, record, fail)) && append(journal, record, fail);
}

bool run_journal_close(struct run_journal *journal, struct fail *fail) {
    bool is_closed = !journal->file || fclose(journal->file) == 0;
    journal_close(&journal->before);
    return is_closed || fail_set(fail, FAIL_INPUT, "cannot write '%s'", journal->path);
}
