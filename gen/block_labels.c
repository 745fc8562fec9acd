#include "gen/block_labels.h"

#include "gen/block.h"
#include "gen/registers.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const char symbol_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";

static bool is_symbol_character(char c) {
    return c && strchr(symbol_characters, c);
}

// Takes the next word of symbol characters off `rest`; `between` is the text before it.
static bool next_symbol(struct slice *rest, struct slice *between, struct slice *symbol) {
    size_t start = 0;
    while (start < rest->length && !is_symbol_character(rest->data[start]))
        start++;
    size_t end = start;
    while (end < rest->length && is_symbol_character(rest->data[end]))
        end++;
    *between = (struct slice){rest->data, start};
    *symbol = (struct slice){rest->data + start, end - start};
    *rest = (struct slice){rest->data + end, rest->length - end};
    return end > start;
}

// Returns the label of that name; null: there is none.
static struct block_label *find(const struct block_labels *labels, struct slice symbol) {
    for (size_t i = 0; i < labels->n_labels; i++)
        if (slice_equals(labels->labels[i].name, symbol))
            return &labels->labels[i];
    return NULL;
}

static void note_uses(struct block_labels *labels, const struct statement *statement) {
    struct slice rest = statement->rest, between, symbol;
    while (!statement_is_directive(statement) && next_symbol(&rest, &between, &symbol)) {
        struct block_label *label = find(labels, symbol);
        if (label)
            label->is_used = true;
    }
}

struct block_labels block_labels_find(struct arena *arena, const struct isa *isa, const struct statement *statements,
                                      size_t n_statements) {
    struct block_labels labels = {.isa = isa};
    for (size_t i = 0; i < n_statements; i++) {
        if (statements[i].label.length == 0 || statement_label_is_numeric(&statements[i]))
            continue;
        if (!labels.repeated && find(&labels, statements[i].label))
            labels.repeated = &statements[i];
        *ARENA_ADD(arena, labels.labels, labels.n_labels) =
            (struct block_label){.name = statements[i].label, .statement = i};
    }
    for (size_t i = 0; labels.n_labels && i < n_statements; i++)
        note_uses(&labels, &statements[i]);
    return labels;
}

// Whether a word of an operand is of the syntax: a register, a number, or a size in Intel's.
static bool is_of_syntax(const struct isa *isa, struct slice word) {
    static const char *const words[] = {"ptr",     "byte",    "word",    "dword", "fword",  "qword", "tbyte", "oword",
                                        "xmmword", "ymmword", "zmmword", "rip",   "offset", "st",    "z"};
    struct register_name found;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == word.length && strncasecmp(words[i], word.data, word.length) == 0)
            return true;
    return word.length == 0 || slice_is(word, ".") || isdigit((unsigned char)*word.data) ||
           register_find(isa, word, &found);
}

// Whether a statement may hold addresses: an instruction, or a directive for such data.
static bool may_refer(const struct statement *statement) {
    static const char *const directives[] = {".long", ".quad", ".4byte", ".8byte", ".int"};
    struct slice word = statement_word(statement);
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (slice_is(word, directives[i]))
            return true;
    return statement_is_instruction(statement);
}

bool block_names_others(struct arena *arena, const struct isa *isa, const char *text) {
    const struct statement *statements;
    size_t n = statement_split(arena, isa, text, &statements);
    const struct block_labels labels = block_labels_find(arena, isa, statements, n);
    for (size_t i = 0; i < n; i++) {
        struct slice rest = statements[i].rest, between, word;
        bool is_first = true;
        for (; may_refer(&statements[i]) && next_symbol(&rest, &between, &word); is_first = false) {
            bool is_constant = word.length && *word.data == '$';
            word = (struct slice){word.data + is_constant, word.length - is_constant};
            if (!is_first && !is_of_syntax(isa, word) && !find(&labels, word))
                return true;
        }
    }
    return false;
}

void block_labels_keep_before(struct arena *arena, const struct isa *isa, const char *text, size_t begin, char *part) {
    const struct statement *statements;
    size_t n = statement_split(arena, isa, arena_copy(arena, text, begin), &statements);
    while (n-- > 0 && !statement_is_instruction(&statements[n]))
        if (!statements[n].rest.length)
            memcpy(part + statements[n].offset, text + statements[n].offset, statements[n].text.length);
}

// Whether the word is where a branch goes, and a name that nothing defines here.
static bool is_exit(const struct block_labels *labels, const struct statement *statement, struct slice symbol,
                    struct slice rest) {
    struct register_name found;
    return labels->isa->is_jump && labels->isa->is_jump(statement_word(statement)) && slice_trim(rest).length == 0 &&
           symbol.data > statement->rest.data && !isdigit((unsigned char)*symbol.data) &&
           (symbol.data[-1] == ' ' || symbol.data[-1] == '\t' || symbol.data[-1] == ',') &&
           !register_find(labels->isa, symbol, &found);
}

struct slice block_labels_numbered(struct arena *arena, struct block_labels *labels, const struct statement *statement,
                                   size_t index) {
    struct text out = {.arena = arena};
    text_add(&out, "");
    const struct block_label *own = find(labels, statement->label);
    if (own && own->is_used)
        text_addf(&out, "%zu: ", BLOCK_FIRST_LABEL + own->statement);
    else if (!own && statement->label.length)
        text_addf(&out, "%.*s: ", (int)statement->label.length, statement->label.data);
    struct slice rest = statement->rest, between, symbol;
    while (next_symbol(&rest, &between, &symbol)) {
        const struct block_label *label = find(labels, symbol);
        text_append(&out, between.data, between.length);
        bool leaves = !label && is_exit(labels, statement, symbol, rest);
        labels->has_exits |= leaves;
        if (label)
            text_addf(&out, "%zu%c", BLOCK_FIRST_LABEL + label->statement, label->statement <= index ? 'b' : 'f');
        else if (leaves)
            text_add(&out, BLOCK_END_LABEL "f");
        else
            text_append(&out, symbol.data, symbol.length);
    }
    text_append(&out, between.data, between.length);
    return slice_trim((struct slice){out.data, out.length});
}
