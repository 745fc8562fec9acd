#include "gen/block_labels.h"

#include <string.h>

// Far above the numbers that people write.
enum { FIRST_NUMBER = 900000 };

static const char symbol_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";

static bool is_symbol_character(char c) {
    return c && strchr(symbol_characters, c);
}

// The next whole word of `rest`, of symbol characters; what lies before it is `between`.
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

static bool is_same(struct slice a, struct slice b) {
    return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

// Index of the statement that defines the name `symbol`; n_statements if there is none.
static size_t find_definition(const struct statement *statements, size_t n_statements, struct slice symbol) {
    for (size_t i = 0; i < n_statements; i++)
        if (statements[i].label.length && !statement_label_is_numeric(&statements[i]) &&
            is_same(statements[i].label, symbol))
            return i;
    return n_statements;
}

static bool is_used(const struct statement *statements, size_t n_statements, struct slice label) {
    for (size_t i = 0; i < n_statements; i++) {
        struct slice rest = statements[i].rest, between, symbol;
        while (!statement_is_directive(&statements[i]) && next_symbol(&rest, &between, &symbol))
            if (is_same(symbol, label))
                return true;
    }
    return false;
}

struct slice block_labels_numbered(struct arena *arena, const struct statement *statements, size_t n_statements,
                                   size_t index) {
    const struct statement *statement = &statements[index];
    struct text out = {.arena = arena};
    text_add(&out, "");
    if (statement->label.length && statement_label_is_numeric(statement))
        text_addf(&out, "%.*s: ", (int)statement->label.length, statement->label.data);
    else if (statement->label.length && is_used(statements, n_statements, statement->label))
        text_addf(&out, "%zu: ", FIRST_NUMBER + index);
    struct slice rest = statement->rest, between, symbol;
    while (next_symbol(&rest, &between, &symbol)) {
        size_t definition = find_definition(statements, n_statements, symbol);
        text_append(&out, between.data, between.length);
        if (definition == n_statements)
            text_append(&out, symbol.data, symbol.length);
        else
            text_addf(&out, "%zu%c", FIRST_NUMBER + definition, definition <= index ? 'b' : 'f');
    }
    text_append(&out, between.data, between.length);
    return slice_trim((struct slice){out.data, out.length});
}
