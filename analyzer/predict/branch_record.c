// Writes the trace of a run.
#include "analyzer/predict/branch_trace.h"

#include "base/text.h"

#include <string.h>

struct writer {
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

// The label by which control came to an instruction: the branch's own where it has several; null: it has none.
static const struct block_label *label_of(const struct block *block, unsigned insn, const char *preferred) {
    const struct block_label *first = NULL;
    for (unsigned i = 0; i < block->n_labels; i++) {
        const struct block_label *label = &block->labels[i];
        if (label->insn != insn)
            continue;
        if (preferred != NULL && strcmp(label->name, preferred) == 0)
            return label;
        first = first != NULL ? first : label;
    }
    return first;
}

bool branch_trace_of(struct arena *arena, const struct execution *execution, const char **text, struct fail *fail) {
    static const struct insn nothing = {0}; // what is executed before the first instruction
    struct writer writer = {.text = {.arena = arena}};
    unsigned before_at = 0, n = execution_length(execution);
    for (unsigned i = 0; i < n; i++) {
        unsigned at = execution_step_at(execution, i).insn;
        const struct insn *insn = execution_insn(execution, i),
                          *before = i > 0 ? execution_insn(execution, i - 1) : &nothing;
        const struct block_label *label = label_of(execution->block, at, before->target);
        bool is_behind = i > 0 && at == before_at + 1, is_entry = i == 0 && at == 0;
        if (label == NULL && !is_behind && !is_entry && !before->is_return)
            return fail_set(fail, FAIL_WORK, "control comes to line %u, '%s', which has no label; give it one",
                            insn->line, text_without_tabs(arena, insn->text));
        if (before->is_conditional && is_behind)
            add_word(&writer, "FALLTHROUGH");
        if (label != NULL || is_entry)
            add_word(&writer, label != NULL ? label->name : "ENTRY");
        before_at = at;
    }
    flush(&writer);
    text_add(&writer.text, ")");
    *text = writer.text.data;
    return true;
}
