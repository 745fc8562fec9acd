// Writes the trace of a run.
#include "analyzer/flow/branch_trace.h"

#include "base/text.h"

#include <string.h>

struct writer {
    const struct block *block;
    struct text text;
    const char *word; // the last one, not written yet; null: none
    uint64_t count;   // of it
};

static void flush(struct writer *writer) {
    if (writer->word == NULL)
        return;
    text_add(&writer->text, writer->text.length > 0 ? ", " : "(");
    text_add(&writer->text, writer->word);
    if (writer->count > 1)
        text_addf(&writer->text, " * %llu", (unsigned long long)writer->count);
}

static void add_word(struct writer *writer, const char *word) {
    if (writer->word != NULL && strcmp(writer->word, word) == 0) {
        writer->count++;
        return;
    }
    flush(writer);
    writer->word = word;
    writer->count = 1;
}

// The name by which control came to an instruction: the branch's own where it has several; null: it has none.
static const char *name_of(const struct block *block, unsigned insn, const char *preferred) {
    const char *name = NULL;
    for (unsigned i = 0; i < block->n_labels; i++) {
        if (block->labels[i].insn != insn)
            continue;
        if (preferred != NULL && strcmp(block->labels[i].name, preferred) == 0)
            return preferred;
        name = name != NULL ? name : block->labels[i].name;
    }
    return name;
}

bool branch_trace_of_run(struct arena *arena, const struct block *block, const unsigned *order, size_t n,
                         const char **text, struct fail *fail) {
    struct writer writer = {.block = block, .text = {.arena = arena}};
    for (size_t i = 0; i < n; i++) {
        const struct insn *before = i > 0 ? &block->insns[order[i - 1]] : NULL;
        const char *name = name_of(block, order[i], before != NULL ? before->target : NULL);
        bool is_behind = i > 0 && order[i] == order[i - 1] + 1, is_entry = i == 0 && order[i] == 0;
        bool is_return = before != NULL && before->is_return;
        if (name == NULL && !is_behind && !is_entry && !is_return)
            return fail_set(fail, FAIL_WORK, "control comes to line %u, '%s', which has no label; give it one",
                            block->insns[order[i]].line, block->insns[order[i]].text);
        if (before != NULL && before->is_conditional && is_behind)
            add_word(&writer, "FALLTHROUGH");
        if (name != NULL || is_entry)
            add_word(&writer, name != NULL ? name : "ENTRY");
    }
    flush(&writer);
    text_add(&writer.text, ")");
    *text = writer.text.data;
    return true;
}
