// A steady frequency while we measure: boost off, the governor and the limits such that the CPU keeps to one frequency,
// as far as the files of its driver may be written here; put back at every end by a guardian. What cannot be set is
// left, and is no failure: the ratio clock cancels slow changes of frequency.
#ifndef BENCH_HOST_CONTROL_H
#define BENCH_HOST_CONTROL_H

#include "base/arena.h"
#include "bench/host/guardian.h"
#include "bench/host/host.h"

#include <stdbool.h>

// What would be changed on this host, in order; files that cannot be written are not in it.
struct host_plan {
    struct guarded_setting *settings;
    size_t n_settings;
};
struct host_plan host_control_plan(struct arena *arena, const struct host *host);

struct host_control {
    struct guardian *guardian; // null: nothing was changed
    struct host_plan plan;
    struct fail fail; // why nothing was changed, where something could have been
};

// Changes, and reads again what `host` says of the frequency.
void host_control_start(struct host_control *control, struct arena *arena, struct host *host);
void host_control_end(struct host_control *control); // puts back; also of a zeroed struct

// Where guardians keep their notes: /run/cyclops for root, below CYCLOPS_FSROOT where that is set, and
// $XDG_RUNTIME_DIR/cyclops for others; null: nowhere.
const char *host_control_folder(struct arena *arena);

#endif
