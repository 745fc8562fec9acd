#include "analyzer/llvm/form_maker.h"

#include <algorithm>

using namespace llvm;

static bool needs_rex(StringRef name) {
    const bool is_numbered = name.size() > 1 && name[0] == 'R' && name[1] >= '0' && name[1] <= '9';
    return is_numbered || name == "SPL" || name == "BPL" || name == "SIL" || name == "DIL";
}

bool form_maker::is_free(MCPhysReg reg) const {
    const StringRef name = cpu.registers->getName(reg);
    const bool is_stack = name == "RSP" || name == "ESP" || name == "SP" || name == "SPL" || name == "WSP";
    return !is_stack && name != "RIP" && name != "EIP" && name != "IP" &&
           none_of(used, [&](MCPhysReg other) { return cpu.registers->regsOverlap(reg, other); });
}

// A register that nothing else of the example is; where there is none, the class's first. Of x86's segment registers
// it is one that programs may write to, and that does nothing.
MCPhysReg form_maker::choose(int reg_class) {
    const MCRegisterClass &all = cpu.registers->getRegClass(unsigned(reg_class));
    const auto *const found = find_if(all, [&](MCPhysReg reg) { return is_free(reg); });
    const MCPhysReg segment =
        StringRef(cpu.registers->getRegClassName(&all)) == "SEGMENT_REG" ? find_register("ES") : MCPhysReg(0);
    const MCPhysReg chosen = segment ? segment : found != all.end() ? *found : *all.begin();
    used.push_back(chosen);
    return chosen;
}

// Each of a register's parts may be in use: the whole one is what must be free.
MCPhysReg form_maker::choose_high() {
    for (const auto &each : high_bytes)
        if (is_free(find_register(each.whole))) {
            used.push_back(find_register(each.whole));
            return find_register(each.high);
        }
    return choose_base(); // no such form is made: it encodes to something else
}

MCPhysReg form_maker::choose_beside_high(int reg_class) {
    for (const MCPhysReg reg : cpu.registers->getRegClass(unsigned(reg_class)))
        for (const auto &each : high_bytes) {
            const MCPhysReg whole = find_register(each.whole);
            const bool is_high = StringRef(cpu.registers->getName(reg)) == each.high;
            if (is_high || !is_free(whole) || !cpu.registers->regsOverlap(reg, whole))
                continue;
            used.push_back(whole);
            return reg;
        }
    return choose(reg_class);
}

void form_maker::describe_class(int reg_class, const form_example &wanted, struct form_operand *operand) {
    const MCRegisterClass &all = cpu.registers->getRegClass(unsigned(reg_class));
    operand->class_name = cpu.registers->getRegClassName(&all);
    uint16_t *list = ARENA_ARRAY(arena, uint16_t, all.getNumRegs());
    for (MCPhysReg reg : all)
        if (!wanted.high || !needs_rex(cpu.registers->getName(reg)))
            list[operand->n_registers++] = reg;
    operand->registers = list;
}

// The base register of addresses, as wide as pointers are.
MCPhysReg form_maker::choose_base() const {
    return find_register(cpu.triple.isArch64Bit() ? "RDI" : "EDI");
}

// X86's forms whose address is not a tuple: (%rsi), (%rdi), or a number. Segments are none.
void form_maker::add_fixed_memory(const MCInstrDesc &desc, MCInst &inst, struct form *form) {
    const char *const source = cpu.triple.isArch64Bit() ? "RSI" : "ESI";
    if (x86_is_form(cpu, desc, X86_MEMORY_OFFSET))
        inst.addOperand(MCOperand::createImm(64));
    if (x86_is_form(cpu, desc, X86_DESTINATION) || x86_is_form(cpu, desc, X86_BOTH))
        inst.addOperand(MCOperand::createReg(choose_base()));
    if (x86_is_form(cpu, desc, X86_SOURCE) || x86_is_form(cpu, desc, X86_BOTH))
        inst.addOperand(MCOperand::createReg(find_register(source)));
    if (!x86_is_form(cpu, desc, X86_DESTINATION))
        inst.addOperand(MCOperand::createReg(0));
    struct form_operand *operand = const_cast<struct form_operand *>(form->operands);
    operand->kind = FORM_MEMORY;
    operand->is_read = desc.mayLoad();
    operand->is_written = desc.mayStore();
    operand->tied = -1;
    form->n_operands = 1;
}

unsigned form_maker::add_address(const lea_address &wanted, MCInst &inst, struct form_operand *operand) {
    const MCPhysReg counter = wanted.base == lea_address::PROGRAM_COUNTER ? find_register("RIP") : MCPhysReg(0);
    operand->kind = FORM_ADDRESS;
    operand->is_read = operand->is_written = false;
    operand->tied = -1;
    operand->reg = wanted.base == lea_address::REGISTER ? choose_base() : MCPhysReg(0);
    operand->index = wanted.scale ? find_register(cpu.triple.isArch64Bit() ? "RDX" : "EDX") : MCPhysReg(0);
    inst.addOperand(MCOperand::createReg(operand->reg ? operand->reg : counter));
    inst.addOperand(MCOperand::createImm(wanted.scale ? wanted.scale : 1));
    inst.addOperand(MCOperand::createReg(operand->index));
    inst.addOperand(MCOperand::createImm(wanted.displacement));
    inst.addOperand(MCOperand::createReg(0));
    return X86_MEMORY_OPERANDS;
}

unsigned form_maker::add_memory(const MCInstrDesc &desc, unsigned i, const form_example &wanted, MCInst &inst,
                                struct form_operand *operand) {
    const int index_class = operand_class(*cpu.opcodes, *cpu.subtarget, desc, i + X86_INDEX);
    const bool is_vector =
        StringRef(cpu.registers->getRegClassName(&cpu.registers->getRegClass(unsigned(std::max(0, index_class)))))
            .substr(0, 2) == "VR";
    operand->kind = FORM_MEMORY;
    operand->is_read = desc.mayLoad();
    operand->is_written = desc.mayStore();
    operand->tied = -1;
    operand->reg = choose_base();
    operand->index = is_vector ? choose(index_class) : MCPhysReg(0);
    inst.addOperand(MCOperand::createReg(operand->reg));
    inst.addOperand(MCOperand::createImm(1));
    inst.addOperand(MCOperand::createReg(operand->index));
    inst.addOperand(MCOperand::createImm(64));
    inst.addOperand(MCOperand::createReg(0));
    if (is_vector)
        describe_class(index_class, wanted, operand);
    return X86_MEMORY_OPERANDS;
}

// RISC-V: a mask that may be left out. The opcodes that need one end with M: VADC_VVM.
bool form_maker::is_open_mask(const MCInstrDesc &desc, int reg_class) const {
    return cpu.triple.isRISCV() && reg_class >= 0 &&
           StringRef(cpu.registers->getRegClassName(&cpu.registers->getRegClass(unsigned(reg_class)))) == "VMV0" &&
           !cpu.opcodes->getName(desc.getOpcode()).ends_with("M");
}

// A register of its own, or that of the operand that it is tied to.
void form_maker::add_register(const MCInstrDesc &desc, unsigned i, int reg_class, const form_example &wanted,
                              MCInst &inst, struct form *form) {
    const unsigned number = form->n_operands - 1;
    struct form_operand *operand = const_cast<struct form_operand *>(&form->operands[number]);
    const int tied = desc.getOperandConstraint(i, MCOI::TIED_TO);
    operand->kind = FORM_REGISTER;
    if (reg_class >= 0)
        describe_class(reg_class, wanted, operand);
    if (tied >= 0 && inst.getOperand(unsigned(tied)).isReg())
        operand->reg = MCPhysReg(unsigned(inst.getOperand(unsigned(tied)).getReg()));
    else
        operand->reg = wanted.high >> number & 1 ? choose_high()
                       : wanted.high             ? choose_beside_high(reg_class)
                                                 : choose(reg_class);
    inst.addOperand(MCOperand::createReg(operand->reg));
}

// RISC-V: conversions that lose nothing. Their way of rounding means nothing, and the text has none where it is zero:
// GNU's assembler knows no other text of them.
static bool is_exact_conversion(StringRef opcode) {
    return opcode.starts_with("FCVT_D_S") || opcode.starts_with("FCVT_D_W") || opcode.starts_with("FCVT_D_H") ||
           opcode.starts_with("FCVT_S_H");
}

// What LLVM states as a number: an immediate, a way of rounding, or a condition.
void form_maker::add_number(const MCOperandInfo &info, const form_example &wanted, MCInst &inst,
                            struct form_operand *operand) const {
    constexpr int64_t equal = 4;
    const bool is_x86 = cpu.triple.isX86(), is_rounding = is_x86 && info.OperandType == X86_ROUNDING,
               is_condition = is_x86 && info.OperandType == X86_CONDITION;
    operand->kind = is_rounding                                             ? FORM_ROUNDING
                    : is_condition                                          ? FORM_CONDITION
                    : info.OperandType == MCOI::OPERAND_IMMEDIATE || is_x86 ? FORM_IMMEDIATE
                                                                            : FORM_OTHER;
    const bool is_exact = cpu.triple.isRISCV() && is_exact_conversion(cpu.opcodes->getName(inst.getOpcode()));
    inst.addOperand(MCOperand::createImm(is_rounding || is_exact ? 0 : is_condition ? equal : wanted.immediate));
}

// Adds LLVM's operand `i` to the example, with the others that make one of ours with it; returns how many these are.
unsigned form_maker::add_operand(const MCInstrDesc &desc, unsigned i, const form_example &wanted, MCInst &inst,
                                 struct form *form) {
    const MCOperandInfo &info = desc.operands()[i];
    struct form_operand *operand = const_cast<struct form_operand *>(&form->operands[form->n_operands++]);
    const int tied = desc.getOperandConstraint(i, MCOI::TIED_TO);
    operand->is_written = i < desc.getNumDefs();
    operand->is_read = !operand->is_written;
    operand->tied = tied;
    // RISC-V's sign and zero extensions read less than a register: the manual lets no such result overlap its source.
    operand->is_distinct =
        desc.getOperandConstraint(i, MCOI::EARLY_CLOBBER) != -1 ||
        (i == 0 && cpu.triple.isRISCV() && cpu.opcodes->getName(desc.getOpcode()).contains("EXT_VF"));
    if (x86_has_address_tuple(cpu, desc, i))
        return add_address(*wanted.of_lea, inst, operand);
    if (x86_has_memory_tuple(cpu, desc, i))
        return add_memory(desc, i, wanted, inst, operand);
    const int reg_class = operand_class(*cpu.opcodes, *cpu.subtarget, desc, i);
    if (is_open_mask(desc, reg_class)) {
        operand->kind = FORM_OTHER;
        operand->class_name = cpu.registers->getRegClassName(&cpu.registers->getRegClass(unsigned(reg_class)));
        operand->is_read = false;
        inst.addOperand(MCOperand::createReg(0));
    } else if ((reg_class >= 0 && !info.isPredicate() && !info.isOptionalDef()) ||
               (tied >= 0 && inst.getOperand(unsigned(tied)).isReg())) {
        add_register(desc, i, reg_class, wanted, inst, form);
    } else if (info.isPredicate() || info.isOptionalDef()) {
        constexpr int64_t always = 14; // ARM's condition
        operand->kind = FORM_OTHER;
        inst.addOperand(reg_class >= 0 ? MCOperand::createReg(0) : MCOperand::createImm(always));
    } else {
        add_number(info, wanted, inst, operand);
    }
    return 1;
}

void form_maker::add_operands(const MCInstrDesc &desc, const form_example &wanted, MCInst &inst, struct form *form) {
    form->operands = ARENA_ARRAY(arena, struct form_operand, desc.getNumOperands());
    form->n_operands = 0;
    used.assign(desc.implicit_defs().begin(), desc.implicit_defs().end());
    used.insert(used.end(), desc.implicit_uses().begin(), desc.implicit_uses().end());
    if (cpu.triple.isX86())
        used.push_back(choose_base());
    if (cpu.triple.isX86())
        used.push_back(find_register("ST0")); // names the other direction of x87's arithmetic, too
    if (cpu.triple.isX86() && wanted.avoids_accumulator)
        used.push_back(find_register("RAX"));
    if (x86_has_fixed_memory(cpu, desc))
        return add_fixed_memory(desc, inst, form);
    for (unsigned i = 0; i < desc.getNumOperands();)
        i += add_operand(desc, i, wanted, inst, form);
}

static const uint16_t *copy_registers(struct arena *arena, ArrayRef<MCPhysReg> from, unsigned *n) {
    uint16_t *list = ARENA_ARRAY(arena, uint16_t, from.size());
    std::copy(from.begin(), from.end(), list);
    *n = unsigned(from.size());
    return list;
}

void form_maker::describe(const MCInstrDesc &desc, struct form *form) {
    form->opcode = form->name = opcode_name(&cpu, form->index);
    form->implicit_reads = copy_registers(arena, desc.implicit_uses(), &form->n_implicit_reads);
    form->implicit_writes = copy_registers(arena, desc.implicit_defs(), &form->n_implicit_writes);
    form->sched_class = desc.getSchedClass();
    form->sched_class_name = sched_class_name(cpu.subtarget->getSchedModel(), form->sched_class);
    form->may_load = desc.mayLoad();
    form->may_store = desc.mayStore();
    form->side_effects = desc.hasUnmodeledSideEffects();
}

bool form_maker::encode(const MCInst &inst, struct form *form) {
    SmallVector<char, 16> code;
    SmallVector<MCFixup, 2> fixups;
    emitter->encodeInstruction(inst, code, fixups, *cpu.subtarget);
    form->n_bytes = unsigned(code.size());
    const struct vector_config *const type = find_vector_type(cpu, form->opcode);
    if (type) {
        uint8_t setup[VECTOR_MOST_SETUP_BYTES];
        form->setup = vector_config_setup(arena, type);
        form->n_setup_bytes = vector_config_setup_bytes(type, setup);
        vector_config_set_groups(form->opcode, type, const_cast<struct form_operand *>(form->operands),
                                 form->n_operands);
        code.insert(code.begin(), setup, setup + form->n_setup_bytes);
    }
    form->bytes = reinterpret_cast<uint8_t *>(arena_copy(arena, code.data(), code.size())) + form->n_setup_bytes;
    return form->n_bytes && fixups.empty();
}

// Whether all of the bytes are one instruction, with all operands.
bool form_maker::decode(ArrayRef<uint8_t> bytes, MCInst &decoded) const {
    uint64_t size = 0;
    raw_null_ostream silent;
    return disassembler->getInstruction(decoded, size, bytes, 0, silent) == MCDisassembler::Success &&
           size == bytes.size() && decoded.getNumOperands() >= cpu.opcodes->get(decoded.getOpcode()).getNumOperands();
}

// LLVM's tables do not have the width of x86's accesses; its Intel syntax says it.
void form_maker::find_width(const MCInst &decoded, struct form *form) {
    if (!intel_printer)
        return;
    const unsigned bytes = x86_access_bytes(print_text(cpu, arena, *intel_printer, decoded));
    for (unsigned i = 0; i < form->n_operands; i++)
        if (form->operands[i].kind == FORM_MEMORY)
            const_cast<struct form_operand &>(form->operands[i]).bytes = bytes;
}

// The decoder takes lock at the front for an instruction of its own, and other prefixes for parts of the next one.
bool form_maker::has_prefix(const MCInst &inst, struct form *form) {
    constexpr uint8_t lock = 0xf0;
    MCInst behind;
    const ArrayRef<uint8_t> bytes(form->bytes, form->n_bytes);
    const bool is_apart = cpu.triple.isX86() && bytes.front() == lock;
    if (!cpu.triple.isX86() || !decode(is_apart ? bytes.drop_front() : bytes, behind) ||
        behind.getOpcode() == inst.getOpcode())
        return false;
    StringRef text = print_text(cpu, arena, *printer, behind);
    StringRef prefix = is_apart ? "lock" : text.take_while([](char c) { return c != '\t'; });
    if (prefix != "lock" && prefix != "rep")
        return false;
    text = is_apart ? text : text.drop_front(prefix.size()).ltrim("\t");
    form->text = arena_printf(arena, "%s %s", prefix.str().c_str(), text.str().c_str());
    prefixed[inst.getOpcode()] = prefixed_key_of(behind, prefix == "rep");
    find_width(behind, form);
    return true;
}

bool form_maker::decodes_to_itself(const MCInst &inst, struct form *form) {
    MCInst decoded;
    if (has_prefix(inst, form))
        return true;
    if (!decode(ArrayRef<uint8_t>(form->bytes, form->n_bytes), decoded)) {
        form->status = FORM_NOT_DECODED;
        return false;
    }
    // Printers trust the decoder's operands; ours may be none that an instruction can have.
    form->text = print_text(cpu, arena, *printer, decoded);
    find_width(decoded, form);
    if (decoded.getOpcode() == inst.getOpcode())
        return true;
    form->status = FORM_OTHER_OPCODE;
    form->twin = opcode_name(&cpu, decoded.getOpcode());
    return false;
}

void form_maker::make(unsigned opcode, const form_example &wanted, struct form *form) {
    const MCInstrDesc &desc = cpu.opcodes->get(opcode);
    MCInst inst;
    *form = {};
    form->index = opcode;
    describe(desc, form);
    const auto is_relative = [](const MCOperandInfo &info) { return info.OperandType == MCOI::OPERAND_PCREL; };
    if (desc.isPseudo() || desc.usesCustomInsertionHook() || x86_is_form(cpu, desc, X86_PSEUDO))
        form->status = FORM_PSEUDO;
    else if (desc.isBranch() || desc.isCall() || desc.isReturn() || desc.isTerminator() ||
             any_of(desc.operands(), is_relative))
        form->status = FORM_CONTROL_FLOW;
    else if (x86_is_form(cpu, desc, X86_PREFIX))
        form->status = FORM_PREFIX;
    if (form->status != FORM_USABLE)
        return;
    inst.setOpcode(opcode);
    add_operands(desc, wanted, inst, form);
    form->name = form_name(arena, form->opcode, *wanted.of_lea, wanted.high);
    if (!encode(inst, form))
        form->status = FORM_NOT_DECODED;
    else
        decodes_to_itself(inst, form);
}
