// What one instruction means, as mca::InstrBuilder resolves it for the open CPU.
#include "analyzer/llvm/form_names.h"
#include "analyzer/llvm/versions.h"
#include "analyzer/llvm/waits.h"

#include "llvm/MC/MCInst.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;

namespace {

// mca::InstrBuilder writes to stderr at the first call and the first return of a block, and offers no way to ask it not
// to. The library's caller sees both in the instructions' flags, so the two marks are set beforehand. Naming a private
// member is allowed in an explicit instantiation, and nowhere else.
template <bool mca::InstrBuilder::*first_call, bool mca::InstrBuilder::*first_return> struct builder_marks {
    friend void silence(mca::InstrBuilder &builder) {
        builder.*first_call = false;
        builder.*first_return = false;
    }
};
void silence(mca::InstrBuilder &builder);
template struct builder_marks<&mca::InstrBuilder::FirstCallInst, &mca::InstrBuilder::FirstReturnInst>;

void copy_writes(struct arena *arena, const backend_cpu &cpu, const mca::Instruction &from, struct insn *insn,
                 struct sched_insn *cost) {
    struct insn_write *writes = ARENA_ARRAY(arena, struct insn_write, from.getDefs().size());
    struct sched_write *costs = ARENA_ARRAY(arena, struct sched_write, from.getDefs().size());
    for (const mca::WriteState &write : from.getDefs()) {
        costs[insn->n_writes] = {write.getLatency(), write.getWriteResourceID(), write.isWriteZero()};
        struct insn_write *to = &writes[insn->n_writes++];
        to->reg = write.getRegisterID();
        to->clears_supers = write.clearsSuperRegisters();
        to->name = register_name(cpu, arena, write.getRegisterID());
    }
    insn->writes = writes;
    cost->writes = costs;
}

// The entries that belong to one operand, in the order in which LLVM looks for the first that fits.
void copy_advances(struct arena *arena, const backend_cpu &cpu, const mca::ReadDescriptor &from,
                   struct sched_read *to) {
    const MCSchedModel &model = cpu.subtarget->getSchedModel();
    const auto table = cpu.subtarget->getReadAdvanceEntries(*model.getSchedClassDesc(from.SchedClassID));
    const auto is_mine = [&](const MCReadAdvanceEntry &entry) { return entry.UseIdx == from.UseIndex; };
    const size_t n = size_t(std::count_if(table.begin(), table.end(), is_mine));
    if (!n)
        return;
    struct sched_advance *advances = ARENA_ARRAY(arena, struct sched_advance, n);
    for (const MCReadAdvanceEntry &entry : table)
        if (is_mine(entry))
            advances[to->n_advances++] = {entry.WriteResourceID, entry.Cycles};
    to->advances = advances;
}

void copy_reads(struct arena *arena, const backend_cpu &cpu, const mca::Instruction &from, struct insn *insn,
                struct sched_insn *cost) {
    struct insn_read *reads = ARENA_ARRAY(arena, struct insn_read, from.getUses().size());
    struct sched_read *costs = ARENA_ARRAY(arena, struct sched_read, from.getUses().size());
    for (const mca::ReadState &read : from.getUses()) {
        struct sched_read *to = &costs[insn->n_reads];
        to->independent = read.isIndependentFromDef();
        copy_advances(arena, cpu, read.getDescriptor(), to);
        reads[insn->n_reads++] = {uint16_t(read.getRegisterID()), uint16_t(read.getDescriptor().UseIndex)};
    }
    insn->reads = reads;
    cost->reads = costs;
}

// LLVM's simulation takes every resource at issue; the model's tables know better for some.
unsigned acquire_cycle(const backend_cpu &cpu, const MCSchedClassDesc &sched_class, uint64_t mask) {
    const struct machine &machine = *cpu.machine;
    const MCWriteProcResEntry *entry = cpu.subtarget->getWriteProcResBegin(&sched_class);
    for (unsigned i = 0; i < sched_class.NumWriteProcResEntries; i++)
        if (machine.resources[entry[i].ProcResourceIdx].mask == mask)
            return entry[i].AcquireAtCycle;
    return 0;
}

void copy_uses(struct arena *arena, const backend_cpu &cpu, const mca::InstrDesc &from, struct sched_insn *cost) {
    const MCSchedClassDesc &sched_class = *cpu.subtarget->getSchedModel().getSchedClassDesc(from.SchedClassID);
    struct sched_use *uses = ARENA_ARRAY(arena, struct sched_use, from.Resources.size());
    for (const auto &[mask, usage] : from.Resources) {
        struct sched_use *to = &uses[cost->n_uses++];
        to->mask = mask;
        to->release = usage.size();
        to->acquire = std::min(acquire_cycle(cpu, sched_class, mask), to->release);
        to->units = usage.NumUnits;
        to->reserved = usage.isReserved();
    }
    cost->uses = uses;
    cost->buffers = from.UsedBuffers;
    cost->used_units = from.UsedProcResUnits;
    cost->used_groups = from.UsedProcResGroups;
    cost->issue_immediately = from.MustIssueImmediately;
    cost->has_partially_overlapping_groups = from.HasPartiallyOverlappingGroups;
}

void copy_costs(const backend_cpu &cpu, const mca::InstrDesc &from, struct sched_insn *cost) {
    const MCSubtargetInfo &subtarget = *cpu.subtarget;
    const MCSchedClassDesc &sched_class = *subtarget.getSchedModel().getSchedClassDesc(from.SchedClassID);
    cost->sched_class = from.SchedClassID;
    cost->sched_class_name = sched_class_name(subtarget.getSchedModel(), from.SchedClassID);
    cost->uops = from.NumMicroOps;
    cost->latency = from.MaxLatency;
    cost->rthroughput = MCSchedModel::getReciprocalThroughput(subtarget, sched_class);
    const auto delay = MCSchedModel::getForwardingDelayCycles(subtarget.getReadAdvanceEntries(sched_class));
    cost->info_latency = unsigned(MCSchedModel::computeInstrLatency(subtarget, sched_class)) + delay;
}

// As llvm-mca finds it: on the rest of the line, which must end, between marks of C or behind those of C++.
StringRef comment_behind(SMLoc place) {
    const StringRef text(place.getPointer());
    if (!text.contains('\n'))
        return "";
    const StringRef line = text.take_until([](char c) { return c == '\n'; });
    const size_t begin = line.find("/*"), end = line.find("*/");
    if (begin != StringRef::npos && end != StringRef::npos)
        return line.substr(begin, end); // `end` characters, as llvm-mca
    const size_t plain = line.find("//");
    return plain == StringRef::npos ? "" : line.substr(plain);
}

void copy_tables(struct arena *arena, const backend_cpu &cpu, const MCInst &inst, struct sched_insn *cost) {
    const MCSubtargetInfo &subtarget = *cpu.subtarget;
    const MCSchedClassDesc &sched_class = *subtarget.getSchedModel().getSchedClassDesc(cost->sched_class);
    struct sched_tables *tables = ARENA_NEW(arena, struct sched_tables);
    tables->bypass_latency = cost->info_latency - bypass_cycles(subtarget, sched_class);
    tables->resources = arena_strdup(arena, list_resources(subtarget, sched_class).c_str());
    tables->comment = arena_strdup(arena, inst.getLoc().isValid() ? comment_behind(inst.getLoc()).str().c_str() : "");
    cost->tables = tables;
}

// What holds with and without a scheduling model.
void copy_meaning(const backend_cpu &cpu, const MCInst &inst, struct insn *insn) {
    insn->opcode = cpu.opcodes->getName(inst.getOpcode()).data(); // zero-terminated, in LLVM's tables
    insn->is_call = cpu.analysis->isCall(inst);
    insn->is_branch = cpu.analysis->isBranch(inst);
    insn->is_return = cpu.analysis->isReturn(inst);
    insn->is_conditional = cpu.analysis->isConditionalBranch(inst);
}

// Operands of a text are expressions until somebody lays it out.
void copy_displacement(const backend_cpu &cpu, const MCInst &inst, struct insn *insn) {
    constexpr uint64_t here = uint64_t(1) << 40; // with room on both sides
    uint64_t target = here;
    const bool is_laid_out = insn->n_bytes && std::none_of(inst.begin(), inst.end(),
                                                           [](const MCOperand &operand) { return operand.isExpr(); });
    insn->is_direct = is_laid_out && (insn->is_branch || insn->is_call) &&
                      cpu.analysis->evaluateBranch(inst, here, insn->n_bytes, target);
    insn->displacement = insn->is_direct ? int64_t(target - here) : 0;
}

void copy_flags(const mca::Instruction &from, struct insn *insn, struct sched_insn *cost) {
    insn->may_load = from.getMayLoad();
    insn->may_store = from.getMayStore();
    insn->side_effects = from.getHasSideEffects();
    insn->load_barrier = from.isALoadBarrier();
    insn->store_barrier = from.isAStoreBarrier();
    cost->begins_group = from.getBeginGroup();
    cost->ends_group = from.getEndGroup();
    cost->retires_out_of_order = from.getRetireOOO();
    cost->eliminable_move = from.isOptimizableMove();
}

// One sentence for people: the instruction without its tabs, and LLVM's own words without their full stop.
std::string explain(const backend_cpu &cpu, const struct insn &insn, std::string words) {
    if (cpu.as_llvm_mca || cpu.no_text)
        return words;
    std::string text = insn.text;
    std::replace(text.begin(), text.end(), '\t', ' ');
    while (!words.empty() && words.back() == '.')
        words.pop_back();
    return "LLVM's model of " + cpu.name + " does not describe '" + text + "' (" + words +
           "); take it out or choose another CPU";
}

} // namespace

std::string list_resources(const MCSubtargetInfo &subtarget, const MCSchedClassDesc &sched_class) {
    std::string list;
    raw_string_ostream out(list);
    for (const MCWriteProcResEntry *entry = subtarget.getWriteProcResBegin(&sched_class);
         entry != subtarget.getWriteProcResEnd(&sched_class); ++entry) {
        const unsigned acquire = entry->AcquireAtCycle, release = entry->ReleaseAtCycle;
        if (!release)
            continue;
        out << (list.empty() ? "" : ",") << subtarget.getSchedModel().getProcResource(entry->ProcResourceIdx)->Name;
        if (release > 1 && acquire > 0)
            out << '[' << acquire << ',' << release << ']';
        else if (release > 1)
            out << '[' << release << ']';
    }
    return out.str();
}

const char *register_name(const backend_cpu &cpu, struct arena *arena, MCRegister reg) {
    if (!cpu.names || !reg)
        return nullptr;
    SmallString<16> buffer;
    raw_svector_ostream out(buffer);
    cpu.names->printRegName(out, reg);
    return arena_copy(arena, buffer.data(), buffer.size());
}

void begin_block(backend_cpu &cpu, MCInstPrinter *names) {
    cpu.names = cpu.no_names ? nullptr : names;
    cpu.builder_is_shared = false;
    if (!cpu.builder)
        return;
    cpu.builder->clear();
    silence(*cpu.builder);
    cpu.post_process->resetState();
}

bool describe_insn(backend_cpu &cpu, struct arena *arena, const MCInst &inst, const instrument_list &instruments,
                   struct insn *insn, std::string &why) {
    // RISC-V's disassembler leaves out the mask of vmerge, vmadc, …: InstrBuilder would read behind the other operands.
    if (inst.getNumOperands() < cpu.opcodes->get(inst.getOpcode()).getNumOperands()) {
        why = explain(cpu, *insn, "its bytes decode to too few operands");
        return false;
    }
    copy_meaning(cpu, inst, insn);
    if (cpu.wants_forms && !cpu.forms)
        cpu.forms = std::make_unique<form_namer>(cpu);
    insn->form = cpu.forms ? cpu.forms->name(cpu, arena, inst, instruments) : nullptr;
    copy_displacement(cpu, inst, insn);
    if (cpu.wants_addresses) {
        insn->address = x86_address(cpu, arena, inst);
        insn->uses_stack = x86_uses_stack(cpu, inst);
    }
    if (!cpu.builder) {
        describe_bare_insn(cpu, arena, inst, insn);
        return true;
    }
    Expected<std::unique_ptr<mca::Instruction>> created = cpu.builder->createInstruction(inst, instruments);
    if (!created) {
        why = explain(cpu, *insn, toString(created.takeError()));
        return false;
    }
    post_process(*cpu.post_process, *cpu.opcodes, *cpu.registers, *created, inst);
    const mca::Instruction &from = **created;
    struct sched_insn *const cost = ARENA_NEW(arena, struct sched_insn);
    insn->cost = cost;
    copy_costs(cpu, from.getDesc(), cost);
    if (cpu.full_info)
        copy_tables(arena, cpu, inst, cost);
    copy_writes(arena, cpu, from, insn, cost);
    copy_reads(arena, cpu, from, insn, cost);
    copy_uses(arena, cpu, from.getDesc(), cost);
    copy_flags(from, insn, cost);
    if (cpu.waits)
        cpu.waits->describe(arena, std::move(*created), cost);
    return true;
}

const char *print_text(const backend_cpu &cpu, struct arena *arena, MCInstPrinter &printer, const MCInst &inst) {
    SmallString<64> buffer;
    raw_svector_ostream out(buffer);
    printer.printInst(&inst, 0, "", *cpu.subtarget, out);
    const StringRef text = StringRef(buffer).ltrim();
    return arena_copy(arena, text.data(), text.size());
}

void print_insn(const backend_cpu &cpu, struct arena *arena, MCInstPrinter &printer, const MCInst &inst,
                struct insn *insn) {
    insn->text = cpu.no_text ? nullptr : print_text(cpu, arena, printer, inst);
}
