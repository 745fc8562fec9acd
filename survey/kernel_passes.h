// Private to this folder.
// A survey's kernels while they are measured: the client of its campaign. It knows which kernels a pass measures, and
// which of their values are unstable; which passes there are is the survey's part.
#ifndef SURVEY_KERNEL_PASSES_H
#define SURVEY_KERNEL_PASSES_H

#include "lab/assembled.h"
#include "lab/campaign.h"
#include "survey/experiments/experiment_list.h"
#include "survey/table/table.h"

struct kernel_passes {
    struct campaign campaign;
    struct kernel_set set;
    struct kernel_state {
        struct experiment_key key; // what the kernel measures
        bool is_next;              // the next pass measures it
        bool wants_loop;           // its unrolled code is uneven, or slow, so a loop is measured as well
        bool is_refused;           // no program of it can be made
        size_t n_unstable;         // its values that are unstable, as of the last pass that measured it
    } * states;                    // one per kernel
    size_t n;                      // kernels
    size_t n_first;                // those of partners and of the first form of each scheduling class, which come first
    bool has_extras;               // classes have their further throughputs now (kernel_plan.h)
    struct assembled assembled;    // programs of earlier passes
    struct record_file measurements; // what was read of the file: each pass reads what the one before has added
};

extern const struct campaign_client kernel_passes_client; // its context is a struct kernel_passes

// Finds the events that count uops, and counts them besides, unless other events were asked for. A CPU without such
// events is no failure: nobody asked for them.
bool kernel_passes_count_uops(struct kernel_passes *passes, struct fail *fail);

// Adds the kernels of a list's experiments, from number `first` of the list on.
bool kernel_passes_add(struct kernel_passes *passes, const struct experiment_list *list, size_t first,
                       struct fail *fail);
// Adds the kernels of a kernel file. `path`: its name in messages.
bool kernel_passes_add_text(struct kernel_passes *passes, const char *path, const char *text, struct fail *fail);

// These choose kernels, and run a pass over them.
bool kernel_passes_run_from(struct kernel_passes *passes, size_t first, const struct pass_effort *effort,
                            struct fail *fail); // over those from `first` on
// Over those with these names alone, in the order of text_compare; without a name there is no pass. `wants_loop`: also
// as loops.
bool kernel_passes_run_named(struct kernel_passes *passes, const char **names, size_t n, bool wants_loop,
                             const struct pass_effort *effort, struct fail *fail);

size_t kernel_passes_count_unstable(const struct kernel_passes *passes); // values

// What the folder shows now.
bool kernel_passes_read_table(struct kernel_passes *passes, struct arena *arena, struct survey_table *table,
                              struct fail *fail);

#endif
