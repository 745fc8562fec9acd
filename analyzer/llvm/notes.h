// Private to this folder.
// What there is to say about a text besides its blocks: LLVM's diagnostics and llvm-mca's warnings, in order.
#ifndef ANALYZER_LLVM_NOTES_H
#define ANALYZER_LLVM_NOTES_H

#include "analyzer/llvm/module.h"

#include "llvm/Support/SourceMgr.h"

#include <vector>

class notes {
  public:
    explicit notes(bool are_quoted) : with_lines(are_quoted) {
    }
    void add(const llvm::SMDiagnostic &found);
    void add(enum backend_severity severity, const std::string &text, unsigned line = 0, unsigned column = 0);
    // What is added from now on is about this block.
    void begin_block(size_t block);

    // The first error becomes the failure.
    void fail(const char *name, struct fail *fail);
    void copy(struct arena *arena, struct backend_source *source) const;

  private:
    struct note {
        enum backend_severity severity;
        size_t block;
        std::string file; // empty: there is no place
        unsigned line, column;
        std::string text;
    };
    std::vector<note> all;
    const bool with_lines; // LLVM's diagnostics are followed by the line of source, and a mark below their place
    size_t current_block = 0;
};

#endif
