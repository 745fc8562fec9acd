// Machine code into a block.
#include "analyzer/llvm/module.h"

#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <vector>

using namespace llvm;

namespace {

struct decoded {
    MCInst inst;
    size_t offset, size; // bytes
};

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

// X86's disassembler takes a LOCK prefix for an instruction of its own, though its assembler does not. Puts the two
// together again as the assembler does, with the flag IP_HAS_LOCK of llvm/lib/Target/X86/MCTargetDesc/X86BaseInfo.h.
void join_lock_prefix(const backend_cpu &cpu, std::vector<decoded> &insns) {
    enum { IP_HAS_LOCK = 1 << 4 };
    if (insns.size() < 2)
        return;
    decoded &prefix = insns[insns.size() - 2];
    if (!cpu.triple.isX86() || cpu.opcodes->getName(prefix.inst.getOpcode()) != "LOCK_PREFIX")
        return;
    prefix.inst = insns.back().inst;
    prefix.inst.setFlags(prefix.inst.getFlags() | IP_HAS_LOCK);
    prefix.size += insns.back().size;
    insns.pop_back();
}

bool decode(const backend_cpu &cpu, ArrayRef<uint8_t> bytes, std::vector<decoded> &insns, struct fail *fail) {
    MCContext context(cpu.triple, cpu.asm_info.get(), cpu.registers.get(), cpu.subtarget.get(), nullptr,
                      &cpu.target_options);
    const std::unique_ptr<MCDisassembler> disassembler(cpu.target->createMCDisassembler(*cpu.subtarget, context));
    if (!disassembler)
        return fail_set(fail, FAIL_UNAVAILABLE, "this LLVM was built without a disassembler for %s",
                        cpu.triple.str().c_str());
    for (size_t offset = 0; offset < bytes.size();) {
        MCInst inst;
        uint64_t size = 0;
        const auto rest = bytes.drop_front(offset);
        const auto status = disassembler->getInstruction(inst, size, rest, offset, nulls());
        if (status != MCDisassembler::Success || !size || size > rest.size())
            return fail_set(fail, FAIL_INPUT, "no instruction of %s at byte offset %zu: %s", cpu.name.c_str(), offset,
                            show(rest).c_str());
        insns.push_back({inst, offset, size_t(size)});
        join_lock_prefix(cpu, insns);
        offset += size_t(size);
    }
    return true;
}

} // namespace

bool describe_bytes(struct backend_cpu *cpu, struct arena *arena, const uint8_t *bytes, size_t n_bytes,
                    struct block *block, struct fail *fail) {
    std::vector<decoded> decoded_insns;
    if (!decode(*cpu, ArrayRef<uint8_t>(bytes, n_bytes), decoded_insns, fail))
        return false;
    if (decoded_insns.empty())
        return fail_set(fail, FAIL_INPUT, "there is no machine code to describe");

    const unsigned syntax =
        cpu->output_syntax < 0 ? cpu->asm_info->getAssemblerDialect() : unsigned(cpu->output_syntax);
    const auto printer = make_printer(*cpu, syntax);
    uint8_t *copy = ARENA_ARRAY(arena, uint8_t, n_bytes);
    std::copy(bytes, bytes + n_bytes, copy);
    struct insn *insns = ARENA_ARRAY(arena, struct insn, decoded_insns.size());
    begin_block(*cpu);
    for (size_t i = 0; i < decoded_insns.size(); i++) {
        const decoded &from = decoded_insns[i];
        insns[i].bytes = copy + from.offset;
        insns[i].n_bytes = unsigned(from.size);
        print_insn(*cpu, arena, *printer, from.inst, &insns[i]);
        std::string why;
        if (!describe_insn(*cpu, arena, from.inst, {}, &insns[i], why))
            return fail_set(fail, FAIL_INPUT, "at byte offset %zu: %s", from.offset, why.c_str());
    }
    *block = {"", insns, unsigned(decoded_insns.size()), false};
    return true;
}
