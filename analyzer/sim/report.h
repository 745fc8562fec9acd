// Private to the simulator and its cores.
// Who listens to a run. A core reports events (event.h) through these macros; what nobody wants costs one test.
#ifndef ANALYZER_SIM_REPORT_H
#define ANALYZER_SIM_REPORT_H

#include "analyzer/sim/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The calls that some listener has.
struct event_calls {
    bool cycle_begin, cycle_end, dispatched, pending, ready, issued, executed, retired, stalled;
    bool marked, repeated, buffers_taken, buffers_freed, moved, critical, pressed, eliminated, met_store;
};

struct reporter {
    struct event_listener *const *listeners; // null-terminated
    struct event_calls wanted;
    // Left out so far, as it repeats what was walked: to be added to what is reported.
    uint64_t skipped_cycles, skipped_insns;
    uint64_t n_unreported; // instructions whose end was not reported (pipeline_options: mistakes_of_llvm_mca)
};

// `listeners`: null-terminated; null for none.
void reporter_init(struct reporter *reporter, struct event_listener *const *listeners);

// Calls `call` of every listener that has it: REPORT(reporter, retired, &event, registers).
#define REPORT(reporter, call, ...)                                                                                    \
    do {                                                                                                               \
        if (!(reporter)->wanted.call)                                                                                  \
            break;                                                                                                     \
        for (struct event_listener *const *l_ = (reporter)->listeners; *l_ != NULL; l_++)                              \
            if ((*l_)->call != NULL)                                                                                   \
                (*l_)->call((*l_)->self, __VA_ARGS__);                                                                 \
    } while (0)

#endif
