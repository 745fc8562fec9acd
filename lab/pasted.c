#include "lab/pasted.h"

#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A line's parts; slices without data are missing.
struct pasted_line {
    bool is_code;         // else a heading or an empty line
    bool has_share;       // perf's, of the samples
    struct slice address; // hexadecimal digits
    struct slice bytes;   // machine code: digits and blanks
    struct slice insn;
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static struct slice skip(struct slice rest, size_t n) {
    return (struct slice){rest.data + n, rest.length - n};
}

static struct slice skip_blanks(struct slice rest) {
    while (rest.length && is_blank(*rest.data))
        rest = skip(rest, 1);
    return rest;
}

static size_t count_hex(struct slice rest) {
    size_t n = 0;
    while (n < rest.length && isxdigit((unsigned char)rest.data[n]))
        n++;
    return n;
}

// Takes perf's "  3.54 │" off the front: all up to its line, and arrows behind it.
static bool take_share(struct slice *rest) {
    static const char line[] = "\u2502", *const arrows[] = {"\u2191", "\u2193", "\u2192", "\u2190",
                                                            "\u250c", "\u2514", "\u2500"};
    const char *found = memmem(rest->data, rest->length, line, strlen(line));
    if (!found)
        return false;
    *rest = skip_blanks(skip(*rest, (size_t)(found - rest->data) + strlen(line)));
    for (size_t i = 0; i < sizeof arrows / sizeof *arrows; i++)
        if (rest->length >= strlen(arrows[i]) && memcmp(rest->data, arrows[i], strlen(arrows[i])) == 0) {
            *rest = skip_blanks(skip(*rest, strlen(arrows[i])));
            i = SIZE_MAX; // once more from the first
        }
    return true;
}

// Takes "1138:" off the front.
static bool take_address(struct slice *rest, struct slice *address) {
    struct slice trimmed = skip_blanks(*rest);
    size_t n = count_hex(trimmed);
    if (n == 0 || n >= trimmed.length || trimmed.data[n] != ':')
        return false;
    *address = (struct slice){trimmed.data, n};
    *rest = skip(trimmed, n + 1);
    return true;
}

// Whether blanks and then a tab, or nothing, follow: where a column ends.
static bool ends_column(struct slice rest) {
    while (rest.length && *rest.data == ' ')
        rest = skip(rest, 1);
    return rest.length == 0 || *rest.data == '\t';
}

// Takes "48 8b 04 f8" off the front: pairs of digits with one blank between them, or for ISAs of fixed length a word,
// which is the whole column: fadd is an instruction.
static void take_bytes(struct slice *rest, struct slice *bytes) {
    enum { PAIR = 2, HALF = 4, WORD = 8 };
    struct slice at = skip_blanks(*rest);
    const char *start = at.data, *end = start;
    for (size_t n; (n = count_hex(at)) > 0;) {
        struct slice behind = skip(at, n);
        bool is_word = (n == HALF || n == WORD) && ends_column(behind);
        if (!is_word && (n != PAIR || (behind.length && !is_blank(*behind.data))))
            break;
        end = behind.data;
        if (behind.length < 2 || *behind.data != ' ' || is_blank(behind.data[1]))
            break;
        at = skip(behind, 1);
    }
    *bytes = (struct slice){start, (size_t)(end - start)};
    *rest = skip(*rest, (size_t)(end - rest->data));
}

// Cuts "# 2040 <table>" and "<f+0x8>" off the end.
static struct slice without_notes(struct slice insn) {
    for (size_t i = 0; i < insn.length; i++)
        if (insn.data[i] == '<' || (insn.data[i] == '#' && i > 0 && is_blank(insn.data[i - 1])))
            insn.length = i;
    return slice_trim(insn);
}

static struct pasted_line read_line(struct slice line) {
    struct pasted_line read = {.has_share = take_share(&line)};
    bool has_address = take_address(&line, &read.address);
    if (!has_address && !read.has_share)
        return read;
    bool has_tab = line.length && line.data[0] == '\t';
    if (has_address)
        take_bytes(&line, &read.bytes);
    read.insn = without_notes(line);
    read.is_code = read.bytes.length > 0 || ((read.has_share || has_tab) && read.insn.length > 0);
    return read;
}

// Whether a line is one that a disassembler prints between those of code: empty, "...", "Disassembly of section
// .text:", "a.out:     file format elf64-x86-64", "0000000000001130 <dot>:", "Percent │".
static bool is_heading(struct slice line) {
    static const char format[] = "file format";
    struct slice text = slice_trim(line);
    return text.length == 0 || slice_is(text, "...") || text.data[text.length - 1] == ':' ||
           memmem(text.data, text.length, format, strlen(format)) || take_share(&text);
}

// Whether a line is the assembler's: a directive, a comment with a marker. ".x = 1," is C, of objdump -S.
static bool is_for_assembler(struct slice line) {
    struct slice text = slice_trim(line);
    bool is_directive = text.length > 1 && text.data[0] == '.' && isalpha((unsigned char)text.data[1]) &&
                        !memchr(text.data, '=', text.length) && text.data[text.length - 1] != ':';
    return is_directive || memmem(text.data, text.length, "LLVM-", 5) || memmem(text.data, text.length, "OSACA-", 6);
}

// Whether all of a text is a disassembly. "7:" in front of an instruction is a label of assembly, too: so nothing may
// stand there that only an assembler reads; without machine code, nothing that no disassembler prints; and addresses
// rise up to the next heading.
static bool is_disassembly(const char *text) {
    struct slice rest = {text, strlen(text)}, line;
    size_t n_code = 0, n_shown = 0, n_others = 0; // n_shown: with machine code or a share, which no assembler reads
    unsigned long long last = 0, address;
    bool has_last = false;
    while (slice_next(&rest, '\n', &line)) {
        struct pasted_line read = read_line(line);
        bool has_address = read.is_code && read.address.length && !read.has_share;
        address = has_address ? strtoull(read.address.data, NULL, 16) : 0;
        if (is_for_assembler(line) || (has_address && has_last && address <= last))
            return false;
        if (has_address || is_heading(line)) {
            has_last = has_address;
            last = address;
        }
        n_code += read.is_code;
        n_shown += read.is_code && (read.bytes.length || read.has_share);
        n_others += !read.is_code && !is_heading(line);
    }
    return n_code > 0 && (n_others == 0 || n_shown == n_code);
}

static void add_code(struct text *out, const struct pasted_line *line) {
    enum { PAIR = 2 };
    const char *at = line->bytes.data, *end = at + line->bytes.length;
    for (bool is_first = true; at < end; is_first = false) {
        size_t n = count_hex((struct slice){at, (size_t)(end - at)});
        for (size_t i = 0; i < n; i += PAIR) { // words are written with their highest byte first
            const char *pair = n > PAIR ? at + n - PAIR - i : at;
            text_addf(out, "%s0x%.2s", is_first && i == 0 ? ".byte " : ", ", pair);
        }
        at += n;
        while (at < end && is_blank(*at))
            at++;
    }
}

// Adds an instruction without its bytes. A last word that is an address becomes the label there.
static void add_insn(struct text *out, const struct pasted_line *line) {
    struct slice insn = line->insn;
    size_t last = insn.length;
    while (last > 0 && !is_blank(insn.data[last - 1]))
        last--;
    struct slice word = skip(insn, last);
    bool is_hex = word.length > 2 && word.data[0] == '0' && word.data[1] == 'x';
    struct slice digits = is_hex ? skip(word, 2) : word;
    bool is_branch = insn.length && (insn.data[0] == 'j' || insn.data[0] == 'b') && digits.length > 0 &&
                     count_hex(digits) == digits.length;
    if (line->address.length)
        text_addf(out, ".Lat%.*s: ", (int)line->address.length, line->address.data);
    if (is_branch)
        text_addf(out, "%.*s.Lat%.*s", (int)last, insn.data, (int)digits.length, digits.data);
    else
        text_append(out, insn.data, insn.length);
}

const char *pasted_as_assembly(struct arena *arena, const char *text) {
    struct text out = {.arena = arena};
    struct slice rest = {text, strlen(text)}, line;
    if (!is_disassembly(text))
        return text;
    text_add(&out, "");
    while (slice_next(&rest, '\n', &line)) {
        struct pasted_line read = read_line(line);
        if (read.bytes.length)
            add_code(&out, &read);
        else if (read.is_code)
            add_insn(&out, &read);
        if (line.data[line.length] == '\n')
            text_add(&out, "\n");
    }
    return out.data;
}
