// Triples, targets and the names of CPUs.
#include "analyzer/llvm/module.h"
#include "analyzer/llvm/versions.h"

#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include <climits>
#include <map>

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

namespace {

// How many features LLVM's CPU of a name and this machine do not have in common.
struct distance {
    unsigned lacking = 0; // that this machine has, and the CPU lacks
    unsigned all = 0;     // also those that the CPU has, and this machine lacks: a hypervisor may hide them
};

distance distance_of(const MCSubtargetInfo &cpu, const StringMap<bool> &host) {
    distance result;
    for (const SubtargetFeatureKV &feature : cpu.getAllProcessorFeatures()) {
        const auto here = host.find(feature.Key);
        if (here == host.end())
            continue;
        const bool has = cpu.hasFeature(feature.Value);
        result.lacking += here->second && !has;
        result.all += here->second != has;
    }
    return result;
}

// LLVM names an x86 CPU by its family and model, of which a hypervisor may state others than the chip's. Where this
// machine has many features that a CPU of that name lacks, returns the name of the CPU with the nearest features.
std::string name_host_cpu() {
    constexpr unsigned many = 4; // LLVM's list of a CPU may lack a few that the CPU has
    std::string named = llvm_host_cpu();
    Triple triple(host_triple());
    std::string error;
    init_targets();
    const Target *target = triple.isX86() ? TargetRegistry::lookupTarget("", triple, error) : nullptr;
    if (!target)
        return named;
    const StringMap<bool> host = sys::getHostCPUFeatures();
    const auto distance_to = [&](StringRef cpu) {
        const std::unique_ptr<MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(target_triple(triple), cpu, ""));
        return subtarget ? distance_of(*subtarget, host) : distance{0, UINT_MAX};
    };
    const distance of_named = distance_to(named);
    if (of_named.lacking < many)
        return named;
    std::string nearest = named;
    unsigned least = of_named.all;
    const std::unique_ptr<MCSubtargetInfo> blank(target->createMCSubtargetInfo(target_triple(triple), "", ""));
    for (const SubtargetSubTypeKV &cpu : blank->getAllProcessorDescriptions()) {
        const unsigned n = cpu.SchedModel->hasInstrSchedModel() ? distance_to(cpu.Key).all : UINT_MAX;
        if (n <= least) { // of several names of one CPU the last: "haswell", not "core-avx2"
            least = n;
            nearest = cpu.Key;
        }
    }
    return nearest;
}

} // namespace

const char *llvm_host_cpu() {
    static const std::string name = sys::getHostCPUName().str();
    return name.c_str();
}

const char *host_cpu() {
    static const std::string name = name_host_cpu();
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

size_t list_cpus(struct arena *arena, const char *triple, const char *const **names, const char *const **schedules_as,
                 struct fail *fail) {
    Triple found;
    const Target *target = find_target(triple, nullptr, found, fail);
    if (!target)
        return 0;
    const std::unique_ptr<MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(target_triple(found), "", ""));
    if (!subtarget) {
        fail_set(fail, FAIL_UNAVAILABLE, "this LLVM was built without the tables of '%s'", found.str().c_str());
        return 0;
    }
    const auto cpus = subtarget->getAllProcessorDescriptions();
    const char **list = ARENA_ARRAY(arena, const char *, cpus.size());
    const char **firsts = ARENA_ARRAY(arena, const char *, cpus.size());
    std::map<const MCSchedModel *, const char *> first_of;
    size_t n = 0;
    for (const SubtargetSubTypeKV &cpu : cpus) { // LLVM keeps them sorted
        if (!cpu.SchedModel->hasInstrSchedModel() || !is_of(*target, found, cpu.Key))
            continue;
        list[n] = arena_strdup(arena, cpu.Key);
        firsts[n] = first_of.try_emplace(cpu.SchedModel, list[n]).first->second;
        n++;
    }
    *names = list;
    if (schedules_as)
        *schedules_as = firsts;
    return n;
}
