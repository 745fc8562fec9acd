// The dispatch stage: in program order, up to the machine's width, while every unit has room.
// Behaviour: llvm/lib/MCA/Stages/DispatchStage.cpp.
#include "analyzer/sim/mca/out_of_order.h"

#include <assert.h>

static void report_stall(struct out_of_order *sim, enum event_stall why) {
    struct event_insn event = event_next(sim);
    REPORT(&sim->core.reporter, stalled, &event, why);
}

// An instruction with more uops than the machine is wide takes whole cycles, and what is left of the last one.
static void carry_on_dispatching(struct out_of_order *sim) {
    unsigned carried = sim->carried_uops < sim->dispatch_width ? sim->carried_uops : sim->dispatch_width;
    sim->dispatch_room = sim->dispatch_width - carried;
    if (carried == 0)
        return;
    const struct in_flight *insn = flight_at(&sim->units.flight, sim->core.next - 1);
    sim->carried_uops -= carried;
    sim->core.has_moved = true;
    REPORT_OF(&sim->core, dispatched, insn, carried, sim->units.no_registers);
    report_moves(&sim->core, insn);
}

// Every unit is asked, so that each that has no room is reported.
bool dispatch_can(struct out_of_order *sim) {
    const struct plan_insn *insn = sim->units.next_plan;
    if (sim->core.now < mca_units_redirected(&sim->units, &sim->core))
        return false;
    if (sim->dispatch_room == 0 || insn->width > sim->dispatch_room)
        return false;
    if (insn->begins_group && sim->dispatch_room != sim->dispatch_width)
        return false;
    bool has_entries = reorder_buffer_can_enter(&sim->reorder_buffer, insn);
    if (!has_entries)
        report_stall(sim, STALL_REORDER_BUFFER);
    bool has_registers = register_unit_can_rename(&sim->units.registers, insn);
    if (!has_registers)
        report_stall(sim, STALL_REGISTER_FILE);
    bool has_buffers = execute_can(sim, insn);
    return has_entries && has_registers && has_buffers;
}

void dispatch(struct out_of_order *sim) {
    struct in_flight *insn = mca_units_enter(&sim->units, &sim->core);
    const struct plan_insn *plan = insn->plan;
    unsigned uops = plan->width;
    assert(uops <= sim->dispatch_room && sim->carried_uops == 0);
    sim->dispatch_room -= uops;
    sim->carried_uops = plan->uops - uops;
    if (plan->ends_group)
        sim->dispatch_room = 0;
    register_unit_rename(&sim->units.registers, &sim->units.flight, insn, sim->core.now);
    reorder_buffer_enter(&sim->reorder_buffer, insn);
    if (sim->pressure.criticals != NULL)
        pressure_enter(sim, insn);
    sim->core.has_moved = true;
    REPORT_OF(&sim->core, dispatched, insn, uops,
              insn->is_eliminated ? sim->units.no_registers : plan->registers_taken);
    report_moves(&sim->core, insn);
    execute(sim, insn);
}

static void dispatch_from_queue(struct out_of_order *sim) {
    micro_op_queue_fill(sim);
    while (sim->core.n_queued > 0 && dispatch_can(sim)) {
        micro_op_queue_leave(sim);
        dispatch(sim);
    }
}

void dispatch_cycle(struct out_of_order *sim) {
    carry_on_dispatching(sim);
    if (sim->queue.size != 0)
        dispatch_from_queue(sim);
    else
        while (sim->core.next < sim->core.total && dispatch_can(sim))
            dispatch(sim);
}
