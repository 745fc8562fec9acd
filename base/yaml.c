// YAML files: opening them, their nodes and places. yaml_read.c checks the nodes' contents.
#include "base/yaml.h"

#include "base/compressed.h"
#include "base/text.h"

#include <assert.h>
#include <libfyaml.h>
#include <stdarg.h>
#include <string.h>

static void find_lines(struct yaml *yaml) {
    for (const char *at = yaml->data; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        *ARENA_ADD(yaml->arena, yaml->lines, yaml->n_lines) = at;
}

static const char *line_start(const struct yaml *yaml, unsigned line) {
    return yaml->lines[line <= yaml->n_lines ? line - 1 : yaml->n_lines - 1];
}

// Converts a place: libfyaml counts characters, our columns are bytes.
static struct yaml_place place_of(const struct yaml *yaml, int line, int characters) {
    unsigned n = line > 0 ? (unsigned)line : 1;
    const char *start = line_start(yaml, n), *at = start;
    for (int i = 1; i < characters && *at && *at != '\n'; i++) {
        at++;
        while (((unsigned char)*at & 0xC0) == 0x80)
            at++;
    }
    return (struct yaml_place){n, (unsigned)(at - start) + 1};
}

// Makes a failure of the error that libfyaml collected last.
static bool fail_with_diagnosis(struct yaml *yaml) {
    void *iterator = NULL;
    struct fy_diag_error *error = fy_diag_errors_iterate(yaml->diag, &iterator);
    if (!error)
        return fail_at(yaml->fail, yaml->path, 0, 0, "this is not YAML");
    struct yaml_place place = place_of(yaml, error->line, error->column);
    return fail_at(yaml->fail, yaml->path, place.line, place.column, "%s", error->msg);
}

static bool has_error(const struct yaml *yaml) {
    void *iterator = NULL;
    return fy_diag_errors_iterate(yaml->diag, &iterator) != NULL;
}

static bool parse(struct yaml *yaml, size_t length) {
    struct fy_diag_cfg diagnosis;
    fy_diag_cfg_default(&diagnosis);
    diagnosis.fp = NULL; // collect errors, and print nothing to stderr
    diagnosis.colorize = false;
    yaml->diag = fy_diag_create(&diagnosis);
    assert(yaml->diag);
    fy_diag_set_collect_errors(yaml->diag, true);
    struct fy_parse_cfg config = {.flags = FYPCF_RESOLVE_DOCUMENT, .diag = yaml->diag};
    yaml->parser = fy_parser_create(&config);
    assert(yaml->parser);
    if (fy_parser_set_string(yaml->parser, yaml->data, length) != 0)
        return fail_with_diagnosis(yaml);
    yaml->document = fy_parse_load_document(yaml->parser);
    if (has_error(yaml))
        return fail_with_diagnosis(yaml);
    if (!yaml->document || !fy_document_root(yaml->document))
        return fail_at(yaml->fail, yaml->path, 1, 1, "the file is empty");
    return true;
}

static bool check_single(struct yaml *yaml) {
    struct fy_document *second = fy_parse_load_document(yaml->parser);
    bool wrong = has_error(yaml);
    struct yaml_place place = {0};
    if (second) {
        if (fy_document_root(second))
            place = yaml_place(yaml, fy_document_root(second));
        fy_parse_document_destroy(yaml->parser, second);
        return fail_at(yaml->fail, yaml->path, place.line, place.column,
                       "a second document starts here; write it to a file of its own");
    }
    return wrong ? fail_with_diagnosis(yaml) : true;
}

// Refuses files that are not UTF-8, and directives ("%...") that are not ASCII: libfyaml 0.7 hangs at such directives.
static bool check_utf8(const struct yaml *yaml) {
    unsigned line = 1, column = 1;
    bool is_directive = false;
    for (const unsigned char *at = (const unsigned char *)yaml->data; *at != '\0';) {
        bool is_shown;
        size_t length = text_character((const char *)at, &is_shown);
        if (length == 1 && *at >= 0x80)
            return fail_at(yaml->fail, yaml->path, line, column, "this text is not UTF-8");
        is_directive = column == 1 ? *at == '%' : is_directive;
        if (is_directive && length > 1)
            return fail_at(yaml->fail, yaml->path, line, column,
                           "a line that begins with '%%' is a directive of YAML, and takes ASCII only");
        column = *at == '\n' ? 1 : column + (unsigned)length;
        line += *at == '\n';
        at += length;
    }
    return true;
}

static bool open_text(struct yaml *yaml, const char *data, size_t length) {
    yaml->data = data;
    if (strlen(data) != length)
        return fail_at(yaml->fail, yaml->path, 0, 0, "the file holds a zero byte: it is not text");
    find_lines(yaml);
    return check_utf8(yaml) && parse(yaml, length) && check_single(yaml);
}

bool yaml_open(struct yaml *yaml, struct arena *arena, const char *path, struct fail *fail) {
    *yaml = (struct yaml){.arena = arena, .fail = fail, .path = path};
    char *data;
    size_t length;
    return compressed_read(arena, path, &data, &length, fail) && open_text(yaml, data, length);
}

bool yaml_open_text(struct yaml *yaml, struct arena *arena, const char *path, const char *text, struct fail *fail) {
    *yaml = (struct yaml){.arena = arena, .fail = fail, .path = path};
    return open_text(yaml, text, strlen(text));
}

void yaml_close(struct yaml *yaml) {
    if (yaml->document)
        fy_parse_document_destroy(yaml->parser, yaml->document);
    if (yaml->parser)
        fy_parser_destroy(yaml->parser);
    if (yaml->diag)
        fy_diag_destroy(yaml->diag);
    yaml->document = NULL;
    yaml->parser = NULL;
    yaml->diag = NULL;
}

struct fy_node *yaml_root(const struct yaml *yaml) {
    return fy_document_root(yaml->document);
}

const char *yaml_text(struct yaml *yaml, struct fy_node *node) {
    if (!node || !fy_node_is_scalar(node))
        return NULL;
    size_t length = 0;
    const char *text = fy_node_get_scalar(node, &length);
    return text && length ? arena_copy(yaml->arena, text, length) : NULL;
}

bool yaml_is_mapping(struct fy_node *node) {
    return fy_node_is_mapping(node);
}

bool yaml_is_sequence(struct fy_node *node) {
    return fy_node_is_sequence(node);
}

struct fy_node *yaml_next_item(struct fy_node *sequence, void **iterator) {
    return fy_node_sequence_iterate(sequence, iterator);
}

bool yaml_next_pair(struct fy_node *mapping, void **iterator, struct fy_node **key, struct fy_node **value) {
    struct fy_node_pair *pair = fy_node_mapping_iterate(mapping, iterator);
    if (!pair)
        return false;
    *key = fy_node_pair_key(pair);
    *value = fy_node_pair_value(pair);
    return true;
}

// Returns libfyaml's newest report; null: it made none since the last call. So each is looked at once: a large file has
// as many as it has lists and mappings.
static struct fy_diag_error *next_report(struct yaml *yaml) {
    struct fy_diag_error *last = NULL;
    void *iterator = yaml->last_report;
    for (struct fy_diag_error *report; (report = fy_diag_errors_iterate(yaml->diag, &iterator)); last = report)
        yaml->last_report = iterator;
    return last;
}

static struct fy_node *key_of(struct fy_node *value) {
    struct fy_node *parent = fy_node_get_parent(value), *key, *other;
    void *iterator = NULL;
    while (parent && yaml_is_mapping(parent) && yaml_next_pair(parent, &iterator, &key, &other))
        if (other == value)
            return key;
    return parent;
}

// libfyaml's interface does not give a node's place, but its reports do: makes a report, and reads it. An empty value
// ("key:") has no place, so this takes the key's.
struct yaml_place yaml_place(struct yaml *yaml, struct fy_node *node) {
    if (!yaml->diag) // nothing was parsed
        return (struct yaml_place){0, 0};
    struct fy_token *token = node && fy_node_get_type(node) == FYNT_SCALAR ? fy_node_get_scalar_token(node) : NULL;
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
    size_t length;
    if (mark && fy_token_get_text(token, &length) && length)
        return place_of(yaml, mark->line + 1, mark->column + 1);
    next_report(yaml);
    fy_diag_node_report(yaml->diag, node, FYET_ERROR, "here");
    struct fy_diag_error *report = next_report(yaml);
    if (report)
        return place_of(yaml, report->line, report->column);
    struct fy_node *key = key_of(node);
    return key ? yaml_place(yaml, key) : (struct yaml_place){1, 1};
}

static struct yaml_place place_in_block(struct yaml *yaml, struct yaml_place start, const char *text, size_t offset) {
    unsigned line = start.line;
    const char *content = text;
    for (size_t i = 0; i < offset; i++)
        if (text[i] == '\n') {
            line++;
            content = text + i + 1;
        }
    // The block's indentation: the difference in length between the file's line and the text's.
    const char *raw = line_start(yaml, line);
    size_t raw_length = strcspn(raw, "\r\n"), length = strcspn(content, "\n");
    size_t indent = raw_length > length ? raw_length - length : 0;
    return (struct yaml_place){line, (unsigned)(indent + offset - (size_t)(content - text)) + 1};
}

struct yaml_place yaml_place_in(struct yaml *yaml, struct fy_node *node, size_t offset) {
    struct yaml_place place = yaml_place(yaml, node);
    if (!yaml->diag)
        return place;
    enum fy_node_style style = fy_node_get_style(node);
    if (style == FYNS_LITERAL || style == FYNS_FOLDED)
        return place_in_block(yaml, place, yaml_text(yaml, node), offset);
    place.column += (unsigned)offset;
    return place;
}

bool yaml_fail(struct yaml *yaml, struct fy_node *node, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(yaml->arena, format, args);
    va_end(args);
    struct yaml_place place = yaml_place(yaml, node);
    return fail_at(yaml->fail, yaml->path, place.line, place.column, "%s", message);
}
