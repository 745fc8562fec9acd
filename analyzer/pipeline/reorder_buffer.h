// The reorder buffer: entries for instructions from dispatch to retirement, which is in program order. Private to the
// pipeline. Behaviour: llvm/lib/MCA/HardwareUnits/RetireControlUnit.cpp.
#ifndef ANALYZER_PIPELINE_REORDER_BUFFER_H
#define ANALYZER_PIPELINE_REORDER_BUFFER_H

#include "analyzer/pipeline/flight.h"

#include <stdbool.h>
#include <stdint.h>

struct reorder_buffer {
    unsigned size, used;   // entries; an instruction takes one per uop, at least one and at most all
    unsigned retire_width; // instructions a cycle; 0: unlimited
    uint64_t oldest;       // index of the instruction to retire next
    uint64_t end;          // index after the youngest one
};

bool reorder_buffer_can_enter(const struct reorder_buffer *buffer, const struct plan_insn *insn);
void reorder_buffer_enter(struct reorder_buffer *buffer, const struct in_flight *insn);
bool reorder_buffer_is_empty(const struct reorder_buffer *buffer);
// The oldest instruction if it may retire; null otherwise.
struct in_flight *reorder_buffer_retirable(const struct reorder_buffer *buffer, const struct flight *flight);
void reorder_buffer_retire(struct reorder_buffer *buffer, struct in_flight *insn);

#endif
