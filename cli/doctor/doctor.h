// Private to this folder.
// The findings of `cyclops doctor`: what was looked at, how well it is, and the command that would make it better.
// Facts come from bench/; here they are judged, and printed for people or as JSON.
#ifndef CLI_DOCTOR_DOCTOR_H
#define CLI_DOCTOR_DOCTOR_H

#include "base/arena.h"
#include "bench/bench.h"
#include "bench/host/host.h"
#include "bench/target.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum health { HEALTH_OK, HEALTH_LIMITED, HEALTH_MISSING };

struct finding {
    enum health health;
    const char *subject; // "boost"
    const char *text;    // what is: one clause
    const char *advice;  // what it means or what to do; "": nothing
    const char *command; // for the shell, that would improve it; null: none
};

struct diagnosis {
    struct arena *arena;
    struct finding *findings;
    size_t n_findings;
};

// `advice` "" and `command` null where there is none. Strings are kept, not copied.
void doctor_find(struct diagnosis *diagnosis, enum health health, const char *subject, const char *text,
                 const char *advice, const char *command);

// The CPU and its surroundings, from the files below /sys and /proc.
void doctor_examine_host(struct diagnosis *diagnosis, const struct host *host);
void doctor_examine_frequency(struct diagnosis *diagnosis, const struct host *host);
// What guardians that were killed have left.
void doctor_examine_leftovers(struct diagnosis *diagnosis);
// What this process may do on this very machine.
void doctor_examine_process(struct diagnosis *diagnosis);
// The clocks, tried.
void doctor_examine_clocks(struct diagnosis *diagnosis, const struct bench *bench);
// The tier that is never chosen, only asked for. `bench`: that was tried, and so knows another frequency; null: none.
void doctor_examine_time_clock(struct diagnosis *diagnosis, const struct host *host, const struct bench *bench);

void doctor_print(const struct diagnosis *diagnosis, bool wants_colour, unsigned columns);
// An object with the host, and all findings.
bool doctor_print_json(const struct diagnosis *diagnosis, const struct host *host, struct fail *fail);

#endif
