#include "analyzer/sim/mca/resources.h"

#include "analyzer/sim/mca/overlap.h"

void resource_unit_init(struct resource_unit *unit, const struct simulation_plan *plan, bool is_wanted,
                        struct stash *stash) {
    pipes_init(unit, plan, is_wanted, stash);
    unit->segments = plan->has_segments ? segments_new(plan, stash) : NULL;
}

bool resource_unit_is_idle(const struct resource_unit *unit, int64_t now) {
    return unit->n_holds == 0 && unit->last_soon <= now &&
           (unit->segments == NULL || segments_are_idle(unit->segments, now));
}

void resource_unit_put(const struct resource_unit *unit, const struct simulation_plan *plan, struct coder *coder) {
    pipes_put(unit, plan, coder);
    if (unit->segments != NULL)
        segments_put(unit->segments, coder);
}

static bool has_ready(const struct resource_unit *unit, unsigned bit, unsigned units) {
    const struct resource_pipe *pipe = &unit->pipes[bit];
    if (pipe->is_reserved && pipe->buffer_size != 0)
        return false;
    return pipes_count_ready(unit, bit) >= units;
}

static uint64_t busy_uses(const struct resource_unit *unit, const struct plan_insn *insn) {
    uint64_t busy = 0;
    for (unsigned i = 0; i < insn->n_uses; i++)
        if (!has_ready(unit, insn->uses[i].bit, insn->uses[i].units))
            busy |= unit->pipes[insn->uses[i].bit].mask;
    return busy & unit->plain;
}

__attribute__((noinline)) uint64_t resource_unit_busy(const struct resource_unit *unit, const struct plan_insn *insn,
                                                      int64_t now) {
    if (unit->segments != NULL)
        return segments_busy(unit->segments, unit, insn, now);
    uint64_t busy = busy_uses(unit, insn);
    if (busy != 0)
        return busy;
    busy = insn->used_groups & unit->reserved_groups;
    if (!insn->cost->has_partially_overlapping_groups || busy != 0)
        return busy;
    return overlap_busy(unit, insn);
}

__attribute__((noinline)) unsigned resource_unit_issue_any(struct resource_unit *unit, const struct plan_insn *insn,
                                                           int64_t now, struct event_use *uses) {
    if (unit->segments != NULL)
        return segments_issue(unit->segments, unit, insn, now, uses);
    if (insn->cost->has_partially_overlapping_groups)
        return overlap_issue(unit, insn, now, uses);
    unsigned n = 0;
    pipes_issue_in_turn(unit, insn, now, uses, &n);
    return n;
}
