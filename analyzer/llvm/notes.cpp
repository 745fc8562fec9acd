#include "analyzer/llvm/notes.h"

using namespace llvm;

static enum backend_severity severity_of(SourceMgr::DiagKind kind) {
    return kind == SourceMgr::DK_Error ? BACKEND_ERROR : kind == SourceMgr::DK_Warning ? BACKEND_WARNING : BACKEND_NOTE;
}

// What LLVM prints below a message: the line, and a caret. "" where LLVM prints no line, or one that would
// fill the screen.
static std::string line_and_caret(const SMDiagnostic &found) {
    constexpr size_t longest_line = 500;
    std::string whole;
    raw_string_ostream stream(whole);
    found.print(nullptr, stream, false);
    const std::string message = found.getMessage().str();
    const size_t at = stream.str().find(message + "\n");
    if (at == std::string::npos || found.getLineContents().size() > longest_line)
        return "";
    return "\n" + StringRef(whole).substr(at + message.size() + 1).rtrim('\n').str();
}

void notes::add(const SMDiagnostic &found) {
    const unsigned line = found.getLineNo() > 0 ? unsigned(found.getLineNo()) : 0;
    const unsigned column = line && found.getColumnNo() >= 0 ? unsigned(found.getColumnNo()) + 1 : 0;
    all.push_back({severity_of(found.getKind()), current_block, found.getFilename().str(), line, column,
                   found.getMessage().str() + (with_lines && line ? line_and_caret(found) : "")});
}

void notes::add(enum backend_severity severity, const std::string &text, unsigned line, unsigned column) {
    all.push_back({severity, current_block, "", line, column, text});
}

void notes::begin_block(size_t block) {
    current_block = block;
}

void notes::fail(const char *name, struct fail *fail) {
    for (auto error = all.begin(); error != all.end(); ++error) {
        if (error->severity != BACKEND_ERROR)
            continue;
        if (error->file.empty() && !error->line)
            fail_set(fail, FAIL_INPUT, "%s", error->text.c_str());
        else
            fail_at(fail, error->file.empty() ? name : error->file.c_str(), error->line, error->column, "%s",
                    error->text.c_str());
        all.erase(error);
        return;
    }
    fail_at(fail, name, 0, 0, "LLVM's assembler rejects this text without saying why");
}

void notes::copy(struct arena *arena, struct backend_source *source) const {
    struct backend_note *to = ARENA_ARRAY(arena, struct backend_note, all.size());
    source->notes = to;
    source->n_notes = all.size();
    for (const note &from : all) {
        const char *text = from.file.empty() ? arena_strdup(arena, from.text.c_str())
                                             : arena_printf(arena, "%s:%u:%u: %s", from.file.c_str(), from.line,
                                                            from.column, from.text.c_str());
        *to++ = {from.severity, from.block, text};
    }
}
