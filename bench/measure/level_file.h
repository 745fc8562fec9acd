// What earlier sessions on this CPU found the checks to take when the core is a session's own (level.h): a file in the
// user's cache folder. Reader and writer side by side; the only owner of the format, one JSON object. It can be deleted
// at any time: then sessions take a second longer until it knows enough again.
//
// A level is of a CPU model (vendor, family, model, stepping, type of core, hypervisor), an ISA, a clock, and of the
// bytes of the check and of the reference. How it changes:
//  - A session that reaches it confirms it. Until three have, a minute apart, sessions look for it anew (is_new_here).
//    The level is the mean of what they found.
//  - A session that finds a faster plateau, by over 1 %, replaces it.
//  - What a session says counts only if its chain of multiplies took whole cycles.
//  - Sessions that never reach it, all on one slower plateau, replace it too, as when new microcode or another host
//  made
//    the CPU slower: eight of them over an hour, all since a reboot, because a CPU does not change while it runs; or
//    four over a minute where only one session had ever seen the level. Anything less is a neighbour who stays.
#ifndef BENCH_MEASURE_LEVEL_FILE_H
#define BENCH_MEASURE_LEVEL_FILE_H

#include "bench/bench.h"
#include "bench/host/host.h"

#include <time.h>

// What the levels are of.
struct level_key {
    const struct host *host;
    const char *isa;
    const char *boot; // changes when the machine is started anew
    const struct bench_chains *chains;
    double reference_cycles;
};

// $XDG_CACHE_HOME/cyclops/levels.json, or ~/.cache/cyclops/levels.json; null where there is no home.
const char *level_file_path(struct arena *arena);

// Puts what the file knows into the options. A file that does not exist knows nothing. False, and why, where something
// in it cannot be used; the rest of it is.
bool level_file_recall(struct arena *arena, const char *path, const struct level_key *key,
                       struct bench_options *options, struct fail *fail);

// Writes what the session has found at `now`, if that is news.
bool level_file_keep(struct arena *arena, const char *path, const struct level_key *key, const struct bench *bench,
                     time_t now, struct fail *fail);

#endif
