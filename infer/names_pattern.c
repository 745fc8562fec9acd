#include "infer/names_pattern.h"

#include "base/text.h"

#include <stdbool.h>
#include <string.h>

// A pattern in parts, each a character, a set or a group, perhaps with "?" behind it.
struct sequence {
    const char **parts;
    size_t n;
};

// Patterns of which one matches.
struct choice {
    struct arena *arena;
    struct sequence *items;
    size_t n;
};

static void add_part(struct arena *arena, struct sequence *sequence, const char *part) {
    *ARENA_ADD(arena, sequence->parts, sequence->n) = part;
}

static bool ends_alike(const struct sequence *a, const struct sequence *b, size_t n) {
    return a->n >= n && b->n >= n && strcmp(a->parts[a->n - n], b->parts[b->n - n]) == 0;
}

static const char *text_of(struct arena *arena, const struct sequence *sequence) {
    struct text text = {.arena = arena};
    text_add(&text, "");
    for (size_t i = 0; i < sequence->n; i++)
        text_add(&text, sequence->parts[i]);
    return text.data;
}

static bool is_character(const struct sequence *sequence) {
    return sequence->n == 1 && strlen(sequence->parts[0]) == 1;
}

// The choice as one part; "": of nothing alone.
static const char *part_of(const struct choice *choice) {
    struct text set = {.arena = choice->arena}, words = {.arena = choice->arena};
    size_t n_set = 0, n_words = 0, n_empty = 0;
    text_add(&set, "");
    text_add(&words, "");
    for (size_t i = 0; i < choice->n; i++) {
        const struct sequence *item = &choice->items[i];
        n_empty += item->n == 0;
        if (is_character(item)) {
            text_add(&set, item->parts[0]);
            n_set++;
        } else if (item->n) {
            text_addf(&words, "%s%s", n_words++ ? "|" : "", text_of(choice->arena, item));
        }
    }
    if (!n_set && !n_words)
        return "";
    if (n_set)
        text_addf(&words, n_set > 1 ? "%s[%s]" : "%s%s", n_words ? "|" : "", set.data);
    bool is_group = n_words + (n_set > 0) > 1 || (n_words && n_empty);
    return arena_printf(choice->arena, is_group ? "(%s)%s" : "%s%s", words.data, n_empty ? "?" : "");
}

static struct sequence joined(const struct choice *choice);

// How many last parts all of them share.
static size_t shared_end(const struct choice *alike) {
    for (size_t shared = 0;; shared++)
        for (size_t i = 0; i < alike->n; i++)
            if (!ends_alike(&alike->items[0], &alike->items[i], shared + 1))
                return shared;
}

// Those that share their last part: what is before the common end, as one pattern, and that end.
static struct sequence with_end(const struct choice *alike) {
    const struct sequence *first = &alike->items[0];
    const size_t shared = shared_end(alike);
    struct choice before = {.arena = alike->arena};
    struct sequence whole = {.n = 0};
    for (size_t i = 0; i < alike->n; i++)
        *ARENA_ADD(before.arena, before.items, before.n) =
            (struct sequence){alike->items[i].parts, alike->items[i].n - shared};
    const struct sequence one = joined(&before);
    for (size_t p = 0; p < one.n; p++)
        add_part(alike->arena, &whole, one.parts[p]);
    for (size_t p = first->n - shared; p < first->n; p++)
        add_part(alike->arena, &whole, first->parts[p]);
    return whole;
}

// One pattern for all of the choice: those that end alike share that end.
static struct sequence joined(const struct choice *choice) {
    struct choice rest = {.arena = choice->arena};
    bool *is_taken = ARENA_ARRAY(choice->arena, bool, choice->n + 1);
    for (size_t i = 0; i < choice->n; i++) {
        struct choice alike = {.arena = choice->arena};
        for (size_t k = i; k < choice->n && !is_taken[i]; k++)
            if (k == i || (!is_taken[k] && ends_alike(&choice->items[i], &choice->items[k], 1))) {
                *ARENA_ADD(alike.arena, alike.items, alike.n) = choice->items[k];
                is_taken[k] = k != i;
            }
        if (alike.n)
            *ARENA_ADD(rest.arena, rest.items, rest.n) = alike.n > 1 ? with_end(&alike) : alike.items[0];
    }
    if (rest.n == 1)
        return rest.items[0];
    struct sequence whole = {.n = 0};
    const char *part = part_of(&rest);
    if (*part)
        add_part(choice->arena, &whole, part);
    return whole;
}

// Of names that are the same up to `at`.
static struct sequence pattern_of(struct arena *arena, const char *const *names, size_t n, size_t at) {
    struct choice choice = {.arena = arena};
    for (size_t first = 0, end; first < n; first = end) {
        char next = names[first][at];
        struct sequence one = {.n = 0};
        for (end = first + 1; end < n && names[end][at] == next;)
            end++;
        if (next) {
            struct sequence rest = pattern_of(arena, names + first, end - first, at + 1);
            add_part(arena, &one, arena_copy(arena, &next, 1));
            for (size_t p = 0; p < rest.n; p++)
                add_part(arena, &one, rest.parts[p]);
        }
        *ARENA_ADD(arena, choice.items, choice.n) = one;
    }
    return choice.n == 1 ? choice.items[0] : joined(&choice);
}

const char *names_pattern(struct arena *arena, const char *const *names, size_t n) {
    struct sequence whole = pattern_of(arena, names, n, 0);
    const char *pattern = text_of(arena, &whole);
    size_t length = strlen(pattern);
    bool is_one_group = whole.n == 1 && length > 2 && pattern[0] == '(' && pattern[length - 1] == ')';
    return is_one_group ? arena_copy(arena, pattern + 1, length - 2) : pattern;
}
