// Machine code into a block. Instructions that were met before are not decoded and described again, where that cannot
// make a difference: where what an instruction means does not depend on those around it.
#include "analyzer/llvm/bytes.h"
#include "analyzer/llvm/form_names.h"
#include "analyzer/llvm/waits.h"

#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <vector>

using namespace llvm;

namespace {

// Up to 8 bytes in hexadecimal, for messages.
std::string show(ArrayRef<uint8_t> bytes) {
    std::string text;
    for (uint8_t byte : bytes.take_front(8)) {
        char two[4];
        snprintf(two, sizeof two, "%02x ", byte);
        text += two;
    }
    text.pop_back();
    return bytes.size() > 8 ? text + " …" : text;
}

bool is_prefix(const backend_cpu &cpu, const decoded &insn) {
    return cpu.opcodes->getName(insn.inst.getOpcode()).contains("_PREFIX");
}

// X86's disassembler takes a LOCK prefix for an instruction of its own, though its assembler does not. Puts the two
// together again as the assembler does.
bool is_lock_prefix(const backend_cpu &cpu, const decoded &insn) {
    return cpu.triple.isX86() && insn.size == 1 && cpu.opcodes->getName(insn.inst.getOpcode()) == "LOCK_PREFIX";
}

void join_lock_prefix(const backend_cpu &cpu, std::vector<decoded> &insns) {
    if (insns.size() < 2 || !is_lock_prefix(cpu, insns[insns.size() - 2]))
        return;
    decoded &prefix = insns[insns.size() - 2];
    prefix.inst = insns.back().inst;
    prefix.inst.setFlags(prefix.inst.getFlags() | X86_HAS_LOCK);
    prefix.size += insns.back().size;
    insns.pop_back();
}

// Whether this target's disassembler keeps nothing from one instruction to the next (Thumb's remembers IT blocks) and
// does not count branches from the block's start (SystemZ's does).
bool is_context_free(const Triple &triple) {
    return triple.isX86() || triple.isAArch64() || triple.isRISCV() || triple.isPPC();
}

bool open_reader(backend_cpu &cpu, struct fail *fail) {
    if (cpu.reader && is_context_free(cpu.triple))
        return true;
    cpu.reader = std::make_unique<machine_code_reader>(cpu);
    if (cpu.reader->disassembler)
        return true;
    cpu.reader.reset();
    return fail_set(fail, FAIL_UNAVAILABLE, "this LLVM was built without a disassembler for %s",
                    cpu.triple.str().c_str());
}

bool decode_next(const backend_cpu &cpu, ArrayRef<uint8_t> bytes, size_t offset, std::vector<decoded> &insns,
                 struct fail *fail) {
    decoded next = {{}, nullptr, offset, 0};
    uint64_t size = 0;
    const auto rest = bytes.drop_front(offset);
    raw_null_ostream silent;
    const auto status = cpu.reader->disassembler->getInstruction(next.inst, size, rest, offset, silent);
    if (status != MCDisassembler::Success || !size || size > rest.size())
        return fail_set(fail, FAIL_INPUT, "no instruction of %s at byte offset %zu: %s", cpu.name.c_str(), offset,
                        show(rest).c_str());
    next.size = size_t(size);
    insns.push_back(std::move(next));
    join_lock_prefix(cpu, insns);
    return true;
}

// Whether the bytes end before the instruction that a prefix belongs to. LLVM takes such a prefix for an instruction,
// each version others: LLVM 22 also x86's REX. What the text of a block for llvm-mca holds is as llvm-mca has it.
bool ends_in_prefix(const backend_cpu &cpu, const decoded &last) {
    return !cpu.as_llvm_mca && !last.known && is_prefix(cpu, last);
}

// With or without what is known already.
bool decode(const backend_cpu &cpu, ArrayRef<uint8_t> bytes, bool use_known, std::vector<decoded> &insns,
            struct fail *fail) {
    for (size_t offset = 0; offset < bytes.size(); offset = insns.back().offset + insns.back().size) {
        const bool may_find = use_known && (insns.empty() || insns.back().known || !is_lock_prefix(cpu, insns.back()));
        const struct insn *known =
            may_find ? cpu.reader->known.find(bytes.data() + offset, bytes.size() - offset) : nullptr;
        if (known)
            insns.push_back({{}, known, offset, known->n_bytes});
        else if (!decode_next(cpu, bytes, offset, insns, fail))
            return false;
    }
    if (insns.empty())
        return fail_set(fail, FAIL_INPUT, "there is no machine code to describe");
    if (ends_in_prefix(cpu, insns.back()))
        return fail_set(fail, FAIL_INPUT, "no instruction of %s at byte offset %zu: %s is only a prefix",
                        cpu.name.c_str(), insns.back().offset, show(bytes.drop_front(insns.back().offset)).c_str());
    return true;
}

// mca::InstrBuilder describes an opcode by the first instruction that has it, and leaves out operands that are constant
// registers (AArch64's xzr) there: what the next ones mean then depends on the block.
bool has_constant_operand(const backend_cpu &cpu, const MCInst &inst) {
    return any_of(inst, [&](const MCOperand &operand) {
        return operand.isReg() && operand.getReg() && cpu.registers->isConstant(operand.getReg());
    });
}

// What an instruction costs can depend on a state that the code sets: RISC-V's vector type, which vsetvli sets. LLVM
// has it as instruments; an instruction that has another scheduling class under some is of that kind. And its form's
// name has the type.
bool depends_on_instruments(const backend_cpu &cpu, const MCInst &inst) {
    if (!cpu.triple.isRISCV())
        return false;
    if (cpu.wants_forms && has_vector_forms(cpu, cpu.opcodes->getName(inst.getOpcode())))
        return true;
    const unique_instrument length = cpu.instruments->createInstrument("RISCV-LMUL", "M1");
    const auto has_another = [&](const char *width) { // LLVM has some only with the width that they state: vle64ff
        const unique_instrument element = cpu.instruments->createInstrument("RISCV-SEW", width);
        return length && element &&
               cpu.instruments->getSchedClassID(*cpu.opcodes, inst, {length.get(), element.get()}) !=
                   cpu.opcodes->get(inst.getOpcode()).getSchedClass();
    };
    return has_another("E32") || has_another("E64") || has_another("E16") || has_another("E8");
}

bool sets_instruments(const backend_cpu &cpu, const MCInst &inst) {
    return cpu.triple.isRISCV() && !cpu.instruments->createInstruments(inst).empty();
}

// Of an instruction that is known already it was found before that it does not.
bool depends_on_block(const backend_cpu &cpu, const decoded &insn) {
    return !insn.known && (has_constant_operand(cpu, insn.inst) || depends_on_instruments(cpu, insn.inst) ||
                           sets_instruments(cpu, insn.inst));
}

// A prefix that LLVM takes for an instruction depends on what follows it.
bool may_keep(const backend_cpu &cpu, const decoded &from) {
    return cpu.reader->known.has_room(from.size) && !is_prefix(cpu, from);
}

bool describe_one(backend_cpu &cpu, struct arena *arena, const decoded &from, const uint8_t *bytes,
                  const instrument_list &instruments, struct insn *insn, struct fail *fail) {
    insn->bytes =
        reinterpret_cast<uint8_t *>(arena_copy(arena, reinterpret_cast<const char *>(bytes) + from.offset, from.size));
    insn->n_bytes = unsigned(from.size);
    print_insn(cpu, arena, *cpu.reader->printer, from.inst, insn);
    std::string why;
    if (!describe_insn(cpu, arena, from.inst, instruments, insn, why))
        return fail_set(fail, FAIL_INPUT, "at byte offset %zu: %s", from.offset, why.c_str());
    return true;
}

// Instruments of their kinds, of which each follows on the one before.
struct active_instruments {
    SmallVector<unique_instrument> all;

    void take(SmallVector<unique_instrument> made) {
        for (unique_instrument &fresh : made) {
            if (!fresh) // of a vector type that is reserved
                continue;
            erase_if(all, [&](const auto &old) { return old->getDesc() == fresh->getDesc(); });
            all.push_back(std::move(fresh));
        }
    }
    instrument_list list() const {
        instrument_list pointers;
        for (const unique_instrument &each : all)
            pointers.push_back(each.get());
        return pointers;
    }
};

// llvm-mca takes the longest vectors where it is told nothing. That is far off where they are short.
bool check_instruments(const backend_cpu &cpu, const decoded &from, const active_instruments &active,
                       struct fail *fail) {
    if (cpu.as_llvm_mca || !active.all.empty() || !depends_on_instruments(cpu, from.inst))
        return true;
    return fail_set(
        fail, FAIL_INPUT,
        "at byte offset %zu: what '%s' costs depends on the vector type, and no vsetvli before it here says "
        "which that is",
        from.offset, cpu.opcodes->getName(from.inst.getOpcode()).str().c_str());
}

// What the code in front leaves behind. On RISC-V the bytes themselves show where instructions begin.
void take_from(const backend_cpu &cpu, ArrayRef<uint8_t> before, active_instruments &active) {
    constexpr unsigned full = 3, vectors = 0x57, sets_type = 7; // the manual's volume 1, "Vector Extension", formats
    size_t size = 0;
    for (size_t at = 0; cpu.triple.isRISCV() && at + 4 <= before.size(); at += size) {
        MCInst inst;
        uint64_t length = 0;
        raw_null_ostream silent;
        size = (before[at] & full) == full ? 4 : 2;
        if ((before[at] & 0x7f) == vectors && (before[at + 1] >> 4 & 7) == sets_type &&
            cpu.reader->disassembler->getInstruction(inst, length, before.drop_front(at), at, silent) ==
                MCDisassembler::Success)
            active.take(cpu.instruments->createInstruments(inst));
    }
}

// As llvm-mca would describe this block.
bool describe_whole(backend_cpu &cpu, struct arena *arena, ArrayRef<uint8_t> before, const uint8_t *bytes,
                    const std::vector<decoded> &from, struct insn *insns, struct fail *fail) {
    active_instruments active;
    take_from(cpu, before, active);
    begin_block(cpu);
    for (size_t i = 0; i < from.size(); i++) {
        active.take(cpu.instruments->createInstruments(from[i].inst));
        if (!describe_one(cpu, arena, from[i], bytes, active.list(), &insns[i], fail) ||
            !check_instruments(cpu, from[i], active, fail))
            return false;
    }
    return true;
}

bool describe_unknown(backend_cpu &cpu, struct arena *arena, const uint8_t *bytes, const std::vector<decoded> &from,
                      struct insn *insns, struct fail *fail) {
    // What the builder remembers of other blocks is true of this one too, but must not grow for ever.
    enum { MOST_REMEMBERED = 1 << 16 };
    machine_code_reader &reader = *cpu.reader;
    if (!cpu.builder_is_shared || reader.n_described > MOST_REMEMBERED) {
        begin_block(cpu);
        cpu.builder_is_shared = true;
        reader.n_described = 0;
    }
    for (size_t i = 0; i < from.size(); i++) {
        const struct insn *known = from[i].known;
        if (!known) // it may have stood earlier in this very block
            known = reader.known.find(bytes + from[i].offset, from[i].size);
        if (known) {
            insns[i] = *known;
            continue;
        }
        const bool keep = may_keep(cpu, from[i]);
        reader.n_described++;
        if (!describe_one(cpu, keep ? reader.known.arena() : arena, from[i], bytes, {}, &insns[i], fail))
            return false;
        if (keep)
            reader.known.add(insns[i]);
    }
    return true;
}

} // namespace

machine_code_reader::machine_code_reader(const backend_cpu &cpu)
    : context(cpu.triple, cpu.asm_info.get(), cpu.registers.get(), cpu.subtarget.get(), nullptr, &cpu.target_options),
      disassembler(cpu.target->createMCDisassembler(*cpu.subtarget, context)),
      printer(make_printer(cpu,
                           cpu.output_syntax < 0 ? cpu.asm_info->getAssemblerDialect() : unsigned(cpu.output_syntax))) {
}

backend_cpu::backend_cpu() = default;
backend_cpu::~backend_cpu() = default; // here, where the members' types are known

bool describe_bytes(struct backend_cpu *cpu, struct arena *arena, const uint8_t *bytes, size_t n_bytes,
                    struct block *block, struct fail *fail) {
    return describe_part(cpu, arena, bytes, 0, n_bytes, block, fail);
}

bool describe_part(struct backend_cpu *cpu, struct arena *arena, const uint8_t *all, size_t offset, size_t length,
                   struct block *block, struct fail *fail) {
    const uint8_t *const bytes = all + offset;
    const ArrayRef<uint8_t> code(bytes, length);
    if (!open_reader(*cpu, fail))
        return false;
    std::vector<decoded> &found = cpu->reader->found;
    bool use_known = is_context_free(cpu->triple);
    found.clear();
    if (!decode(*cpu, code, use_known, found, fail))
        return false;
    if (use_known && any_of(found, [&](const decoded &insn) { return depends_on_block(*cpu, insn); })) {
        use_known = false;
        found.clear();
        if (!decode(*cpu, code, false, found, fail))
            return false;
    }
    struct insn *insns = ARENA_ARRAY(arena, struct insn, found.size());
    *block = {};
    block->name = "";
    block->insns = insns;
    block->n_insns = unsigned(found.size());
    if (!use_known)
        return describe_whole(*cpu, arena, ArrayRef<uint8_t>(all, offset), bytes, found, insns, fail);
    return describe_unknown(*cpu, arena, bytes, found, insns, fail);
}

const std::vector<decoded> *read_insns(backend_cpu &cpu, ArrayRef<uint8_t> bytes, struct fail *fail) {
    if (!open_reader(cpu, fail))
        return nullptr;
    std::vector<decoded> &found = cpu.reader->found;
    found.clear();
    return decode(cpu, bytes, false, found, fail) ? &found : nullptr;
}

size_t count_insns(struct backend_cpu *cpu, const uint8_t *bytes, size_t n_bytes, struct fail *fail) {
    const std::vector<decoded> *found = read_insns(*cpu, ArrayRef<uint8_t>(bytes, n_bytes), fail);
    return found ? found->size() : 0;
}

// LLVM takes a prefix for an instruction of its own where it does not know the two together.
size_t first_length(struct backend_cpu *cpu, const uint8_t *bytes, size_t n_bytes) {
    struct fail ignored = {};
    const ArrayRef<uint8_t> all(bytes, n_bytes);
    if (!open_reader(*cpu, &ignored))
        return 0;
    std::vector<decoded> &found = cpu->reader->found;
    found.clear();
    size_t length = 0;
    do {
        if (length >= n_bytes || !decode_next(*cpu, all, length, found, &ignored))
            return 0;
        length = found.back().offset + found.back().size;
    } while (is_prefix(*cpu, found.back()));
    return length;
}
