// Opens a CPU as llvm-mca does, asking LLVM only what it can answer: LLVM itself prints complaints about unknown names.
#include "analyzer/llvm/versions.h"
#include "analyzer/llvm/waits.h"

#include <vector>

using namespace llvm;

namespace {

// What to try instead of a word that is none of the names in LLVM's table.
template <typename Entry> const char *near_names(struct arena *arena, const char *word, ArrayRef<Entry> table) {
    std::vector<const char *> names;
    for (const Entry &entry : table)
        names.push_back(entry.Key);
    return text_did_you_mean(arena, word, names.data(), names.size());
}

bool check_cpu(const backend_cpu &cpu, const MCSubtargetInfo &blank, struct arena *arena, struct fail *fail) {
    if (blank.isCPUStringValid(cpu.name))
        return true;
    const char *name = cpu.name.c_str();
    const std::string triple = cpu.triple.str();
    if (cpu.as_llvm_mca)
        return fail_set(fail, FAIL_INPUT, "'%s' is not a recognized processor for this target%s", name,
                        near_names(arena, name, blank.getAllProcessorDescriptions()));
    if (cpu.name == host_cpu())
        return fail_set(fail, FAIL_INPUT, "this machine's CPU '%s' is not a CPU of %s; name the CPU to describe", name,
                        triple.c_str());
    const char *near = near_names(arena, name, blank.getAllProcessorDescriptions());
    return fail_set(fail, FAIL_INPUT, "unknown CPU '%s' for %s%s", name, triple.c_str(),
                    *near ? near : "; 'cyclops list models' shows those there are");
}

// Adds a '+' where a feature has no sign, as llvm-mca's -mattr does.
bool check_features(const backend_cpu &cpu, const char *list, const MCSubtargetInfo &blank, std::string &checked,
                    struct arena *arena, struct fail *fail) {
    SubtargetFeatures features;
    SmallVector<StringRef, 8> words;
    StringRef(list ? list : "").split(words, ',', -1, false);
    for (StringRef word : words) {
        const std::string name = SubtargetFeatures::StripFlag(word.trim()).str();
        const auto known = blank.getAllProcessorFeatures();
        if (!cpu.as_llvm_mca && none_of(known, [&](const SubtargetFeatureKV &entry) { return name == entry.Key; }))
            return fail_set(fail, FAIL_INPUT, "unknown CPU feature '%s'%s", name.c_str(),
                            near_names(arena, name.c_str(), known));
        features.AddFeature(word.trim());
    }
    checked = features.getString();
    return true;
}

// Where no CPU is named, and this machine's is of another ISA, takes LLVM's generic one of the triple.
void settle_name(backend_cpu &cpu, const MCSubtargetInfo &blank) {
    if (Triple(host_triple()).getArch() == cpu.triple.getArch() || blank.isCPUStringValid(cpu.name))
        return;
    const StringRef generic = blank.getCPU();
    cpu.name = generic.empty() ? "generic" : generic.str();
    cpu.is_generic = true;
}

bool open_subtarget(backend_cpu &cpu, struct arena *arena, const char *features, bool without_model,
                    struct fail *fail) {
    const std::string triple = cpu.triple.str();
    const std::unique_ptr<MCSubtargetInfo> blank(cpu.target->createMCSubtargetInfo(target_triple(cpu.triple), "", ""));
    if (!blank)
        return fail_set(fail, FAIL_UNAVAILABLE, "this LLVM was built without the tables of '%s'", triple.c_str());
    if (cpu.is_unnamed)
        settle_name(cpu, *blank);
    std::string checked;
    if (!check_cpu(cpu, *blank, arena, fail) || !check_features(cpu, features, *blank, checked, arena, fail))
        return false;

    cpu.subtarget.reset(cpu.target->createMCSubtargetInfo(target_triple(cpu.triple), cpu.name, checked));
    if (!fits_triple(cpu.triple, *cpu.subtarget)) {
        const char *name = cpu.triple.isArch64Bit() ? "RV64" : "RV32";
        return fail_set(fail, FAIL_INPUT, "%s target requires an %s CPU, which '%s' is not", name, name,
                        cpu.name.c_str());
    }
    const MCSchedModel &model = cpu.subtarget->getSchedModel();
    if (model.hasInstrSchedModel() || without_model)
        return true;
    if (cpu.is_generic)
        return fail_set(fail, FAIL_INPUT,
                        "name a CPU of %s: LLVM has no scheduling model of its '%s', and this machine's is of another "
                        "ISA; 'cyclops list models --isa %s' shows those there are",
                        triple.c_str(), cpu.name.c_str(), cpu.triple.getArchName().str().c_str());
    if (cpu.as_llvm_mca)
        return fail_set(fail, FAIL_INPUT,
                        "unable to find instruction-level scheduling information for target triple '%s' and cpu '%s'."
                        "%s%s%s",
                        cpu.triple.normalize().c_str(), cpu.name.c_str(), model.InstrItineraries ? "\nnote: cpu '" : "",
                        model.InstrItineraries ? cpu.name.c_str() : "",
                        model.InstrItineraries ? "' provides itineraries. However, instruction itineraries are "
                                                 "currently unsupported."
                                               : "");
    return fail_set(fail, FAIL_INPUT, "LLVM has no scheduling model of instructions for CPU '%s' of %s%s",
                    cpu.name.c_str(), triple.c_str(),
                    model.InstrItineraries ? ": only itineraries, which cannot be used" : "");
}

template <typename Wanted>
bool have(const std::unique_ptr<Wanted> &object, const char *what, const backend_cpu &cpu, struct fail *fail) {
    if (object)
        return true;
    return fail_set(fail, FAIL_UNAVAILABLE, "this LLVM was built without %s for %s", what, cpu.triple.str().c_str());
}

bool open_tables(backend_cpu &cpu, struct fail *fail) {
    const Target &target = *cpu.target;
    cpu.registers.reset(target.createMCRegInfo(target_triple(cpu.triple)));
    cpu.opcodes.reset(target.createMCInstrInfo());
    if (!have(cpu.registers, "registers", cpu, fail) || !have(cpu.opcodes, "instructions", cpu, fail))
        return false;
    cpu.asm_info.reset(target.createMCAsmInfo(*cpu.registers, target_triple(cpu.triple), cpu.target_options));
    cpu.analysis.reset(target.createMCInstrAnalysis(cpu.opcodes.get()));
    cpu.asm_backend.reset(target.createMCAsmBackend(*cpu.subtarget, *cpu.registers, cpu.target_options));
    if (!cpu.analysis)
        cpu.analysis = std::make_unique<MCInstrAnalysis>(cpu.opcodes.get());
    return have(cpu.asm_info, "an assembler", cpu, fail) && have(cpu.asm_backend, "an assembler", cpu, fail);
}

// What targets add to the common meaning of instructions; most add nothing and get LLVM's base classes.
void open_builder(backend_cpu &cpu, const struct backend_options &options) {
    const MCSubtargetInfo &subtarget = *cpu.subtarget;
    if (options.no_instruments)
        cpu.instruments = no_instruments(subtarget, *cpu.opcodes);
    else if (mca::InstrumentManager *own = cpu.target->createInstrumentManager(subtarget, *cpu.opcodes))
        cpu.instruments.reset(own);
    else
        cpu.instruments = std::make_unique<mca::InstrumentManager>(subtarget, *cpu.opcodes);
    if (!options.no_custom_behaviour)
        cpu.post_process.reset(cpu.target->createInstrPostProcess(subtarget, *cpu.opcodes));
    if (!cpu.post_process)
        cpu.post_process = std::make_unique<mca::InstrPostProcess>(subtarget, *cpu.opcodes);
    if (!options.without_model)
        cpu.builder.reset(new mca::InstrBuilder(subtarget, *cpu.opcodes, *cpu.registers, cpu.analysis.get(),
                                                *cpu.instruments, cpu.call_latency));
}

bool check_syntax(const backend_cpu &cpu, struct fail *fail) {
    if (cpu.output_syntax < 0 || make_printer(cpu, unsigned(cpu.output_syntax)))
        return true;
    if (cpu.as_llvm_mca)
        return fail_set(fail, FAIL_INPUT,
                        "unable to create instruction printer for target triple '%s' with assembly variant %d.",
                        cpu.triple.normalize().c_str(), cpu.output_syntax);
    return fail_set(fail, FAIL_INPUT, "%s has no assembly syntax number %d", cpu.triple.str().c_str(),
                    cpu.output_syntax);
}

} // namespace

struct backend_cpu *open_cpu(struct arena *arena, const struct backend_options *options, struct fail *fail) {
    auto cpu = std::make_unique<backend_cpu>();
    cpu->as_llvm_mca = options->as_llvm_mca;
    cpu->skip_parse_failures = options->skip_parse_failures;
    cpu->skip_unscheduled = options->skip_unscheduled;
    cpu->target = find_target(options->triple, options->arch, cpu->triple, fail, options->as_llvm_mca);
    if (!cpu->target)
        return nullptr;
    const bool native = !options->cpu || StringRef(options->cpu) == "native";
    cpu->name = !native ? options->cpu : options->as_llvm_mca ? llvm_host_cpu() : host_cpu();
    cpu->is_unnamed = !options->cpu;
    cpu->output_syntax = options->output_syntax;
    cpu->print_hex = options->print_hex;
    cpu->no_text = options->no_text;
    cpu->no_encoding = options->no_encoding;
    cpu->no_names = options->no_names;
    cpu->full_info = options->full_info;
    cpu->wants_forms = options->forms;
    cpu->wants_addresses = options->addresses || options->without_model;
    if (options->call_latency || options->calls_are_free)
        cpu->call_latency = options->call_latency;
    if (!open_subtarget(*cpu, arena, options->features, options->without_model, fail) || !open_tables(*cpu, fail) ||
        !check_syntax(*cpu, fail))
        return nullptr;
    open_builder(*cpu, *options);
    if (cpu->builder && !options->no_custom_behaviour)
        cpu->waits = counter_waits::make(*cpu);
    cpu->machine = describe_machine(arena, *cpu);
    return cpu.release();
}

void close_cpu(struct backend_cpu *cpu) {
    delete cpu;
}

bool has_feature(const struct backend_cpu *cpu, const char *feature) {
    for (const SubtargetFeatureKV &entry : cpu->subtarget->getAllProcessorFeatures())
        if (StringRef(entry.Key) == feature)
            return cpu->subtarget->hasFeature(entry.Value);
    return false;
}

size_t list_features(struct arena *arena, const struct backend_cpu *cpu, const char *const **names) {
    const auto features = cpu->subtarget->getAllProcessorFeatures();
    const char **list = ARENA_ARRAY(arena, const char *, features.size());
    size_t n = 0;
    for (const SubtargetFeatureKV &entry : features)
        list[n++] = arena_strdup(arena, entry.Key);
    *names = list;
    return n;
}

// LLVM's table of names is of null-terminated strings (MCInstrInfo::getName).
const char *opcode_name(const struct backend_cpu *cpu, size_t index) {
    return index < cpu->opcodes->getNumOpcodes() ? cpu->opcodes->getName(unsigned(index)).data() : nullptr;
}

std::unique_ptr<MCInstPrinter> make_printer(const backend_cpu &cpu, unsigned syntax) {
    std::unique_ptr<MCInstPrinter> printer(
        cpu.target->createMCInstPrinter(cpu.triple, syntax, *cpu.asm_info, *cpu.opcodes, *cpu.registers));
    if (printer)
        printer->setPrintImmHex(cpu.print_hex);
    return printer;
}
