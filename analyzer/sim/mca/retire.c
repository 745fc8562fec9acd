// The retire stage: executed instructions leave in program order and give back what they held.
// Behaviour: llvm/lib/MCA/Stages/RetireStage.cpp.
#include "analyzer/sim/mca/out_of_order.h"

static void retire(struct out_of_order *sim, struct in_flight *insn) {
    memory_unit_retire(&sim->units.memory, insn);
    register_unit_free(&sim->units.registers, insn);
    REPORT_OF(&sim->core, retired, insn, insn->is_eliminated ? sim->units.no_registers : insn->plan->registers_taken);
    reorder_buffer_retire(&sim->reorder_buffer, insn);
    sim->core.has_moved = true;
}

void retire_cycle(struct out_of_order *sim) {
    register_unit_cycle(&sim->units.registers);
    unsigned width = sim->reorder_buffer.retire_width;
    for (unsigned n = 0; width == 0 || n < width; n++) {
        struct in_flight *insn = reorder_buffer_retirable(&sim->reorder_buffer, &sim->units.flight, sim->core.now);
        if (insn == NULL)
            break;
        retire(sim, insn);
    }
}
