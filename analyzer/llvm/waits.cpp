#include "analyzer/llvm/waits.h"

#include "analyzer/llvm/versions.h"

#include "llvm/MC/MCInst.h"

using namespace llvm;

namespace {

// By what they are called in llvm/lib/Target/AMDGPU/MCA: vector memory, export, local and scalar memory, vector stores.
// An instruction has other names in later generations.
constexpr const char *waits[SCHED_COUNTERS] = {"s_waitcnt vmcnt(0)", "s_waitcnt expcnt(0)", "s_waitcnt lgkmcnt(0)",
                                               "s_waitcnt_vscnt null, 0x0"};
constexpr const char *counts[SCHED_COUNTERS][2] = {
    {"buffer_load_dword v0, off, s[0:3], 0", "buffer_load_b32 v0, off, s[0:3], 0"},
    {"exp mrt0 v0, v0, v0, v0", "export mrt0 v0, v0, v0, v0"},
    {"s_load_dword s0, s[0:1], 0x0", "s_load_b32 s0, s[0:1], 0x0"},
    {"buffer_store_dword v0, off, s[0:3], 0", "buffer_store_b32 v0, off, s[0:3], 0"},
};
constexpr unsigned most = 63; // that a counter can hold

} // namespace

counter_waits::executing::executing(const backend_cpu &open, unique_insn from)
    : insn(std::move(from)), source(ArrayRef<unique_insn>(&insn, 1), 1),
      behaviour(open.target->createCustomBehaviour(*open.subtarget, source, *open.opcodes)) {
    insn->dispatch(0);
    insn->execute(0);
}

bool counter_waits::executing::stalls(mca::Instruction &next, unsigned copies) const {
    const SmallVector<mca::InstRef, most + 1> others(copies, mca::InstRef(0, insn.get()));
    return behaviour->checkCustomHazard(others, mca::InstRef(0, &next)) != 0;
}

// LLVM knows "null" by its pseudo register alone, and warns on stderr of any other.
void counter_waits::use_plain_null(MCInst &inst) const {
    for (MCOperand &operand : inst)
        if (operand.isReg() && StringRef(cpu.registers->getName(operand.getReg())).contains("SGPR_NULL"))
            for (unsigned reg = 1; reg < cpu.registers->getNumRegs(); reg++)
                if (StringRef(cpu.registers->getName(reg)) == "SGPR_NULL")
                    operand.setReg(reg);
}

// The first of the texts that this generation knows; null: it knows none.
unique_insn counter_waits::assemble(ArrayRef<const char *> texts) {
    for (const char *text : texts) {
        MCInst &inst = insts.emplace_back();
        if (!assemble_one(cpu, text, inst))
            continue;
        use_plain_null(inst);
        // The parser leaves out the last operand of buffer_load ("swz"); InstrBuilder, and with it llvm-mca, reads it.
        while (inst.getNumOperands() < cpu.opcodes->get(inst.getOpcode()).getNumOperands())
            inst.addOperand(MCOperand::createImm(0));
        Expected<unique_insn> made = builder.createInstruction(inst, {});
        if (!made) {
            consumeError(made.takeError());
            continue;
        }
        post_process(*cpu.post_process, *cpu.opcodes, *cpu.registers, *made, inst);
        return std::move(*made);
    }
    return nullptr;
}

unsigned counter_waits::counted(const executing &insn) const {
    unsigned bits = 0;
    for (unsigned i = 0; i < SCHED_COUNTERS; i++)
        if (counters[i].wait && insn.stalls(*counters[i].wait))
            bits |= 1u << i;
    return bits;
}

counter_waits::counter_waits(backend_cpu &open)
    : cpu(open), builder(*cpu.subtarget, *cpu.opcodes, *cpu.registers, cpu.analysis.get(), *cpu.instruments, 0) {
    for (unsigned i = 0; i < SCHED_COUNTERS; i++)
        counters[i].wait = assemble(waits[i]);
    for (unsigned i = 0; i < SCHED_COUNTERS; i++) {
        unique_insn count = assemble(counts[i]);
        if (!count)
            continue;
        counters[i].count = std::make_unique<executing>(cpu, std::move(count));
        if (counted(*counters[i].count) != 1u << i)
            counters[i].count.reset();
    }
}

std::unique_ptr<counter_waits> counter_waits::make(backend_cpu &cpu) {
    const mca::CircularSourceMgr nothing({}, 1);
    const std::unique_ptr<mca::CustomBehaviour> behaviour(
        cpu.target->createCustomBehaviour(*cpu.subtarget, nothing, *cpu.opcodes));
    return std::unique_ptr<counter_waits>(behaviour ? new counter_waits(cpu) : nullptr);
}

void counter_waits::describe(struct arena *arena, unique_insn from, struct sched_insn *cost) const {
    uint8_t left[SCHED_COUNTERS];
    bool is_wait = false;
    for (unsigned i = 0; i < SCHED_COUNTERS; i++) {
        unsigned n = 0;
        while (n <= most && !(counters[i].count && counters[i].count->stalls(*from, n + 1)))
            n++;
        left[i] = uint8_t(n);
        is_wait |= n <= most;
    }
    if (is_wait)
        cost->waits = reinterpret_cast<uint8_t *>(arena_copy(arena, reinterpret_cast<const char *>(left), sizeof left));
    cost->counted = uint8_t(counted(executing(cpu, std::move(from))));
}
