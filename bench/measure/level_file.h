// Levels of the checks (level.h) that earlier sessions on this CPU found: a file in the user's cache folder. This
// module reads and writes it, and alone owns the format, one JSON object. The file can be deleted at any time: sessions
// then take a second longer until it holds enough again.
//
// A level belongs to a CPU model (vendor, family, model, stepping, type of core, hypervisor), an ISA, a clock, and the
// bytes of the check and of the reference. How it changes:
//  - A session that reaches it confirms it. Until three have, a minute apart, sessions look for it anew (is_new_here).
//    The level is the mean of what they found.
//  - A session that finds a faster plateau, by over 1 %, replaces it. A level that three sessions have confirmed takes
//  two
//    such sessions, a minute apart, and no session at the old level between them. One alone may have had a slowed
//    reference, for which all else looks fast: its level would flag all values of the sessions behind it.
//  - A session counts only if its chain of multiplies took whole cycles.
//  - Sessions that never reach it, all on one slower plateau, replace it too: new microcode or another host may have
//    made the CPU slower. That takes eight sessions over an hour, all since a reboot, because a CPU does not change
//    while it runs. Where only one session had ever seen the level, it takes four over a minute. Anything less is a
//    neighbour that stays.
#ifndef BENCH_MEASURE_LEVEL_FILE_H
#define BENCH_MEASURE_LEVEL_FILE_H

#include "bench/bench.h"
#include "bench/host/host.h"

#include <time.h>

// What the levels belong to.
struct level_key {
    const struct host *host;
    const char *isa;
    const char *boot; // changes when the machine is started anew
    const struct bench_chains *chains;
    double reference_cycles;
};

// $XDG_CACHE_HOME/cyclops/levels.json, or ~/.cache/cyclops/levels.json; null where there is no home.
const char *level_file_path(struct arena *arena);

// Puts the file's levels into the options. A file that does not exist has none. False, and why, where something in it
// cannot be used; the rest is used.
bool level_file_recall(struct arena *arena, const char *path, const struct level_key *key,
                       struct bench_options *options, struct fail *fail);

// Writes the levels that the session has found by `now`, if they are new.
bool level_file_keep(struct arena *arena, const char *path, const struct level_key *key, const struct bench *bench,
                     time_t now, struct fail *fail);

#endif
