// A branch trace: the way control takes through a text with branches, as P. Reames proposed it for llvm-mca (llvm-dev,
// March 2018). The simulator follows no branch by itself; a trace makes an execution, as if all loops had been unrolled
// and all calls inlined by hand. Knows nothing of time.
//
//     (ENTRY, bb1, bb1 * 98, bb1!, FALLTHROUGH)
//
// Each word names the label control comes to next; FALLTHROUGH stands for a branch that is not taken, ENTRY for the
// first instruction. A number behind `*` repeats the word; `!` says that the branch that led there was predicted
// wrongly. Parentheses and commas may be left out; `#` begins a comment.
#ifndef ANALYZER_PREDICT_BRANCH_TRACE_H
#define ANALYZER_PREDICT_BRANCH_TRACE_H

#include "analyzer/code/execution.h"
#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// More instructions than this in one run are refused: each of them costs some hundred bytes.
enum { BRANCH_TRACE_MOST_STEPS = 1000000 };

struct branch_word {
    const char *label; // null: FALLTHROUGH
    uint64_t count;    // at least 1
    bool is_mispredicted;
    unsigned line, column; // in the trace's text
};

struct branch_trace {
    const char *name; // of the file, for messages
    const struct branch_word *words;
    size_t n_words;
};

// `name` is what messages call the text.
bool branch_trace_parse(struct arena *arena, const char *name, const char *text, struct branch_trace *trace,
                        struct fail *fail);

// The instructions of `block` in the order in which the trace runs them, each as often as it runs, as one pass:
// - a conditional branch takes the next word: its target, or FALLTHROUGH, or the label behind it;
// - an indirect branch or call takes it, too: any label;
// - a direct jump or a call goes to its target, a return behind the last call, without a word of their own; calls of
//   what the text does not hold are stepped over, as is an indirect call whose word is FALLTHROUGH;
// - whoever comes to a label that is the next word, in whatever way, has taken that word.
// The run ends at the text's end, at a return without a call, at a jump out of the text, and at the first branch for
// which no word is left. Words left over then are an error, as is a word that no branch can follow.
bool branch_trace_follow(struct arena *arena, const struct branch_trace *trace, const struct block *block,
                         struct execution *execution, struct fail *fail);

// The trace of an execution. Following it gives that execution again, and goes on behind it as far as no word is
// needed. Fails where control came, other than by falling
// through or returning, to an instruction without a label.
bool branch_trace_of(struct arena *arena, const struct execution *execution, const char **text, struct fail *fail);

#endif
