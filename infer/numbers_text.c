#include "infer/numbers.h"

#include "base/text.h"
#include "infer/names_pattern.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 118 };

enum group { VALUES, BLOCKS, PARTS, N_GROUPS };

// A rule: its numbers as the file has them, and the opcodes that have these.
struct entry {
    const char *opcode, *text;
};

static void add_ends(struct text *text, const char *key, const struct number_end *ends, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        text_addf(text, "%s%s%s%s: %.4g", i ? ", " : key, i ? "" : ": {",
                  strspn(ends[i].name, "0123456789") ? "\"" : "",
                  strspn(ends[i].name, "0123456789") ? arena_printf(text->arena, "%s\"", ends[i].name) : ends[i].name,
                  ends[i].cycles);
    text_add(text, n ? "}, " : "");
}

static void add_uses(struct text *text, const struct numbers *numbers) {
    text_add(text, "pipes: [");
    for (unsigned i = 0; i < numbers->n_uses; i++) {
        const struct number_use *use = &numbers->uses[i];
        text_addf(text, use->cycles == 1 ? "%s%s" : "%s{on: %s, cycles: %.4g}", i ? ", " : "", use->on, use->cycles);
    }
    text_add(text, "], ");
}

// All that the rule has behind its match.
static const char *text_of(struct arena *arena, const struct numbers *numbers) {
    struct text text = {.arena = arena};
    text_add(&text, "");
    if (numbers->has_slots)
        text_addf(&text, "slots: %u, ", numbers->slots);
    if (numbers->has_latency)
        text_addf(&text, "latency: %.4g, ", numbers->latency);
    add_ends(&text, "latency-to", numbers->to, numbers->n_to);
    add_ends(&text, "latency-from", numbers->from, numbers->n_from);
    if (numbers->has_own)
        text_addf(&text, "own-latency: %.4g, ", numbers->own);
    if (numbers->has_uses)
        add_uses(&text, numbers);
    if (numbers->has_serial)
        text_addf(&text, "serial: %.4g, ", numbers->serial);
    text.data[strlen(text.data) - 2] = '\0'; // the last ", "
    return text.data;
}

static int compare(const void *a, const void *b) {
    const struct entry *one = a, *other = b;
    int order = strcmp(one->text, other->text);
    return order ? order : strcmp(one->opcode, other->opcode);
}

// Broken behind a "|", where YAML joins the lines.
static void add_match(struct text *text, const char *pattern) {
    size_t column = strlen("    - match: \""), length;
    text_add(text, "    - match: \"");
    for (const char *at = pattern; *at; at += length) {
        length = strcspn(at, "|");
        length += at[length] == '|';
        if (column + length + 1 > WIDTH && column > 8) {
            text_add(text, "\\\n        ");
            column = 8;
        }
        text_addf(text, "%.*s", (int)length, at);
        column += length;
    }
    text_add(text, "\"\n");
}

const char *numbers_rule(struct arena *arena, const char *const *opcodes, size_t n, const char *numbers) {
    struct text text = {.arena = arena};
    const char *pattern = names_pattern(arena, opcodes, n);
    if (strlen(pattern) + strlen(numbers) + strlen("    - {match: , }") <= WIDTH + 2) {
        bool is_plain = pattern[strspn(pattern, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_()|")];
        text_addf(&text, is_plain ? "    - {match: \"%s\", %s}\n" : "    - {match: %s, %s}\n", pattern, numbers);
        return text.data;
    }
    add_match(&text, pattern);
    for (const char *at = numbers, *end; *at; at = end) { // one a line: they are apart by ", " outside of brackets
        unsigned depth = 0;
        for (end = at; *end && (depth || strncmp(end, ", ", 2) != 0); end++) {
            depth += *end == '[' || *end == '{';
            depth -= *end == ']' || *end == '}';
        }
        text_addf(&text, "      %.*s\n", (int)(end - at), at);
        end += *end ? 2 : 0;
    }
    return text.data;
}

// What numbers are from, and how sure they are.
static enum group group_of(const struct numbers *numbers) {
    return numbers->has_serial ? BLOCKS : numbers->is_split || numbers->is_at_most ? PARTS : VALUES;
}

// Rules of a group, one for all opcodes with the same numbers, sorted. Returns how many there are.
static size_t add_group(struct arena *arena, struct entry *entries, size_t n, struct text *text) {
    const char **rules = ARENA_ARRAY(arena, const char *, n + 1);
    size_t n_rules = 0;
    if (n)
        qsort(entries, n, sizeof *entries, compare);
    for (size_t first = 0, end; first < n; first = end) {
        const char **opcodes = ARENA_ARRAY(arena, const char *, n);
        for (end = first; end < n && strcmp(entries[end].text, entries[first].text) == 0; end++)
            opcodes[end - first] = entries[end].opcode;
        rules[n_rules++] = numbers_rule(arena, opcodes, end - first, entries[first].text);
    }
    if (n_rules)
        qsort(rules, n_rules, sizeof *rules, text_compare);
    for (size_t i = 0; i < n_rules; i++)
        text_add(text, rules[i]);
    return n_rules;
}

const char *numbers_text(struct arena *arena, const struct numbers *numbers, size_t n, unsigned llvm, size_t *n_rules) {
    static const char *const heads[N_GROUPS] = {
        [VALUES] = "  - trust: measured\n    source: survey\n",
        [BLOCKS] = "  - trust: measured\n    source: \"survey: a measured block of time\"\n",
        [PARTS] = "  - trust: bound\n    source: \"survey: parts of sums, and of blocks\"\n"};
    struct entry *entries = ARENA_ARRAY(arena, struct entry, n + 1);
    struct text text = {.arena = arena};
    *n_rules = 0;
    text_add(&text, "");
    for (enum group group = VALUES; group < N_GROUPS; group++) {
        size_t n_entries = 0;
        for (size_t i = 0; i < n; i++)
            if (numbers_are_any(&numbers[i]) && group_of(&numbers[i]) == group)
                entries[n_entries++] = (struct entry){numbers[i].opcode, text_of(arena, &numbers[i])};
        if (n_entries)
            text_addf(&text, "%s    llvm: %u\n    forms:\n", heads[group], llvm);
        *n_rules += add_group(arena, entries, n_entries, &text);
    }
    return text.data;
}
