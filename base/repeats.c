#include "base/repeats.h"

#include "base/bytes.h"

#include <stdio.h>
#include <string.h>

// A shorter run takes as much text as its digits.
enum { LEAST_RUN = 5, TABLE_SIZE = 1 << 10 };

static size_t place_of(const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return (word * 2654435761U) >> 22; // D. Knuth's multiplicative hashing, of as many bits as the table has
}

// Both texts one behind the other, while places in them are looked for.
struct both {
    const uint8_t *bytes;
    size_t n;
    size_t last[TABLE_SIZE]; // where bytes with this hash stood last, plus one
};

static void remember(struct both *both, size_t at) {
    if (at + LEAST_RUN <= both->n)
        both->last[place_of(both->bytes + at)] = at + 1;
}

// How many bytes from `at` on stand before it already. Sets where.
static size_t find_run(const struct both *both, size_t at, size_t *before) {
    size_t length = 0, seen = at + LEAST_RUN <= both->n ? both->last[place_of(both->bytes + at)] : 0;
    *before = seen - 1;
    while (seen && at + length < both->n && both->bytes[*before + length] == both->bytes[at + length])
        length++;
    return length;
}

static void add_digits(struct text *out, const char *gap, const struct both *both, size_t from, size_t to) {
    if (from < to)
        text_addf(out, "%s%s", gap, bytes_to_hex(out->arena, both->bytes + from, to - from));
}

void repeats_write(struct text *out, struct repeats_before before, const uint8_t *bytes, size_t n_bytes) {
    struct arena scratch = {0};
    uint8_t *copy = arena_alloc(&scratch, before.n + n_bytes + 1);
    struct text words = {.arena = &scratch};
    struct both both = {.bytes = copy, .n = before.n + n_bytes};
    size_t written = before.n, place;
    if (before.n)
        memcpy(copy, before.bytes, before.n);
    memcpy(copy + before.n, bytes, n_bytes);
    for (size_t at = 0; at < before.n; at++)
        remember(&both, at);
    for (size_t at = before.n; at < both.n;) {
        size_t length = find_run(&both, at, &place), end = at + length;
        if (length < LEAST_RUN) {
            remember(&both, at++);
            continue;
        }
        add_digits(&words, words.length ? " " : "", &both, written, at);
        text_addf(&words, "%s%zu-%zu", words.length ? " " : "", at - place, length);
        while (at < end)
            remember(&both, at++);
        written = end;
    }
    add_digits(&words, words.length ? " " : "", &both, written, both.n);
    text_append(out, words.data, words.length);
    arena_free(&scratch);
}

// Takes a word apart: a distance and a length, or digits, distance 0.
static bool read_word(struct slice word, size_t *distance, size_t *length) {
    char copy[24];
    int end = 0;
    *distance = 0;
    *length = word.length / 2;
    if (!memchr(word.data, '-', word.length))
        return word.length % 2 == 0;
    snprintf(copy, sizeof copy, "%.*s", (int)word.length, word.data);
    return sscanf(copy, "%9zu-%9zu%n", distance, length, &end) == 2 && (size_t)end == word.length && *distance > 0;
}

bool repeats_read(struct arena *arena, const char *text, struct repeats_before before, size_t most, uint8_t **bytes,
                  size_t *n_bytes) {
    const struct slice all = {text, strlen(text)};
    struct slice rest = all, word;
    size_t n = 0, distance, length;
    while (slice_next(&rest, ' ', &word)) {
        if (!read_word(word, &distance, &length) || distance > before.n + n || length > most - n)
            return false;
        n += length;
    }
    *bytes = arena_alloc(arena, n + 1);
    *n_bytes = 0;
    for (rest = all; slice_next(&rest, ' ', &word); *n_bytes += length) {
        uint8_t *to = *bytes + *n_bytes;
        read_word(word, &distance, &length);
        if (!distance && !bytes_from_hex(word.data, length, to))
            return false;
        for (size_t i = 0; distance && i < length; i++) {
            size_t at = *n_bytes + i;
            to[i] = at >= distance ? (*bytes)[at - distance] : before.bytes[before.n + at - distance];
        }
    }
    return n > 0;
}
