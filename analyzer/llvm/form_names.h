// Private to this folder.
// Names of forms: the opcode; where it has several forms, with what sets this one apart. Both ways: form_maker.cpp
// makes an example of a form and names it, and a decoded instruction finds the name of the form that it is of.
#ifndef ANALYZER_LLVM_FORM_NAMES_H
#define ANALYZER_LLVM_FORM_NAMES_H

#include "analyzer/llvm/x86_operands.h"

#include <map>

// "LEA64r-base-index", "ADD8rr-high0-high2": `high` has a bit for each operand of the form that is a high byte.
const char *form_name(struct arena *arena, const char *opcode, const lea_address &of_lea, unsigned high);

// RISC-V: whether an opcode has a form for each pair of element and group, whatever LLVM's classes are.
bool has_vector_forms(const backend_cpu &cpu, llvm::StringRef opcode);

// Opcodes of x86 that are another one behind a prefix, lock or rep. The decoder and the assembler only know that one.
// The string instructions behind rep have one for each width of their addresses.
struct prefixed_key {
    unsigned opcode, reg; // behind the prefix; behind rep, its first operand, else 0
    bool operator<(const prefixed_key &other) const {
        return opcode != other.opcode ? opcode < other.opcode : reg < other.reg;
    }
};
prefixed_key prefixed_key_of(const llvm::MCInst &behind, bool is_rep);
using prefixed_opcodes = std::map<prefixed_key, unsigned>;
prefixed_opcodes find_prefixed_opcodes(backend_cpu &cpu); // forms.cpp

// Finds the form of an instruction of an open CPU.
class form_namer {
  public:
    explicit form_namer(const backend_cpu &open);
    // The name, as in struct form; null: the instruction is of no form. Lives as long as `arena` and the CPU.
    const char *name(backend_cpu &cpu, struct arena *arena, const llvm::MCInst &inst,
                     const instrument_list &instruments);

  private:
    llvm::MCPhysReg high[std::size(high_bytes)] = {}, program_counter = 0;
    bool has_prefixed = false; // made when the first prefix is met
    prefixed_opcodes prefixed;

    bool is_high(const llvm::MCOperand &operand) const;
    unsigned find_high(const backend_cpu &cpu, const llvm::MCInst &inst, const llvm::MCInstrDesc &desc) const;
    const lea_address *find_address(const backend_cpu &cpu, const llvm::MCInst &inst,
                                    const llvm::MCInstrDesc &desc) const;
    const char *prefixed_opcode(backend_cpu &cpu, const llvm::MCInst &inst, const llvm::MCInstrDesc &desc);
};

#endif
