// Assembly text into blocks.
#include "analyzer/llvm/regions.h"

#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MCA/CodeEmitter.h"
#include "llvm/Support/FormattedStream.h"
#include "llvm/Support/MemoryBuffer.h"

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
    bool emitSymbolAttribute(MCSymbol *, MCSymbolAttr) override {
        return true;
    }
    void emitCommonSymbol(MCSymbol *, uint64_t, Align) override {
    }
    void emitZerofill(MCSection *, MCSymbol *, uint64_t, Align, SMLoc) override {
    }
};

// Where LLVM's complaints go instead of stderr. Only errors are kept, and of them the first.
void keep_error(const SMDiagnostic &found, struct fail *fail) {
    if (found.getKind() != SourceMgr::DK_Error)
        return;
    const unsigned line = found.getLineNo() > 0 ? unsigned(found.getLineNo()) : 0;
    const unsigned column = line && found.getColumnNo() >= 0 ? unsigned(found.getColumnNo()) + 1 : 0;
    fail_at(fail, found.getFilename().str().c_str(), line, column, "%s", found.getMessage().str().c_str());
}

// A text and all that must live as long as its instructions, which point to its symbols.
struct source_text {
    backend_cpu &cpu;
    const char *name;
    struct fail *fail;
    SourceMgr sources;
    regions found;
    MCContext context;
    std::unique_ptr<MCObjectFileInfo> object_file;
    collector streamer;
    std::unique_ptr<MCAsmParser> parser;
    std::unique_ptr<MCTargetAsmParser> target_parser;

    source_text(backend_cpu &open, const char *text_name, const char *text, struct fail *f)
        : cpu(open), name(text_name), fail(f), found(sources, *open.instruments),
          context(open.triple, open.asm_info.get(), open.registers.get(), open.subtarget.get(), &sources,
                  &open.target_options),
          streamer(context, found) {
        sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(text, name), SMLoc());
        sources.setDiagHandler(
            [](const SMDiagnostic &error, void *to) { keep_error(error, static_cast<struct fail *>(to)); }, fail);
        context.setDiagnosticHandler([f](const SMDiagnostic &error, bool, const SourceMgr &,
                                         std::vector<const MDNode *> &) { keep_error(error, f); });
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
    if (parser->Run(false) && fail->status == FAIL_NONE)
        fail_at(fail, name, 0, 0, "LLVM's assembler rejects this text without saying why");
    streamer.setTargetStreamer(nullptr); // it refers to `nowhere` and `printer`
    return fail->status == FAIL_NONE;
}

// Bytes as llvm-mca's -show-encoding gives them: not linked, jumps in the form the assembler begins with.
void encode(const MCCodeEmitter &emitter, const source_text &text, struct arena *arena, const MCInst &inst,
            struct insn *insn) {
    mca::CodeEmitter encoder(*text.cpu.subtarget, *text.cpu.asm_backend, emitter, inst);
    const StringRef bytes = encoder.getEncoding(0);
    insn->n_bytes = unsigned(bytes.size());
    insn->bytes = bytes.empty() ? nullptr : reinterpret_cast<uint8_t *>(arena_copy(arena, bytes.data(), bytes.size()));
}

bool describe_region(source_text &text, const region &from, MCInstPrinter &printer, struct arena *arena,
                     struct block *block) {
    const std::unique_ptr<MCCodeEmitter> emitter(text.cpu.target->createMCCodeEmitter(*text.cpu.opcodes, text.context));
    struct insn *insns = ARENA_ARRAY(arena, struct insn, from.insns.size());
    begin_block(text.cpu);
    for (size_t i = 0; i < from.insns.size(); i++) {
        const source_insn &source = from.insns[i];
        insns[i].line = source.line;
        print_insn(text.cpu, arena, printer, source.inst, &insns[i]);
        std::string why;
        if (!describe_insn(text.cpu, arena, source.inst, text.found.active_instruments(source.place), &insns[i], why))
            return fail_at(text.fail, text.name, source.line, source.column, "%s", why.c_str());
        if (emitter)
            encode(*emitter, text, arena, source.inst, &insns[i]);
    }
    *block = {arena_strdup(arena, from.name.c_str()), insns, unsigned(from.insns.size()),
              from.begin.isValid() || from.end.isValid()};
    return true;
}

} // namespace

bool describe_text(struct backend_cpu *cpu, struct arena *arena, const char *name, const char *text,
                   struct backend_source *source, struct fail *fail) {
    source_text parsed(*cpu, name, text, fail);
    if (!parsed.parse())
        return false;
    const unsigned syntax =
        cpu->output_syntax < 0 ? parsed.parser->getAssemblerDialect() : unsigned(cpu->output_syntax);
    const auto printer = make_printer(*cpu, syntax);
    if (!printer)
        return fail_at(fail, name, 0, 0, "LLVM cannot print instructions of %s in syntax number %u",
                       cpu->triple.str().c_str(), syntax);

    const std::vector<region> &all = parsed.found.all();
    struct block *blocks = ARENA_ARRAY(arena, struct block, all.size());
    size_t n_blocks = 0;
    for (const region &from : all) {
        if (from.insns.empty())
            continue;
        if (!describe_region(parsed, from, *printer, arena, &blocks[n_blocks++]))
            return false;
    }
    if (!n_blocks)
        return fail_at(fail, name, 0, 0, "there are no instructions in it");
    *source = {blocks, n_blocks};
    return true;
}
