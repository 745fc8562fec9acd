// Whom a lab tells what goes on: it prints nothing itself.
#ifndef LAB_LISTENER_H
#define LAB_LISTENER_H

#include "base/fail.h"

#include <stddef.h>

enum lab_note { LAB_NOTE, LAB_WARNING };

// Each function may be null.
struct lab_listener {
    void *context;
    // What a person should know, as a clause without a full stop.
    void (*note)(void *context, enum lab_note kind, const char *text);
    // One of several pieces of work went wrong; the others go on.
    void (*failed)(void *context, const struct fail *fail);
    // From now on there are values that are worth showing, however the work ends.
    void (*started)(void *context);
    // Number `number` of a plan's `total` experiments is next, from 1; more than `total`: none is.
    void (*measuring)(void *context, size_t number, size_t total);
    // Nothing is computed until others leave the core, or `seconds` are over; of `n_left` values (0: not known).
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
