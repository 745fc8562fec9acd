// Private to this folder.
// Why the back end takes less than the front end gives: counted only where somebody listens.
// Behaviour: ExecuteStage::cycleEnd and Scheduler::analyzeDataDependencies in llvm/lib/MCA, and the counts of
// llvm/tools/llvm-mca/Views/BottleneckAnalysis.cpp.
#ifndef ANALYZER_SIM_MCA_PRESSURE_H
#define ANALYZER_SIM_MCA_PRESSURE_H

#include "analyzer/sim/event.h"
#include "analyzer/sim/mca/flight.h"

#include <stdbool.h>
#include <stdint.h>

struct out_of_order;

struct pressure {
    unsigned dispatched_uops, issued_uops; // in this cycle
    bool was_full;                         // no buffer or queue was free when last one was asked for
    uint64_t busy;                         // resources that kept ready instructions from being issued in this cycle
    struct event_critical *criticals;      // by slot; null: nobody wants them
};

void pressure_enter(struct out_of_order *sim, const struct in_flight *insn);
// Notes what ready instructions could not be issued for. To be called when no more can be.
void pressure_note_busy(struct out_of_order *sim);
void report_pressure(struct out_of_order *sim);
void report_critical(struct out_of_order *sim, const struct in_flight *insn);
// What influences later cycles, of instructions that have not been issued.
void pressure_put(const struct pressure *pressure, const struct flight *flight, struct coder *coder);

#endif
