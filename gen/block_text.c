#include "gen/block_reader.h"
#include "gen/registers.h"

#include <string.h>
#include <strings.h>

static bool fail_statement(struct block_reader *reader, const struct statement *statement, const char *message) {
    return fail_at(reader->fail, reader->name, statement->line, statement->column, "%s", message);
}

// Returns the text of the region. The rest becomes empty lines, so that line numbers stay. Only the labels directly
// before the region stay: they name its first instruction.
static const char *take_region(struct arena *arena, const struct block_source *source) {
    char *copy = arena_strdup(arena, source->text);
    for (size_t i = 0; source->region_end && copy[i]; i++)
        if ((i < source->region_begin || i >= source->region_end) && copy[i] != '\n')
            copy[i] = ' ';
    if (source->region_end)
        block_labels_keep_before(arena, source->isa, source->text, source->region_begin, copy);
    return copy;
}

// Guesses the syntax: AT&T syntax marks registers with '%'.
static const char *guess_syntax(const struct block_reader *reader) {
    if (!reader->isa->syntaxes[0])
        return "";
    for (size_t i = 0; i < reader->n_statements; i++) {
        struct slice rest = reader->statements[i].rest, word;
        struct register_name found;
        while (register_next(reader->isa, &rest, &word, &found))
            if (word.data > reader->statements[i].rest.data && word.data[-1] == '%')
                return "att";
    }
    return "intel";
}

static bool word_is(struct slice word, const char *name) {
    return word.length == strlen(name) && strncasecmp(word.data, name, word.length) == 0;
}

static bool word_is_one_of(struct slice word, const char *const *names) {
    for (; *names; names++)
        if (word_is(word, *names))
            return true;
    return false;
}

static bool word_starts(struct slice word, const char *start) {
    return word.length >= strlen(start) && strncasecmp(word.data, start, strlen(start)) == 0;
}

// Whether `statement` is a directive of the syntax, which it takes. Sets `failed` where the syntax changes after an
// instruction.
static bool take_syntax(struct block_reader *reader, const struct statement *statement, bool *failed) {
    struct slice word = statement_word(statement);
    const char *syntax = word_is(word, ".intel_syntax") ? "intel" : word_is(word, ".att_syntax") ? "att" : NULL;
    if (!syntax || !reader->isa->syntaxes[0])
        return false;
    if (reader->n_lines && strcmp(reader->syntax, syntax) != 0)
        *failed = !fail_statement(reader, statement, "the syntax changes inside the block; write all of it in one");
    reader->syntax = syntax;
    return true;
}

// Whether a compiler's directive can be left out: it does not affect the code.
static bool is_dispensable(const struct statement *statement) {
    static const char *const names[] = {".text",  ".globl", ".global", ".type", ".size",    ".file", ".ident",
                                        ".local", ".weak",  ".hidden", ".loc",  ".addrsig", NULL};
    struct slice word = statement_word(statement);
    if (word_is(word, ".section"))
        return memmem(statement->rest.data, statement->rest.length, ".text", 5) ||
               memmem(statement->rest.data, statement->rest.length, ".note.GNU-stack", 15);
    return word_is_one_of(word, names) || word_starts(word, ".cfi_");
}

static bool is_alignment(const struct statement *statement) {
    static const char *const names[] = {".p2align", ".balign", ".align", NULL};
    return word_is_one_of(statement_word(statement), names);
}

static bool check_directive(struct block_reader *reader, const struct statement *statement) {
    static const char *const other_sections[] = {".section", ".data", ".bss", ".rodata", ".comm", ".lcomm", NULL};
    static const char *const once_only[] = {".macro", ".org", NULL}, *const files[] = {".include", ".incbin", NULL};
    struct slice word = statement_word(statement);
    if (word_is_one_of(word, other_sections))
        return fail_statement(reader, statement, "a block holds code only: no other section can be measured");
    if (word_is_one_of(word, files))
        return fail_statement(reader, statement, "a block must be whole in itself: put the text here");
    if (reader->request->form == PROGRAM_UNROLLED && (word_is_one_of(word, once_only) || is_alignment(statement)))
        return fail_statement(reader, statement,
                              "this would differ from copy to copy of the body: leave it out, or measure the looped "
                              "form");
    return true;
}

static bool fail_leaving(struct block_reader *reader, const struct statement *statement, struct slice word) {
    return fail_statement(
        reader, statement,
        arena_printf(reader->arena, "'%.*s' would leave the loop: leave it out", (int)word.length, word.data));
}

// Finds one of the names in an instruction's first two words: "rep ret". False: neither is one.
static bool find_word(struct slice rest, const char *const *names, struct slice *word) {
    for (unsigned i = 0; i < 2 && slice_next(&rest, ' ', word); i++)
        if (word_is_one_of(*word, names))
            return true;
    return false;
}

// Whether it returns, where that is known to be possible: then the body will call the block.
static bool is_return(const struct isa *isa, const struct statement *statement) {
    struct slice word;
    return isa->returns && find_word(statement->rest, isa->returns, &word);
}

static bool check_instruction(struct block_reader *reader, const struct statement *statement) {
    const struct isa *isa = reader->isa;
    struct slice word;
    if (is_return(isa, statement))
        return true;
    if (find_word(statement->rest, isa->leaves_loop, &word))
        return fail_leaving(reader, statement, word);
    return !isa->would_leave_loop || !isa->would_leave_loop(statement->rest) ||
           fail_leaving(reader, statement, statement->rest);
}

static void add_line(struct block_reader *reader, const struct statement *statement, struct slice text) {
    text_append(&reader->body, text.data, text.length);
    text_add(&reader->body, "\n");
    *ARENA_ADD(reader->arena, reader->lines, reader->n_lines) = statement->line;
    reader->n_instructions += statement_is_instruction(statement);
}

static bool take_statement(struct block_reader *reader, size_t index) {
    const struct statement *statement = &reader->statements[index];
    bool failed = false, is_kept = true;
    if (statement_is_directive(statement)) {
        is_kept = !take_syntax(reader, statement, &failed) && !is_dispensable(statement) &&
                  !(is_alignment(statement) && !reader->n_lines);
        if (failed || (is_kept && !check_directive(reader, statement)))
            return false;
    }
    if (statement_is_instruction(statement) && !check_instruction(reader, statement))
        return false;
    struct slice text = block_labels_numbered(reader->arena, &reader->labels, statement, index);
    if (is_kept && text.length)
        add_line(reader, statement, text);
    return true;
}

// Returns the line in which the region begins; 0: the text is no region.
static unsigned line_of_region(const struct block_source *source) {
    unsigned line = source->region_end ? 1 : 0;
    for (size_t i = 0; source->region_end && i < source->region_begin; i++)
        line += source->text[i] == '\n';
    return line;
}

// Reads all statements. The syntax is that of a directive, else the caller's, else guessed.
static bool read_statements(struct block_reader *reader, const struct block_source *source) {
    const char *syntax = source->syntax;
    reader->syntax = syntax ? syntax : guess_syntax(reader);
    for (size_t i = 0; i < reader->n_statements; i++)
        if (!take_statement(reader, i))
            return false;
    if (!reader->n_lines)
        return fail_at(reader->fail, reader->name, line_of_region(source), 0, "there is no instruction in it");
    if (reader->labels.has_exits) {
        text_add(&reader->body, BLOCK_END_LABEL ":\n");
        *ARENA_ADD(reader->arena, reader->lines, reader->n_lines) = reader->statements[reader->n_statements - 1].line;
    }
    return true;
}

static bool check_syntax(const struct isa *isa, const char *syntax, struct fail *fail) {
    for (const char *const *known = isa->syntaxes; syntax && *known; known++)
        if (strcmp(syntax, *known) == 0)
            return true;
    if (syntax && !isa->syntaxes[0])
        return fail_set(fail, FAIL_INPUT, "%s has one syntax only: leave out --syntax", isa->name);
    return !syntax || fail_set(fail, FAIL_INPUT, "unknown syntax '%s': there are intel and att", syntax);
}

bool block_read_text(struct block_reader *reader, const struct block_source *source) {
    if (!check_syntax(source->isa, source->syntax, reader->fail))
        return false;
    const char *region = take_region(reader->arena, source);
    reader->n_statements = statement_split(reader->arena, source->isa, region, &reader->statements);
    reader->labels = block_labels_find(reader->arena, reader->isa, reader->statements, reader->n_statements);
    const struct statement *repeated = reader->labels.repeated;
    if (repeated)
        return fail_statement(reader, repeated,
                              arena_printf(reader->arena, "label '%.*s' is defined once more here: rename one of them",
                                           (int)repeated->label.length, repeated->label.data));
    return read_statements(reader, source);
}
