#include "upstream/td_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct slice td_slice(const struct td_text *text, struct td_span span) {
    return (struct slice){text->data + span.at, span.end - span.at};
}

bool td_is(const struct td_text *text, struct td_span span, const char *string) {
    return slice_is(td_slice(text, span), string);
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static bool has_at(const struct td_text *text, size_t at, const char *word) {
    size_t length = strlen(word);
    return at + length <= text->length && memcmp(text->data + at, word, length) == 0;
}

// ---- pieces

// Behind the comment at this place; the place itself where there is none.
static size_t skip_comment(const struct td_text *text, size_t at) {
    const char *end;
    if (has_at(text, at, "//")) {
        end = memchr(text->data + at, '\n', text->length - at);
        return end ? (size_t)(end - text->data) : text->length;
    }
    if (has_at(text, at, "/*")) {
        end = memmem(text->data + at + 2, text->length - at - 2, "*/", 2);
        return end ? (size_t)(end - text->data) + 2 : text->length;
    }
    return at;
}

size_t td_skip_blank(const struct td_text *text, size_t at) {
    while (at < text->length) {
        size_t next = isspace((unsigned char)text->data[at]) ? at + 1 : skip_comment(text, at);
        if (next == at)
            break;
        at = next;
    }
    return at;
}

// Behind one piece: a word, a string, a bracket with all that is in it, or a single sign.
static size_t skip_piece(const struct td_text *text, size_t at) {
    static const char opening[] = "([{<";
    char c = text->data[at];
    if (is_word(c)) {
        while (at < text->length && is_word(text->data[at]))
            at++;
        return at;
    }
    if (c == '"') {
        for (at++; at < text->length && text->data[at] != '"'; at++)
            at += text->data[at] == '\\';
        return at < text->length ? at + 1 : text->length;
    }
    if (has_at(text, at, "[{")) { // code
        const char *end = memmem(text->data + at, text->length - at, "}]", 2);
        return end ? (size_t)(end - text->data) + 2 : text->length;
    }
    if (!strchr(opening, c) || c == '\0')
        return at + 1;
    // Brackets do not cross in a file that llvm-tblgen accepts: so a count of all kinds suffices.
    size_t depth = 1;
    for (at = td_skip_blank(text, at + 1); at < text->length && depth; at = td_skip_blank(text, at)) {
        c = text->data[at];
        if (strchr(")]}>", c) && c != '\0') {
            depth--;
            at++;
        } else if (strchr(opening, c) && c != '\0' && !has_at(text, at, "[{")) {
            depth++;
            at++;
        } else {
            at = skip_piece(text, at); // a word, a string or code: no bracket
        }
        if (!depth)
            return at;
    }
    return text->length;
}

// Elements between commas of [at, end), without blanks and comments around them.
static size_t split(const struct td_text *text, size_t at, size_t end, struct td_span *spans, size_t room) {
    size_t n = 0;
    at = td_skip_blank(text, at);
    while (at < end) {
        struct td_span span = {at, at};
        while (at < end && text->data[at] != ',') {
            span.end = at = skip_piece(text, at);
            at = td_skip_blank(text, at);
        }
        if (n < room)
            spans[n] = span;
        n++;
        at = at < end ? td_skip_blank(text, at + 1) : at;
    }
    return n;
}

struct td_span *td_elements(const struct td_text *text, struct td_span list, size_t *n) {
    size_t first = list.at + 1, last = list.end - 1;
    if (text->data[list.at] == '(') // its operator
        first = skip_piece(text, td_skip_blank(text, first));
    *n = split(text, first, last, NULL, 0);
    struct td_span *spans = ARENA_ARRAY(text->arena, struct td_span, *n + 1);
    split(text, first, last, spans, *n);
    return spans;
}

// ---- statements

size_t td_line_start(const struct td_text *text, unsigned line) {
    size_t at = 0;
    for (unsigned i = 1; i < line && at < text->length; i++) {
        const char *end = memchr(text->data + at, '\n', text->length - at);
        at = end ? (size_t)(end - text->data) + 1 : text->length;
    }
    return at;
}

static struct td_span next_word(const struct td_text *text, size_t at) {
    at = td_skip_blank(text, at);
    struct td_span word = {at, at};
    while (word.end < text->length && is_word(text->data[word.end]))
        word.end++;
    return word;
}

bool td_find_statement(const struct td_text *text, unsigned line, struct td_statement *statement) {
    *statement = (struct td_statement){0};
    struct td_span word = next_word(text, td_line_start(text, line));
    if (!td_is(text, word, "def") && !td_is(text, word, "defm"))
        return false;
    statement->is_defm = td_is(text, word, "defm");
    statement->all.at = word.at;
    size_t at = td_skip_blank(text, word.end);
    for (statement->name = (struct td_span){at, at}; at < text->length && !strchr(":;{", text->data[at]);
         at = td_skip_blank(text, statement->name.end))
        statement->name.end = skip_piece(text, at);
    if (at >= text->length || text->data[at] != ':')
        return false;
    statement->class_name = next_word(text, at + 1);
    at = td_skip_blank(text, statement->class_name.end);
    if (at >= text->length || text->data[at] != '<')
        return false;
    size_t end = skip_piece(text, at);
    statement->arguments_end = end - 1;
    size_t n = split(text, at + 1, end - 1, statement->arguments, TD_MOST_ARGUMENTS);
    if (n > TD_MOST_ARGUMENTS)
        return false;
    statement->n_arguments = (unsigned)n;
    at = td_skip_blank(text, end);
    if (at < text->length && text->data[at] == '{') {
        statement->all.end = skip_piece(text, at);
        statement->body = (struct td_span){at + 1, statement->all.end - 1};
        return true;
    }
    statement->all.end = at + 1;
    return at < text->length && text->data[at] == ';'; // a comma: more classes
}

bool td_find_behind(const struct td_text *text, size_t place, size_t *behind) {
    bool is_inside = false;
    size_t start = td_skip_blank(text, 0); // of the statement
    for (size_t at = start, end; at < text->length && start <= place; at = td_skip_blank(text, end)) {
        const bool is_body = text->data[at] == '{';
        end = skip_piece(text, at);
        if (is_body && !is_inside && place < end) {
            is_inside = has_at(text, start, "let SchedModel");
            if (!is_inside)
                return false;
            end = at + 1;
        }
        if (!is_body && text->data[at] != ';')
            continue;
        if (end > place) {
            const char *line = memchr(text->data + end, '\n', text->length - end);
            *behind = line ? (size_t)(line - text->data) + 1 : text->length;
            return is_inside && !has_at(text, start, "multiclass");
        }
        start = td_skip_blank(text, end);
    }
    return false;
}

bool td_find_value(const struct td_text *text, unsigned line, const char *name, struct td_span *value) {
    const size_t end = td_line_start(text, line + 1);
    for (size_t at = td_skip_blank(text, td_line_start(text, line)); at < end;
         at = td_skip_blank(text, is_word(text->data[at]) ? skip_piece(text, at) : at + 1)) {
        const struct td_span word = next_word(text, at);
        size_t next = td_skip_blank(text, word.end);
        if (!td_is(text, word, name) || next >= text->length || text->data[next] != '=')
            continue;
        next = td_skip_blank(text, next + 1);
        for (*value = (struct td_span){next, next};
             next < text->length && !strchr(",;{", text->data[next]) && !td_is(text, next_word(text, next), "in");
             next = td_skip_blank(text, value->end))
            value->end = skip_piece(text, next);
        return value->end > value->at;
    }
    return false;
}

bool td_find_let(const struct td_text *text, struct td_span body, const char *name, struct td_span *value) {
    for (size_t at = td_skip_blank(text, body.at); at < body.end; at = td_skip_blank(text, skip_piece(text, at))) {
        struct td_span word = next_word(text, at);
        if (!td_is(text, word, "let"))
            continue;
        word = next_word(text, word.end);
        size_t equals = td_skip_blank(text, word.end);
        if (!td_is(text, word, name) || equals >= body.end || text->data[equals] != '=')
            continue;
        size_t end = at = td_skip_blank(text, equals + 1);
        *value = (struct td_span){at, at};
        while (end < body.end && text->data[end] != ';') {
            value->end = skip_piece(text, end);
            end = td_skip_blank(text, value->end);
        }
        return value->end > value->at;
    }
    return false;
}

static struct td_parameter read_parameter(const struct td_text *text, struct td_span span) {
    struct td_parameter parameter = {{span.at, span.at}, {span.end, span.end}, {span.end, span.end}};
    for (size_t at = span.at; at < span.end; at = td_skip_blank(text, skip_piece(text, at))) {
        if (text->data[at] == '=') {
            size_t value = td_skip_blank(text, at + 1);
            parameter.value = (struct td_span){value, span.end};
            break;
        }
        parameter.type.end = parameter.name.at;
        parameter.name = (struct td_span){at, skip_piece(text, at)};
    }
    parameter.type.end = parameter.name.at;
    return parameter;
}

unsigned td_find_multiclass(const struct td_text *text, struct slice name, struct td_parameter *parameters) {
    struct td_span spans[TD_MOST_ARGUMENTS];
    for (size_t at = td_skip_blank(text, 0); at < text->length; at = td_skip_blank(text, at)) {
        struct td_span word = next_word(text, at);
        if (!td_is(text, word, "multiclass")) {
            // Statements in braces, as of `let ... in {`, are looked into.
            at = text->data[at] == '{' || text->data[at] == '}' ? at + 1 : skip_piece(text, at);
            continue;
        }
        struct td_span found = next_word(text, word.end);
        at = td_skip_blank(text, found.end);
        if (found.end - found.at != name.length || memcmp(text->data + found.at, name.data, name.length) != 0)
            continue;
        if (at >= text->length || text->data[at] != '<')
            return 0;
        size_t n = split(text, at + 1, skip_piece(text, at) - 1, spans, TD_MOST_ARGUMENTS);
        if (n > TD_MOST_ARGUMENTS)
            return 0;
        for (size_t i = 0; i < n; i++)
            parameters[i] = read_parameter(text, spans[i]);
        return (unsigned)n;
    }
    return 0;
}

// ---- edits

void td_replace(struct td_text *text, struct td_span span, const char *by) {
    *ARENA_ADD(text->arena, text->edits, text->n_edits) = (struct td_edit){span.at, span.end - span.at, by};
}

static int compare_edits(const void *a, const void *b) {
    const struct td_edit *one = a, *other = b;
    if (one->at != other->at)
        return one->at < other->at ? -1 : 1;
    return one->length < other->length ? -1 : one->length > other->length;
}

static void sort_edits(struct td_text *text) {
    if (text->n_edits)
        qsort(text->edits, text->n_edits, sizeof *text->edits, compare_edits);
    size_t n = 0, end = 0;
    for (size_t i = 0; i < text->n_edits; i++) {
        if (text->edits[i].at < end)
            continue;
        end = text->edits[i].at + text->edits[i].length;
        text->edits[n++] = text->edits[i];
    }
    text->n_edits = n;
}

// The new text of [at, end), whose bounds no edit crosses.
static void add_edited(const struct td_text *text, size_t at, size_t end, struct text *out) {
    for (size_t i = 0; i < text->n_edits; i++) {
        const struct td_edit *edit = &text->edits[i];
        if (edit->at < at || edit->at + edit->length > end)
            continue;
        text_append(out, text->data + at, edit->at - at);
        text_add(out, edit->text);
        at = edit->at + edit->length;
    }
    text_append(out, text->data + at, end - at);
}

const char *td_edited(struct td_text *text) {
    struct text out = {.arena = text->arena};
    sort_edits(text);
    text_add(&out, "");
    add_edited(text, 0, text->length, &out);
    return out.data;
}

static unsigned count_lines(const char *data, size_t length) {
    unsigned n = 0;
    for (size_t i = 0; i < length; i++)
        n += data[i] == '\n';
    return n;
}

unsigned td_old_line(const struct td_text *text, unsigned line, const struct td_edit **by) {
    unsigned old = 1, new = 1; // at the end of what was looked at
    size_t at = 0;
    *by = NULL;
    for (size_t i = 0; i < text->n_edits; i++) {
        const struct td_edit *edit = &text->edits[i];
        const unsigned between = count_lines(text->data + at, edit->at - at),
                       added = count_lines(edit->text, strlen(edit->text));
        if (line < new + between)
            break;
        if (line <= new + between + added) {
            *by = edit;
            return old + between;
        }
        at = edit->at + edit->length;
        old += between + count_lines(text->data + edit->at, edit->length);
        new += between + added;
    }
    return line - new + old;
}

// Lines [first, end) of the old text, and what is there now.
struct change {
    size_t first, end;
    struct slice *lines;
    size_t n_lines;
};

struct lines {
    size_t *starts; // of each line, and of the end
    size_t n;
};

static struct lines find_lines(const struct td_text *text) {
    struct lines lines = {0};
    for (size_t at = 0; at < text->length;) {
        *ARENA_ADD(text->arena, lines.starts, lines.n) = at;
        const char *end = memchr(text->data + at, '\n', text->length - at);
        at = end ? (size_t)(end - text->data) + 1 : text->length;
    }
    size_t n = lines.n;
    *ARENA_ADD(text->arena, lines.starts, n) = text->length;
    return lines;
}

static size_t line_of(const struct lines *lines, size_t at) {
    size_t low = 0, high = lines->n;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (lines->starts[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool is_same_line(const struct td_text *text, const struct lines *lines, size_t line, struct slice other) {
    size_t length = lines->starts[line + 1] - lines->starts[line];
    return length == other.length && memcmp(text->data + lines->starts[line], other.data, length) == 0;
}

// Takes off lines that are the same at both ends.
static void trim_change(const struct td_text *text, const struct lines *lines, struct change *change) {
    while (change->first < change->end && change->n_lines &&
           is_same_line(text, lines, change->first, change->lines[0])) {
        change->first++;
        change->lines++;
        change->n_lines--;
    }
    while (change->first < change->end && change->n_lines &&
           is_same_line(text, lines, change->end - 1, change->lines[change->n_lines - 1])) {
        change->end--;
        change->n_lines--;
    }
}

static struct change *find_changes(struct td_text *text, const struct lines *lines, size_t *n) {
    struct change *changes = NULL;
    *n = 0;
    for (size_t i = 0, next; i < text->n_edits; i = next) {
        size_t first = line_of(lines, text->edits[i].at), last = first;
        // Also one that begins where these lines end: what is between lines belongs to both.
        for (next = i; next < text->n_edits && text->edits[next].at <= lines->starts[last + 1]; next++)
            last = line_of(lines, text->edits[next].at + text->edits[next].length);
        struct text now = {.arena = text->arena};
        text_add(&now, "");
        add_edited(text, lines->starts[first], lines->starts[last + 1], &now);
        struct change change = {.first = first, .end = last + 1};
        struct slice rest = {now.data, now.length};
        while (rest.length) {
            const char *end = memchr(rest.data, '\n', rest.length);
            size_t length = end ? (size_t)(end - rest.data) + 1 : rest.length;
            *ARENA_ADD(text->arena, change.lines, change.n_lines) = (struct slice){rest.data, length};
            rest = (struct slice){rest.data + length, rest.length - length};
        }
        trim_change(text, lines, &change);
        if (change.n_lines || change.end > change.first)
            *ARENA_ADD(text->arena, changes, *n) = change;
    }
    return changes;
}

static void add_line(struct text *out, char sign, struct slice line) {
    text_append(out, &sign, 1);
    text_append(out, line.data, line.length);
    if (line.length == 0 || line.data[line.length - 1] != '\n')
        text_add(out, "\n\\ No newline at end of file\n");
}

static void add_old(const struct td_text *text, const struct lines *lines, char sign, size_t first, size_t end,
                    struct text *out) {
    for (size_t i = first; i < end; i++)
        add_line(out, sign, (struct slice){text->data + lines->starts[i], lines->starts[i + 1] - lines->starts[i]});
}

const char *td_diff(struct td_text *text, const char *name, size_t context) {
    struct text out = {.arena = text->arena};
    struct lines lines = find_lines(text);
    size_t n;
    sort_edits(text);
    text_add(&out, "");
    const struct change *changes = find_changes(text, &lines, &n);
    if (n)
        text_addf(&out, "--- a/%s\n+++ b/%s\n", name, name);
    long shift = 0; // of new lines against old ones
    for (size_t i = 0, next; i < n; i = next) {
        size_t first = changes[i].first > context ? changes[i].first - context : 0, end = changes[i].end, at = first;
        long more = 0;
        for (next = i; next < n && changes[next].first <= end + (next > i ? 2 * context : 0); next++) {
            end = changes[next].end;
            more += (long)changes[next].n_lines - (long)(end - changes[next].first);
        }
        end = end + context < lines.n ? end + context : lines.n;
        text_addf(&out, "@@ -%zu,%zu +%zu,%zu @@\n", first + 1, end - first, (size_t)((long)first + 1 + shift),
                  (size_t)((long)(end - first) + more));
        for (size_t k = i; k < next; k++) {
            add_old(text, &lines, ' ', at, changes[k].first, &out);
            add_old(text, &lines, '-', changes[k].first, changes[k].end, &out);
            for (size_t l = 0; l < changes[k].n_lines; l++)
                add_line(&out, '+', changes[k].lines[l]);
            at = changes[k].end;
        }
        add_old(text, &lines, ' ', at, end, &out);
        shift += more;
    }
    return out.data;
}
