// Forms: each opcode with an example of its operands, and whether it can be measured. The example is encoded, decoded,
// printed and assembled again; only what comes back as the same opcode is a form of its own.
#include "analyzer/llvm/form_names.h"
#include "analyzer/llvm/regions.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"

#include <algorithm>
#include <map>
#include <vector>

using namespace llvm;

namespace {

// What examples to make: at first the plainest; then, where its text is another opcode's, one that has no shorter
// encoding, with an immediate that needs 32 bits and other registers than X86's accumulators.
struct example {
    int64_t immediate;
    bool avoids_accumulator;
    const lea_address *of_lea;
    unsigned high; // x86: a bit for each operand that is a high byte: %ah
};
constexpr example plain = {1, false, &lea_addresses[0], 0}, second = {0x12345678, true, &lea_addresses[0], 0};

bool needs_rex(StringRef name) {
    const bool is_numbered = name.size() > 1 && name[0] == 'R' && name[1] >= '0' && name[1] <= '9';
    return is_numbered || name == "SPL" || name == "BPL" || name == "SIL" || name == "DIL";
}

class form_maker {
  public:
    form_maker(backend_cpu &open, struct arena *memory)
        : cpu(open), arena(memory), context(cpu.triple, cpu.asm_info.get(), cpu.registers.get(), cpu.subtarget.get(),
                                            nullptr, &cpu.target_options),
          emitter(cpu.target->createMCCodeEmitter(*cpu.opcodes, context)),
          disassembler(cpu.target->createMCDisassembler(*cpu.subtarget, context)),
          printer(make_printer(cpu, cpu.output_syntax < 0 ? cpu.asm_info->getAssemblerDialect()
                                                          : unsigned(cpu.output_syntax))),
          intel_printer(cpu.triple.isX86() ? make_printer(cpu, 1) : nullptr) {
        for (unsigned reg = 1; reg < cpu.registers->getNumRegs(); reg++)
            by_name.try_emplace(cpu.registers->getName(reg), MCPhysReg(reg));
    }

    bool is_open() const {
        return emitter && disassembler && printer;
    }
    void make(unsigned opcode, const example &wanted, struct form *form);
    // By opcode: what is behind its prefix.
    const std::map<unsigned, prefixed_key> &all_prefixed() const {
        return prefixed;
    }

  private:
    std::map<unsigned, prefixed_key> prefixed;
    backend_cpu &cpu;
    struct arena *arena;
    MCContext context;
    std::unique_ptr<MCCodeEmitter> emitter;
    std::unique_ptr<MCDisassembler> disassembler;
    std::unique_ptr<MCInstPrinter> printer, intel_printer;
    StringMap<MCPhysReg> by_name;
    std::vector<MCPhysReg> used; // by the example at hand

    bool is_free(MCPhysReg reg) const;
    MCPhysReg choose(int reg_class);
    MCPhysReg choose_high();
    MCPhysReg choose_beside_high(int reg_class);
    MCPhysReg find_register(StringRef name) const {
        return by_name.lookup(name);
    }
    MCPhysReg choose_base() const;
    void add_fixed_memory(const MCInstrDesc &desc, MCInst &inst, struct form *form);
    void describe_class(int reg_class, const example &wanted, struct form_operand *operand);
    unsigned add_address(const lea_address &wanted, MCInst &inst, struct form_operand *operand);
    unsigned add_memory(const MCInstrDesc &desc, unsigned i, const example &wanted, MCInst &inst,
                        struct form_operand *operand);
    unsigned add_operand(const MCInstrDesc &desc, unsigned i, const example &wanted, MCInst &inst, struct form *form);
    void add_operands(const MCInstrDesc &desc, const example &wanted, MCInst &inst, struct form *form);
    void describe(const MCInstrDesc &desc, struct form *form);
    bool is_open_mask(const MCInstrDesc &desc, int reg_class) const;
    bool encode(const MCInst &inst, struct form *form);
    bool decode(ArrayRef<uint8_t> bytes, MCInst &decoded) const;
    void find_width(const MCInst &decoded, struct form *form);
    bool has_prefix(const MCInst &inst, struct form *form);
    bool decodes_to_itself(const MCInst &inst, struct form *form);
};

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

void form_maker::describe_class(int reg_class, const example &wanted, struct form_operand *operand) {
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

unsigned form_maker::add_memory(const MCInstrDesc &desc, unsigned i, const example &wanted, MCInst &inst,
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

// Adds LLVM's operand `i` to the example, with the others that make one of ours with it; returns how many these are.
unsigned form_maker::add_operand(const MCInstrDesc &desc, unsigned i, const example &wanted, MCInst &inst,
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
        operand->is_read = false;
        inst.addOperand(MCOperand::createReg(0));
    } else if (tied >= 0 && inst.getOperand(unsigned(tied)).isReg()) {
        operand->kind = FORM_REGISTER;
        inst.addOperand(inst.getOperand(unsigned(tied)));
        operand->reg = MCPhysReg(unsigned(inst.getOperand(i).getReg()));
        if (reg_class >= 0)
            describe_class(reg_class, wanted, operand);
    } else if (info.isPredicate() || info.isOptionalDef()) {
        constexpr int64_t always = 14; // ARM's condition
        operand->kind = FORM_OTHER;
        inst.addOperand(reg_class >= 0 ? MCOperand::createReg(0) : MCOperand::createImm(always));
    } else if (reg_class >= 0) {
        operand->kind = FORM_REGISTER;
        describe_class(reg_class, wanted, operand);
        const unsigned number = form->n_operands - 1;
        operand->reg = wanted.high >> number & 1 ? choose_high()
                       : wanted.high             ? choose_beside_high(reg_class)
                                                 : choose(reg_class);
        inst.addOperand(MCOperand::createReg(operand->reg));
    } else if (cpu.triple.isX86() && info.OperandType == X86_ROUNDING) {
        operand->kind = FORM_ROUNDING;
        inst.addOperand(MCOperand::createImm(0));
    } else if (cpu.triple.isX86() && info.OperandType == X86_CONDITION) {
        operand->kind = FORM_CONDITION;
        inst.addOperand(MCOperand::createImm(4)); // e
    } else {
        operand->kind = info.OperandType == MCOI::OPERAND_IMMEDIATE || cpu.triple.isX86() ? FORM_IMMEDIATE : FORM_OTHER;
        inst.addOperand(MCOperand::createImm(wanted.immediate));
    }
    return 1;
}

void form_maker::add_operands(const MCInstrDesc &desc, const example &wanted, MCInst &inst, struct form *form) {
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

const uint16_t *copy_registers(struct arena *arena, ArrayRef<MCPhysReg> from, unsigned *n) {
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
    const vector_type *const type = find_vector_type(cpu, form->opcode);
    if (type) {
        form->setup = type->text;
        form->n_setup_bytes = sizeof type->code;
        for (unsigned i = 0; i < sizeof type->code; i++) // the lowest byte first
            code.insert(code.begin() + i, char(type->code >> 8 * i));
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

void form_maker::make(unsigned opcode, const example &wanted, struct form *form) {
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

// Assembles all examples at once, a line each, and finds out what came of them.
bool assemble_examples(backend_cpu &cpu, const std::map<unsigned, prefixed_key> &prefixed, struct form *forms, size_t n,
                       struct fail *fail) {
    std::string text;
    std::vector<struct form *> by_line;
    for (size_t i = 0; i < n; i++) {
        if (forms[i].status != FORM_USABLE)
            continue;
        text += forms[i].text;
        text += '\n';
        by_line.push_back(&forms[i]);
        forms[i].status = FORM_NOT_ASSEMBLED;
    }
    return assemble_lines(cpu, text.c_str(), fail, [&](const MCInst &inst, unsigned line) {
        struct form *form = by_line[line - 1];
        const auto behind = prefixed.find(form->index);
        const bool is_itself = inst.getOpcode() == (behind == prefixed.end() ? form->index : behind->second.opcode);
        form->status = is_itself ? FORM_USABLE : FORM_TWIN;
        form->twin = is_itself ? nullptr : opcode_name(&cpu, inst.getOpcode());
    });
}

// The operands that may be high bytes, a bit for each; 0: there is none, or too many of them. Division is left out: its
// divisor would be zero where a chain's value is small.
unsigned high_operands(const backend_cpu &cpu, const struct form &form) {
    constexpr unsigned most = 2;
    const ArrayRef<uint8_t> bytes(form.bytes, form.n_bytes);
    const auto is_prefix = [](uint8_t byte) { return byte == 0x66 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3; };
    const auto *const first = find_if(bytes, [&](uint8_t byte) { return !is_prefix(byte); });
    const bool is_extended = first == bytes.end() || (*first & 0xf0) == 0x40 || // REX
                             *first == 0x62 || *first == 0xd5 ||                // EVEX, REX2
                             *first == 0xc4 || *first == 0xc5;                  // VEX
    unsigned found = 0, n = 0;
    if (!cpu.triple.isX86() || form.status != FORM_USABLE || is_extended || StringRef(form.opcode).contains("DIV"))
        return 0;
    for (unsigned i = 0; i < form.n_operands; i++) {
        const struct form_operand &operand = form.operands[i];
        const bool may_be_high = any_of(ArrayRef<uint16_t>(operand.registers, operand.n_registers),
                                        [&](uint16_t reg) { return StringRef(cpu.registers->getName(reg)) == "AH"; });
        if (operand.kind != FORM_REGISTER || operand.tied >= 0 || !may_be_high)
            continue;
        found |= 1U << i;
        n++;
    }
    return n <= most ? found : 0;
}

bool has_address(const struct form &form) {
    return std::any_of(form.operands, form.operands + form.n_operands,
                       [](const struct form_operand &operand) { return operand.kind == FORM_ADDRESS; });
}

// Takes those of a second try that have become usable.
void take_usable(const std::vector<struct form> &tried, std::vector<struct form> &list) {
    for (const struct form &form : tried)
        if (form.status == FORM_USABLE)
            list[form.index] = form;
}

// Each opcode, by its number; behind them those with other addresses, and those with high bytes.
std::vector<struct form> make_all(form_maker &maker, const backend_cpu &cpu, size_t n_opcodes) {
    std::vector<struct form> list(n_opcodes);
    for (size_t i = 0; i < n_opcodes; i++)
        maker.make(unsigned(i), plain, &list[i]);
    for (size_t i = 0; i < n_opcodes; i++)
        if (has_address(list[i]) && list[i].status == FORM_USABLE)
            for (const lea_address *each = lea_addresses + 1; each < std::end(lea_addresses); each++) {
                list.emplace_back();
                maker.make(unsigned(i), {plain.immediate, plain.avoids_accumulator, each, 0}, &list.back());
            }
    for (size_t i = 0; i < n_opcodes; i++) {
        const unsigned high = high_operands(cpu, list[i]);
        for (unsigned some = high; some; some = (some - 1) & high) {
            list.emplace_back();
            maker.make(unsigned(i), {plain.immediate, plain.avoids_accumulator, plain.of_lea, some}, &list.back());
        }
    }
    return list;
}

} // namespace

// Registers stand alone: where a vector is twice as wide as the type's, of forms that widen or narrow, the type is half
// a register.
const vector_type *find_vector_type(const backend_cpu &cpu, StringRef opcode) {
    static const vector_type one = {"vsetvli x31, x0, e32, m1, ta, ma", "M1", "E32", 0x0d007fd7},
                             half = {"vsetvli x31, x0, e32, mf2, ta, ma", "MF2", "E32", 0x0d707fd7},
                             wide = {"vsetvli x31, x0, e64, m1, ta, ma", "M1", "E64", 0x0d807fd7};
    const auto begins = [&](std::initializer_list<const char *> starts) {
        return std::any_of(starts.begin(), starts.end(), [&](const char *start) { return opcode.starts_with(start); });
    };
    if (!cpu.triple.isRISCV() || !opcode.starts_with("V"))
        return nullptr;
    if (begins({"VLE64", "VSE64", "VLSE64", "VSSE64", "VLUXEI64", "VLOXEI64", "VSUXEI64", "VSOXEI64", "VZEXT_VF8",
                "VSEXT_VF8"}))
        return &wide;
    return begins({"VW", "VN", "VFW", "VFN"}) ? &half : &one;
}

prefixed_opcodes find_prefixed_opcodes(backend_cpu &cpu) {
    struct arena scratch = {};
    form_maker maker(cpu, &scratch);
    prefixed_opcodes found;
    struct form form;
    for (unsigned i = 0; maker.is_open() && i < cpu.opcodes->getNumOpcodes(); i++) {
        // Only what reads and writes memory can be locked; only what has no operands of its own is repeated.
        const MCInstrDesc &desc = cpu.opcodes->get(i);
        if ((desc.mayLoad() && desc.mayStore()) || (!desc.getNumOperands() && (desc.mayLoad() || desc.mayStore())))
            maker.make(i, plain, &form);
    }
    for (const auto &[opcode, behind] : maker.all_prefixed())
        found.emplace(behind, opcode);
    arena_free(&scratch);
    return found;
}

bool list_forms(struct backend_cpu *cpu, struct arena *arena, const struct form **forms, size_t *n_forms,
                struct fail *fail) {
    form_maker maker(*cpu, arena);
    if (cpu->triple.isARM() && cpu->subtarget->checkFeatures("+noarm"))
        return fail_set(fail, FAIL_INPUT,
                        "'%s' executes Thumb code only, and the forms of %s are of Arm code; name another CPU",
                        cpu->name.c_str(), cpu->triple.str().c_str());
    if (!maker.is_open())
        return fail_set(fail, FAIL_UNAVAILABLE, "this LLVM was built without an assembler or disassembler for %s",
                        cpu->triple.str().c_str());
    const size_t n_opcodes = cpu->opcodes->getNumOpcodes();
    std::vector<struct form> list = make_all(maker, *cpu, n_opcodes);
    if (!assemble_examples(*cpu, maker.all_prefixed(), list.data(), list.size(), fail))
        return false;
    // Where a short immediate makes another opcode of the text, a long one may not.
    std::vector<struct form> again;
    for (size_t i = 0; i < n_opcodes; i++)
        if (list[i].status == FORM_TWIN) {
            again.emplace_back();
            maker.make(unsigned(i), second, &again.back());
        }
    if (!assemble_examples(*cpu, maker.all_prefixed(), again.data(), again.size(), fail))
        return false;
    take_usable(again, list);
    // Where AVX has the instruction, too, its text needs a prefix to become AVX-512's. These begin with 62.
    again.clear();
    for (size_t i = 0; i < n_opcodes; i++)
        if (cpu->triple.isX86() && list[i].status == FORM_TWIN && list[i].bytes[0] == 0x62) {
            again.push_back(list[i]);
            again.back().text = arena_printf(arena, "{evex} %s", list[i].text);
            again.back().status = FORM_USABLE; // try again
        }
    if (!assemble_examples(*cpu, maker.all_prefixed(), again.data(), again.size(), fail))
        return false;
    take_usable(again, list);
    struct form *copy = ARENA_ARRAY(arena, struct form, list.size());
    std::copy(list.begin(), list.end(), copy);
    *forms = copy;
    *n_forms = list.size();
    return true;
}
