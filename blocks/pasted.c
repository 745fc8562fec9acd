#include "blocks/pasted.h"

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
    struct slice note; // behind the instruction's "#": what it refers to
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

// Takes "  3.54 :" or "       :" off the front, as `perf annotate --stdio` writes it.
static bool take_colon(struct slice *rest) {
    struct slice at = skip_blanks(*rest);
    bool has_point = false, is_number = false;
    for (; at.length && (isdigit((unsigned char)*at.data) || *at.data == '.' || is_blank(*at.data)); at = skip(at, 1)) {
        has_point |= *at.data == '.';
        is_number |= isdigit((unsigned char)*at.data);
    }
    if (has_point != is_number || at.length < 2 || *at.data != ':' || !is_blank(at.data[1]))
        return false;
    *rest = skip(at, 1);
    return true;
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

// Cuts "# 2040 <table>", which is the note, and "<f+0x8>" off the end.
static void take_insn(struct slice rest, struct pasted_line *line) {
    line->insn = rest;
    for (size_t i = 0; i < line->insn.length; i++) {
        bool begins_note = rest.data[i] == '#' && i > 0 && is_blank(rest.data[i - 1]);
        if (begins_note)
            line->note = skip_blanks(skip(rest, i + 1));
        if (begins_note || rest.data[i] == '<')
            line->insn.length = i;
    }
    line->insn = slice_trim(line->insn);
}

static struct pasted_line read_line(struct slice line) {
    struct pasted_line read = {.has_share = take_share(&line)};
    bool has_colon = !read.has_share && take_colon(&line);
    bool has_address = take_address(&line, &read.address);
    if (!has_address && !read.has_share)
        return read; // behind a colon, a line of the source
    read.has_share |= has_colon;
    bool has_tab = line.length && line.data[0] == '\t';
    if (has_address)
        take_bytes(&line, &read.bytes);
    take_insn(line, &read);
    read.is_code = read.bytes.length > 0 || ((read.has_share || has_tab) && read.insn.length > 0);
    return read;
}

// Whether a line is one that a disassembler prints between those of code: empty, "...", "Disassembly of section
// .text:", "a.out:     file format elf64-x86-64", "0000000000001130 <dot>:", "Percent │".
static bool is_heading(struct slice line) {
    static const char format[] = "file format";
    struct slice text = slice_trim(line);
    return text.length == 0 || slice_is(text, "...") || text.data[text.length - 1] == ':' ||
           memmem(text.data, text.length, format, strlen(format)) || take_share(&text) || take_colon(&text);
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

// ---- what an instruction of x86 refers to by its distance: the pasted lines do not have it, so a symbol stands for it

// "2040 <table+0x8>" as an expression: "table+0x8"; "at_2040" where it has no name that an assembler takes.
static const char *symbol_of(struct arena *arena, struct slice note) {
    size_t n_digits = count_hex(note), length = 0;
    struct slice behind = skip_blanks(skip(note, n_digits));
    if (!n_digits)
        return NULL;
    struct slice name = behind.length ? skip(behind, 1) : behind;
    while (length < name.length && (isalnum((unsigned char)name.data[length]) || strchr("_.+", name.data[length])))
        length++;
    bool has_name = length > 0 && *behind.data == '<' && !isdigit((unsigned char)*name.data) && length < name.length &&
                    name.data[length] == '>';
    return has_name ? arena_printf(arena, "%.*s", (int)length, name.data)
                    : arena_printf(arena, "at_%.*s", (int)n_digits, note.data);
}

// Finds the number in "0xdef(%rip)", "[rip+0xdef]" or "[rip-0x10]": a slice of the instruction, with its sign where it
// is negative. False: there is none.
static bool find_distance(struct slice insn, struct slice *number) {
    static const char att[] = "(%rip)", intel[] = "[rip";
    const char *found = memmem(insn.data, insn.length, att, strlen(att)), *end = insn.data + insn.length;
    const char *first = found;
    while (first && first > insn.data && (isxdigit((unsigned char)first[-1]) || first[-1] == 'x'))
        first--;
    if (found && first > insn.data && first[-1] == '-')
        first--;
    if (!found && (first = memmem(insn.data, insn.length, intel, strlen(intel)))) {
        first += strlen(intel);
        first += first < end && *first == '+';
        found = memchr(first, ']', (size_t)(end - first));
    }
    if (!found || found == first)
        return false;
    *number = (struct slice){first, (size_t)(found - first)};
    return true;
}

// Where the distance's four bytes are in the machine code; 0: not found. Intel's manual, volume 2, table 2-7: the byte
// before says that they follow.
static size_t find_field(const uint8_t *bytes, size_t n, int32_t distance) {
    enum { FIELD = sizeof distance, MODRM = 0xc7, RIP = 5 };
    for (size_t at = 1; at + FIELD <= n; at++)
        if ((bytes[at - 1] & MODRM) == RIP && memcmp(bytes + at, &distance, FIELD) == 0)
            return at;
    return 0;
}

// ---- writing

enum { MOST_BYTES = 32 }; // of an instruction, and more

// Takes the bytes of a line, in the order in memory: words are written with their highest byte first.
static size_t read_bytes(struct slice digits, uint8_t bytes[MOST_BYTES], size_t n_bytes) {
    enum { PAIR = 2, BASE = 16 };
    const char *at = digits.data, *end = at + digits.length;
    while (at < end) {
        size_t n = count_hex((struct slice){at, (size_t)(end - at)});
        for (size_t i = 0; i < n && n_bytes < MOST_BYTES; i += PAIR) {
            const char *pair = n > PAIR ? at + n - PAIR - i : at;
            const char text[] = {pair[0], pair[1], '\0'};
            bytes[n_bytes++] = (uint8_t)strtoul(text, NULL, BASE);
        }
        at += n;
        while (at < end && is_blank(*at))
            at++;
    }
    return n_bytes;
}

static void add_bytes(struct text *out, const uint8_t *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        text_addf(out, "%s0x%02x", i ? ", " : ".byte ", bytes[i]);
}

// Adds an instruction's machine code: all of it, also what the next line has.
static void add_code(struct text *out, const struct pasted_line *line, struct slice more) {
    enum { FIELD = 4 };
    uint8_t bytes[MOST_BYTES];
    size_t n = read_bytes(more, bytes, read_bytes(line->bytes, bytes, 0));
    struct slice number;
    const char *symbol = symbol_of(out->arena, line->note);
    bool refers = symbol && find_distance(line->insn, &number);
    size_t at = refers ? find_field(bytes, n, (int32_t)strtol(number.data, NULL, 0)) : 0;
    add_bytes(out, bytes, at ? at : n);
    if (at)
        text_addf(out, "; .long %s - . - %zu%s", symbol, n - at, at + FIELD < n ? "; " : "");
    if (at)
        add_bytes(out, bytes + at + FIELD, n - at - FIELD);
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
    struct slice number = {0};
    const char *symbol = symbol_of(out->arena, line->note);
    bool refers = symbol && find_distance(insn, &number);
    const char *end = insn.data + insn.length, *behind = refers ? number.data + number.length : end;
    if (line->address.length)
        text_addf(out, ".Lat%.*s: ", (int)line->address.length, line->address.data);
    if (refers)
        text_addf(out, "%.*s%s%.*s", (int)(number.data - insn.data), insn.data, symbol, (int)(end - behind), behind);
    else if (is_branch)
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
        struct pasted_line read = read_line(line), next = {0};
        struct slice behind = rest, next_line;
        if (slice_next(&behind, '\n', &next_line))
            next = read_line(next_line);
        bool goes_on = read.bytes.length && read.insn.length && next.bytes.length && !next.insn.length;
        if (read.bytes.length)
            add_code(&out, &read, goes_on ? next.bytes : (struct slice){0});
        else if (read.is_code)
            add_insn(&out, &read);
        if (goes_on) {
            line = next_line;
            rest = behind;
            text_add(&out, "\n");
        }
        if (line.data[line.length] == '\n')
            text_add(&out, "\n");
    }
    return out.data;
}
