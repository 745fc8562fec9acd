// Assembly text into blocks.
#include "analyzer/llvm/notes.h"
#include "analyzer/llvm/regions.h"

#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCAsmParserExtension.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/MCA/CodeEmitter.h"
#include "llvm/Support/FormattedStream.h"
#include "llvm/Support/MemoryBuffer.h"

#include <set>

using namespace llvm;

namespace {

// Takes instructions from the parser; data, symbols and sections mean nothing to a block.
class collector final : public MCStreamer {
    regions &into;

  public:
    collector(MCContext &context, regions &target) : MCStreamer(context), into(target) {
    }
    void emitInstruction(const MCInst &inst, const MCSubtargetInfo &) override {
        into.add(inst);
    }
    void emitLabel(MCSymbol *symbol, SMLoc place) override {
        MCStreamer::emitLabel(symbol, place);
        into.add_label(symbol->getName(), place);
    }
    bool emitSymbolAttribute(MCSymbol *, MCSymbolAttr) override {
        return true;
    }
    void emitCommonSymbol(MCSymbol *, uint64_t, Align) override {
    }
    void emitZerofill(MCSection *, MCSymbol *, uint64_t, Align, SMLoc) override {
    }
};

// Lines and files of the source mean nothing to a block. LLVM's parser refuses what GNU as knows of them: view, a file
// that is also file 0, and at the end of the text all files, where that one is among several.
class line_directives final : public MCAsmParserExtension {
  public:
    void Initialize(MCAsmParser &into) override {
        MCAsmParserExtension::Initialize(into);
        for (const char *name : {".loc", ".file"})
            into.addDirectiveHandler(name, {this, HandleDirective<line_directives, &line_directives::skip>});
    }
    bool skip(StringRef, SMLoc) {
        getParser().eatToEndOfStatement();
        return false;
    }
};

// A text and all that must live as long as its instructions, which point to its symbols.
struct source_text {
    backend_cpu &cpu;
    const char *name;
    struct fail *fail;
    notes told;
    SourceMgr sources;
    regions found;
    MCContext context;
    std::unique_ptr<MCObjectFileInfo> object_file;
    collector streamer;
    std::unique_ptr<MCAsmParser> parser;
    std::unique_ptr<MCTargetAsmParser> target_parser;
    line_directives lines;

    source_text(backend_cpu &open, const char *text_name, const char *text, struct fail *f)
        : cpu(open), name(text_name), fail(f), told(open.as_llvm_mca), found(sources, *open.instruments),
          context(open.triple, open.asm_info.get(), open.registers.get(), open.subtarget.get(), &sources,
                  &open.target_options),
          streamer(context, found) {
        sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(text, name), SMLoc());
        sources.setDiagHandler(
            [](const SMDiagnostic &found_here, void *to) { static_cast<notes *>(to)->add(found_here); }, &told);
        context.setDiagnosticHandler([this](const SMDiagnostic &found_here, bool, const SourceMgr &,
                                            std::vector<const MDNode *> &) { told.add(found_here); });
        object_file.reset(cpu.target->createMCObjectFileInfo(context, false));
        context.setObjectFileInfo(object_file.get());
    }

    bool parse();
};

bool source_text::parse() {
    // Directives of the target go through its streamer, which prints; nobody reads what it prints.
    const auto printer = make_printer(cpu, cpu.asm_info->getAssemblerDialect());
    raw_null_ostream silent; // llvm::nulls() is one stream for all threads, and its buffer changes
    formatted_raw_ostream nowhere(silent);
    cpu.target->createAsmTargetStreamer(streamer, nowhere, printer.get());

    parser.reset(createMCAsmParser(sources, context, streamer, *cpu.asm_info));
    parser->getLexer().setCommentConsumer(&found);
    parser->getLexer().setLexMasmIntegers(true); // 05h, 101b: llvm-mca reads them so
    target_parser.reset(cpu.target->createMCAsmParser(*cpu.subtarget, *parser, *cpu.opcodes, cpu.target_options));
    if (!target_parser)
        return fail_set(fail, FAIL_UNAVAILABLE, "this LLVM was built without an assembly parser for %s",
                        cpu.triple.str().c_str());
    parser->setTargetParser(*target_parser);
    lines.Initialize(*parser);
    const bool failed = parser->Run(false) && !cpu.skip_parse_failures;
    streamer.setTargetStreamer(nullptr); // it refers to `nowhere` and `printer`
    bool is_good = !failed && !found.has_errors();
    if (failed)
        told.add(BACKEND_ERROR, "Assembly input parsing had errors, use -skip-unsupported-instructions=parse-failure "
                                "to drop failing lines from the input.");
    if (is_good && found.tell_instrument_errors()) {
        told.add(BACKEND_ERROR, "There was an error parsing comments.");
        is_good = false;
    }
    if (!is_good)
        told.fail(name, fail);
    return is_good;
}

// Bytes as llvm-mca's -show-encoding gives them: not linked, jumps in the form the assembler begins with.
void encode(const MCCodeEmitter &emitter, const source_text &text, struct arena *arena, const MCInst &inst,
            struct insn *insn) {
    mca::CodeEmitter encoder(*text.cpu.subtarget, *text.cpu.asm_backend, emitter, inst);
    const StringRef bytes = encoder.getEncoding(0);
    insn->n_bytes = unsigned(bytes.size());
    insn->bytes = bytes.empty() ? nullptr : reinterpret_cast<uint8_t *>(arena_copy(arena, bytes.data(), bytes.size()));
}

// llvm-mca's warnings of what its simulation cannot know, once for each block.
struct flow_warnings {
    bool of_calls = false, of_returns = false;
    std::set<unsigned> known; // opcodes

    // LLVM describes an opcode once, and asks then: a jump that returns goes without a warning behind one that does
    // not. Opcodes whose description depends on the operands it asks of each.
    static bool is_described_once(const backend_cpu &cpu, const MCInstrDesc &opcode) {
        const MCSchedModel &model = cpu.subtarget->getSchedModel();
        return !opcode.isVariadic() && model.hasInstrSchedModel() &&
               !model.getSchedClassDesc(opcode.getSchedClass())->isVariant();
    }

    void tell(notes &told, const backend_cpu &cpu, const MCInst &inst) {
        if (!known.insert(inst.getOpcode()).second && is_described_once(cpu, cpu.opcodes->get(inst.getOpcode())))
            return;
        if (!of_calls && is_call(*cpu.analysis, *cpu.opcodes, inst)) {
            told.add(BACKEND_WARNING, "found a call in the input assembly sequence.");
            told.add(BACKEND_NOTE, "call instructions are not correctly modeled. Assume a latency of " +
                                       std::to_string(cpu.call_latency) + "cy.");
            of_calls = true;
        }
        if (!of_returns && is_return(*cpu.analysis, *cpu.opcodes, inst)) {
            told.add(BACKEND_WARNING, "found a return instruction in the input assembly sequence.");
            told.add(BACKEND_NOTE, "program counter updates are ignored.");
            of_returns = true;
        }
    }
};

// An instruction that the model does not describe: true if it is to be left out.
bool skip_unscheduled(source_text &text, const source_insn &source, const char *insn, const std::string &why) {
    if (text.cpu.skip_unscheduled)
        text.told.add(BACKEND_WARNING,
                      why + ", skipping with -skip-unsupported-instructions, note accuracy will be impacted:");
    else if (text.cpu.as_llvm_mca)
        text.told.add(BACKEND_ERROR,
                      why + ", use -skip-unsupported-instructions=lack-sched to ignore these on the input.",
                      source.line, source.column);
    else
        return fail_at(text.fail, text.name, source.line, source.column, "%s", why.c_str());
    text.told.add(BACKEND_NOTE, std::string("instruction: \t") + insn);
    if (!text.cpu.skip_unscheduled)
        text.told.fail(text.name, text.fail);
    return text.cpu.skip_unscheduled;
}

// The label that a branch goes to; null where it names none.
const char *find_target(struct arena *arena, const MCInst &inst) {
    for (const MCOperand &operand : inst) {
        const auto *reference = operand.isExpr() ? dyn_cast<MCSymbolRefExpr>(operand.getExpr()) : nullptr;
        if (reference)
            return arena_strdup(arena, reference->getSymbol().getName().str().c_str());
    }
    return nullptr;
}

// Instructions may have been left out: kept[i] is how many of the first i were not.
void copy_labels(struct arena *arena, const region &from, const std::vector<unsigned> &kept, struct block *block) {
    struct block_label *labels = ARENA_ARRAY(arena, struct block_label, from.labels.size());
    for (const source_label &label : from.labels)
        labels[block->n_labels++] = {arena_strdup(arena, label.name.c_str()), kept[label.insn]};
    block->labels = labels;
}

bool describe_region(source_text &text, const region &from, MCInstPrinter &printer, struct arena *arena,
                     struct block *block) {
    const std::unique_ptr<MCCodeEmitter> emitter(
        text.cpu.no_encoding ? nullptr : text.cpu.target->createMCCodeEmitter(*text.cpu.opcodes, text.context));
    struct insn *insns = ARENA_ARRAY(arena, struct insn, from.insns.size());
    unsigned n_insns = 0;
    flow_warnings warnings;
    std::vector<unsigned> kept;
    begin_block(text.cpu, &printer);
    for (const source_insn &source : from.insns) {
        struct insn &insn = insns[n_insns];
        kept.push_back(n_insns);
        insn = {};
        insn.line = source.line;
        print_insn(text.cpu, arena, printer, source.inst, &insn);
        std::string why;
        if (!describe_insn(text.cpu, arena, source.inst, text.found.active_instruments(source.place), &insn, why)) {
            if (skip_unscheduled(text, source, print_text(text.cpu, arena, printer, source.inst), why))
                continue;
            return false;
        }
        warnings.tell(text.told, text.cpu, source.inst);
        if (insn.is_branch || insn.is_call)
            insn.target = find_target(arena, source.inst);
        if (emitter)
            encode(*emitter, text, arena, source.inst, &insn);
        n_insns++;
    }
    kept.push_back(n_insns);
    *block = {};
    block->name = arena_strdup(arena, from.name.c_str());
    block->insns = insns;
    block->n_insns = n_insns;
    block->is_marked = from.begin.isValid() || from.end.isValid();
    copy_labels(arena, from, kept, block);
    return true;
}

bool describe_regions(source_text &text, MCInstPrinter &printer, struct arena *arena, struct backend_source *source) {
    const std::vector<region> &all = text.found.all();
    struct block *blocks = ARENA_ARRAY(arena, struct block, all.size());
    source->blocks = blocks;
    for (const region &from : all) {
        struct block *block = &blocks[source->n_blocks];
        text.told.begin_block(source->n_blocks);
        if (from.insns.empty())
            continue;
        if (!describe_region(text, from, printer, arena, block))
            return false;
        source->n_blocks += block->n_insns != 0;
    }
    if (source->n_blocks)
        return true;
    if (text.cpu.as_llvm_mca)
        return fail_set(text.fail, FAIL_INPUT, "no assembly instructions found.");
    return fail_at(text.fail, text.name, 0, 0, "there are no instructions in it");
}

bool describe(source_text &text, struct arena *arena, struct backend_source *source) {
    if (!text.parse())
        return false;
    const backend_cpu &cpu = text.cpu;
    const unsigned syntax = cpu.output_syntax < 0 ? text.parser->getAssemblerDialect() : unsigned(cpu.output_syntax);
    const auto printer = make_printer(cpu, syntax);
    if (!printer)
        return fail_at(text.fail, text.name, 0, 0, "LLVM cannot print instructions of %s in syntax number %u",
                       cpu.triple.str().c_str(), syntax);
    const bool done = describe_regions(text, *printer, arena, source);
    text.cpu.names = nullptr;
    return done;
}

} // namespace

bool describe_text(struct backend_cpu *cpu, struct arena *arena, const char *name, const char *text,
                   struct backend_source *source, struct fail *fail) {
    source_text parsed(*cpu, name, text, fail);
    *source = {};
    const bool done = describe(parsed, arena, source);
    parsed.told.copy(arena, source);
    return done;
}

bool assemble_one(backend_cpu &cpu, const char *text, MCInst &inst) {
    struct fail unknown = {};
    source_text parsed(cpu, "", text, &unknown);
    if (!parsed.parse() || parsed.found.all().size() != 1 || parsed.found.all()[0].insns.size() != 1)
        return false;
    inst = parsed.found.all()[0].insns[0].inst;
    return true;
}

bool assemble_lines(backend_cpu &cpu, const char *text, struct fail *fail,
                    function_ref<void(const MCInst &inst, unsigned line)> take) {
    const bool skips = cpu.skip_parse_failures;
    cpu.skip_parse_failures = true;
    source_text parsed(cpu, "", text, fail);
    const bool is_parsed = parsed.parse();
    cpu.skip_parse_failures = skips;
    if (is_parsed)
        for (const region &part : parsed.found.all())
            for (const source_insn &insn : part.insns)
                take(insn.inst, insn.line);
    return is_parsed;
}
