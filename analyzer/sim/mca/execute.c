// The execute stage: issue to pipes, and write-back. Behaviour: llvm/lib/MCA/Stages/ExecuteStage.cpp.
#include "analyzer/sim/mca/out_of_order.h"

#include <assert.h>

static void report_executed(struct out_of_order *sim, const struct in_flight *insn) {
    REPORT_INSN(&sim->core, executed, insn);
    sim->core.has_moved = true;
}

static void report_promoted(struct out_of_order *sim) {
    const struct scheduler *scheduler = &sim->scheduler;
    if (!scheduler->is_wanted)
        return;
    for (unsigned i = 0; i < scheduler->became_pending.n; i++)
        REPORT_INSN(&sim->core, pending, &sim->units.flight.slots[scheduler->became_pending.slots[i]]);
    for (unsigned i = 0; i < scheduler->became_ready.n; i++)
        REPORT_INSN(&sim->core, ready, &sim->units.flight.slots[scheduler->became_ready.slots[i]]);
}

static void issue(struct out_of_order *sim, struct in_flight *insn) {
    unsigned n_uses = scheduler_issue(&sim->scheduler, insn, sim->core.now, sim->units.uses);
    sim->pressure.issued_uops += insn->plan->uops;
    sim->core.has_moved = true;
    if (insn->plan->buffers != 0)
        REPORT_OF(&sim->core, buffers_freed, insn, insn->plan->buffers);
    if (sim->core.reporter.wanted.critical)
        report_critical(sim, insn);
    REPORT_OF(&sim->core, issued, insn, sim->units.uses, n_uses);
    if (insn->done_cycle <= sim->core.now)
        report_executed(sim, insn);
    report_promoted(sim);
}

void execute_cycle(struct out_of_order *sim) {
    struct scheduler *scheduler = &sim->scheduler;
    scheduler_cycle(scheduler, sim->core.now);
    for (unsigned i = 0; scheduler->is_wanted && i < scheduler->became_done.n; i++)
        report_executed(sim, &sim->units.flight.slots[scheduler->became_done.slots[i]]);
    report_promoted(sim);
    sim->pressure.dispatched_uops = sim->pressure.issued_uops = 0;
    for (struct in_flight *insn = scheduler_select(scheduler, sim->core.now); insn != NULL;
         insn = scheduler_select(scheduler, sim->core.now))
        issue(sim, insn);
    if (sim->pressure.criticals != NULL)
        pressure_note_busy(sim);
}

bool execute_can(struct out_of_order *sim, const struct plan_insn *insn) {
    enum event_stall why;
    bool can = scheduler_can_dispatch(&sim->scheduler, insn, &why);
    sim->pressure.was_full = !can;
    if (can)
        return true;
    struct event_insn event = event_next(sim);
    REPORT(&sim->core.reporter, stalled, &event, why);
    return false;
}

static void report_entered(struct out_of_order *sim, const struct in_flight *insn, bool is_ready) {
    bool is_pending = insn->unknown == 0 && insn->ready_cycle > sim->core.now;
    if (is_ready || is_pending)
        REPORT_INSN(&sim->core, pending, insn);
    if (is_ready)
        REPORT_INSN(&sim->core, ready, insn);
}

// Renaming did all the work: no pipe, no buffer, no time.
__attribute__((noinline)) static void execute_eliminated(struct out_of_order *sim, struct in_flight *insn) {
    assert(!insn->plan->is_memory);
    report_entered(sim, insn, true);
    REPORT_OF(&sim->core, issued, insn, NULL, 0);
    insn->issue_cycle = insn->done_cycle = sim->core.now;
    insn->stage = STAGE_ISSUED;
    report_executed(sim, insn);
}

void execute(struct out_of_order *sim, struct in_flight *insn) {
    if (insn->is_eliminated) {
        execute_eliminated(sim, insn);
        return;
    }
    bool is_ready = scheduler_dispatch(&sim->scheduler, insn, sim->core.now);
    sim->pressure.dispatched_uops += insn->plan->uops;
    if (insn->plan->buffers != 0)
        REPORT_OF(&sim->core, buffers_taken, insn, insn->plan->buffers);
    report_entered(sim, insn, is_ready);
    if (is_ready && insn->plan->issues_at_dispatch)
        issue(sim, insn);
}
