// What the tables of an open CPU say of each opcode, without an instruction at hand.
#include "analyzer/llvm/module.h"

#include <algorithm>
#include <cstdlib>

using namespace llvm;

namespace {

// RISC-V: the scheduling class of a vector opcode by its configuration, LLVM's instruments.
unsigned class_with(const backend_cpu &cpu, unsigned number, const struct vector_config &config) {
    const std::string length = (config.lmul < 0 ? "MF" : "M") + std::to_string(1U << std::abs(config.lmul)),
                      element = "E" + std::to_string(config.sew);
    MCInst inst;
    inst.setOpcode(number);
    const auto group = cpu.instruments->createInstrument("RISCV-LMUL", length),
               width = cpu.instruments->createInstrument("RISCV-SEW", element);
    return cpu.instruments->getSchedClassID(*cpu.opcodes, inst, {group.get(), width.get()});
}

// The scheduling class of an opcode; of RISC-V's vectors, with the type that its form is measured with.
unsigned class_of(const backend_cpu &cpu, unsigned number) {
    const struct vector_config *const type = find_vector_type(cpu, cpu.opcodes->getName(number));
    return type ? class_with(cpu, number, *type) : cpu.opcodes->get(number).getSchedClass();
}

// Opcodes that are never encoded, and those whose numbers depend on their operands, have none of their own.
const MCSchedClassDesc *own_class(const backend_cpu &cpu, unsigned number, unsigned sched_class) {
    const MCSchedModel &model = cpu.subtarget->getSchedModel();
    if (cpu.opcodes->get(number).isPseudo() || !model.hasInstrSchedModel() || !sched_class)
        return nullptr;
    const MCSchedClassDesc *found = model.getSchedClassDesc(sched_class);
    return found->isValid() && !found->isVariant() ? found : nullptr;
}

void fill_cost(const backend_cpu &cpu, struct arena *arena, const MCSchedClassDesc &found, struct opcode_cost *cost) {
    cost->uops = found.NumMicroOps;
    cost->latency = unsigned(std::max(0, MCSchedModel::computeInstrLatency(*cpu.subtarget, found)));
    cost->rthroughput = MCSchedModel::getReciprocalThroughput(*cpu.subtarget, found);
    cost->resources = arena_strdup(arena, list_resources(*cpu.subtarget, found).c_str());
}

} // namespace

size_t opcode_costs(const struct backend_cpu *cpu, struct arena *arena, const struct opcode_cost **costs) {
    const unsigned n_opcodes = cpu->opcodes->getNumOpcodes();
    struct opcode_cost *list = ARENA_ARRAY(arena, struct opcode_cost, n_opcodes);
    size_t n = 0;
    for (unsigned i = 0; i < n_opcodes; i++) {
        const MCSchedClassDesc *found = own_class(*cpu, i, class_of(*cpu, i));
        if (!found)
            continue;
        list[n].opcode = opcode_name(cpu, i);
        fill_cost(*cpu, arena, *found, &list[n++]);
    }
    *costs = list;
    return n;
}

size_t vector_costs(const struct backend_cpu *cpu, struct arena *arena, const struct opcode_cost **costs) {
    std::vector<struct opcode_cost> list;
    for (unsigned i = 0; i < cpu->opcodes->getNumOpcodes(); i++)
        for (unsigned pair = 0; pair < VECTOR_N_PAIRS && find_vector_type(*cpu, cpu->opcodes->getName(i)); pair++) {
            const struct vector_config config = vector_config_pair(pair);
            const MCSchedClassDesc *found = own_class(*cpu, i, class_with(*cpu, i, config));
            if (!found)
                continue;
            list.emplace_back();
            list.back().opcode = vector_config_unit(arena, opcode_name(cpu, i), &config);
            fill_cost(*cpu, arena, *found, &list.back());
        }
    struct opcode_cost *copy = ARENA_ARRAY(arena, struct opcode_cost, list.size() + 1);
    std::copy(list.begin(), list.end(), copy);
    *costs = copy;
    return list.size();
}

void set_vector_class(const struct backend_cpu *cpu, struct form *form) {
    form->sched_class = class_with(*cpu, form->index, form->vector);
    form->sched_class_name = sched_class_name(cpu->subtarget->getSchedModel(), form->sched_class);
}
