#include "analyzer/code/pattern_names.h"

#include "base/bytes.h"
#include "base/index.h"

#include <ctype.h>
#include <string.h>

enum { MOST_NAMES = 4096, MOST_DEPTH = 32 };

struct pattern_names {
    const char **items;
    size_t n;
    struct index index; // of items, by their hash
};

// Texts that a part of the pattern matches.
struct texts {
    const char **items;
    size_t n;
};

struct parser {
    struct arena *arena;
    const char *at;
    unsigned depth;
};

static bool read_alternatives(struct parser *parser, struct texts *found);

// Each of `left` with each of `right` behind it.
static bool join(struct arena *arena, struct texts *left, const struct texts *right) {
    struct texts joined = {.n = 0};
    if (left->n * right->n > MOST_NAMES)
        return false;
    for (size_t i = 0; i < left->n; i++)
        for (size_t k = 0; k < right->n; k++)
            *ARENA_ADD(arena, joined.items, joined.n) = arena_printf(arena, "%s%s", left->items[i], right->items[k]);
    *left = joined;
    return true;
}

static bool read_set(struct parser *parser, struct texts *found) {
    for (; isalnum((unsigned char)*parser->at) || *parser->at == '_'; parser->at++)
        *ARENA_ADD(parser->arena, found->items, found->n) = arena_copy(parser->arena, parser->at, 1);
    return *parser->at++ == ']' && found->n;
}

// A letter, a group or a set, and "?" behind it.
static bool read_piece(struct parser *parser, struct texts *found) {
    bool is_read = true;
    char first = *parser->at++;
    if (first == '(')
        is_read = read_alternatives(parser, found) && *parser->at++ == ')';
    else if (first == '[')
        is_read = read_set(parser, found);
    else if (isalnum((unsigned char)first) || first == '_' || first == '-')
        *ARENA_ADD(parser->arena, found->items, found->n) = arena_copy(parser->arena, &first, 1);
    else
        return false;
    if (is_read && *parser->at == '?') {
        parser->at++;
        *ARENA_ADD(parser->arena, found->items, found->n) = "";
    }
    return is_read;
}

static bool read_sequence(struct parser *parser, struct texts *found) {
    *ARENA_ADD(parser->arena, found->items, found->n) = "";
    while (*parser->at && !strchr("|)", *parser->at)) {
        struct texts piece = {.n = 0};
        if (!read_piece(parser, &piece) || !join(parser->arena, found, &piece))
            return false;
    }
    return true;
}

static bool read_alternatives(struct parser *parser, struct texts *found) {
    if (++parser->depth > MOST_DEPTH)
        return false;
    for (;;) {
        struct texts sequence = {.n = 0};
        if (!read_sequence(parser, &sequence) || found->n + sequence.n > MOST_NAMES)
            return false;
        for (size_t i = 0; i < sequence.n; i++)
            *ARENA_ADD(parser->arena, found->items, found->n) = sequence.items[i];
        if (*parser->at != '|')
            break;
        parser->at++;
    }
    parser->depth--;
    return true;
}

const struct pattern_names *pattern_names_expand(struct arena *arena, const char *pattern) {
    struct parser parser = {.arena = arena, .at = pattern};
    struct texts found = {.n = 0};
    if (!read_alternatives(&parser, &found) || *parser.at)
        return NULL;
    struct pattern_names *names = ARENA_NEW(arena, struct pattern_names);
    *names = (struct pattern_names){.items = found.items, .n = found.n, .index = {.arena = arena}};
    for (size_t i = 0; i < found.n; i++)
        index_add(&names->index, bytes_hash(found.items[i], strlen(found.items[i])), i);
    return names;
}

bool pattern_names_hold(const struct pattern_names *names, const char *name) {
    const uint64_t hash = bytes_hash(name, strlen(name));
    for (size_t place = 0, i; (i = index_next(&names->index, hash, &place)) != INDEX_END;)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

size_t pattern_names_list(const struct pattern_names *names, const char *const **items) {
    *items = names->items;
    return names->n;
}
