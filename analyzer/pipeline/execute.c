// The execute stage: issue to pipes, and write-back. Behaviour: llvm/lib/MCA/Stages/ExecuteStage.cpp.
#include "analyzer/pipeline/simulation.h"

#include <assert.h>

static void tell_pending(struct simulation *sim, const struct in_flight *insn) {
    struct event_insn event = event_insn_of(insn);
    TELL(sim, pending, &event);
}

static void tell_ready(struct simulation *sim, const struct in_flight *insn) {
    struct event_insn event = event_insn_of(insn);
    TELL(sim, ready, &event);
}

static void tell_executed(struct simulation *sim, const struct in_flight *insn) {
    struct event_insn event = event_insn_of(insn);
    TELL(sim, executed, &event);
    sim->has_moved = true;
}

static void tell_promoted(struct simulation *sim) {
    const struct scheduler *scheduler = &sim->scheduler;
    for (unsigned i = 0; i < scheduler->became_pending.n; i++)
        tell_pending(sim, &sim->flight.slots[scheduler->became_pending.slots[i]]);
    for (unsigned i = 0; i < scheduler->became_ready.n; i++)
        tell_ready(sim, &sim->flight.slots[scheduler->became_ready.slots[i]]);
}

static void issue(struct simulation *sim, struct in_flight *insn) {
    unsigned n_uses = scheduler_issue(&sim->scheduler, insn, sim->now, sim->uses);
    struct event_insn event = event_insn_of(insn);
    uint64_t buffers = insn->plan->insn->buffers;
    if (buffers != 0)
        TELL(sim, buffers_freed, &event, buffers);
    TELL(sim, issued, &event, sim->uses, n_uses);
    sim->has_moved = true;
    if (insn->is_executed)
        tell_executed(sim, insn);
    tell_promoted(sim);
}

void execute_cycle(struct simulation *sim) {
    scheduler_cycle(&sim->scheduler, sim->now);
    for (unsigned i = 0; i < sim->scheduler.became_done.n; i++)
        tell_executed(sim, &sim->flight.slots[sim->scheduler.became_done.slots[i]]);
    tell_promoted(sim);
    for (struct in_flight *insn = scheduler_select(&sim->scheduler); insn != NULL;
         insn = scheduler_select(&sim->scheduler))
        issue(sim, insn);
}

bool execute_can(struct simulation *sim, const struct plan_insn *insn, uint64_t index) {
    enum event_stall why;
    if (scheduler_can_dispatch(&sim->scheduler, insn, &why))
        return true;
    struct event_insn event = {.index = index, .position = (unsigned)(index % sim->plan.n_insns), .insn = insn->insn};
    TELL(sim, stalled, &event, why);
    return false;
}

// Renaming did all the work: no pipe, no buffer, no time.
static void execute_eliminated(struct simulation *sim, struct in_flight *insn) {
    assert(!insn->plan->is_memory);
    struct event_insn event = event_insn_of(insn);
    tell_pending(sim, insn);
    tell_ready(sim, insn);
    TELL(sim, issued, &event, NULL, 0);
    insn->issue_cycle = insn->done_cycle = sim->now;
    insn->is_executed = true;
    tell_executed(sim, insn);
}

void execute(struct simulation *sim, struct in_flight *insn) {
    if (insn->is_eliminated) {
        execute_eliminated(sim, insn);
        return;
    }
    bool is_ready = scheduler_dispatch(&sim->scheduler, insn, sim->now);
    struct event_insn event = event_insn_of(insn);
    uint64_t buffers = insn->plan->insn->buffers;
    if (buffers != 0)
        TELL(sim, buffers_taken, &event, buffers);
    bool is_pending = insn->unknown == 0 && insn->ready_cycle > sim->now;
    if (is_ready || is_pending)
        tell_pending(sim, insn);
    if (!is_ready)
        return;
    tell_ready(sim, insn);
    if (insn->plan->issues_at_dispatch)
        issue(sim, insn);
}
