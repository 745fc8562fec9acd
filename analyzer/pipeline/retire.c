// The retire stage: executed instructions leave in program order and give back what they held.
// Behaviour: llvm/lib/MCA/Stages/RetireStage.cpp.
#include "analyzer/pipeline/simulation.h"

static void retire(struct simulation *sim, struct in_flight *insn) {
    memory_unit_retire(&sim->memory, insn);
    register_unit_free(&sim->registers, insn);
    TELL_OF(sim, retired, insn, insn->is_eliminated ? sim->no_registers : insn->plan->registers_taken);
    reorder_buffer_retire(&sim->reorder_buffer, insn);
    sim->has_moved = true;
}

void retire_cycle(struct simulation *sim) {
    register_unit_cycle(&sim->registers);
    unsigned width = sim->reorder_buffer.retire_width;
    for (unsigned n = 0; width == 0 || n < width; n++) {
        struct in_flight *insn = reorder_buffer_retirable(&sim->reorder_buffer, &sim->flight, sim->now);
        if (insn == NULL)
            break;
        retire(sim, insn);
    }
}
