// Private to this folder.
// Makes the form of an opcode: an example of its operands, encoded and decoded again. Only what comes back as the same
// opcode is a form of its own.
#ifndef ANALYZER_LLVM_FORM_MAKER_H
#define ANALYZER_LLVM_FORM_MAKER_H

#include "analyzer/llvm/form_names.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"

#include <map>
#include <memory>
#include <vector>

// What examples to make: at first the plainest; then, where its text is another opcode's, one that has no shorter
// encoding, with an immediate that needs 32 bits and other registers than X86's accumulators.
struct form_example {
    int64_t immediate;
    bool avoids_accumulator;
    const lea_address *of_lea;
    unsigned high; // x86: a bit for each operand that is a high byte: %ah
};
constexpr form_example plain_example = {1, false, &lea_addresses[0], 0},
                       second_example = {0x12345678, true, &lea_addresses[0], 0};

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
            by_name.try_emplace(cpu.registers->getName(reg), llvm::MCPhysReg(reg));
    }

    bool is_open() const {
        return emitter && disassembler && printer;
    }
    void make(unsigned opcode, const form_example &wanted, struct form *form);
    // By opcode: what is behind its prefix.
    const std::map<unsigned, prefixed_key> &all_prefixed() const {
        return prefixed;
    }

  private:
    std::map<unsigned, prefixed_key> prefixed;
    backend_cpu &cpu;
    struct arena *arena;
    llvm::MCContext context;
    std::unique_ptr<llvm::MCCodeEmitter> emitter;
    std::unique_ptr<llvm::MCDisassembler> disassembler;
    std::unique_ptr<llvm::MCInstPrinter> printer, intel_printer;
    llvm::StringMap<llvm::MCPhysReg> by_name;
    std::vector<llvm::MCPhysReg> used; // by the example at hand

    bool is_free(llvm::MCPhysReg reg) const;
    llvm::MCPhysReg choose(int reg_class);
    llvm::MCPhysReg choose_high();
    llvm::MCPhysReg choose_beside_high(int reg_class);
    llvm::MCPhysReg find_register(llvm::StringRef name) const {
        return by_name.lookup(name);
    }
    llvm::MCPhysReg choose_base() const;
    void add_fixed_memory(const llvm::MCInstrDesc &desc, llvm::MCInst &inst, struct form *form);
    void describe_class(int reg_class, const form_example &wanted, struct form_operand *operand);
    unsigned add_address(const lea_address &wanted, llvm::MCInst &inst, struct form_operand *operand);
    unsigned add_memory(const llvm::MCInstrDesc &desc, unsigned i, const form_example &wanted, llvm::MCInst &inst,
                        struct form_operand *operand);
    void add_register(const llvm::MCInstrDesc &desc, unsigned i, int reg_class, const form_example &wanted,
                      llvm::MCInst &inst, struct form *form);
    void add_number(const llvm::MCOperandInfo &info, const form_example &wanted, llvm::MCInst &inst,
                    struct form_operand *operand) const;
    unsigned add_operand(const llvm::MCInstrDesc &desc, unsigned i, const form_example &wanted, llvm::MCInst &inst,
                         struct form *form);
    void add_operands(const llvm::MCInstrDesc &desc, const form_example &wanted, llvm::MCInst &inst, struct form *form);
    void describe(const llvm::MCInstrDesc &desc, struct form *form);
    bool is_open_mask(const llvm::MCInstrDesc &desc, int reg_class) const;
    bool encode(const llvm::MCInst &inst, struct form *form);
    bool decode(llvm::ArrayRef<uint8_t> bytes, llvm::MCInst &decoded) const;
    void find_width(const llvm::MCInst &decoded, struct form *form);
    bool has_prefix(const llvm::MCInst &inst, struct form *form);
    bool decodes_to_itself(const llvm::MCInst &inst, struct form *form);
};

#endif
