// Private to this folder.
// What differs between the versions of LLVM: their C++ interfaces, and what their llvm-mca does. No other file asks
// which version this is. Tried: 19 and 22; others are taken for the next older one of these.
#ifndef ANALYZER_LLVM_VERSIONS_H
#define ANALYZER_LLVM_VERSIONS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/MCA/CustomBehaviour.h"
#include "llvm/MCA/InstrBuilder.h"
#include "llvm/MCA/Instruction.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>

extern "C" {
#include "analyzer/sched/mca_rules.h"
}

#if __has_include("llvm/MC/MCParser/AsmLexer.h")
#include "llvm/MC/MCParser/AsmLexer.h"
#else
#include "llvm/MC/MCParser/MCAsmLexer.h"
#endif

#include "llvm-c/Core.h"

// Of the library itself, which may have been replaced since.
inline std::string library_version() {
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

// The rules of this version's llvm-mca, in the order of struct mca_rules.
constexpr struct mca_rules rules_of_llvm_mca = {
    LLVM_VERSION_MAJOR >= 22, // aligns_info
    LLVM_VERSION_MAJOR >= 22, // has_full_tables
    LLVM_VERSION_MAJOR >= 22, // has_bottlenecks_as_json
    LLVM_VERSION_MAJOR >= 22, // cpu_help_succeeds
};

// Of the groups that an instruction uses and that overlap, those with the fewest free pipes are served first
// (llvm/lib/MCA/HardwareUnits/ResourceManager.cpp, issueInstructionImpl); before: in the order of the table.
constexpr bool serves_scarce_groups_first = LLVM_VERSION_MAJOR >= 22;

// A write does not reach the register's artificial parts, such as x86's upper half of eax
// (llvm/lib/MCA/HardwareUnits/RegisterFile.cpp).
#if LLVM_VERSION_MAJOR >= 22
inline bool is_ignored_part(const llvm::MCRegisterInfo &info, llvm::MCRegister reg) {
    return info.isArtificial(reg);
}
#else
inline bool is_ignored_part(const llvm::MCRegisterInfo &, llvm::MCRegister) {
    return false;
}
#endif

// Calls and returns, as llvm-mca warns of them: by the target, which knows RISC-V's jumps; before: by the opcode alone.
inline bool is_call(const llvm::MCInstrAnalysis &analysis, const llvm::MCInstrInfo &opcodes, const llvm::MCInst &inst) {
    return LLVM_VERSION_MAJOR >= 22 ? analysis.isCall(inst) : opcodes.get(inst.getOpcode()).isCall();
}

inline bool is_return(const llvm::MCInstrAnalysis &analysis, const llvm::MCInstrInfo &opcodes,
                      const llvm::MCInst &inst) {
    return LLVM_VERSION_MAJOR >= 22 ? analysis.isReturn(inst) : opcodes.get(inst.getOpcode()).isReturn();
}

// The class of registers that an operand is of; negative: it is not a register.
inline int operand_class(const llvm::MCInstrInfo &opcodes, const llvm::MCSubtargetInfo &subtarget,
                         const llvm::MCInstrDesc &desc, unsigned operand) {
#if LLVM_VERSION_MAJOR >= 22
    return opcodes.getOpRegClassID(desc.operands()[operand],
                                   subtarget.getHwMode(llvm::MCSubtargetInfo::HwMode_RegInfo));
#else
    (void)opcodes, (void)subtarget;
    const llvm::MCOperandInfo &info = desc.operands()[operand];
    return info.isLookupPtrRegClass() ? -1 : info.RegClass;
#endif
}

// Null where LLVM was built without these names.
inline const char *sched_class_name(const llvm::MCSchedModel &model, unsigned sched_class) {
#if LLVM_VERSION_MAJOR >= 22
    return model.hasInstrSchedModel() ? model.getSchedClassName(sched_class).data() : nullptr;
#elif !defined(NDEBUG) || defined(LLVM_ENABLE_DUMP)
    return model.hasInstrSchedModel() ? model.getSchedClassDesc(sched_class)->Name : nullptr;
#else
    return nullptr;
#endif
}

// A triple as the functions of llvm::Target take it.
#if LLVM_VERSION_MAJOR >= 22
inline const llvm::Triple &target_triple(const llvm::Triple &triple) {
    return triple;
}
#else
inline const std::string &target_triple(const llvm::Triple &triple) {
    return triple.str();
}
#endif

#if LLVM_VERSION_MAJOR >= 22
// LLVM 22 takes the write of RSP away from X86's push and pop, and crashes where there is none: "push %fs".
inline bool is_push_without_stack(const llvm::MCInstrInfo &opcodes, const llvm::MCRegisterInfo &registers,
                                  const llvm::mca::Instruction &insn, const llvm::MCInst &inst) {
    const llvm::StringRef opcode = opcodes.getName(inst.getOpcode());
    return (opcode.substr(0, 4) == "PUSH" || opcode.substr(0, 3) == "POP") &&
           llvm::none_of(insn.getDefs(), [&](const llvm::mca::WriteState &write) {
               return llvm::StringRef(registers.getName(write.getRegisterID())) == "RSP";
           });
}

inline void post_process(llvm::mca::InstrPostProcess &target, const llvm::MCInstrInfo &opcodes,
                         const llvm::MCRegisterInfo &registers, std::unique_ptr<llvm::mca::Instruction> &insn,
                         const llvm::MCInst &inst) {
    if (!is_push_without_stack(opcodes, registers, *insn, inst))
        target.postProcessInstruction(*insn, inst);
}
#else
inline void post_process(llvm::mca::InstrPostProcess &target, const llvm::MCInstrInfo & /*opcodes*/,
                         const llvm::MCRegisterInfo & /*registers*/, std::unique_ptr<llvm::mca::Instruction> &insn,
                         const llvm::MCInst &inst) {
    target.postProcessInstruction(insn, inst);
}
#endif

using unique_instrument = std::unique_ptr<llvm::mca::Instrument>;
using instrument_list = llvm::SmallVector<llvm::mca::Instrument *>;

// For llvm-mca's -disable-im: knows no instruments.
inline std::unique_ptr<llvm::mca::InstrumentManager> no_instruments(const llvm::MCSubtargetInfo &subtarget,
                                                                    const llvm::MCInstrInfo &opcodes) {
#if LLVM_VERSION_MAJOR >= 22
    return std::make_unique<llvm::mca::InstrumentManager>(subtarget, opcodes, false);
#else
    return std::make_unique<llvm::mca::InstrumentManager>(subtarget, opcodes);
#endif
}

// Cycles by which a reader that takes the result early shortens the latency (-instruction-tables=full).
inline unsigned bypass_cycles(const llvm::MCSubtargetInfo &subtarget, const llvm::MCSchedClassDesc &sched_class) {
#if LLVM_VERSION_MAJOR >= 22
    return llvm::MCSchedModel::getBypassDelayCycles(subtarget, sched_class);
#else
    (void)subtarget, (void)sched_class;
    return 0;
#endif
}

#endif
