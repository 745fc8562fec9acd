#include "gen/kernel_read.h"

#include "base/text.h"
#include "gen/isa.h"
#include "gen/registers.h"
#include "gen/statement.h"

#include <ctype.h>
#include <string.h>

// State of reading a body.
struct body_reader {
    struct kernel_file *file;
    struct kernel *kernel;
    struct fy_node *node;
    const struct statement *statement;
};

// "{role:class}", "{place:bytes}", "{place:bytes,most}", or either name alone, at the front of some text.
struct mention {
    struct slice name, class; // class or width after the colon; without data: no colon
    size_t length;            // length with the braces, bytes
};

static size_t word_length(const char *at, const char *end) {
    const char *start = at;
    while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
        at++;
    return (size_t)(at - start);
}

// Length of a class or width. On MIPS, names of registers begin with '$': "$t0". A place may have two numbers.
static size_t class_length(const char *at, const char *end) {
    size_t mark = at < end && *at == '$', length = mark + word_length(at + mark, end);
    bool has_more = at < end && isdigit((unsigned char)*at) && at + length < end && at[length] == ',';
    return has_more ? length + 1 + word_length(at + length + 1, end) : length;
}

// Finds a mention. Other braces stay as they are: {rn-sae}, {v0.4s}.
static bool find_mention(const char *at, const char *end, struct mention *mention) {
    if (*at != '{')
        return false;
    size_t name = word_length(at + 1, end);
    const char *behind = at + 1 + name;
    *mention = (struct mention){.name = {at + 1, name}, .length = name + 2};
    if (behind < end && *behind == '}')
        return name > 0;
    if (behind >= end || *behind != ':')
        return false;
    size_t class = class_length(behind + 1, end);
    const char *close = behind + 1 + class;
    mention->class = (struct slice){behind + 1, close < end && *close == '}' ? class : 0};
    mention->length = (size_t)(close + 1 - at);
    return true;
}

static bool fail_here(struct body_reader *reader, const char *at, const char *message) {
    struct yaml *yaml = &reader->file->yaml;
    size_t offset = reader->statement->offset + (size_t)(at - reader->statement->text.data);
    struct yaml_place place = yaml_place_in(yaml, reader->node, offset);
    return fail_at(yaml->fail, yaml->path, place.line, place.column, "%s", message);
}

static const char *word_of(struct body_reader *reader, struct slice word) {
    return arena_copy(reader->file->yaml.arena, word.data, word.length);
}

static bool find_role(const struct kernel *kernel, struct slice name, unsigned *role) {
    for (*role = 0; *role < kernel->n_roles; (*role)++)
        if (slice_is(name, kernel->roles[*role].name))
            return true;
    return false;
}

static bool find_place(const struct kernel *kernel, struct slice name, unsigned *place) {
    for (*place = 0; *place < kernel->n_places; (*place)++)
        if (slice_is(name, kernel->places[*place].name))
            return true;
    return false;
}

static bool add_role(struct body_reader *reader, const struct mention *mention) {
    struct fail trouble = {0};
    unsigned role;
    if (!mention->name.length || !mention->class.length)
        return fail_here(reader, mention->name.data - 1,
                         "expected {role:class}, such as {acc:zmm}, or {place:bytes}, such as {at:8}");
    if (find_place(reader->kernel, mention->name, &role))
        return fail_here(reader, mention->name.data, "this name already names a place in memory: rename the role");
    return kernel_role_add(reader->file->yaml.arena, reader->file->isa, reader->kernel, word_of(reader, mention->name),
                           word_of(reader, mention->class), &role, &trouble) ||
           fail_here(reader, mention->class.data, trouble.text);
}

static bool add_place(struct body_reader *reader, const struct mention *mention) {
    struct fail trouble = {0};
    unsigned index;
    if (find_role(reader->kernel, mention->name, &index))
        return fail_here(reader, mention->name.data, "this name already names a role: rename the place");
    return kernel_place_add(reader->file->yaml.arena, reader->kernel, word_of(reader, mention->name),
                            word_of(reader, mention->class), &index, &trouble) ||
           fail_here(reader, mention->class.data, trouble.text);
}

// Whether a word in braces is for the assembler: a register, or a word of the ISA's syntax.
static bool is_assembly(const struct isa *isa, struct slice word) {
    struct register_name found;
    for (unsigned i = 0; isa->brace_words[i]; i++)
        if (slice_is(word, isa->brace_words[i]))
            return true;
    return register_find(isa, word, &found);
}

static bool fail_unknown(struct body_reader *reader, struct slice word) {
    struct arena *arena = reader->file->yaml.arena;
    const struct kernel *kernel = reader->kernel;
    const char **names = ARENA_ARRAY(arena, const char *, kernel->n_roles + 1), *name = word_of(reader, word);
    for (unsigned i = 0; i < kernel->n_roles; i++)
        names[i] = kernel->roles[i].name;
    return fail_here(reader, word.data,
                     arena_printf(arena, "unknown role '%s'%s: one mention of a role must state its class, {%s:class}",
                                  name, text_did_you_mean(arena, name, names, kernel->n_roles), name));
}

static void add_piece(struct body_reader *reader, struct kernel_piece piece) {
    struct kernel *kernel = reader->kernel;
    *ARENA_ADD(reader->file->yaml.arena, kernel->pieces, kernel->n_pieces) = piece;
}

static void add_text(struct body_reader *reader, const char *from, const char *to) {
    if (to > from)
        add_piece(reader,
                  (struct kernel_piece){.text = arena_copy(reader->file->yaml.arena, from, (size_t)(to - from))});
}

// Reads the roles and places of a statement. The body must state each one's class or width at least once, perhaps only
// at the last mention.
static bool read_names(struct body_reader *reader) {
    struct slice text = reader->statement->text;
    struct mention mention;
    for (const char *at = text.data, *end = at + text.length; at < end;) {
        bool is_mention = find_mention(at, end, &mention);
        bool is_place = is_mention && mention.class.length && isdigit((unsigned char)*mention.class.data);
        if (is_place && !add_place(reader, &mention))
            return false;
        if (is_mention && !is_place && mention.class.data && !add_role(reader, &mention))
            return false;
        at += is_mention ? mention.length : 1;
    }
    return true;
}

static bool read_piece(struct body_reader *reader, const struct mention *mention, struct kernel_piece *piece) {
    piece->kind = PIECE_TEXT;
    if (find_role(reader->kernel, mention->name, &piece->index)) {
        const struct kernel_role *role = &reader->kernel->roles[piece->index];
        const struct register_class *class =
            mention->class.length ? isa_class(reader->file->isa, word_of(reader, mention->class)) : NULL;
        piece->kind = PIECE_ROLE;
        piece->class = class ? class : role->class;
    } else if (find_place(reader->kernel, mention->name, &piece->index))
        piece->kind = PIECE_PLACE;
    return piece->kind != PIECE_TEXT || is_assembly(reader->file->isa, mention->name) ||
           fail_unknown(reader, mention->name);
}

static bool read_statement(struct body_reader *reader) {
    struct slice text = reader->statement->text;
    const char *at = text.data, *end = text.data + text.length, *literal = at;
    struct mention mention;
    while (at < end) {
        struct kernel_piece piece = {.kind = PIECE_TEXT};
        if (find_mention(at, end, &mention) && !read_piece(reader, &mention, &piece))
            return false;
        if (piece.kind == PIECE_TEXT) {
            at++;
            continue;
        }
        add_text(reader, literal, at);
        add_piece(reader, piece);
        at += mention.length;
        literal = at;
    }
    add_text(reader, literal, end);
    add_piece(reader, (struct kernel_piece){.text = "\n"});
    return true;
}

// Refuses labels with names: streams and `.rept` copy the body, and a name may be defined only once.
static bool check_label(struct body_reader *reader) {
    if (statement_label_is_numeric(reader->statement))
        return true;
    return fail_here(reader, reader->statement->text.data,
                     "the body is copied, so its labels must be numbers (\"1:\", used as 1b or 1f)");
}

static unsigned place_line(const struct body_reader *reader, const struct statement *statement) {
    return yaml_place_in(&reader->file->yaml, reader->node, statement->offset).line;
}

// Adds the line of each statement. Only in a block do lines of the text have lines of the file. They are counted from
// one statement to the next, as a body may have thousands.
static void add_lines(struct body_reader *reader, const char *text, const struct statement *statements, size_t n) {
    struct kernel *kernel = reader->kernel;
    unsigned line = place_line(reader, &statements[0]);
    bool is_block = place_line(reader, &statements[n - 1]) > line;
    for (size_t i = 0; i < n; i++) {
        for (size_t at = statements[i ? i - 1 : 0].offset; is_block && at < statements[i].offset; at++)
            line += text[at] == '\n';
        *ARENA_ADD(reader->file->yaml.arena, kernel->lines, kernel->n_lines) = line;
        kernel->n_instructions += statement_is_instruction(&statements[i]);
    }
}

bool kernel_read_body(struct kernel_file *file, const struct kernel_word *body, struct kernel *kernel) {
    struct yaml *yaml = &file->yaml;
    const char *text = body->text;
    struct fy_node *node = body->node;
    const struct statement *statements;
    size_t n = statement_split(yaml->arena, file->isa, text, &statements);
    struct body_reader reader = {file, kernel, node, statements};
    for (size_t i = 0; i < n; i++) {
        reader.statement = &statements[i];
        if (!check_label(&reader) || !read_names(&reader))
            return false;
    }
    for (size_t i = 0; i < n; i++) {
        reader.statement = &statements[i];
        if (!read_statement(&reader))
            return false;
    }
    if (n)
        add_lines(&reader, text, statements, n);
    if (!kernel->n_instructions)
        return yaml_fail(yaml, node, "the body holds no instruction");
    kernel->body_line = kernel->lines[0];
    return true;
}
