#include "analyzer/code/opcode_pattern.h"

#include <stdbool.h>
#include <string.h>

// glibc writes what stands before a '+' twice: within each other, they take memory without limit.
static bool repeats_more_than_a_letter(const char *pattern) {
    for (const char *plus = strchr(pattern, '+'); plus; plus = strchr(plus + 1, '+'))
        if (plus > pattern && strchr(")+*?", plus[-1]))
            return true;
    return false;
}

const char *opcode_pattern_compile(struct arena *arena, const char *text, regex_t *compiled) {
    char words[200];
    if (strpbrk(text, "{\\")) // opcodes' names need neither
        return arena_printf(arena, "'%s': '{' and '\\' mean nothing in an opcode", text);
    if (repeats_more_than_a_letter(text))
        return arena_printf(arena, "'%s': '+' repeats one letter or [set]; write ()* for more", text);
    int error = regcomp(compiled, arena_printf(arena, "^(%s)$", text), REG_EXTENDED | REG_NOSUB);
    if (error == 0)
        return NULL;
    regerror(error, compiled, words, sizeof words);
    return arena_printf(arena, "'%s' is not a regular expression: %s", text, words);
}
