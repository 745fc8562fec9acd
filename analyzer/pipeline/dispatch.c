// The dispatch stage: in program order, up to the machine's width, while every unit has room.
// Behaviour: llvm/lib/MCA/Stages/DispatchStage.cpp.
#include "analyzer/pipeline/simulation.h"

#include <assert.h>

static void tell_stall(struct simulation *sim, enum event_stall why) {
    struct event_insn event = event_insn_next(sim);
    TELL(sim, stalled, &event, why);
}

// An instruction with more uops than the machine is wide takes whole cycles, and what is left of the last one.
void dispatch_cycle(struct simulation *sim) {
    unsigned carried = sim->carried_uops < sim->dispatch_width ? sim->carried_uops : sim->dispatch_width;
    sim->dispatch_room = sim->dispatch_width - carried;
    if (carried == 0)
        return;
    const struct in_flight *insn = flight_at(&sim->flight, sim->next - 1);
    sim->carried_uops -= carried;
    sim->has_moved = true;
    TELL_OF(sim, dispatched, insn, carried, sim->no_registers);
    tell_moves(sim, insn);
}

// Every unit is asked, so that listeners hear of each that has no room.
bool dispatch_can(struct simulation *sim) {
    const struct plan_insn *insn = next_insn(sim);
    if (sim->now < redirected_until(sim))
        return false;
    if (sim->dispatch_room == 0 || insn->width > sim->dispatch_room)
        return false;
    if (insn->begins_group && sim->dispatch_room != sim->dispatch_width)
        return false;
    bool has_entries = reorder_buffer_can_enter(&sim->reorder_buffer, insn);
    if (!has_entries)
        tell_stall(sim, STALL_REORDER_BUFFER);
    bool has_registers = register_unit_can_rename(&sim->registers, insn);
    if (!has_registers)
        tell_stall(sim, STALL_REGISTER_FILE);
    bool has_buffers = execute_can(sim, insn);
    return has_entries && has_registers && has_buffers;
}

void dispatch(struct simulation *sim) {
    struct in_flight *insn = enter_next(sim);
    const struct plan_insn *plan = insn->plan;
    unsigned uops = plan->width;
    assert(uops <= sim->dispatch_room && sim->carried_uops == 0);
    sim->dispatch_room -= uops;
    sim->carried_uops = plan->uops - uops;
    if (plan->ends_group)
        sim->dispatch_room = 0;
    register_unit_rename(&sim->registers, &sim->flight, insn, sim->now);
    reorder_buffer_enter(&sim->reorder_buffer, insn);
    if (sim->pressure.criticals != NULL)
        pressure_enter(sim, insn);
    sim->has_moved = true;
    TELL_OF(sim, dispatched, insn, uops, insn->is_eliminated ? sim->no_registers : plan->registers_taken);
    tell_moves(sim, insn);
    execute(sim, insn);
}
