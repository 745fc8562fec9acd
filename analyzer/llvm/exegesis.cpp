// Instructions as the files of llvm-exegesis write them (llvm/tools/llvm-exegesis/lib/BenchmarkResult.cpp).
#include "analyzer/llvm/bytes.h"

using namespace llvm;

static bool add_operand(const backend_cpu &cpu, const MCOperand &operand, struct text *key) {
    if (operand.isReg() && !operand.getReg())
        text_add(key, " %noreg");
    else if (operand.isReg())
        text_addf(key, " %s", cpu.registers->getName(operand.getReg()));
    else if (operand.isImm())
        text_addf(key, " i_0x%llx", static_cast<unsigned long long>(operand.getImm()));
    else
        return false;
    return true;
}

size_t exegesis_keys(struct backend_cpu *cpu, struct arena *arena, const uint8_t *bytes, size_t n_bytes,
                     const char *const **keys, struct fail *fail) {
    const std::vector<decoded> *found = read_insns(*cpu, ArrayRef<uint8_t>(bytes, n_bytes), fail);
    if (!found)
        return 0;
    const char **list = ARENA_ARRAY(arena, const char *, found->size());
    for (size_t i = 0; i < found->size(); i++) {
        const MCInst &inst = (*found)[i].inst;
        const char *opcode = opcode_name(cpu, inst.getOpcode());
        struct text key = {};
        key.arena = arena;
        text_add(&key, opcode);
        if (!all_of(inst, [&](const MCOperand &operand) { return add_operand(*cpu, operand, &key); })) {
            fail_set(fail, FAIL_INPUT, "an operand of %s is neither a register nor an immediate", opcode);
            return 0;
        }
        list[i] = key.data;
    }
    *keys = list;
    return found->size();
}
