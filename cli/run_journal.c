#include "cli/run_journal.h"

#include <string.h>
#include <unistd.h>

static const struct host *host_of(const struct lab *lab) {
    return lab->is_simulated ? NULL : &lab->host;
}

static void find_taken(struct run_journal *journal, struct lab *lab, const struct plan *plan,
                       const struct option_list *events) {
    for (size_t i = 0; i < plan->n_experiments; i++) {
        struct record like;
        experiment_to_record(lab->arena, plan->experiments[i], &like);
        const struct record *found = journal_find(&journal->before, &like, events->items, events->n_items);
        bool has_all = found && found->measurement.n_replicates >= plan->experiments[i]->replicates.n;
        journal->taken[i] = has_all ? found : NULL;
        journal->n_taken += journal->taken[i] != NULL;
    }
}

static void say_what_was_found(const struct run_journal *journal, size_t n_experiments, bool is_resumed) {
    const struct record_file *file = &journal->before.file;
    if (file->n_cut)
        fprintf(stderr, "cyclops: warning: %s:%u: the line was cut short when its run was ended; it is left out\n",
                journal->path, file->cut_line);
    if (!is_resumed)
        return;
    fprintf(stderr, "cyclops: %zu of %zu measurements are taken from '%s'\n", journal->n_taken, n_experiments,
            journal->path);
    if (journal->before.n_of_others)
        fprintf(stderr,
                "cyclops: warning: %zu measurements in '%s' are of another host, target or clock, and are not taken\n",
                journal->before.n_of_others, journal->path);
}

static bool open_file(struct run_journal *journal, struct lab *lab, const struct plan *plan,
                      const struct run_journal_wish *wish, struct fail *fail) {
    struct fail unreadable = {0};
    bool is_read = journal_read(lab->arena, journal->path, host_of(lab), &lab->bench, &journal->before, &unreadable);
    if (!is_read && wish->is_resumed) {
        *fail = unreadable;
        return false;
    }
    if (is_read && wish->is_resumed)
        find_taken(journal, lab, plan, wish->events);
    say_what_was_found(journal, plan->n_experiments, wish->is_resumed);
    if (journal->n_taken == plan->n_experiments)
        return true;
    journal->file = record_open(journal->path, host_of(lab), &lab->bench, fail);
    return journal->file != NULL;
}

bool run_journal_open(struct run_journal *journal, struct lab *lab, const struct plan *plan,
                      const struct run_journal_wish *wish, struct fail *fail) {
    *journal = (struct run_journal){.path = wish->path};
    journal->taken = ARENA_ARRAY(lab->arena, const struct record *, plan->n_experiments);
    if (wish->path && !open_file(journal, lab, plan, wish, fail))
        return false;
    return !wish->wants_json || (journal->json = record_open("-", host_of(lab), &lab->bench, fail));
}

bool run_journal_write(struct run_journal *journal, struct lab *lab, const struct experiment *experiment, bool is_taken,
                       struct fail *fail) {
    struct record record;
    experiment_to_record(lab->arena, experiment, &record);
    return is_taken ? !journal->json || record_write(journal->json, &record, fail)
                    : run_journal_write_record(journal, &record, fail);
}

bool run_journal_write_record(struct run_journal *journal, const struct record *record, struct fail *fail) {
    return (!journal->json || record_write(journal->json, record, fail)) &&
           (!journal->file || record_write(journal->file, record, fail));
}

bool run_journal_close(struct run_journal *journal, struct fail *fail) {
    bool is_closed = !journal->file || fclose(journal->file) == 0;
    journal_close(&journal->before);
    return is_closed || fail_set(fail, FAIL_WORK, "cannot write '%s'", journal->path);
}
