// What the tables of an open CPU say of each opcode, without an instruction at hand.
#include "analyzer/llvm/module.h"

using namespace llvm;

// Opcodes that are never encoded, and those whose numbers depend on their operands, have none of their own.
static const MCSchedClassDesc *own_class(const backend_cpu &cpu, const MCInstrDesc &opcode) {
    const MCSchedModel &model = cpu.subtarget->getSchedModel();
    if (opcode.isPseudo() || !model.hasInstrSchedModel() || !opcode.getSchedClass())
        return nullptr;
    const MCSchedClassDesc *found = model.getSchedClassDesc(opcode.getSchedClass());
    return found->isValid() && !found->isVariant() ? found : nullptr;
}

size_t opcode_costs(const struct backend_cpu *cpu, struct arena *arena, const struct opcode_cost **costs) {
    const unsigned n_opcodes = cpu->opcodes->getNumOpcodes();
    struct opcode_cost *list = ARENA_ARRAY(arena, struct opcode_cost, n_opcodes);
    size_t n = 0;
    for (unsigned i = 0; i < n_opcodes; i++) {
        const MCSchedClassDesc *found = own_class(*cpu, cpu->opcodes->get(i));
        if (!found)
            continue;
        struct opcode_cost *cost = &list[n++];
        cost->opcode = opcode_name(cpu, i);
        cost->uops = found->NumMicroOps;
        cost->latency = unsigned(std::max(0, MCSchedModel::computeInstrLatency(*cpu->subtarget, *found)));
        cost->rthroughput = MCSchedModel::getReciprocalThroughput(*cpu->subtarget, *found);
        cost->resources = arena_strdup(arena, list_resources(*cpu->subtarget, *found).c_str());
    }
    *costs = list;
    return n;
}
