// The execute stage: issue to pipes, and write-back. Behaviour: llvm/lib/MCA/Stages/ExecuteStage.cpp.
#include "analyzer/pipeline/simulation.h"

#include <assert.h>

static void tell_executed(struct simulation *sim, const struct in_flight *insn) {
    TELL_INSN(sim, executed, insn);
    sim->has_moved = true;
}

static void tell_promoted(struct simulation *sim) {
    const struct scheduler *scheduler = &sim->scheduler;
    if (!scheduler->is_heard)
        return;
    for (unsigned i = 0; i < scheduler->became_pending.n; i++)
        TELL_INSN(sim, pending, &sim->flight.slots[scheduler->became_pending.slots[i]]);
    for (unsigned i = 0; i < scheduler->became_ready.n; i++)
        TELL_INSN(sim, ready, &sim->flight.slots[scheduler->became_ready.slots[i]]);
}

static void issue(struct simulation *sim, struct in_flight *insn) {
    unsigned n_uses = scheduler_issue(&sim->scheduler, insn, sim->now, sim->uses);
    sim->pressure.issued_uops += insn->plan->uops;
    sim->has_moved = true;
    if (insn->plan->buffers != 0)
        TELL_OF(sim, buffers_freed, insn, insn->plan->buffers);
    if (sim->heard.critical)
        tell_critical(sim, insn);
    TELL_OF(sim, issued, insn, sim->uses, n_uses);
    if (insn->done_cycle <= sim->now)
        tell_executed(sim, insn);
    tell_promoted(sim);
}

void execute_cycle(struct simulation *sim) {
    struct scheduler *scheduler = &sim->scheduler;
    scheduler_cycle(scheduler, sim->now);
    for (unsigned i = 0; scheduler->is_heard && i < scheduler->became_done.n; i++)
        tell_executed(sim, &sim->flight.slots[scheduler->became_done.slots[i]]);
    tell_promoted(sim);
    sim->pressure.dispatched_uops = sim->pressure.issued_uops = 0;
    for (struct in_flight *insn = scheduler_select(scheduler, sim->now); insn != NULL;
         insn = scheduler_select(scheduler, sim->now))
        issue(sim, insn);
    if (sim->pressure.criticals != NULL)
        pressure_note_busy(sim);
}

bool execute_can(struct simulation *sim, const struct plan_insn *insn) {
    enum event_stall why;
    bool can = scheduler_can_dispatch(&sim->scheduler, insn, &why);
    sim->pressure.was_full = !can;
    if (can)
        return true;
    struct event_insn event = event_insn_next(sim);
    TELL(sim, stalled, &event, why);
    return false;
}

// Renaming did all the work: no pipe, no buffer, no time.
__attribute__((noinline)) static void execute_eliminated(struct simulation *sim, struct in_flight *insn) {
    assert(!insn->plan->is_memory);
    TELL_INSN(sim, pending, insn);
    TELL_INSN(sim, ready, insn);
    TELL_OF(sim, issued, insn, NULL, 0);
    insn->issue_cycle = insn->done_cycle = sim->now;
    insn->stage = STAGE_ISSUED;
    tell_executed(sim, insn);
}

static void tell_entered(struct simulation *sim, const struct in_flight *insn, bool is_ready) {
    bool is_pending = insn->unknown == 0 && insn->ready_cycle > sim->now;
    if (is_ready || is_pending)
        TELL_INSN(sim, pending, insn);
    if (is_ready)
        TELL_INSN(sim, ready, insn);
}

void execute(struct simulation *sim, struct in_flight *insn) {
    if (insn->is_eliminated) {
        execute_eliminated(sim, insn);
        return;
    }
    bool is_ready = scheduler_dispatch(&sim->scheduler, insn, sim->now);
    sim->pressure.dispatched_uops += insn->plan->uops;
    if (insn->plan->buffers != 0)
        TELL_OF(sim, buffers_taken, insn, insn->plan->buffers);
    tell_entered(sim, insn, is_ready);
    if (is_ready && insn->plan->issues_at_dispatch)
        issue(sim, insn);
}
