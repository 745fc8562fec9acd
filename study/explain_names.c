#include "study/explain_names.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

static bool is_in_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '@';
}

// The register that a word may mean: of as many letters, of which one at most is another; null: it means none.
static const char *find_register(struct arena *arena, const struct machine *machine, const char *word) {
    const char *near = NULL;
    for (unsigned i = 1; i < machine->n_registers; i++) {
        const char *name = text_lower(arena, machine->registers[i].name);
        if (strcmp(name, word) == 0)
            return name;
        if (!near && strlen(word) > 1 && strlen(name) == strlen(word) && text_distance(name, word) == 1)
            near = name;
    }
    return near;
}

// Of an instruction's text as LLVM prints it: in Intel's syntax a symbol stands in brackets; in AT&T's a register
// stands behind '%', and a symbol does not. Returns the word that is no register, but nearly; null: there is none.
static const char *find_misspelt(struct arena *arena, const struct machine *machine, const char *text,
                                 const char **meant) {
    const bool has_signs = strchr(text, '%');
    bool is_inside = has_signs;
    for (const char *at = text + strcspn(text, " \t"); *at;) {
        size_t n = 0;
        while (is_in_word(at[n]))
            n++;
        const char *word = arena_copy(arena, at, n);
        bool is_name = is_inside && n > 1 && isalpha((unsigned char)*at) && at[-1] != '%';
        *meant = is_name ? find_register(arena, machine, text_lower(arena, word)) : NULL;
        if (*meant && (has_signs || strcmp(*meant, word) != 0))
            return word;
        is_inside = has_signs || *at == '[' || (is_inside && *at != ']');
        at += n ? n : 1;
    }
    return NULL;
}

static bool fail_at_word(struct arena *arena, const char *name, const char *text, const char *word, const char *meant,
                         struct fail *fail) {
    const char *at = strstr(text, word);
    unsigned line = 1, column = 1;
    while (at && (at > text && is_in_word(at[-1])))
        at = strstr(at + 1, word);
    for (const char *c = text; at && c < at; c++) {
        line += *c == '\n';
        column = *c == '\n' ? 1 : column + 1;
    }
    return fail_at(fail, name, at ? line : 0, at ? column : 0, "'%s' is no register (did you mean '%s%s'?)", word,
                   strcmp(word, meant) == 0 ? "%" : "", arena_strdup(arena, meant));
}

bool explain_check_names(struct arena *arena, const struct machine *machine, const char *name, const char *text,
                         const struct block *block, struct fail *fail) {
    for (unsigned i = 0; i < block->n_insns; i++) {
        const struct insn *insn = &block->insns[i];
        const char *meant = NULL;
        if (!insn->text || !(insn->may_load || insn->may_store))
            continue;
        const char *word = find_misspelt(arena, machine, insn->text, &meant);
        if (word)
            return fail_at_word(arena, name, text, word, meant, fail);
    }
    return true;
}
