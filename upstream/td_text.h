// Private to this folder.
// The text of a .td file: statements, their arguments and bodies, and edits that leave the rest as it is.
// It knows TableGen's brackets, strings and comments, and not what a statement means.
#ifndef UPSTREAM_TD_TEXT_H
#define UPSTREAM_TD_TEXT_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

struct td_edit {
    size_t at, length; // bytes of the old text that it replaces
    const char *text;
};

struct td_text {
    struct arena *arena;
    const char *data;
    size_t length;
    struct td_edit *edits;
    size_t n_edits;
};

// Bytes [at, end) of the text.
struct td_span {
    size_t at, end;
};

enum { TD_MOST_ARGUMENTS = 16 };

// "def NAME : CLASS<ARGUMENTS> { BODY }" or "defm : CLASS<ARGUMENTS>;"
struct td_statement {
    struct td_span all; // from `def` to the semicolon or brace
    bool is_defm;
    struct td_span name, class_name;             // name: may be empty, or an expression
    struct td_span arguments[TD_MOST_ARGUMENTS]; // without comments around them
    unsigned n_arguments;
    size_t arguments_end; // where the closing '>' is
    struct td_span body;  // between the braces; empty where it ends with a semicolon
};

// A parameter of a multiclass: "list<int> Res = []".
struct td_parameter {
    struct td_span type, name, value; // value: the default; empty: none
};

struct slice td_slice(const struct td_text *text, struct td_span span);
bool td_is(const struct td_text *text, struct td_span span, const char *string);

// The statement whose `def` or `defm` is in this line, from 1. False: there is none, or it is of another kind.
bool td_find_statement(const struct td_text *text, unsigned line, struct td_statement *statement);
// The value of "NAME = VALUE" in this line, of a `let` that may begin in an earlier one; false: there is none.
bool td_find_value(const struct td_text *text, unsigned line, const char *name, struct td_span *value);
// Behind blanks and comments.
size_t td_skip_blank(const struct td_text *text, size_t at);
size_t td_line_start(const struct td_text *text, unsigned line);
// Finds the line behind the statement that a place is in: others may follow there. The statement must stand directly in
// the braces of a "let SchedModel = ... in". False: it does not, or it is a multiclass.
bool td_find_behind(const struct td_text *text, size_t place, size_t *behind);
// The value of "let NAME = VALUE;" in a body; false: it has none.
bool td_find_let(const struct td_text *text, struct td_span body, const char *name, struct td_span *value);
// The parameters of a multiclass of this file; their number, 0: it has none such.
unsigned td_find_multiclass(const struct td_text *text, struct slice name, struct td_parameter *parameters);
// Elements between brackets: of "[A, B]", or behind the operator of "(instrs A, B)". `n` is set to their number.
struct td_span *td_elements(const struct td_text *text, struct td_span list, size_t *n);

void td_replace(struct td_text *text, struct td_span span, const char *by);
// The first edit that overlaps an earlier one is dropped with all that do so.
const char *td_edited(struct td_text *text);
// Behind td_edited: the line of the old text that a line of the new one stands for, from 1. Sets the edit that made it;
// null: none did.
unsigned td_old_line(const struct td_text *text, unsigned line, const struct td_edit **by);
// Returns a unified diff of the edits; "": there are no edits. `context`: lines to show around each. `name`: path in
// its header.
const char *td_diff(struct td_text *text, const char *name, size_t context);

#endif
