#include "corpus/inputs.h"

#include "analyzer/model/model.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/file_kind.h"
#include "base/line.h"
#include "blocks/marked_text.h"
#include "corpus/extract.h"
#include "gen/gen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// ---- lines of hexadecimal digits

// A file while it is read.
struct lines {
    const char *path;
    FILE *in;
    char *text;
    size_t room;
    unsigned line;
};

static bool is_header(struct slice cell) {
    static const char *const names[] = {"hex", "block", "bytes", "code"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == cell.length && strncasecmp(names[i], cell.data, cell.length) == 0)
            return true;
    return false;
}

static bool fail_line(const struct lines *lines, size_t column, struct fail *fail, const char *text) {
    return fail_at(fail, lines->path, lines->line, (unsigned)column + 1, "%s", text);
}

static bool add_digits(struct corpus_blocks *blocks, const struct lines *lines, struct slice digits,
                       struct fail *fail) {
    size_t column = (size_t)(digits.data - lines->text);
    if (digits.length > 2 * (size_t)CORPUS_MOST_BYTES)
        return fail_at(fail, lines->path, lines->line, (unsigned)column + 1, "this block is longer than %d bytes",
                       CORPUS_MOST_BYTES);
    uint8_t bytes[CORPUS_MOST_BYTES + 1];
    size_t n_digits, n_good = bytes_from_people(digits.data, digits.length, bytes, &n_digits);
    if (n_good < digits.length)
        return fail_line(lines, column + n_good, fail,
                         "this is not a hexadecimal digit; a line begins with the bytes of a block, as in 4801d8");
    if (n_digits % 2)
        return fail_line(lines, column + digits.length - 1, fail, "half a byte is left over");
    size_t n_bytes = n_digits / 2;
    struct corpus_block block = {.bytes = bytes, .n_bytes = n_bytes, .file = lines->path, .line = lines->line};
    size_t n = blocks->n;
    corpus_blocks_add(blocks, &block);
    if (blocks->n > n)
        blocks->items[n].bytes = (const uint8_t *)arena_copy(blocks->arena, (const char *)bytes, n_bytes);
    return true;
}

// Reports a malformed line. Fails where the reading is strict.
static bool take_malformed(struct corpus_blocks *blocks, const struct fail *why, struct fail *fail) {
    enum { MOST_REPORTS = 20 };
    if (blocks->is_strict) {
        *fail = *why;
        return false;
    }
    if (blocks->n_malformed++ < MOST_REPORTS)
        lab_say_failed(blocks->listener, why);
    return true;
}

// Whether the line holds letters that no text does.
static bool is_binary(const char *line, size_t length) {
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)line[i] < '\t')
            return true;
    return false;
}

static bool read_lines(struct corpus_blocks *blocks, struct lines *lines, struct fail *fail) {
    ssize_t length;
    while (!corpus_blocks_are_enough(blocks) && (length = line_read(&lines->text, &lines->room, lines->in)) >= 0) {
        lines->line++;
        if (is_binary(lines->text, (size_t)length))
            return fail_at(fail, lines->path, lines->line, 0,
                           "this file is neither text nor an object for this machine: a list has a block a line, as in "
                           "4801d8");
        const char *comma = memchr(lines->text, ',', (size_t)length);
        struct slice digits =
            slice_trim((struct slice){lines->text, comma ? (size_t)(comma - lines->text) : (size_t)length});
        struct fail why;
        fail_clear(&why);
        if ((!digits.length && !comma) || (lines->line == 1 && is_header(digits)))
            continue;
        if (!digits.length)
            fail_line(lines, 0, &why, "there is no block before the comma");
        else if (add_digits(blocks, lines, digits, &why))
            continue;
        if (!take_malformed(blocks, &why, fail))
            return false;
    }
    return corpus_blocks_are_enough(blocks) || !line_error() ||
           fail_at(fail, lines->path, lines->line + 1, 0, "%s", line_error());
}

static bool read_hex(struct corpus_blocks *blocks, const char *path, struct fail *fail) {
    bool is_stdin = strcmp(path, "-") == 0;
    struct lines lines = {.path = file_name(path), .in = is_stdin ? stdin : fopen(path, "re")};
    if (!lines.in)
        return fail_set(fail, FAIL_INPUT, "cannot read '%s': %s", path, strerror(errno));
    size_t n = blocks->n + blocks->n_repeated + blocks->n_malformed;
    bool is_read = read_lines(blocks, &lines, fail);
    free(lines.text);
    if (!is_stdin)
        fclose(lines.in);
    return is_read && (blocks->n + blocks->n_repeated + blocks->n_malformed > n || corpus_blocks_are_enough(blocks) ||
                       fail_at(fail, lines.path, 0, 0, "there is no block in it"));
}

// ---- assembly and objects

static void say_unheeded(const struct corpus_blocks *blocks, const char *name, const char *text) {
    struct marked_text marked;
    struct fail why = {0};
    if (marked_text_read(blocks->arena, blocks->isa, name, text, &marked, &why) && marked.is_marked)
        lab_say(blocks->listener, LAB_WARNING,
                "%s: all its basic blocks are taken, whatever its markers are: 'cyclops run' measures its regions",
                name);
}

static bool read_assembly(struct corpus_blocks *blocks, const char *path, struct fail *fail) {
    char *text;
    struct object_file object = {.path = file_name(path), .triple = blocks->isa->triple, .takes_isa = true};
    if (!file_read(blocks->arena, path, &text, NULL, fail))
        return false;
    say_unheeded(blocks, object.path, text);
    const char *readable = model_in_syntax(blocks->arena, blocks->isa->triple, text);
    return gen_assemble_text(blocks->arena, blocks->isa, object.path, readable, &object.data, &object.n_bytes, NULL,
                             fail) &&
           extract_object(blocks, &object, fail);
}

static bool read_object(struct corpus_blocks *blocks, const char *path, struct fail *fail) {
    char *data;
    size_t length;
    if (!file_read(blocks->arena, path, &data, &length, fail))
        return false;
    struct object_file object = {
        .path = file_name(path), .data = data, .n_bytes = length, .triple = blocks->isa->triple, .takes_isa = true};
    return extract_object(blocks, &object, fail);
}

// First bytes of a file, which show its format.
struct start {
    char bytes[16];
    size_t n; // 0: unknown. A pipe gives its bytes only once, to the one who reads it
};

static struct start read_start(const char *path) {
    struct start start = {.n = 0};
    struct stat status;
    bool is_file = strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
    FILE *in = is_file ? fopen(path, "re") : NULL;
    if (!in)
        return start;
    start.n = fread(start.bytes, 1, sizeof start.bytes, in);
    fclose(in);
    return start;
}

static bool is_elf(const struct start *start) {
    return object_is_elf(start->bytes, start->n);
}

static bool is_assembly(const char *path) {
    return file_has_suffix(path, ".s") || file_has_suffix(path, ".S");
}

static bool is_list(const char *path) {
    return file_has_suffix(path, ".csv") || file_has_suffix(path, ".hex") || file_has_suffix(path, ".txt");
}

static bool read_file(struct corpus_blocks *blocks, const char *path, struct fail *fail) {
    const struct start start = read_start(path);
    const char *refused = start.n ? file_kind_refused(path, start.bytes, start.n) : NULL;
    if (refused)
        return fail_at(fail, path, 0, 0, "this is %s", refused);
    if (is_elf(&start))
        return read_object(blocks, path, fail);
    return is_assembly(path) ? read_assembly(blocks, path, fail) : read_hex(blocks, path, fail);
}

// Whether a file of a folder looks like an input.
static bool is_input(const char *path) {
    if (is_list(path) || is_assembly(path))
        return !file_is_folder(path);
    const struct start start = read_start(path);
    return is_elf(&start);
}

// Of a folder, all files that look like an input. One that cannot be read does not stop the others.
static bool read_folder(struct corpus_blocks *blocks, const char *folder, struct fail *fail) {
    const char **names;
    size_t n = file_list(blocks->arena, folder, "", &names), n_inputs = 0;
    for (size_t i = 0; i < n && fail->status == FAIL_NONE; i++) {
        const char *path = arena_printf(blocks->arena, "%s/%s", folder, names[i]);
        struct fail why = {0};
        if (names[i][0] == '.' || !is_input(path))
            continue;
        n_inputs++;
        if (read_file(blocks, path, &why))
            continue;
        if (blocks->is_strict)
            *fail = why;
        else
            lab_say_failed(blocks->listener, &why);
    }
    if (fail->status == FAIL_NONE && n_inputs == 0)
        fail_set(fail, FAIL_INPUT, "the folder '%s' has no .csv, .hex, .txt, .s, .S or ELF file", folder);
    return fail->status == FAIL_NONE;
}

// A device may have no end.
static bool is_device(const char *path) {
    struct stat status;
    return strcmp(path, "-") != 0 && stat(path, &status) == 0 && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode));
}

bool corpus_inputs_read(struct corpus_blocks *blocks, const char *path, struct fail *fail) {
    if (is_device(path))
        return fail_set(fail, FAIL_INPUT, "'%s' is a device: name a file, a pipe or a folder", path);
    return file_is_folder(path) ? read_folder(blocks, path, fail) : read_file(blocks, path, fail);
}
