#include "analyzer/llvm/form_names.h"

using namespace llvm;

const char *form_name(struct arena *arena, const char *opcode, const lea_address &of_lea, unsigned high) {
    const char *name = of_lea.name ? arena_printf(arena, "%s-%s", opcode, of_lea.name) : opcode;
    for (unsigned i = 0; high >> i; i++)
        if (high >> i & 1)
            name = arena_printf(arena, "%s-high%u", name, i);
    return name;
}

prefixed_key prefixed_key_of(const MCInst &behind, bool is_rep) {
    const bool has_register = is_rep && behind.getNumOperands() && behind.getOperand(0).isReg();
    return {behind.getOpcode(), has_register ? unsigned(behind.getOperand(0).getReg()) : 0};
}

form_namer::form_namer(const backend_cpu &open) {
    if (!open.triple.isX86())
        return;
    for (size_t i = 0; i < std::size(high_bytes); i++)
        high[i] = register_named(open, high_bytes[i].high);
    program_counter = register_named(open, "RIP");
}

bool form_namer::is_high(const MCOperand &operand) const {
    return operand.isReg() && operand.getReg() && is_contained(high, operand.getReg());
}

// As forms count operands: an address is one. Tied ones follow from those that they are tied to.
unsigned form_namer::find_high(const backend_cpu &cpu, const MCInst &inst, const MCInstrDesc &desc) const {
    unsigned found = 0;
    for (unsigned i = 0, number = 0; i < desc.getNumOperands() && i < inst.getNumOperands(); number++) {
        const bool is_tied = desc.getOperandConstraint(i, MCOI::TIED_TO) >= 0;
        if (x86_has_memory_tuple(cpu, desc, i)) {
            i += X86_MEMORY_OPERANDS;
            continue;
        }
        if (is_high(inst.getOperand(i)) && !is_tied)
            found |= 1U << number;
        i++;
    }
    return found;
}

// Of the addresses of lea the kind, not the values: any scale but 1 is alike, and so is any displacement but 0.
// Without a base there is always one in the encoding. An absolute address is of no form.
const lea_address *form_namer::find_address(const backend_cpu &cpu, const MCInst &inst, const MCInstrDesc &desc) const {
    if (desc.getNumOperands() < X86_MEMORY_OPERANDS || inst.getNumOperands() < desc.getNumOperands())
        return &lea_addresses[0];
    const unsigned first = desc.getNumOperands() - X86_MEMORY_OPERANDS;
    if (!x86_has_address_tuple(cpu, desc, first))
        return &lea_addresses[0];
    const unsigned base_register = inst.getOperand(first + X86_BASE).getReg();
    const enum lea_address::base base = !base_register                     ? lea_address::NO_BASE
                                        : base_register == program_counter ? lea_address::PROGRAM_COUNTER
                                                                           : lea_address::REGISTER;
    const bool has_index = inst.getOperand(first + X86_INDEX).getReg() != 0;
    const bool is_scaled = base == lea_address::NO_BASE || inst.getOperand(first + X86_SCALE).getImm() != 1;
    const MCOperand &displacement = inst.getOperand(first + X86_DISPLACEMENT);
    const bool has_displacement = base != lea_address::REGISTER || !displacement.isImm() || displacement.getImm() != 0;
    for (const lea_address &each : lea_addresses)
        if (each.base == base && (each.scale != 0) == has_index && (!has_index || (each.scale != 1) == is_scaled) &&
            (each.displacement != 0) == has_displacement)
            return &each;
    return nullptr;
}

// Other instructions ignore rep (ret), or take it for a hint. Where LLVM has no opcode for a prefix that counts, no
// form is measured.
const char *form_namer::prefixed_opcode(backend_cpu &cpu, const MCInst &inst, const MCInstrDesc &desc) {
    const bool is_rep = !(inst.getFlags() & X86_HAS_LOCK);
    if (is_rep && !x86_has_fixed_memory(cpu, desc))
        return opcode_name(&cpu, inst.getOpcode());
    if (!has_prefixed)
        prefixed = find_prefixed_opcodes(cpu);
    has_prefixed = true;
    const auto found = prefixed.find(prefixed_key_of(inst, is_rep));
    return found == prefixed.end() ? nullptr : opcode_name(&cpu, found->second);
}

bool has_vector_forms(const backend_cpu &cpu, StringRef opcode) {
    return find_vector_type(cpu, opcode) && vector_config_matters_to(opcode.data());
}

// RISC-V: the opcode with the pair of element and group, "VADD_VV-e32m2"; without it where that is not known.
static const char *vector_form(const backend_cpu &cpu, struct arena *arena, const char *opcode,
                               const instrument_list &instruments) {
    std::string element, group;
    for (const mca::Instrument *each : instruments)
        (each->getDesc() == "RISCV-SEW" ? element : group) = each->getData().lower();
    if (element.empty() || group.empty() || !has_vector_forms(cpu, opcode))
        return opcode;
    return arena_printf(arena, "%s-%s%s", opcode, element.c_str(), group.c_str());
}

const char *form_namer::name(backend_cpu &cpu, struct arena *arena, const MCInst &inst,
                             const instrument_list &instruments) {
    const char *opcode = opcode_name(&cpu, inst.getOpcode());
    if (cpu.triple.isRISCV())
        return vector_form(cpu, arena, opcode, instruments);
    if (!cpu.triple.isX86())
        return opcode;
    const MCInstrDesc &desc = cpu.opcodes->get(inst.getOpcode());
    if (inst.getFlags() & (X86_HAS_LOCK | X86_HAS_REPEAT))
        opcode = prefixed_opcode(cpu, inst, desc);
    const lea_address *of_lea = find_address(cpu, inst, desc);
    return opcode && of_lea ? form_name(arena, opcode, *of_lea, find_high(cpu, inst, desc)) : nullptr;
}
