// The one stage of an in-order machine after entry: issue in program order, stall until the next instruction can go.
// Behaviour: llvm/lib/MCA/Stages/InOrderIssueStage.cpp of LLVM 19.
#include "analyzer/sim/mca/in_order.h"

static struct in_flight *youngest(const struct in_order *sim) {
    return flight_at(&sim->units.flight, sim->core.next - 1);
}

// See pipeline_options: what llvm-mca forgets to report, and never retires.
static bool is_forgotten(const struct in_order *sim, const struct in_flight *insn) {
    return sim->repeats_mistakes && sim->stage.is_carrying && insn != youngest(sim);
}

static void finish_insn(struct in_order *sim, struct in_flight *insn) {
    bool is_reported = !is_forgotten(sim, insn);
    sim->core.reporter.n_unreported += !is_reported;
    insn->done_cycle = sim->core.now; // also where the uops took longer to issue than to execute
    insn->stage = STAGE_EXECUTED;
    if (insn->plan->is_memory)
        memory_unit_execute(&sim->units.memory, insn);
    if (is_reported)
        REPORT_INSN(&sim->core, executed, insn);
    if (insn->plan->is_memory)
        memory_unit_retire(&sim->units.memory, insn);
    register_unit_free(&sim->units.registers, insn);
    insn->stage = STAGE_RETIRED;
    if (is_reported)
        REPORT_OF(&sim->core, retired, insn, insn->plan->registers_taken);
    sim->core.has_moved = true;
}

// A result of this instruction would be written before the one of the last instruction that retires in order.
static int64_t write_back_delay(const struct in_order *sim, const struct plan_insn *insn) {
    if (sim->stage.last_write_back == 0 || insn->cost->retires_out_of_order)
        return 0;
    int64_t first = insn->cost->latency;
    for (unsigned w = 0; w < insn->n_writes; w++)
        if (insn->cost->writes[w].latency < first)
            first = insn->cost->writes[w].latency;
    int64_t delay = sim->stage.last_write_back - first;
    return delay > 0 ? delay : 0;
}

// Cycles until the first of those ends of which too many are being executed. More may have to end: llvm-mca, too, looks
// again then.
static int64_t counter_wait(const struct in_order *sim, const struct insn *insn) {
    unsigned n[SCHED_COUNTERS] = {0};
    int64_t first[SCHED_COUNTERS] = {0}, wait = INT64_MAX;
    for (unsigned i = 0; insn->cost->waits != NULL && i < sim->stage.n_issued; i++) {
        const struct in_flight *other = &sim->units.flight.slots[sim->stage.issued_slots[i]];
        int64_t left = other->done_cycle - sim->core.now;
        for (unsigned c = 0; c < SCHED_COUNTERS; c++)
            if ((other->plan->cost->counted >> c & 1) != 0 && (n[c]++ == 0 || left < first[c]))
                first[c] = left;
    }
    for (unsigned c = 0; insn->cost->waits != NULL && c < SCHED_COUNTERS; c++)
        if (n[c] > insn->cost->waits[c] && first[c] < wait)
            wait = first[c];
    return wait == INT64_MAX ? 0 : wait;
}

static bool stall(struct in_order *sim, enum in_order_stall why, int64_t cycles) {
    sim->stage.stall = why;
    sim->stage.stall_cycles = cycles;
    return false;
}

static bool can_issue(struct in_order *sim, const struct in_flight *insn) {
    int64_t cycles = register_unit_hazard(&sim->units.registers, &sim->units.flight, insn, sim->core.now);
    if (cycles != 0)
        return stall(sim, IN_ORDER_OPERANDS, cycles);
    if (!resource_unit_is_free(sim->units.resources, insn->plan, sim->core.now))
        return stall(sim, IN_ORDER_RESOURCES, 1);
    if (insn->plan->is_memory && !memory_unit_is_ready(&sim->units.memory, insn))
        return stall(sim, IN_ORDER_MEMORY, 1);
    cycles = counter_wait(sim, insn->plan->insn);
    if (cycles != 0)
        return stall(sim, IN_ORDER_COUNTERS, cycles);
    cycles = write_back_delay(sim, insn->plan);
    return cycles == 0 || stall(sim, IN_ORDER_WRITE_BACK, cycles);
}

static void report_issued(struct in_order *sim, const struct in_flight *insn, unsigned n_uses) {
    REPORT_INSN(&sim->core, ready, insn);
    REPORT_OF(&sim->core, issued, insn, sim->units.uses, n_uses);
}

static void issue_now(struct in_order *sim, struct in_flight *insn) {
    register_unit_rename(&sim->units.registers, &sim->units.flight, insn, sim->core.now);
    REPORT_OF(&sim->core, dispatched, insn, insn->plan->uops, insn->plan->registers_taken);
    report_moves(&sim->core, insn);
    unsigned n_uses = resource_unit_issue(sim->units.resources, insn->plan, sim->core.now, sim->units.uses);
    flight_issue(&sim->units.flight, insn, sim->core.now);
    if (insn->plan->is_memory)
        memory_unit_issue(&sim->units.memory, insn, sim->core.now);
    insn->stage = STAGE_ISSUED;
    report_issued(sim, insn, n_uses);
    sim->core.has_moved = true;
}

static void use_room(struct in_order *sim, const struct insn *insn) {
    struct in_order_stage *stage = &sim->stage;
    stage->is_carrying = insn->cost->uops > stage->room;
    stage->used += stage->is_carrying ? stage->room : insn->cost->uops;
    if (stage->is_carrying) {
        stage->carried_uops = insn->cost->uops - stage->room;
        stage->room = 0;
        return;
    }
    stage->issued += insn->cost->uops;
    stage->room = insn->cost->ends_group ? 0 : stage->room - insn->cost->uops;
}

static void try_issue(struct in_order *sim) {
    struct in_flight *insn = youngest(sim);
    struct in_order_stage *stage = &sim->stage;
    if (!can_issue(sim, insn)) {
        stage->room = 0;
        return;
    }
    issue_now(sim, insn);
    use_room(sim, insn->plan->insn);
    if (insn->plan->cost->latency == 0 && !stage->is_carrying) {
        finish_insn(sim, insn);
        return;
    }
    stage->issued_slots[stage->n_issued++] = flight_slot(&sim->units.flight, insn);
    if (!insn->plan->cost->retires_out_of_order)
        stage->last_write_back = insn->plan->cost->latency;
}

// Instructions that are done retire at once; one whose uops are still being issued waits for the last of them.
static void finish_issued(struct in_order *sim) {
    struct in_order_stage *stage = &sim->stage;
    for (unsigned i = 0; i < stage->n_issued;) {
        struct in_flight *insn = &sim->units.flight.slots[stage->issued_slots[i]];
        if (insn->done_cycle > sim->core.now) {
            i++;
            continue;
        }
        insn->stage = STAGE_EXECUTED;
        if (!stage->is_carrying || insn != youngest(sim))
            finish_insn(sim, insn);
        stage->issued_slots[i] = stage->issued_slots[--stage->n_issued];
    }
}

static void carry_on(struct in_order *sim) {
    struct in_order_stage *stage = &sim->stage;
    if (!stage->is_carrying)
        return;
    struct in_flight *insn = youngest(sim);
    sim->core.has_moved = true;
    if (stage->carried_uops > stage->room) {
        stage->used += stage->room;
        stage->carried_uops -= stage->room;
        stage->room = 0;
        return;
    }
    stage->used += stage->carried_uops;
    stage->room = insn->plan->cost->ends_group ? 0 : stage->room - stage->carried_uops;
    stage->carried_uops = 0;
    stage->is_carrying = false;
    if (insn->stage == STAGE_EXECUTED)
        finish_insn(sim, insn);
}

static void report_why_stalled(struct in_order *sim) {
    if (sim->stage.stall == IN_ORDER_OPERANDS)
        REPORT_OF(&sim->core, stalled, youngest(sim), STALL_REGISTER_FILE);
    if (sim->stage.stall == IN_ORDER_RESOURCES)
        REPORT_OF(&sim->core, stalled, youngest(sim), STALL_DISPATCH_GROUP);
    if (sim->stage.stall == IN_ORDER_COUNTERS)
        REPORT_OF(&sim->core, stalled, youngest(sim), STALL_CUSTOM);
}

static void begin_cycle(struct in_order *sim) {
    struct in_order_stage *stage = &sim->stage;
    stage->issued = stage->used = 0;
    // The width option is for out-of-order machines only, as in llvm-mca.
    stage->room = sim->core.machine->dispatch_width - stage->taken;
    register_unit_cycle(&sim->units.registers);
    resource_unit_cycle(sim->units.resources, sim->core.now);
    sim->units.memory.n_woken = 0; // nobody sleeps
    finish_issued(sim);
    carry_on(sim);
    if (stage->stall == IN_ORDER_NO_STALL)
        return;
    if (stage->stall_cycles == 0 && stage->taken < sim->core.machine->dispatch_width) {
        stage->stall = IN_ORDER_NO_STALL;
        try_issue(sim);
    }
    if (stage->stall != IN_ORDER_NO_STALL) {
        report_why_stalled(sim);
        stage->room = 0;
    }
}

static bool can_enter(const struct in_order *sim, const struct plan_insn *insn) {
    const struct in_order_stage *stage = &sim->stage;
    if (stage->stall != IN_ORDER_NO_STALL || stage->is_carrying ||
        sim->core.now < mca_units_redirected(&sim->units, &sim->core))
        return false;
    unsigned uops = insn->cost->uops;
    if (stage->room < uops && uops <= sim->core.machine->dispatch_width)
        return false;
    if (insn->cost->begins_group && stage->issued != 0)
        return false;
    return flight_at(&sim->units.flight, sim->core.next)->stage == STAGE_RETIRED;
}

static void enter(struct in_order *sim) {
    struct in_flight *insn = mca_units_enter(&sim->units, &sim->core);
    if (insn->plan->is_memory)
        memory_unit_dispatch(&sim->units.memory, insn, sim->core.now);
    sim->core.has_moved = true;
    try_issue(sim);
    if (sim->stage.stall != IN_ORDER_NO_STALL)
        report_why_stalled(sim);
}

void in_order_cycle(struct in_order *sim) {
    struct in_order_stage *stage = &sim->stage;
    begin_cycle(sim);
    while (sim->core.next < sim->core.total && can_enter(sim, sim->units.next_plan))
        enter(sim);
    if (stage->stall_cycles > 0)
        stage->stall_cycles--;
    if (stage->last_write_back > 0)
        stage->last_write_back--;
}
