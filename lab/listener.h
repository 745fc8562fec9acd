// Receives the messages and the progress of a lab, which prints nothing itself.
#ifndef LAB_LISTENER_H
#define LAB_LISTENER_H

#include "base/fail.h"

#include <stddef.h>

enum lab_note { LAB_NOTE, LAB_WARNING };

// Each function may be null.
struct lab_listener {
    void *context;
    // A message for people: a clause without a full stop.
    void (*note)(void *context, enum lab_note kind, const char *text);
    // One of several pieces of work went wrong; the others go on.
    void (*failed)(void *context, const struct fail *fail);
    // From now on there are values to report, however the work ends.
    void (*started)(void *context);
    // Experiment `number` of a plan's `total` is next, from 1; more than `total`: all are done.
    void (*measuring)(void *context, size_t number, size_t total);
    // The lab waits until others leave the core, or `seconds` are over; `n_left` values are left (0: not known).
    void (*waiting)(void *context, size_t n_left, double seconds);
};

// `listener`: null for none.
void lab_say(const struct lab_listener *listener, enum lab_note kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lab_say_failed(const struct lab_listener *listener, const struct fail *fail);
void lab_say_started(const struct lab_listener *listener);
void lab_say_measuring(const struct lab_listener *listener, size_t number, size_t total);
void lab_say_waiting(const struct lab_listener *listener, size_t n_left, double seconds);

#endif
