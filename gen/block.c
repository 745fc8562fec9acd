#include "base/text.h"
#include "gen/block_labels.h"
#include "gen/expand.h"
#include "gen/gen.h"
#include "gen/registers.h"
#include "gen/statement.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

// A block on its way from text to program.
struct block_reader {
    struct arena *arena;
    const struct isa *isa;
    const char *name;
    const char *syntax; // null: not known yet
    enum program_form form;
    const struct statement *statements;
    size_t n_statements;
    struct block_labels labels;
    struct text body;
    unsigned *lines;
    unsigned n_lines, n_instructions;
    struct fail *fail;
};

static bool fail_statement(struct block_reader *reader, const struct statement *statement, const char *message) {
    return fail_at(reader->fail, reader->name, statement->line, statement->column, "%s", message);
}

// The text between llvm-mca's markers; all of it where there are none. Everything outside turns into empty
// lines, so that line numbers stay. Null: a failure.
static const char *take_region(struct block_reader *reader, const char *text) {
    char *copy = arena_strdup(reader->arena, text);
    unsigned regions = 0, line = 0;
    bool inside = false, marked = strstr(text, "LLVM-MCA-BEGIN") != NULL;
    for (char *at = copy; marked && *at;) {
        size_t length = strcspn(at, "\n");
        bool begins = memmem(at, length, "LLVM-MCA-BEGIN", 14), ends = memmem(at, length, "LLVM-MCA-END", 12);
        line++;
        regions += begins;
        if (regions > 1) {
            fail_at(reader->fail, reader->name, line, 0,
                    "a second LLVM-MCA region begins here; a block is one region: keep the one to measure");
            return NULL;
        }
        inside = begins || (inside && !ends);
        if (!inside)
            memset(at, ' ', length);
        at += length + (at[length] == '\n');
    }
    return copy;
}

// AT&T syntax marks registers with '%'.
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

// True if `statement` is such a directive; the syntax may not change once there were instructions.
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

// Directives of compilers that say nothing about the code.
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
    if (reader->form == PROGRAM_UNROLLED && (word_is_one_of(word, once_only) || is_alignment(statement)))
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

static bool check_instruction(struct block_reader *reader, const struct statement *statement) {
    const struct isa *isa = reader->isa;
    struct slice rest = statement->rest, word;
    for (unsigned i = 0; i < 2 && slice_next(&rest, ' ', &word); i++) // "rep ret"
        if (word_is_one_of(word, isa->leaves_loop))
            return fail_leaving(reader, statement, word);
    return !isa->would_leave_loop || !isa->would_leave_loop(statement->rest) ||
           fail_leaving(reader, statement, statement->rest);
}

static void add_line(struct block_reader *reader, const struct statement *statement, struct slice text) {
    text_append(&reader->body, text.data, text.length);
    text_add(&reader->body, "\n");
    reader->lines = arena_grow(reader->arena, reader->lines, reader->n_lines, sizeof *reader->lines);
    reader->lines[reader->n_lines++] = statement->line;
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

// An explicit directive comes first, then what the caller says, then what the text looks like.
static bool read_statements(struct block_reader *reader, const char *syntax) {
    reader->syntax = syntax ? syntax : guess_syntax(reader);
    for (size_t i = 0; i < reader->n_statements; i++)
        if (!take_statement(reader, i))
            return false;
    if (!reader->n_lines)
        return fail_at(reader->fail, reader->name, 0, 0, "there is no instruction in it");
    return true;
}

static void emit_addresses(const struct block_reader *reader, const struct register_set *named, const char *counter,
                           struct text *setup) {
    const struct isa *isa = reader->isa;
    struct register_set kept = {0};
    for (unsigned i = 0; isa->reserved[i]; i++)
        register_set_add_name(&kept, isa, isa->reserved[i]);
    kept.files[0] &= ~named->files[0]; // a reserved one that the text names gets its value as well
    register_set_add_name(&kept, isa, counter);
    register_set_add_name(&kept, isa, isa->stack_pointer);
    register_set_add_name(&kept, isa, isa->memory);
    const struct register_class *class = isa->classes; // the first is the widest general one
    assert(class->file == 'g');
    for (unsigned i = 0; class->registers[i]; i++)
        if (!register_set_has(&kept, class, i))
            isa->emit_move_memory(setup, class->registers[i], reader->syntax);
}

// Zeroes each register the text names that is no general one, as wide as it names it.
static void emit_zeros(const struct block_reader *reader, struct text *setup) {
    const struct register_class *widest[REGISTER_N_FILES][64] = {0};
    struct slice rest = {reader->body.data, reader->body.length}, word;
    struct register_name found;
    while (register_next(reader->isa, &rest, &word, &found))
        for (; found.index <= found.last; found.index++) {
            const struct register_class **known =
                &widest[register_file_index(found.class->file)][register_entry(&found)];
            if (!*known || (*known)->bits < found.class->bits)
                *known = found.class;
        }
    for (unsigned file = 1; file < REGISTER_N_FILES; file++) // 0 is the general one
        for (unsigned i = 0; i < 64; i++) {
            const struct register_class *class = widest[file][i];
            if (class)
                reader->isa->emit_constant(setup, class, class->registers[i / class->span], (struct isa_value){0},
                                           reader->syntax);
        }
}

static const char *first_label(const struct block_reader *reader) {
    for (size_t i = 0; i < reader->n_statements; i++)
        if (statement_is_instruction(&reader->statements[i]))
            return statement_label(reader->arena, reader->isa, reader->statements[i].rest);
    return "";
}

// All that the block uses, and so cannot count its loop.
static void add_registers(const struct block_reader *reader, struct register_set *set) {
    register_set_add_text(set, reader->isa, reader->body.data);
    for (size_t i = 0; i < reader->n_statements && reader->isa->add_implied; i++)
        if (statement_is_instruction(&reader->statements[i]))
            reader->isa->add_implied(reader->isa, reader->statements[i].rest, set);
}

static bool make_program(struct block_reader *reader, struct program *program) {
    struct arena *arena = reader->arena;
    struct register_set named = {0};
    add_registers(reader, &named);
    const char *counter = register_loop_counter(reader->isa, &named, false);
    if (!counter)
        return fail_at(reader->fail, reader->name, 0, 0,
                       "the block leaves no register to count the loop: leave it one of %s",
                       register_loop_counters(arena, reader->isa));
    struct text setup = {.arena = arena};
    emit_zeros(reader, &setup);
    emit_addresses(reader, &named, counter, &setup);
    *program = (struct program){
        .kernel = reader->name,
        .isa = reader->isa->name,
        .mode = PROGRAM_BLOCK,
        .form = reader->form,
        .streams = 1,
        .label = first_label(reader),
        .unroll = program_unroll(reader->form, 0, reader->n_instructions),
        .syntax = reader->syntax,
        .setup = setup.data,
        .body = reader->body.data,
        .body_lines = reader->n_lines,
        .file = reader->name,
        .lines = reader->lines,
        .loop_counter = counter,
        .features = ARENA_NEW(arena, const char *),
    };
    program_count_instructions(program, reader->n_instructions);
    program->symbol =
        arena_printf(arena, "block_%s_%s", program_symbol_part(arena, reader->name), program_form_name(reader->form));
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

bool gen_block(struct arena *arena, const struct isa *isa, const char *syntax, const char *name, const char *text,
               enum program_form form, struct program *program, struct fail *fail) {
    struct block_reader reader = {
        .arena = arena,
        .isa = isa,
        .name = arena_strdup(arena, name),
        .form = form,
        .body = {.arena = arena},
        .fail = fail,
    };
    const char *region = check_syntax(isa, syntax, fail) ? take_region(&reader, text) : NULL;
    if (!region)
        return false;
    reader.n_statements = statement_split(arena, isa, region, &reader.statements);
    reader.labels = block_labels_find(arena, reader.statements, reader.n_statements);
    return read_statements(&reader, syntax) && make_program(&reader, program);
}
