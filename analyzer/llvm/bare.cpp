// An instruction without LLVM's scheduling model: which registers it reads and writes, and what kind it is, by LLVM's
// instruction tables alone. Cycles, pipes and uops are for others to fill in.
//
// Which operand is a definition follows the assumptions written down in llvm/lib/MCA/InstrBuilder.cpp (populateWrites,
// populateReads): definitions come first among the operands, an optional one may stand anywhere, operands behind those
// of the opcode's description are all defined or all read.
#include "analyzer/llvm/x86_operands.h"

#include "llvm/MC/MCInst.h"

using namespace llvm;

namespace {

// Register of an operand that means a dependence; 0: it is none.
MCRegister register_of(const backend_cpu &cpu, const MCOperand &operand) {
    if (!operand.isReg() || !operand.getReg() || cpu.registers->isConstant(operand.getReg()))
        return 0;
    return operand.getReg();
}

struct operands {
    struct source {
        MCRegister reg;
        unsigned number; // as ReadAdvance has it: among those that are no definitions, implicit ones last
    };
    SmallVector<MCRegister, 8> written;
    SmallVector<source, 8> read;
};

operands find_operands(const backend_cpu &cpu, const MCInst &inst, const MCInstrDesc &opcode) {
    operands found;
    unsigned missing = opcode.getNumDefs();
    for (unsigned i = 0; i < inst.getNumOperands(); i++) {
        const MCOperand &operand = inst.getOperand(i);
        const bool is_variadic = i >= opcode.getNumOperands();
        const bool is_explicit = !is_variadic && missing && operand.isReg();
        missing -= is_explicit;
        const bool is_optional = !is_variadic && opcode.operands().begin()[i].isOptionalDef();
        const MCRegister reg = register_of(cpu, operand);
        if (is_variadic ? opcode.variadicOpsAreDefs() : is_explicit || is_optional) {
            if (reg)
                found.written.push_back(reg);
        } else if (reg) {
            found.read.push_back({reg, i - opcode.getNumDefs()});
        }
    }
    unsigned number = opcode.getNumOperands() - opcode.getNumDefs() - opcode.hasOptionalDef();
    for (MCPhysReg reg : opcode.implicit_defs())
        found.written.push_back(reg);
    for (MCPhysReg reg : opcode.implicit_uses()) {
        if (!cpu.registers->isConstant(reg))
            found.read.push_back({reg, number});
        number++;
    }
    return found;
}

void copy_registers(struct arena *arena, const backend_cpu &cpu, const MCInst &inst, const operands &from,
                    struct insn *insn) {
    struct insn_write *writes = ARENA_ARRAY(arena, struct insn_write, from.written.size());
    struct insn_read *reads = ARENA_ARRAY(arena, struct insn_read, from.read.size());
    APInt clears(unsigned(from.written.size()), 0);
    if (!from.written.empty())
        cpu.analysis->clearsSuperRegisters(*cpu.registers, inst, clears);
    for (MCRegister reg : from.written) {
        struct insn_write *to = &writes[insn->n_writes];
        to->reg = uint16_t(reg.id());
        to->clears_supers = clears[insn->n_writes++];
        to->name = register_name(cpu, arena, reg);
    }
    for (const operands::source &source : from.read) {
        reads[insn->n_reads].reg = uint16_t(source.reg.id());
        reads[insn->n_reads++].operand = uint16_t(source.number);
    }
    insn->writes = writes;
    insn->reads = reads;
}

} // namespace

void describe_bare_insn(backend_cpu &cpu, struct arena *arena, const MCInst &inst, struct insn *insn) {
    const MCInstrDesc &opcode = cpu.opcodes->get(inst.getOpcode());
    insn->may_load = opcode.mayLoad();
    insn->may_store = opcode.mayStore();
    insn->side_effects = opcode.hasUnmodeledSideEffects();
    copy_registers(arena, cpu, inst, find_operands(cpu, inst, opcode), insn);
}
