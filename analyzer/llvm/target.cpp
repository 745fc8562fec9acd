// Triples, targets and the names of CPUs.
#include "analyzer/llvm/module.h"
#include "analyzer/llvm/versions.h"

#include "llvm/Support/TargetSelect.h"

using namespace llvm;

void init_targets() {
    static const bool once = [] {
        InitializeAllTargetInfos();
        InitializeAllTargetMCs();
        InitializeAllAsmParsers();
        InitializeAllDisassemblers();
        InitializeAllTargetMCAs();
        return true;
    }();
    (void)once;
}

const Target *find_target(const char *triple, const char *arch, Triple &found, struct fail *fail, bool as_llvm_mca) {
    init_targets();
    // llvm-mca takes a triple as it is written.
    found = Triple(!triple || !*triple ? std::string(host_triple()) : as_llvm_mca ? triple : Triple::normalize(triple));
    std::string error;
    const Target *target = TargetRegistry::lookupTarget(arch ? arch : "", found, error);
    if (!target && as_llvm_mca)
        fail_set(fail, FAIL_INPUT, "%s", StringRef(error).rtrim().str().c_str());
    else if (!target)
        fail_set(fail, FAIL_INPUT, "LLVM %d knows no target for %s '%s'; one it knows is '%s'", LLVM_VERSION_MAJOR,
                 arch ? "architecture" : "triple", arch ? arch : found.str().c_str(), host_triple());
    return target;
}

const char *host_cpu() {
    static const std::string name = sys::getHostCPUName().str();
    return name.c_str();
}

const char *host_triple() {
    static const std::string triple = Triple::normalize(sys::getDefaultTargetTriple());
    return triple.c_str();
}

bool print_cpus(const char *triple, const char *arch, struct fail *fail) {
    Triple found;
    const Target *target = find_target(triple, arch, found, fail, true);
    if (!target)
        return false;
    const std::unique_ptr<MCSubtargetInfo> prints(target->createMCSubtargetInfo(target_triple(found), "help", ""));
    return true;
}

bool fits_triple(const Triple &triple, const MCSubtargetInfo &subtarget) {
    return !triple.isRISCV() || subtarget.checkFeatures("+64bit") == triple.isArch64Bit();
}

static bool is_of(const Target &target, const Triple &triple, const char *cpu) {
    return !triple.isRISCV() || fits_triple(triple, *std::unique_ptr<MCSubtargetInfo>(
                                                        target.createMCSubtargetInfo(target_triple(triple), cpu, "")));
}

size_t list_cpus(struct arena *arena, const char *triple, const char *const **names, struct fail *fail) {
    Triple found;
    const Target *target = find_target(triple, nullptr, found, fail);
    if (!target)
        return 0;
    const std::unique_ptr<MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(target_triple(found), "", ""));
    if (!subtarget) {
        fail_set(fail, FAIL_UNAVAILABLE, "this LLVM was built without the tables of '%s'", found.str().c_str());
        return 0;
    }
    const auto cpus = all_cpus(*subtarget);
    const char **list = ARENA_ARRAY(arena, const char *, cpus.size());
    size_t n = 0;
    for (const SubtargetSubTypeKV &cpu : cpus) // LLVM keeps them sorted
        if (cpu.SchedModel->hasInstrSchedModel() && is_of(*target, found, cpu.Key))
            list[n++] = arena_strdup(arena, cpu.Key);
    *names = list;
    return n;
}
