// Private to this folder.
// The findings of `cyclops doctor`: what was examined, its health, and a command that improves it. Judges facts from
// bench/, and prints them for people or as JSON.
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
    const char *text;    // the fact, one clause
    const char *advice;  // consequence or advice; "": none
    const char *command; // shell command that improves it; null: none
};

struct diagnosis {
    struct arena *arena;
    struct finding *findings;
    size_t n_findings;
};

// Adds a finding. Does not copy the strings.
void doctor_find(struct diagnosis *diagnosis, enum health health, const char *subject, const char *text,
                 const char *advice, const char *command);

// Examines the CPU and its system, from the files below /sys and /proc.
void doctor_examine_host(struct diagnosis *diagnosis, const struct host *host);
void doctor_examine_frequency(struct diagnosis *diagnosis, const struct host *host);
// Examines what killed guardians have left behind.
void doctor_examine_leftovers(struct diagnosis *diagnosis);
// Examines what this process may do on this machine.
void doctor_examine_process(struct diagnosis *diagnosis);
// Examines the clocks, from an open session.
void doctor_examine_clocks(struct diagnosis *diagnosis, const struct bench *bench);
// Examines the time clock, which is used only on request. `bench`: open session, which gives another value of the
// frequency; null: none.
void doctor_examine_time_clock(struct diagnosis *diagnosis, const struct host *host, const struct bench *bench);

void doctor_print(const struct diagnosis *diagnosis, bool wants_colour, unsigned columns);
// Prints an object with the host and all findings. Fails where it cannot be written.
bool doctor_print_json(const struct diagnosis *diagnosis, const struct host *host, struct fail *fail);

#endif
