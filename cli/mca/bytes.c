#include "cli/mca/bytes.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/line.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool mca_hex_open(struct mca_hex *hex, const char *path, struct fail *fail) {
    bool is_stdin = strcmp(path, "-") == 0;
    *hex = (struct mca_hex){.name = file_name(path), .in = is_stdin ? stdin : fopen(path, "re")};
    if (hex->in != NULL)
        return true;
    return fail_set(fail, FAIL_INPUT, "cannot read '%s': %s", path, strerror(errno));
}

bool mca_hex_open_text(struct mca_hex *hex, const char *name, char *text, size_t n_bytes, unsigned first_line) {
    *hex = (struct mca_hex){.name = name, .in = fmemopen(text, n_bytes, "r"), .line = first_line - 1};
    return hex->in != NULL;
}

void mca_hex_close(struct mca_hex *hex) {
    if (hex->in != NULL && hex->in != stdin)
        fclose(hex->in);
    free(hex->text);
    free(hex->bytes);
    arena_free(&hex->arena);
}

// Parses digits into hex->bytes, which is as large as hex->text. `from`: first digit's place in the line.
static bool parse_digits(struct mca_hex *hex, struct slice digits, unsigned from, size_t *n_bytes) {
    size_t n_digits, n_good = bytes_from_people(digits.data, digits.length, hex->bytes, &n_digits);
    if (n_good < digits.length)
        return fail_at(&hex->fail, hex->name, hex->line, from + (unsigned)n_good + 1,
                       "'%.*s' is not a hexadecimal digit; a line has the bytes of one block, as in 4801d8",
                       (int)(digits.data[n_good] & 0x80 ? digits.length - n_good : 1), digits.data + n_good);
    if (n_digits % 2 != 0)
        return fail_at(&hex->fail, hex->name, hex->line, from + (unsigned)digits.length,
                       "half a byte is left over: there are %zu hexadecimal digits", n_digits);
    *n_bytes = n_digits / 2;
    return true;
}

// Describes a line: sets hex->block or hex->fail.
static bool describe_line(struct mca_hex *hex, struct slice digits, const struct model *model) {
    size_t n_bytes = 0;
    if (!parse_digits(hex, digits, (unsigned)(digits.data - hex->text), &n_bytes))
        return false;
    struct fail why;
    fail_clear(&why);
    if (!model_describe_bytes(model, &hex->arena, hex->bytes, n_bytes, &hex->block, &why))
        return fail_at(&hex->fail, hex->name, hex->line, 0, "%s", why.text);
    return true;
}

// Reads a line that is not empty. Returns false at the end of the file and where reading fails.
static bool read_line(struct mca_hex *hex, struct slice *digits) {
    do {
        size_t room = hex->room;
        ssize_t length = line_read(&hex->text, &hex->room, hex->in);
        if (length < 0)
            return line_error() ? fail_at(&hex->fail, hex->name, hex->line + 1, 0, "%s", line_error()) : false;
        hex->line++;
        if (hex->room != room) {
            free(hex->bytes);
            hex->bytes = malloc(hex->room);
            if (hex->bytes == NULL)
                return fail_at(&hex->fail, hex->name, hex->line, 0, "this line is too long: out of memory");
        }
        const char *comma = memchr(hex->text, ',', (size_t)length);
        *digits = slice_trim((struct slice){hex->text, comma != NULL ? (size_t)(comma - hex->text) : (size_t)length});
    } while (digits->length == 0);
    return true;
}

bool mca_hex_next(struct mca_hex *hex, const struct model *model) {
    struct slice digits = {0};
    fail_clear(&hex->fail);
    arena_reset(&hex->arena);
    if (!read_line(hex, &digits))
        return false;
    describe_line(hex, digits, model);
    return true;
}

const char *mca_hex_place(struct mca_hex *hex) {
    return arena_printf(&hex->arena, "%s:%u", hex->name, hex->line);
}

// Writes `number` with at least `digits` digits before `end`, and returns its begin. printf would take a third of the
// time of a known block.
static char *write_count(char *end, uint64_t number, unsigned digits) {
    for (; number != 0 || digits != 0; number /= 10, digits -= digits != 0)
        *--end = (char)('0' + number % 10);
    return end;
}

void mca_brief_print(const struct pipeline_result *result, uint64_t thousandths, const char *name, FILE *out) {
    enum { DECIMALS = 3, SCALE = 1000, ROOM = 96 };
    char line[ROOM], *const end = line + ROOM, *start = end;
    *--start = *name != '\0' ? ' ' : '\n';
    start = write_count(start, result->uops, 1);
    *--start = ' ';
    start = write_count(start, result->instructions, 1);
    *--start = ' ';
    start = write_count(start, result->cycles, 1);
    *--start = ' ';
    start = write_count(start, thousandths % SCALE, DECIMALS);
    *--start = '.';
    start = write_count(start, thousandths / SCALE, 1);
    fwrite(start, 1, (size_t)(end - start), out);
    if (*name != '\0')
        fprintf(out, "%s\n", name);
}

void mca_brief_print_error(const struct fail *fail, FILE *out) {
    fputs("error ", out);
    if (fail->file[0] != '\0')
        fprintf(out, "%s:", fail->file);
    if (fail->line != 0)
        fprintf(out, "%u:", fail->line);
    if (fail->line != 0 && fail->column != 0)
        fprintf(out, "%u:", fail->column);
    fprintf(out, "%s%.*s\n", fail->file[0] != '\0' ? " " : "", (int)strcspn(fail->text, "\n"), fail->text);
}
