// Private to this folder.
// What differs between the versions of LLVM: their C++ interfaces, and what their llvm-mca does. No other file asks
// which version this is. Tried: 14 to 16, 19 and 22; others are taken for the next older one of these.
#ifndef ANALYZER_LLVM_VERSIONS_H
#define ANALYZER_LLVM_VERSIONS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCFixup.h"
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

#if __has_include("llvm/TargetParser/SubtargetFeature.h")
#include "llvm/TargetParser/SubtargetFeature.h"
#else
#include "llvm/MC/SubtargetFeature.h"
#endif

#if __has_include("llvm/TargetParser/Host.h")
#include "llvm/TargetParser/Host.h"
#else
#include "llvm/Support/Host.h"
#endif

#include "llvm-c/Core.h"

// Of the library itself, which may have been replaced since; before 16, it cannot be asked.
inline std::string library_version() {
#if LLVM_VERSION_MAJOR >= 16
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
#else
    return LLVM_VERSION_STRING;
#endif
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

inline llvm::StringMap<bool> host_features() {
#if LLVM_VERSION_MAJOR >= 19
    return llvm::sys::getHostCPUFeatures();
#else
    llvm::StringMap<bool> features;
    llvm::sys::getHostCPUFeatures(features);
    return features;
#endif
}

// Calls and returns, as llvm-mca warns of them: by the target, which knows RISC-V's jumps; before: by the opcode alone.
inline bool is_call(const llvm::MCInstrAnalysis &analysis, const llvm::MCInstrInfo &opcodes, const llvm::MCInst &inst) {
    return LLVM_VERSION_MAJOR >= 22 ? analysis.isCall(inst) : opcodes.get(inst.getOpcode()).isCall();
}

inline bool is_return(const llvm::MCInstrAnalysis &analysis, const llvm::MCInstrInfo &opcodes,
                      const llvm::MCInst &inst) {
    return LLVM_VERSION_MAJOR >= 22 ? analysis.isReturn(inst) : opcodes.get(inst.getOpcode()).isReturn();
}

inline llvm::ArrayRef<llvm::MCOperandInfo> operands_of(const llvm::MCInstrDesc &desc) {
#if LLVM_VERSION_MAJOR >= 16
    return desc.operands();
#else
    return {desc.OpInfo, desc.getNumOperands()};
#endif
}

inline void encode(const llvm::MCCodeEmitter &emitter, const llvm::MCInst &inst, llvm::SmallVectorImpl<char> &code,
                   llvm::SmallVectorImpl<llvm::MCFixup> &fixups, const llvm::MCSubtargetInfo &subtarget) {
#if LLVM_VERSION_MAJOR >= 17
    emitter.encodeInstruction(inst, code, fixups, subtarget);
#else
    llvm::raw_svector_ostream out(code);
    emitter.encodeInstruction(inst, out, fixups, subtarget);
#endif
}

inline bool registers_overlap(const llvm::MCRegisterInfo &registers, llvm::MCPhysReg a, llvm::MCPhysReg b) {
#if LLVM_VERSION_MAJOR >= 15
    return registers.regsOverlap(a, b);
#else
    for (llvm::MCRegAliasIterator alias(a, &registers, true); alias.isValid(); ++alias)
        if (*alias == b)
            return true;
    return false;
#endif
}

// The class of registers that an operand is of; negative: it is not a register.
inline int operand_class(const llvm::MCInstrInfo &opcodes, const llvm::MCSubtargetInfo &subtarget,
                         const llvm::MCInstrDesc &desc, unsigned operand) {
#if LLVM_VERSION_MAJOR >= 22
    return opcodes.getOpRegClassID(operands_of(desc)[operand],
                                   subtarget.getHwMode(llvm::MCSubtargetInfo::HwMode_RegInfo));
#else
    (void)opcodes, (void)subtarget;
    const llvm::MCOperandInfo &info = operands_of(desc)[operand];
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

// The instructions that a target's CustomBehaviour sees.
#if LLVM_VERSION_MAJOR >= 15
using instruction_source = llvm::mca::CircularSourceMgr;
#else
using instruction_source = llvm::mca::SourceMgr;
#endif

// Marks of an instruction; InstrPostProcess can change them, from 15 on.
#if LLVM_VERSION_MAJOR >= 15
inline const llvm::mca::Instruction &marks_of(const llvm::mca::Instruction &insn) {
    return insn;
}
#else
struct instruction_marks {
    const llvm::mca::InstrDesc &desc;

    // clang-format off
    bool getMayLoad() const { return desc.MayLoad; }
    bool getMayStore() const { return desc.MayStore; }
    bool getHasSideEffects() const { return desc.HasSideEffects; }
    bool getBeginGroup() const { return desc.BeginGroup; }
    bool getEndGroup() const { return desc.EndGroup; }
    bool getRetireOOO() const { return desc.RetireOOO; }
    // clang-format on
};

inline instruction_marks marks_of(const llvm::mca::Instruction &insn) {
    return {insn.getDesc()};
}
#endif

inline void begin_post_process(llvm::mca::InstrPostProcess &target) {
#if LLVM_VERSION_MAJOR >= 15
    target.resetState();
#else
    (void)target; // keeps nothing
#endif
}

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

// What an instruction costs besides what it is itself: RISC-V's vector type, which vsetvli or a comment sets. No model
// before 19 has such instructions, so there the managers make no instruments.
#if LLVM_VERSION_MAJOR >= 19
using mca_instrument = llvm::mca::Instrument;
using mca_instrument_manager = llvm::mca::InstrumentManager;
#else
struct mca_instrument {
    llvm::StringRef getDesc() const {
        return "";
    }
};

struct mca_instrument_manager {
#if LLVM_VERSION_MAJOR >= 16
    llvm::mca::InstrumentManager base; // for mca::InstrBuilder

    mca_instrument_manager(const llvm::MCSubtargetInfo &subtarget, const llvm::MCInstrInfo &opcodes)
        : base(subtarget, opcodes) {
    }
#else
    mca_instrument_manager(const llvm::MCSubtargetInfo &, const llvm::MCInstrInfo &) {
    }
#endif
    bool shouldIgnoreInstruments() const {
        return true;
    }
    bool supportsInstrumentType(llvm::StringRef) const {
        return false;
    }
    std::unique_ptr<mca_instrument> createInstrument(llvm::StringRef, llvm::StringRef) {
        return nullptr;
    }
    llvm::SmallVector<std::unique_ptr<mca_instrument>> createInstruments(const llvm::MCInst &) {
        return {};
    }
    unsigned getSchedClassID(const llvm::MCInstrInfo &opcodes, const llvm::MCInst &inst,
                             const llvm::SmallVector<mca_instrument *> &) const {
        return opcodes.get(inst.getOpcode()).getSchedClass();
    }
};
#endif
using unique_instrument = std::unique_ptr<mca_instrument>;
using instrument_list = llvm::SmallVector<mca_instrument *>;

// For llvm-mca's -disable-im: knows no instruments.
inline std::unique_ptr<mca_instrument_manager> no_instruments(const llvm::MCSubtargetInfo &subtarget,
                                                              const llvm::MCInstrInfo &opcodes) {
#if LLVM_VERSION_MAJOR >= 22
    return std::make_unique<mca_instrument_manager>(subtarget, opcodes, false);
#else
    return std::make_unique<mca_instrument_manager>(subtarget, opcodes);
#endif
}

// The target's own manager, or the base class.
inline std::unique_ptr<mca_instrument_manager>
make_instruments(const llvm::Target &target, const llvm::MCSubtargetInfo &subtarget, const llvm::MCInstrInfo &opcodes) {
#if LLVM_VERSION_MAJOR >= 19
    if (mca_instrument_manager *own = target.createInstrumentManager(subtarget, opcodes))
        return std::unique_ptr<mca_instrument_manager>(own);
#else
    (void)target;
#endif
    return std::make_unique<mca_instrument_manager>(subtarget, opcodes);
}

// Before 19, every call takes 100 cycles.
constexpr bool has_call_latency = LLVM_VERSION_MAJOR >= 19;

inline llvm::mca::InstrBuilder make_builder(const llvm::MCSubtargetInfo &subtarget, const llvm::MCInstrInfo &opcodes,
                                            const llvm::MCRegisterInfo &registers,
                                            const llvm::MCInstrAnalysis *analysis,
                                            const mca_instrument_manager &instruments, unsigned call_latency) {
#if LLVM_VERSION_MAJOR >= 19
    return {subtarget, opcodes, registers, analysis, instruments, call_latency};
#elif LLVM_VERSION_MAJOR >= 16
    (void)call_latency;
    return {subtarget, opcodes, registers, analysis, instruments.base};
#else
    (void)instruments, (void)call_latency;
    return {subtarget, opcodes, registers, analysis};
#endif
}

inline llvm::Expected<std::unique_ptr<llvm::mca::Instruction>>
create_instruction(llvm::mca::InstrBuilder &builder, const llvm::MCInst &inst, const instrument_list &instruments) {
#if LLVM_VERSION_MAJOR >= 19
    return builder.createInstruction(inst, instruments);
#elif LLVM_VERSION_MAJOR >= 16
    (void)instruments;
    return builder.createInstruction(inst, {});
#else
    (void)instruments;
    return builder.createInstruction(inst);
#endif
}

// mca::InstrBuilder keeps what it found of an instruction whose description depends on its operands by these; before
// 19: by the address of its MCInst, where another one may stand later.
constexpr bool builder_knows_operands = LLVM_VERSION_MAJOR >= 19;

// A register that always reads the same. Before 19 LLVM does not mark them: AArch64's, MIPS's, and RISC-V's, which is
// called as a register of AArch64's that has parts.
inline bool is_constant(const llvm::MCRegisterInfo &info, llvm::MCRegister reg) {
#if LLVM_VERSION_MAJOR >= 19
    return info.isConstant(reg);
#else
    const llvm::StringRef name = info.getName(reg);
    return name == "XZR" || name == "WZR" || name == "ZERO" || name == "ZERO_64" ||
           (name == "X0" && !llvm::MCSubRegIterator(reg, &info).isValid());
#endif
}

// Registers that an opcode always writes and reads.
#if LLVM_VERSION_MAJOR >= 16
inline llvm::ArrayRef<llvm::MCPhysReg> implicit_defs(const llvm::MCInstrDesc &opcode) {
    return opcode.implicit_defs();
}
inline llvm::ArrayRef<llvm::MCPhysReg> implicit_uses(const llvm::MCInstrDesc &opcode) {
    return opcode.implicit_uses();
}
#else
inline llvm::ArrayRef<llvm::MCPhysReg> implicit_defs(const llvm::MCInstrDesc &opcode) {
    return {opcode.getImplicitDefs(), opcode.getNumImplicitDefs()};
}
inline llvm::ArrayRef<llvm::MCPhysReg> implicit_uses(const llvm::MCInstrDesc &opcode) {
    return {opcode.getImplicitUses(), opcode.getNumImplicitUses()};
}
#endif

// Whether some of the groups that an instruction uses overlap in part: it may have to wait until all are free. Before
// 16, that made no difference.
inline bool has_overlapping_groups(const llvm::mca::InstrDesc &desc) {
#if LLVM_VERSION_MAJOR >= 16
    return desc.HasPartiallyOverlappingGroups;
#else
    (void)desc;
    return false;
#endif
}

// Cycles after issue at which a resource is taken and free again; before 19, all are taken at issue.
#if LLVM_VERSION_MAJOR >= 19
inline unsigned acquires_at(const llvm::MCWriteProcResEntry &entry) {
    return entry.AcquireAtCycle;
}
inline unsigned releases_at(const llvm::MCWriteProcResEntry &entry) {
    return entry.ReleaseAtCycle;
}
#else
inline unsigned acquires_at(const llvm::MCWriteProcResEntry &) {
    return 0;
}
inline unsigned releases_at(const llvm::MCWriteProcResEntry &entry) {
    return entry.Cycles;
}
#endif

// All CPUs and all features of a target. Before 19 LLVM keeps both to itself; naming a private member is allowed in an
// explicit instantiation, and nowhere else.
#if LLVM_VERSION_MAJOR >= 19
inline llvm::ArrayRef<llvm::SubtargetSubTypeKV> all_cpus(const llvm::MCSubtargetInfo &subtarget) {
    return subtarget.getAllProcessorDescriptions();
}
inline llvm::ArrayRef<llvm::SubtargetFeatureKV> all_features(const llvm::MCSubtargetInfo &subtarget) {
    return subtarget.getAllProcessorFeatures();
}
#else
template <llvm::ArrayRef<llvm::SubtargetSubTypeKV> llvm::MCSubtargetInfo::*cpus,
          llvm::ArrayRef<llvm::SubtargetFeatureKV> llvm::MCSubtargetInfo::*features>
struct subtarget_tables {
    friend llvm::ArrayRef<llvm::SubtargetSubTypeKV> all_cpus(const llvm::MCSubtargetInfo &subtarget) {
        return subtarget.*cpus;
    }
    friend llvm::ArrayRef<llvm::SubtargetFeatureKV> all_features(const llvm::MCSubtargetInfo &subtarget) {
        return subtarget.*features;
    }
};
llvm::ArrayRef<llvm::SubtargetSubTypeKV> all_cpus(const llvm::MCSubtargetInfo &subtarget);
llvm::ArrayRef<llvm::SubtargetFeatureKV> all_features(const llvm::MCSubtargetInfo &subtarget);
template struct subtarget_tables<&llvm::MCSubtargetInfo::ProcDesc, &llvm::MCSubtargetInfo::ProcFeatures>;
#endif

// An alignment as the functions of llvm::MCStreamer take it.
#if LLVM_VERSION_MAJOR >= 16
using streamer_align = llvm::Align;
#else
using streamer_align = unsigned;
#endif

inline llvm::MCCodeEmitter *make_emitter(const llvm::Target &target, const llvm::MCInstrInfo &opcodes,
                                         const llvm::MCRegisterInfo &registers, llvm::MCContext &context) {
#if LLVM_VERSION_MAJOR >= 15
    (void)registers;
    return target.createMCCodeEmitter(opcodes, context);
#else
    return target.createMCCodeEmitter(opcodes, registers, context);
#endif
}

inline void add_target_streamer(const llvm::Target &target, llvm::MCStreamer &streamer,
                                llvm::formatted_raw_ostream &out, llvm::MCInstPrinter *printer) {
#if LLVM_VERSION_MAJOR >= 19
    target.createAsmTargetStreamer(streamer, out, printer);
#else
    target.createAsmTargetStreamer(streamer, out, printer, false); // without comments
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
