#include "analyzer/llvm/x86_operands.h"

using namespace llvm;

bool x86_has_memory_tuple(const backend_cpu &cpu, const MCInstrDesc &desc, unsigned operand) {
    return cpu.triple.isX86() && desc.operands()[operand].OperandType == MCOI::OPERAND_MEMORY &&
           !x86_has_fixed_memory(cpu, desc) && operand + X86_MEMORY_OPERANDS <= desc.getNumOperands();
}

// The operands of lea have no type; they end with a segment.
bool x86_has_address_tuple(const backend_cpu &cpu, const MCInstrDesc &desc, unsigned operand) {
    return cpu.triple.isX86() && operand + X86_MEMORY_OPERANDS == desc.getNumOperands() &&
           cpu.opcodes->getName(desc.getOpcode()).substr(0, 3) == "LEA";
}

MCPhysReg register_named(const backend_cpu &cpu, StringRef name) {
    for (unsigned reg = 1; reg < cpu.registers->getNumRegs(); reg++)
        if (cpu.registers->getName(reg) == name)
            return MCPhysReg(reg);
    return 0;
}
