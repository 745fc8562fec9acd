// What the tables of an open CPU say of each opcode, without an instruction at hand.
#include "analyzer/llvm/module.h"

using namespace llvm;

// The scheduling class of an opcode; of RISC-V's vectors, with the type that its form is measured with.
static unsigned class_of(const backend_cpu &cpu, unsigned number) {
    const vector_type *const type = find_vector_type(cpu, cpu.opcodes->getName(number));
    MCInst inst;
    if (!type)
        return cpu.opcodes->get(number).getSchedClass();
    inst.setOpcode(number);
    const auto length = cpu.instruments->createInstrument("RISCV-LMUL", type->length),
               element = cpu.instruments->createInstrument("RISCV-SEW", type->element);
    return cpu.instruments->getSchedClassID(*cpu.opcodes, inst, {length.get(), element.get()});
}

// Opcodes that are never encoded, and those whose numbers depend on their operands, have none of their own.
static const MCSchedClassDesc *own_class(const backend_cpu &cpu, unsigned number) {
    const MCSchedModel &model = cpu.subtarget->getSchedModel();
    if (cpu.opcodes->get(number).isPseudo() || !model.hasInstrSchedModel() || !class_of(cpu, number))
        return nullptr;
    const MCSchedClassDesc *found = model.getSchedClassDesc(class_of(cpu, number));
    return found->isValid() && !found->isVariant() ? found : nullptr;
}

size_t opcode_costs(const struct backend_cpu *cpu, struct arena *arena, const struct opcode_cost **costs) {
    const unsigned n_opcodes = cpu->opcodes->getNumOpcodes();
    struct opcode_cost *list = ARENA_ARRAY(arena, struct opcode_cost, n_opcodes);
    size_t n = 0;
    for (unsigned i = 0; i < n_opcodes; i++) {
        const MCSchedClassDesc *found = own_class(*cpu, i);
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
