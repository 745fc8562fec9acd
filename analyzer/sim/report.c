#include "analyzer/sim/report.h"

#define NOTE_WANTED(wanted, listener, call) (wanted)->call |= (listener)->call != NULL

static void note_wanted(struct event_calls *wanted, const struct event_listener *listener) {
    NOTE_WANTED(wanted, listener, cycle_begin);
    NOTE_WANTED(wanted, listener, cycle_end);
    NOTE_WANTED(wanted, listener, dispatched);
    NOTE_WANTED(wanted, listener, pending);
    NOTE_WANTED(wanted, listener, ready);
    NOTE_WANTED(wanted, listener, issued);
    NOTE_WANTED(wanted, listener, executed);
    NOTE_WANTED(wanted, listener, retired);
    NOTE_WANTED(wanted, listener, stalled);
    NOTE_WANTED(wanted, listener, marked);
    NOTE_WANTED(wanted, listener, repeated);
    NOTE_WANTED(wanted, listener, buffers_taken);
    NOTE_WANTED(wanted, listener, buffers_freed);
    NOTE_WANTED(wanted, listener, moved);
    NOTE_WANTED(wanted, listener, critical);
    NOTE_WANTED(wanted, listener, pressed);
    NOTE_WANTED(wanted, listener, eliminated);
    NOTE_WANTED(wanted, listener, met_store);
}

void reporter_init(struct reporter *reporter, struct event_listener *const *listeners) {
    static struct event_listener *const nobody[] = {NULL};
    *reporter = (struct reporter){.listeners = listeners != NULL ? listeners : nobody};
    for (struct event_listener *const *l = reporter->listeners; *l != NULL; l++)
        note_wanted(&reporter->wanted, *l);
}
