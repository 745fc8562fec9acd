// Private to this folder.
// Inside of the LLVM module. Each file translates one thing that LLVM knows into the plain structs of analyzer/model;
// what the numbers are for is decided elsewhere.
#ifndef ANALYZER_LLVM_MODULE_H
#define ANALYZER_LLVM_MODULE_H

// Standard headers first: those of the C core are C, and must not pull these in with C linkage.
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdbool.h>
#include <string>
#include <vector>

extern "C" {
#include "analyzer/model/backend.h"
#include "base/text.h"
}

#include "analyzer/llvm/versions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/MCA/CustomBehaviour.h"
#include "llvm/MCA/InstrBuilder.h"

struct machine_code_reader; // bytes.cpp
class counter_waits;        // waits.cpp
class form_namer;           // form_names.cpp

// LLVM's objects of one CPU. Members are destroyed last to first, users before what they use.
struct backend_cpu {
    llvm::Triple triple;
    const llvm::Target *target = nullptr;
    std::string name; // of the CPU
    llvm::MCTargetOptions target_options;
    int output_syntax = -1;
    unsigned call_latency = 100;
    bool print_hex = false, as_llvm_mca = false, skip_parse_failures = false, skip_unscheduled = false;
    bool is_unnamed = false; // nobody asked for a CPU by name
    bool is_generic = false; // `name` is LLVM's choice for a triple that is not this machine's
    bool no_text = false, no_encoding = false, no_names = false, full_info = false, wants_forms = false;
    bool wants_addresses = false;

    std::unique_ptr<llvm::MCRegisterInfo> registers;
    std::unique_ptr<llvm::MCAsmInfo> asm_info;
    std::unique_ptr<llvm::MCInstrInfo> opcodes;
    std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
    std::unique_ptr<llvm::MCInstrAnalysis> analysis;
    std::unique_ptr<llvm::MCAsmBackend> asm_backend;
    std::unique_ptr<llvm::mca::InstrumentManager> instruments;
    std::unique_ptr<llvm::mca::InstrPostProcess> post_process;
    std::unique_ptr<llvm::mca::InstrBuilder> builder; // null: LLVM's scheduling model is not asked

    std::unique_ptr<counter_waits> waits; // null: the target has none

    std::unique_ptr<form_namer> forms;                  // made with the first instruction that wants one
    std::vector<uint8_t> access_bytes;                  // x86, by opcode: of its memory operand; see x86_address
    std::unique_ptr<llvm::MCInstPrinter> intel_printer; // x86: made with the first address

    // The builder holds only descriptions that are true of any block: the next one need not begin anew.
    bool builder_is_shared = false;
    std::unique_ptr<machine_code_reader> reader; // opened with the first bytes

    const struct machine *machine = nullptr;
    llvm::MCInstPrinter *names = nullptr; // of registers, in the block that is being described

    backend_cpu();
    ~backend_cpu();
};

// target.cpp: triples and CPU names
void init_targets();
const llvm::Target *find_target(const char *triple, const char *arch, llvm::Triple &found, struct fail *fail,
                                bool as_llvm_mca = false);
bool print_cpus(const char *triple, const char *arch, struct fail *fail);
const char *host_cpu();
const char *llvm_host_cpu();
const char *host_triple();
size_t list_cpus(struct arena *arena, const char *triple, const char *const **names, const char *const **schedules_as,
                 struct fail *fail);
// False for a 32-bit CPU of a 64-bit RISC-V triple, or the other way about: LLVM ends the process where it meets one
// (RISCVFeatures::validate).
bool fits_triple(const llvm::Triple &triple, const llvm::MCSubtargetInfo &subtarget);

// open.cpp
struct backend_cpu *open_cpu(struct arena *arena, const struct backend_options *options, struct fail *fail);
void close_cpu(struct backend_cpu *cpu);
bool has_feature(const struct backend_cpu *cpu, const char *feature);
size_t list_features(struct arena *arena, const struct backend_cpu *cpu, const char *const **names);
const char *opcode_name(const struct backend_cpu *cpu, size_t index);
std::unique_ptr<llvm::MCInstPrinter> make_printer(const backend_cpu &cpu, unsigned syntax);

// machine.cpp, registers.cpp: a CPU's own numbers
const struct machine *describe_machine(struct arena *arena, const backend_cpu &cpu);
void describe_registers(struct arena *arena, const backend_cpu &cpu, struct machine *machine);

// describe.cpp: instructions. Call begin_block before the first of each block, then for each instruction print_insn,
// which sets its text (if it is wanted), and describe_insn, which sets all but its encoding and line. False: `why` says
// what LLVM lacks. `names` prints the names of the registers written, until the next begin_block; null: they are not
// set.
void begin_block(backend_cpu &cpu, llvm::MCInstPrinter *names = nullptr);
const char *print_text(const backend_cpu &cpu, struct arena *arena, llvm::MCInstPrinter &printer,
                       const llvm::MCInst &inst);
void print_insn(const backend_cpu &cpu, struct arena *arena, llvm::MCInstPrinter &printer, const llvm::MCInst &inst,
                struct insn *insn);
bool describe_insn(backend_cpu &cpu, struct arena *arena, const llvm::MCInst &inst, const instrument_list &instruments,
                   struct insn *insn, std::string &why);
// Null where names are not wanted.
const char *register_name(const backend_cpu &cpu, struct arena *arena, llvm::MCRegister reg);

// The model's table of a class, entry by entry: "Zn4ALU,Zn4Store[2],Zn4FP[1,3]".
std::string list_resources(const llvm::MCSubtargetInfo &subtarget, const llvm::MCSchedClassDesc &sched_class);

// opcodes.cpp
size_t opcode_costs(const struct backend_cpu *cpu, struct arena *arena, const struct opcode_cost **costs);
size_t vector_costs(const struct backend_cpu *cpu, struct arena *arena, const struct opcode_cost **costs);
void set_vector_class(const struct backend_cpu *cpu, struct form *form);

// forms.cpp
bool list_forms(struct backend_cpu *cpu, struct arena *arena, const struct form **forms, size_t *n_forms,
                struct fail *fail);

// exegesis.cpp
size_t exegesis_keys(struct backend_cpu *cpu, struct arena *arena, const uint8_t *bytes, size_t n_bytes,
                     const char *const **keys, struct fail *fail);

// bare.cpp: what else describe_insn sets, where there is no scheduling model
void describe_bare_insn(backend_cpu &cpu, struct arena *arena, const llvm::MCInst &inst, struct insn *insn);

// vector_type.cpp: RISC-V: the configuration with which a form of that opcode is measured; null: it depends on none.
const struct vector_config *find_vector_type(const backend_cpu &cpu, llvm::StringRef opcode);

// bytes.cpp, text.cpp
bool describe_bytes(struct backend_cpu *cpu, struct arena *arena, const uint8_t *bytes, size_t n_bytes,
                    struct block *block, struct fail *fail);
bool describe_part(struct backend_cpu *cpu, struct arena *arena, const uint8_t *all, size_t offset, size_t length,
                   struct block *block, struct fail *fail);
size_t count_insns(struct backend_cpu *cpu, const uint8_t *bytes, size_t n_bytes, struct fail *fail);
size_t first_length(struct backend_cpu *cpu, const uint8_t *bytes, size_t n_bytes);
bool describe_text(struct backend_cpu *cpu, struct arena *arena, const char *name, const char *text,
                   struct backend_source *source, struct fail *fail);
// An instruction written down by ourselves; false where this CPU does not know it.
bool assemble_one(backend_cpu &cpu, const char *text, llvm::MCInst &inst);
// Many of them, a line each: `take` gets those that this CPU knows, with the number of their line, from 1.
bool assemble_lines(backend_cpu &cpu, const char *text, struct fail *fail,
                    llvm::function_ref<void(const llvm::MCInst &inst, unsigned line)> take);

#endif
