// Registers and the files that rename them. The rules by which a register belongs to a file, and which other register
// its mapping goes with, are those of llvm/lib/MCA/HardwareUnits/RegisterFile.cpp (addRegisterFile).
#include "analyzer/llvm/module.h"
#include "analyzer/llvm/versions.h"

using namespace llvm;

namespace {

const uint16_t *copy_list(struct arena *arena, ArrayRef<MCPhysReg> from, uint16_t *n) {
    uint16_t *list = ARENA_ARRAY(arena, uint16_t, from.size());
    std::copy(from.begin(), from.end(), list);
    *n = uint16_t(from.size());
    return list;
}

// Those that a write reaches.
SmallVector<MCPhysReg, 16> parts(const MCRegisterInfo &info, MCPhysReg reg) {
    SmallVector<MCPhysReg, 16> reached;
    for (MCPhysReg part : info.subregs(reg))
        if (!is_ignored_part(info, part))
            reached.push_back(part);
    return reached;
}

SmallVector<MCPhysReg, 16> wholes(const MCRegisterInfo &info, MCPhysReg reg) {
    const auto range = info.superregs(reg);
    return {range.begin(), range.end()};
}

// A register of a file also takes along those parts of it that no smaller register of the file has taken.
void take_parts(const MCRegisterInfo &info, struct machine_register *registers, MCPhysReg whole) {
    for (MCPhysReg part : info.subregs(whole)) {
        struct machine_register *reg = &registers[part];
        if (reg->file || (reg->rename_as && !info.isSuperRegister(part, reg->rename_as)))
            continue;
        reg->file = registers[whole].file;
        reg->cost = registers[whole].cost;
        reg->rename_as = whole;
    }
}

void fill_file(const MCRegisterInfo &info, const MCExtraProcessorInfo &extra, uint16_t file,
               struct machine_register *registers) {
    const MCRegisterFileDesc &from = extra.RegisterFiles[file];
    const ArrayRef<MCRegisterCostEntry> entries(&extra.RegisterCostTable[from.RegisterCostEntryIdx],
                                                from.NumRegisterCostEntries);
    for (const MCRegisterCostEntry &entry : entries) {
        for (MCPhysReg whole : info.getRegClass(entry.RegisterClassID)) {
            registers[whole].file = file;
            registers[whole].cost = uint16_t(entry.Cost);
            registers[whole].rename_as = whole;
            registers[whole].move_eliminable = entry.AllowMoveElimination;
            take_parts(info, registers, whole);
        }
    }
}

void describe_files(struct arena *arena, const backend_cpu &cpu, struct machine_register *registers,
                    struct machine *machine) {
    const MCSchedModel &model = cpu.subtarget->getSchedModel();
    const unsigned described =
        cpu.builder && model.hasExtraProcessorInfo() ? model.getExtraProcessorInfo().NumRegisterFiles : 0;
    const unsigned n = std::max(1u, described);
    struct register_file *files = ARENA_ARRAY(arena, struct register_file, n);
    files[0].name = "default";
    for (unsigned i = 1; i < n; i++) {
        const MCRegisterFileDesc &from = model.getExtraProcessorInfo().RegisterFiles[i];
        files[i].name = from.Name;
        files[i].n_physical = from.NumPhysRegs;
        files[i].max_moves_eliminated = from.MaxMovesEliminatedPerCycle;
        files[i].zero_moves_only = from.AllowZeroMoveEliminationOnly;
        fill_file(*cpu.registers, model.getExtraProcessorInfo(), uint16_t(i), registers);
    }
    machine->register_files = files;
    machine->n_register_files = n;
}

} // namespace

void describe_registers(struct arena *arena, const backend_cpu &cpu, struct machine *machine) {
    const MCRegisterInfo &info = *cpu.registers;
    const unsigned n = info.getNumRegs();
    struct machine_register *registers = ARENA_ARRAY(arena, struct machine_register, n);
    registers[0].name = "";
    for (unsigned i = 1; i < n; i++) {
        struct machine_register *reg = &registers[i];
        reg->name = info.getName(i);
        reg->sub = copy_list(arena, parts(info, MCPhysReg(i)), &reg->n_sub);
        reg->super = copy_list(arena, wholes(info, MCPhysReg(i)), &reg->n_super);
        reg->cost = 1;
        reg->is_constant = info.isConstant(MCPhysReg(i));
    }
    describe_files(arena, cpu, registers, machine);
    machine->registers = registers;
    machine->n_registers = n;
}
