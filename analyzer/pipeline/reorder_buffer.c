#include "analyzer/pipeline/reorder_buffer.h"

#include <assert.h>
#include <stddef.h>

bool reorder_buffer_can_enter(const struct reorder_buffer *buffer, const struct plan_insn *insn) {
    return buffer->size - buffer->used >= insn->entries;
}

void reorder_buffer_enter(struct reorder_buffer *buffer, const struct in_flight *insn) {
    assert(reorder_buffer_can_enter(buffer, insn->plan) && insn->index == buffer->end);
    buffer->used += insn->plan->entries;
    buffer->end++;
}

bool reorder_buffer_is_empty(const struct reorder_buffer *buffer) {
    return buffer->oldest == buffer->end;
}

struct in_flight *reorder_buffer_retirable(const struct reorder_buffer *buffer, const struct flight *flight) {
    if (reorder_buffer_is_empty(buffer))
        return NULL;
    struct in_flight *insn = flight_at(flight, buffer->oldest);
    assert(insn->index == buffer->oldest);
    return insn->stage == STAGE_EXECUTED ? insn : NULL;
}

void reorder_buffer_retire(struct reorder_buffer *buffer, struct in_flight *insn) {
    assert(insn->index == buffer->oldest && insn->stage == STAGE_EXECUTED);
    insn->stage = STAGE_RETIRED;
    buffer->used -= insn->plan->entries;
    buffer->oldest++;
}
