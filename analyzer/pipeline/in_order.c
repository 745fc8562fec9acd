#include "analyzer/pipeline/in_order.h"

#include "analyzer/pipeline/simulation.h"

static struct in_flight *youngest(const struct simulation *sim) {
    return flight_at(&sim->flight, sim->next - 1);
}

// See pipeline_options: what llvm-mca forgets to tell, and never retires.
static bool is_forgotten(const struct simulation *sim, const struct in_flight *insn) {
    return sim->mistakes_of_llvm_mca && sim->in_order.is_carrying && insn != youngest(sim);
}

static void finish_insn(struct simulation *sim, struct in_flight *insn) {
    bool is_told = !is_forgotten(sim, insn);
    sim->n_forgotten += !is_told;
    insn->done_cycle = sim->now; // also where the uops took longer to issue than to execute
    insn->stage = STAGE_EXECUTED;
    if (insn->plan->is_memory)
        memory_unit_execute(&sim->memory, insn);
    if (is_told)
        TELL_INSN(sim, executed, insn);
    if (insn->plan->is_memory)
        memory_unit_retire(&sim->memory, insn);
    register_unit_free(&sim->registers, insn);
    insn->stage = STAGE_RETIRED;
    if (is_told)
        TELL_OF(sim, retired, insn, insn->plan->registers_taken);
    sim->has_moved = true;
}

// A result of this instruction would be written before the one of the last instruction that retires in order.
static int64_t write_back_delay(const struct simulation *sim, const struct plan_insn *insn) {
    if (sim->in_order.last_write_back == 0 || insn->insn->retires_out_of_order)
        return 0;
    int64_t first = insn->insn->latency;
    for (unsigned w = 0; w < insn->n_writes; w++)
        if (insn->writes[w].latency < first)
            first = insn->writes[w].latency;
    int64_t delay = sim->in_order.last_write_back - first;
    return delay > 0 ? delay : 0;
}

// Cycles until the first of those ends of which too many are being executed. More may have to end: llvm-mca, too, looks
// again then.
static int64_t counter_wait(const struct simulation *sim, const struct insn *insn) {
    unsigned n[INSN_COUNTERS] = {0};
    int64_t first[INSN_COUNTERS] = {0}, wait = INT64_MAX;
    for (unsigned i = 0; insn->waits != NULL && i < sim->in_order.n_issued; i++) {
        const struct in_flight *other = &sim->flight.slots[sim->in_order.issued_slots[i]];
        int64_t left = other->done_cycle - sim->now;
        for (unsigned c = 0; c < INSN_COUNTERS; c++)
            if ((other->plan->insn->counted >> c & 1) != 0 && (n[c]++ == 0 || left < first[c]))
                first[c] = left;
    }
    for (unsigned c = 0; insn->waits != NULL && c < INSN_COUNTERS; c++)
        if (n[c] > insn->waits[c] && first[c] < wait)
            wait = first[c];
    return wait == INT64_MAX ? 0 : wait;
}

static bool stall(struct simulation *sim, enum in_order_stall why, int64_t cycles) {
    sim->in_order.stall = why;
    sim->in_order.stall_cycles = cycles;
    return false;
}

static bool can_issue(struct simulation *sim, const struct in_flight *insn) {
    int64_t cycles = register_unit_hazard(&sim->registers, &sim->flight, insn, sim->now);
    if (cycles != 0)
        return stall(sim, IN_ORDER_OPERANDS, cycles);
    if (!resource_unit_is_free(sim->resources, insn->plan, sim->now))
        return stall(sim, IN_ORDER_RESOURCES, 1);
    if (insn->plan->is_memory && !memory_unit_is_ready(&sim->memory, insn))
        return stall(sim, IN_ORDER_MEMORY, 1);
    cycles = counter_wait(sim, insn->plan->insn);
    if (cycles != 0)
        return stall(sim, IN_ORDER_COUNTERS, cycles);
    cycles = write_back_delay(sim, insn->plan);
    return cycles == 0 || stall(sim, IN_ORDER_WRITE_BACK, cycles);
}

static void tell_issued(struct simulation *sim, const struct in_flight *insn, unsigned n_uses) {
    TELL_INSN(sim, ready, insn);
    TELL_OF(sim, issued, insn, sim->uses, n_uses);
}

static void issue_now(struct simulation *sim, struct in_flight *insn) {
    register_unit_rename(&sim->registers, &sim->flight, insn, sim->now);
    TELL_OF(sim, dispatched, insn, insn->plan->uops, insn->plan->registers_taken);
    tell_moves(sim, insn);
    unsigned n_uses = resource_unit_issue(sim->resources, insn->plan, sim->now, sim->uses);
    flight_issue(&sim->flight, insn, sim->now);
    if (insn->plan->is_memory)
        memory_unit_issue(&sim->memory, insn, sim->now);
    insn->stage = STAGE_ISSUED;
    tell_issued(sim, insn, n_uses);
    sim->has_moved = true;
}

static void use_room(struct simulation *sim, const struct insn *insn) {
    struct in_order_stage *stage = &sim->in_order;
    stage->is_carrying = insn->uops > stage->room;
    stage->used += stage->is_carrying ? stage->room : insn->uops;
    if (stage->is_carrying) {
        stage->carried_uops = insn->uops - stage->room;
        stage->room = 0;
        return;
    }
    stage->issued += insn->uops;
    stage->room = insn->ends_group ? 0 : stage->room - insn->uops;
}

static void try_issue(struct simulation *sim) {
    struct in_flight *insn = youngest(sim);
    struct in_order_stage *stage = &sim->in_order;
    if (!can_issue(sim, insn)) {
        stage->room = 0;
        return;
    }
    issue_now(sim, insn);
    use_room(sim, insn->plan->insn);
    if (insn->plan->insn->latency == 0 && !stage->is_carrying) {
        finish_insn(sim, insn);
        return;
    }
    stage->issued_slots[stage->n_issued++] = flight_slot(&sim->flight, insn);
    if (!insn->plan->insn->retires_out_of_order)
        stage->last_write_back = insn->plan->insn->latency;
}

// Instructions that are done retire at once; one whose uops are still being issued waits for the last of them.
static void finish_issued(struct simulation *sim) {
    struct in_order_stage *stage = &sim->in_order;
    for (unsigned i = 0; i < stage->n_issued;) {
        struct in_flight *insn = &sim->flight.slots[stage->issued_slots[i]];
        if (insn->done_cycle > sim->now) {
            i++;
            continue;
        }
        insn->stage = STAGE_EXECUTED;
        if (!stage->is_carrying || insn != youngest(sim))
            finish_insn(sim, insn);
        stage->issued_slots[i] = stage->issued_slots[--stage->n_issued];
    }
}

static void carry_on(struct simulation *sim) {
    struct in_order_stage *stage = &sim->in_order;
    if (!stage->is_carrying)
        return;
    struct in_flight *insn = youngest(sim);
    sim->has_moved = true;
    if (stage->carried_uops > stage->room) {
        stage->used += stage->room;
        stage->carried_uops -= stage->room;
        stage->room = 0;
        return;
    }
    stage->used += stage->carried_uops;
    stage->room = insn->plan->insn->ends_group ? 0 : stage->room - stage->carried_uops;
    stage->carried_uops = 0;
    stage->is_carrying = false;
    if (insn->stage == STAGE_EXECUTED)
        finish_insn(sim, insn);
}

static void tell_why_stalled(struct simulation *sim) {
    if (sim->in_order.stall == IN_ORDER_OPERANDS)
        TELL_OF(sim, stalled, youngest(sim), STALL_REGISTER_FILE);
    if (sim->in_order.stall == IN_ORDER_RESOURCES)
        TELL_OF(sim, stalled, youngest(sim), STALL_DISPATCH_GROUP);
    if (sim->in_order.stall == IN_ORDER_COUNTERS)
        TELL_OF(sim, stalled, youngest(sim), STALL_CUSTOM);
}

static void begin_cycle(struct simulation *sim) {
    struct in_order_stage *stage = &sim->in_order;
    stage->issued = stage->used = 0;
    // The width option is for out-of-order machines only, as in llvm-mca.
    stage->room = sim->machine->dispatch_width - stage->taken;
    register_unit_cycle(&sim->registers);
    resource_unit_cycle(sim->resources, sim->now);
    sim->memory.n_woken = 0; // nobody sleeps
    finish_issued(sim);
    carry_on(sim);
    if (stage->stall == IN_ORDER_NO_STALL)
        return;
    if (stage->stall_cycles == 0 && stage->taken < sim->machine->dispatch_width) {
        stage->stall = IN_ORDER_NO_STALL;
        try_issue(sim);
    }
    if (stage->stall != IN_ORDER_NO_STALL) {
        tell_why_stalled(sim);
        stage->room = 0;
    }
}

static bool can_enter(const struct simulation *sim, const struct plan_insn *insn) {
    const struct in_order_stage *stage = &sim->in_order;
    if (stage->stall != IN_ORDER_NO_STALL || stage->is_carrying || sim->now < redirected_until(sim))
        return false;
    unsigned uops = insn->insn->uops;
    if (stage->room < uops && uops <= sim->machine->dispatch_width)
        return false;
    if (insn->insn->begins_group && stage->issued != 0)
        return false;
    return flight_at(&sim->flight, sim->next)->stage == STAGE_RETIRED;
}

static void enter(struct simulation *sim) {
    struct in_flight *insn = enter_next(sim);
    if (insn->plan->is_memory)
        memory_unit_dispatch(&sim->memory, insn, sim->now);
    sim->has_moved = true;
    try_issue(sim);
    if (sim->in_order.stall != IN_ORDER_NO_STALL)
        tell_why_stalled(sim);
}

void cycle_in_order(struct simulation *sim) {
    struct in_order_stage *stage = &sim->in_order;
    begin_cycle(sim);
    while (sim->next < sim->total && can_enter(sim, next_insn(sim)))
        enter(sim);
    if (stage->stall_cycles > 0)
        stage->stall_cycles--;
    if (stage->last_write_back > 0)
        stage->last_write_back--;
}

bool in_order_has_work(const struct simulation *sim) {
    return sim->in_order.n_issued != 0 || sim->in_order.stall != IN_ORDER_NO_STALL || sim->in_order.is_carrying;
}

bool in_order_is_stuck(const struct simulation *sim) {
    enum in_order_stall stall = sim->in_order.stall;
    return stall == IN_ORDER_RESOURCES || stall == IN_ORDER_MEMORY;
}

uint64_t in_order_waiting(const struct simulation *sim) {
    return sim->in_order.stall != IN_ORDER_NO_STALL ? sim->next - 1 : sim->next;
}
