// Comments of assembly text, as GNU as and LLVM's assembler agree on them: from the ISA's mark to the end of the line,
// "//" likewise, '#' where nothing stands before it on its line, and "/* … */".
#ifndef GEN_COMMENT_H
#define GEN_COMMENT_H

#include "base/text.h"
#include "gen/isa.h"

#include <stdbool.h>
#include <stddef.h>

// A place in a text. Begin with the text at its first character, and with `line_is_empty`.
struct comment_reader {
    const struct isa *isa;
    const char *at;
    bool line_is_empty; // nothing but blanks stands before `at` on its line
};

struct comment {
    struct slice all;  // with its marks, without the newline
    struct slice text; // between the marks, or behind the mark
};

// Finds the next comment, and goes behind it. Strings hold no comments. Returns false at the end of the text.
bool comment_next(struct comment_reader *reader, struct comment *comment);

#endif
