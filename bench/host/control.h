// Keeps the frequency steady while we measure, as far as the driver's files may be written here: boost is off, and
// governor and limits hold one frequency. A guardian puts everything back, however the program ends. What cannot be set
// stays as it is. That is not a failure: the ratio clock cancels slow changes of frequency.
#ifndef BENCH_HOST_CONTROL_H
#define BENCH_HOST_CONTROL_H

#include "base/arena.h"
#include "bench/host/guardian.h"
#include "bench/host/host.h"

// Settings to change on this host, in order. Files that cannot be written are left out.
struct host_plan {
    struct guarded_setting *settings;
    size_t n_settings;
};
struct host_plan host_control_plan(struct arena *arena, const struct host *host);

struct host_control {
    struct guardian *guardian; // null: nothing was changed
    struct host_plan plan;
    struct fail fail; // why nothing was changed, though the plan holds settings
};

// Makes the changes, and reads the frequency's fields of `host` again.
void host_control_start(struct host_control *control, struct arena *arena, struct host *host);
void host_control_end(struct host_control *control); // puts back the old settings; does nothing on a zeroed struct

// Folder of the guardians' notes; null: there is none.
//  - where CYCLOPS_FSROOT is set: /run/cyclops below it
//  - for root: /run/cyclops
//  - for others: $XDG_RUNTIME_DIR/cyclops
const char *host_control_folder(struct arena *arena);

#endif
