// Private to this folder.
// Which instructions of an assembly text belong to which block: its comments go to analyzer/code/markers.h.
// Targets may know further comments (instruments: RISC-V's LLVM-MCA-RISCV-LMUL), which hold until the next of their
// kind.
#ifndef ANALYZER_LLVM_REGIONS_H
#define ANALYZER_LLVM_REGIONS_H

#include "analyzer/llvm/module.h"
#include "analyzer/llvm/versions.h"

extern "C" {
#include "analyzer/code/markers.h"
}

#include "llvm/MC/MCInst.h"
#include "llvm/Support/SourceMgr.h"

#include <vector>

// A stretch of the text, ends included; an invalid location stands for the text's own end.
struct span {
    std::string name;
    llvm::SMLoc begin, end;
    bool open = true;

    bool covers(llvm::SMLoc place) const;
};

struct source_insn {
    llvm::MCInst inst;
    llvm::SMLoc place;     // in the text; for an instruction out of a macro, behind what was read last
    unsigned line, column; // 0: out of a macro
};

struct source_label {
    std::string name;
    size_t insn; // index in the region's instructions of the one behind it
};

struct region : span {
    std::vector<source_insn> insns;
    std::vector<source_label> labels;
};

struct instrument_span : span {
    unique_instrument instrument;
};

// Follows the parser through the text.
class regions : public llvm::AsmCommentConsumer {
  public:
    regions(llvm::SourceMgr &source_manager, llvm::mca::InstrumentManager &instrument_manager);
    ~regions();
    regions(const regions &) = delete;
    regions &operator=(const regions &) = delete;

    void HandleComment(llvm::SMLoc place, llvm::StringRef comment) override;
    void add(const llvm::MCInst &inst);
    void add_label(llvm::StringRef name, llvm::SMLoc place);

    const std::vector<region> &all() const {
        return blocks;
    }
    // What comments about blocks got wrong was told to the source manager.
    bool has_errors() const {
        return has_region_errors;
    }
    // Tells it also what those about instruments got wrong; llvm-mca comes to these only where nothing else is wrong.
    bool tell_instrument_errors();
    instrument_list active_instruments(llvm::SMLoc place) const;

  private:
    llvm::SourceMgr &sources;
    llvm::mca::InstrumentManager &manager;
    std::vector<region> blocks;
    std::vector<size_t> live; // blocks, in order, that the next instruction may belong to
    struct arena arena = {};
    struct markers state; // whose regions are the blocks
    std::vector<instrument_span> instruments;
    llvm::SMLoc last_place; // farthest in the text
    bool has_region_errors = false;
    std::vector<std::pair<llvm::SMLoc, std::string>> instrument_errors;

    bool in_text(llvm::SMLoc place) const;
    size_t offset(llvm::SMLoc place) const;
    void pass(llvm::SMLoc place);
    void refuse(llvm::SMLoc place, const struct marker_mistake &mistake);
    void instrument_error(llvm::SMLoc place, const llvm::Twine &message);
    void begin(llvm::StringRef name, llvm::SMLoc place);
    void end(llvm::StringRef name, llvm::SMLoc place);
    void read_instrument(llvm::StringRef kind, llvm::StringRef data, llvm::SMLoc place);
    void start_instrument(unique_instrument instrument, llvm::StringRef kind, llvm::SMLoc place);
};

#endif
