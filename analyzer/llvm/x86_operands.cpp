#include "analyzer/llvm/x86_operands.h"

#include "llvm/MC/MCInst.h"

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

unsigned x86_access_bytes(StringRef intel_text) {
    constexpr struct {
        const char *name;
        unsigned bytes;
    } widths[] = {{"byte", 1},   {"word", 2},     {"dword", 4},    {"fword", 6},   {"qword", 8},
                  {"tbyte", 10}, {"xmmword", 16}, {"ymmword", 32}, {"zmmword", 64}};
    const auto [before, after] = intel_text.split(" ptr ");
    const StringRef name = before.substr(before.find_last_of(" \t,") + 1);
    for (const auto &width : widths)
        if (!after.empty() && name == width.name)
            return width.bytes;
    return 0;
}

namespace {

// Printed once for each opcode.
unsigned access_bytes(backend_cpu &cpu, const MCInst &inst) {
    constexpr uint8_t not_asked = UINT8_MAX;
    if (cpu.access_bytes.empty())
        cpu.access_bytes.assign(cpu.opcodes->getNumOpcodes(), not_asked);
    uint8_t &bytes = cpu.access_bytes[inst.getOpcode()];
    if (bytes != not_asked)
        return bytes;
    if (!cpu.intel_printer)
        cpu.intel_printer = make_printer(cpu, 1);
    struct arena scratch = {};
    bytes = uint8_t(x86_access_bytes(print_text(cpu, &scratch, *cpu.intel_printer, inst)));
    arena_free(&scratch);
    return bytes;
}

} // namespace

const struct insn_address *x86_address(backend_cpu &cpu, struct arena *arena, const MCInst &inst) {
    const MCInstrDesc &desc = cpu.opcodes->get(inst.getOpcode());
    for (unsigned i = 0; i + X86_MEMORY_OPERANDS <= desc.getNumOperands(); i++) {
        const bool is_memory = x86_has_memory_tuple(cpu, desc, i);
        if (!is_memory && !x86_has_address_tuple(cpu, desc, i))
            continue;
        if (!inst.getOperand(i + X86_SCALE).isImm() || !inst.getOperand(i + X86_DISPLACEMENT).isImm())
            return nullptr;
        struct insn_address *address = ARENA_NEW(arena, struct insn_address);
        address->base = uint16_t(inst.getOperand(i + X86_BASE).getReg());
        address->index = uint16_t(inst.getOperand(i + X86_INDEX).getReg());
        address->segment = uint16_t(inst.getOperand(i + X86_SEGMENT).getReg());
        address->scale = unsigned(inst.getOperand(i + X86_SCALE).getImm());
        address->displacement = inst.getOperand(i + X86_DISPLACEMENT).getImm();
        address->bytes = is_memory ? access_bytes(cpu, inst) : 0;
        return address;
    }
    return nullptr;
}

// LLVM's calls and returns do not say that they change the stack pointer, and pushes of 16 bits say ESP in all modes.
bool x86_uses_stack(const backend_cpu &cpu, const MCInst &inst) {
    if (!cpu.triple.isX86())
        return false;
    const MCInstrDesc &desc = cpu.opcodes->get(inst.getOpcode());
    if (desc.isCall() || desc.isReturn())
        return true;
    for (MCPhysReg reg : desc.implicit_defs())
        if (const StringRef name = cpu.registers->getName(reg); name == "RSP" || name == "ESP")
            return desc.mayLoad() || desc.mayStore();
    return false;
}

MCPhysReg register_named(const backend_cpu &cpu, StringRef name) {
    for (unsigned reg = 1; reg < cpu.registers->getNumRegs(); reg++)
        if (cpu.registers->getName(reg) == name)
            return MCPhysReg(reg);
    return 0;
}
