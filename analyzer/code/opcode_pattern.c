#include "analyzer/code/opcode_pattern.h"

#include "analyzer/code/pattern_names.h"
#include "base/bytes.h"

#include <string.h>

// glibc writes what stands before a '+' twice: within each other, they take memory without limit.
static bool repeats_more_than_a_letter(const char *pattern) {
    for (const char *plus = strchr(pattern, '+'); plus; plus = strchr(plus + 1, '+'))
        if (plus > pattern && strchr(")+*?", plus[-1]))
            return true;
    return false;
}

const char *opcode_pattern_compile(struct arena *arena, const char *text, struct opcode_pattern *pattern) {
    *pattern = (struct opcode_pattern){.text = NULL};
    char words[200];
    if (strpbrk(text, "{\\")) // opcodes' names need neither
        return arena_printf(arena, "'%s': '{' and '\\' mean nothing in an opcode", text);
    if (repeats_more_than_a_letter(text))
        return arena_printf(arena, "'%s': '+' repeats one letter or [set]; write ()* for more", text);
    int error = regcomp(&pattern->compiled, arena_printf(arena, "^(%s)$", text), REG_EXTENDED | REG_NOSUB);
    if (error) {
        regerror(error, &pattern->compiled, words, sizeof words);
        return arena_printf(arena, "'%s' is not a regular expression: %s", text, words);
    }
    pattern->text = text;
    pattern->names = pattern_names_expand(arena, text);
    return NULL;
}

void opcode_pattern_free(struct opcode_pattern *pattern) {
    if (pattern->text)
        regfree(&pattern->compiled);
    pattern->text = NULL;
}

bool opcode_pattern_matches(const struct opcode_pattern *pattern, const char *name) {
    return pattern->names ? pattern_names_hold(pattern->names, name)
                          : regexec(&pattern->compiled, name, 0, NULL, 0) == 0;
}

size_t opcode_pattern_names(const struct opcode_pattern *pattern, const char *const **names) {
    return pattern->names ? pattern_names_list(pattern->names, names) : 0;
}

struct index opcode_places(struct arena *arena, const char *const *names, size_t n) {
    struct index places = {.arena = arena};
    for (size_t i = 0; i < n; i++)
        index_add(&places, bytes_hash(names[i], strlen(names[i])), i);
    return places;
}

bool opcode_is_in(const struct index *places, const char *const *names, const char *name) {
    for (size_t place = 0, i; (i = index_next(places, bytes_hash(name, strlen(name)), &place)) != INDEX_END;)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

bool opcode_pattern_matches_any(const struct opcode_pattern *pattern, const char *const *names, size_t n,
                                const struct index *places) {
    const char *const *own = NULL;
    size_t n_own = opcode_pattern_names(pattern, &own);
    for (size_t i = 0; i < n_own; i++)
        if (opcode_is_in(places, names, own[i]))
            return true;
    for (size_t i = 0; !pattern->names && i < n; i++)
        if (opcode_pattern_matches(pattern, names[i]))
            return true;
    return false;
}
