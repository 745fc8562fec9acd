#include "gen/kernel_read.h"

#include "gen/isa.h"
#include "gen/statement.h"

#include <ctype.h>
#include <string.h>

// Where the reading of a body is.
struct reader {
    struct kernel_file *file;
    struct kernel *kernel;
    struct fy_node *node;
    const struct statement *statement;
};

// "{role:class}" at the front of some text.
struct mention {
    struct slice role, class;
    size_t length; // with the braces
};

static size_t word_length(const char *at, const char *end) {
    const char *start = at;
    while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
        at++;
    return (size_t)(at - start);
}

// A brace without a role stays as it is: x86 writes {k1} and {rn-sae}, AArch64 {v0.4s}.
static bool find_mention(const char *at, const char *end, struct mention *mention) {
    size_t role = word_length(at + 1, end);
    const char *colon = at + 1 + role;
    if (*at != '{' || colon >= end || *colon != ':')
        return false;
    size_t class = word_length(colon + 1, end);
    const char *close = colon + 1 + class;
    mention->role = (struct slice){at + 1, role};
    mention->class = (struct slice){colon + 1, class};
    mention->length = (size_t)(close + 1 - at);
    if (close < end && *close == '}')
        return true;
    mention->class.length = 0;
    return true;
}

static bool fail_here(struct reader *reader, const char *at, const char *message) {
    struct yaml *yaml = &reader->file->yaml;
    size_t offset = reader->statement->offset + (size_t)(at - reader->statement->text.data);
    struct yaml_place place = yaml_place_in(yaml, reader->node, offset);
    return fail_at(yaml->fail, yaml->path, place.line, place.column, "%s", message);
}

static bool fail_class(struct reader *reader, const struct mention *mention) {
    struct arena *arena = reader->file->yaml.arena;
    const struct isa *isa = reader->file->isa;
    const char *word = arena_copy(arena, mention->class.data, mention->class.length);
    const char *names[32];
    size_t n = 0;
    for (const struct register_class *each = isa->classes; each->name && n < 32; each++)
        names[n++] = each->name;
    const char *near = text_did_you_mean(arena, word, names, n);
    struct text all = {.arena = arena};
    for (size_t i = 0; i < n && !*near; i++)
        text_addf(&all, "%s%s", i ? ", " : "; it has: ", names[i]);
    return fail_here(
        reader, mention->class.data,
        arena_printf(arena, "unknown register class '%s' of %s%s%s", word, isa->name, near, all.data ? all.data : ""));
}

static bool add_role(struct reader *reader, const struct mention *mention, unsigned *role) {
    struct arena *arena = reader->file->yaml.arena;
    struct kernel *kernel = reader->kernel;
    const char *class_name = arena_copy(arena, mention->class.data, mention->class.length);
    const struct register_class *class = isa_class(reader->file->isa, class_name);
    if (!class)
        return fail_class(reader, mention);
    for (*role = 0; *role < kernel->n_roles; (*role)++) {
        const struct kernel_role *other = &kernel->roles[*role];
        if (!slice_is(mention->role, other->name))
            continue;
        if (other->class == class)
            return true;
        return fail_here(reader, mention->class.data,
                         arena_printf(arena, "role '%s' has class %s before; two roles in a chain may differ in width",
                                      other->name, other->class->name));
    }
    kernel->roles = arena_grow(arena, kernel->roles, kernel->n_roles, sizeof *kernel->roles);
    kernel->roles[kernel->n_roles++] = (struct kernel_role){
        .name = arena_copy(arena, mention->role.data, mention->role.length),
        .class = class,
    };
    return true;
}

static void add_piece(struct reader *reader, struct kernel_piece piece) {
    struct kernel *kernel = reader->kernel;
    kernel->pieces = arena_grow(reader->file->yaml.arena, kernel->pieces, kernel->n_pieces, sizeof *kernel->pieces);
    kernel->pieces[kernel->n_pieces++] = piece;
}

static void add_text(struct reader *reader, const char *from, const char *to) {
    if (to > from)
        add_piece(reader,
                  (struct kernel_piece){.text = arena_copy(reader->file->yaml.arena, from, (size_t)(to - from))});
}

static bool read_statement(struct reader *reader) {
    struct slice text = reader->statement->text;
    const char *at = text.data, *end = text.data + text.length, *literal = at;
    struct mention mention;
    while (at < end) {
        if (!find_mention(at, end, &mention)) {
            at++;
            continue;
        }
        if (!mention.role.length || !mention.class.length)
            return fail_here(reader, at, "expected {role:class}, such as {acc:zmm}");
        struct kernel_piece piece = {0};
        if (!add_role(reader, &mention, &piece.role))
            return false;
        add_text(reader, literal, at);
        add_piece(reader, piece);
        at += mention.length;
        literal = at;
    }
    add_text(reader, literal, end);
    add_piece(reader, (struct kernel_piece){.text = "\n"});
    return true;
}

// Streams and `.rept` make copies of the body, and a label may be defined only once.
static bool check_label(struct reader *reader) {
    if (statement_label_is_numeric(reader->statement))
        return true;
    return fail_here(reader, reader->statement->text.data,
                     "the body is copied, so its labels must be numbers (\"1:\", used as 1b or 1f)");
}

static void add_line(struct reader *reader) {
    struct yaml *yaml = &reader->file->yaml;
    struct kernel *kernel = reader->kernel;
    kernel->lines = arena_grow(yaml->arena, kernel->lines, kernel->n_lines, sizeof *kernel->lines);
    kernel->lines[kernel->n_lines++] = yaml_place_in(yaml, reader->node, reader->statement->offset).line;
    kernel->n_instructions += statement_is_instruction(reader->statement);
}

bool kernel_read_body(struct kernel_file *file, struct fy_node *node, struct kernel *kernel) {
    struct yaml *yaml = &file->yaml;
    const char *text = yaml_text(yaml, node);
    if (!text)
        return yaml_fail(yaml, node, "the body must be assembly text: quote it, or write it below 'body: |'");
    const struct statement *statements;
    size_t n = statement_split(yaml->arena, file->isa, text, &statements);
    struct reader reader = {file, kernel, node, statements};
    for (size_t i = 0; i < n; i++) {
        reader.statement = &statements[i];
        if (!check_label(&reader) || !read_statement(&reader))
            return false;
        add_line(&reader);
    }
    if (!kernel->n_instructions)
        return yaml_fail(yaml, node, "the body holds no instruction");
    kernel->body_line = kernel->lines[0];
    return true;
}

bool kernel_role_find(struct kernel_file *file, const struct kernel *kernel, struct fy_node *node, const char *name,
                      unsigned *role) {
    struct arena *arena = file->yaml.arena;
    const char **names = ARENA_ARRAY(arena, const char *, kernel->n_roles + 1);
    for (unsigned i = 0; i < kernel->n_roles; i++) {
        if (strcmp(kernel->roles[i].name, name) == 0) {
            *role = i;
            return true;
        }
        names[i] = kernel->roles[i].name;
    }
    const char *near = text_did_you_mean(arena, name, names, kernel->n_roles);
    struct text all = {.arena = arena};
    for (unsigned i = 0; i < kernel->n_roles && !*near; i++)
        text_addf(&all, "%s%s", i ? ", " : "; its roles: ", names[i]);
    return yaml_fail(&file->yaml, node, "unknown role '%s' in the body of '%s'%s%s", name, kernel->name, near,
                     all.data ? all.data : "");
}
