// Private to this folder.
// How operands of x86 stand in LLVM's tables, as far as forms differ by them (llvm/lib/Target/X86/MCTargetDesc/
// X86BaseInfo.h).
#ifndef ANALYZER_LLVM_X86_OPERANDS_H
#define ANALYZER_LLVM_X86_OPERANDS_H

#include "analyzer/llvm/module.h"

#include "llvm/MC/MCInst.h"

// X86's forms of encoding that take other operands than their types say, and its types of operands.
enum x86_form { X86_PSEUDO = 0, X86_MEMORY_OFFSET = 3, X86_SOURCE, X86_DESTINATION, X86_BOTH, X86_PREFIX = 10 };
enum { X86_FORM_MASK = 127 };
enum { X86_ROUNDING = llvm::MCOI::OPERAND_FIRST_TARGET, X86_CONDITION };
enum { X86_BASE, X86_SCALE, X86_INDEX, X86_DISPLACEMENT, X86_SEGMENT, X86_MEMORY_OPERANDS };
enum { X86_HAS_REPEAT = 1 << 3, X86_HAS_LOCK = 1 << 4 }; // flags of MCInst

// An address of x86's lea, by its name in forms. The first one is what loads and stores get.
struct lea_address {
    const char *name; // null: the opcode suffices
    enum base { NO_BASE, REGISTER, PROGRAM_COUNTER } base;
    unsigned scale; // of the index; 0: there is no index
    int64_t displacement;
};
constexpr lea_address lea_addresses[] = {
    {nullptr, lea_address::REGISTER, 0, 64},      {"base", lea_address::REGISTER, 0, 0},
    {"base-index", lea_address::REGISTER, 1, 0},  {"base-index-disp", lea_address::REGISTER, 1, 64},
    {"base-scaled", lea_address::REGISTER, 4, 0}, {"base-scaled-disp", lea_address::REGISTER, 4, 64},
    {"scaled-disp", lea_address::NO_BASE, 4, 64}, {"rip", lea_address::PROGRAM_COUNTER, 0, 64},
};

// X86's high bytes, and the registers that they are in. An instruction with a REX prefix can name none of them.
constexpr struct {
    const char *high, *whole;
} high_bytes[] = {{"AH", "RAX"}, {"CH", "RCX"}, {"DH", "RDX"}, {"BH", "RBX"}};

inline bool x86_is_form(const backend_cpu &cpu, const llvm::MCInstrDesc &desc, unsigned form) {
    return cpu.triple.isX86() && (desc.TSFlags & X86_FORM_MASK) == form;
}
// Whether its address is not a tuple: (%rsi), (%rdi), or a number.
inline bool x86_has_fixed_memory(const backend_cpu &cpu, const llvm::MCInstrDesc &desc) {
    const auto form = unsigned(desc.TSFlags & X86_FORM_MASK);
    return cpu.triple.isX86() && form >= X86_MEMORY_OFFSET && form <= X86_BOTH;
}
// Whether operand `operand` begins the five that are an address: of memory, or of lea.
bool x86_has_memory_tuple(const backend_cpu &cpu, const llvm::MCInstrDesc &desc, unsigned operand);
bool x86_has_address_tuple(const backend_cpu &cpu, const llvm::MCInstrDesc &desc, unsigned operand);

// What the Intel syntax of an instruction calls its memory operand's width ("dword ptr [rdi]"), in bytes; 0: nothing.
// LLVM's tables do not have it.
unsigned x86_access_bytes(llvm::StringRef intel_text);
// Null where it has no such operand, and where a text leaves parts of it open.
const struct insn_address *x86_address(backend_cpu &cpu, struct arena *arena, const llvm::MCInst &inst);

// Whether it pushes or pops (struct insn).
bool x86_uses_stack(const backend_cpu &cpu, const llvm::MCInst &inst);

llvm::MCPhysReg register_named(const backend_cpu &cpu, llvm::StringRef name); // 0: the target has none such

#endif
