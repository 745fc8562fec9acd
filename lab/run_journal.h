// Private to this folder.
// The measurement files of one `cyclops run`: the one it appends to, standard output with --json, and, with --resume,
// what an earlier run has left in the file.
#ifndef LAB_RUN_JOURNAL_H
#define LAB_RUN_JOURNAL_H

#include "bench/record/journal.h"
#include "lab/lab.h"

struct run_journal {
    const char *path; // null: none
    FILE *file, *json;
    struct journal before;
    const struct record **taken; // for each experiment of the plan: its record in `before`; null: to be measured
    size_t n_by_state[JOURNAL_N_STATES]; // numbers of the plan's experiments
};

struct run_journal_request {
    const char *path;                 // null: no file
    bool is_resumed;                  // take measurements from the file
    bool takes_unstable;              // also those whose verdict is unstable: the quickest of each program
    bool is_of_one_target;            // fails where the file holds measurements of another target
    unsigned n_stable;                // least number of times that a value must have been stable; 0: as 1
    size_t *n_taken;                  // the number of those that are taken is added to it; null: not counted
    bool wants_json;                  // print JSON Lines on standard output
    const struct option_list *events; // hardware events that a measurement must have to be taken
    struct record_file *known;        // what was read of the file, for runs that follow each other; null: nothing
};

// Before the lab is started: chooses the CPU of the file's last run on this host for a run that resumes it. Does
// nothing where the user named a CPU, or where that CPU cannot be used.
void run_journal_choose_cpu(struct lab *lab, const struct lab_options *options,
                            const struct run_journal_request *request);

// Opens the files, and reports to the listener what it takes. Does not touch the file where nothing is left to measure.
bool run_journal_open(struct run_journal *journal, struct lab *lab, const struct plan *plan,
                      const struct run_journal_request *request, struct fail *fail);

// Writes the experiment to the file, and to standard output: its last line there counts.
bool run_journal_write(struct run_journal *journal, struct lab *lab, const struct experiment *experiment,
                       struct fail *fail);
bool run_journal_append(struct run_journal *journal, struct lab *lab, const struct experiment *experiment,
                        struct fail *fail); // to the file alone
bool run_journal_print(struct run_journal *journal, struct lab *lab, const struct experiment *experiment,
                       struct fail *fail); // to standard output alone

bool run_journal_write_record(struct run_journal *journal, const struct record *record, struct fail *fail);
bool run_journal_close(struct run_journal *journal, struct fail *fail);

#endif
