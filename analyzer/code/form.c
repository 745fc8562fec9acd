#include "analyzer/code/form.h"

#include "analyzer/code/insn.h"
#include "base/text.h"

#include <string.h>
#include <strings.h>

size_t form_unit_length(const char *name) {
    const char *vector = vector_config_in_name(name, NULL);
    return vector ? (size_t)(vector - name) + strcspn(vector, "-") : strcspn(name, "-");
}

const char *form_unit(struct arena *arena, const char *name) {
    return arena_copy(arena, name, form_unit_length(name));
}

const char *form_unit_of(struct arena *arena, const struct insn *insn) {
    return insn->form && vector_config_in_name(insn->form, NULL) ? form_unit(arena, insn->form) : insn->opcode;
}

const char *form_status_name(enum form_status status) {
    static const char *const names[FORM_N_STATUSES] = {
        [FORM_USABLE] = "usable",
        [FORM_PSEUDO] = "pseudo",
        [FORM_CONTROL_FLOW] = "control flow",
        [FORM_PREFIX] = "prefix",
        [FORM_NOT_DECODED] = "not decoded",
        [FORM_OTHER_OPCODE] = "decodes to another opcode",
        [FORM_TWIN] = "assembles to another opcode",
        [FORM_NOT_ASSEMBLED] = "not assembled",
    };
    return names[status];
}

static bool compile(struct arena *arena, const char *text, regex_t *regex, struct fail *fail) {
    int error = regcomp(regex, arena_printf(arena, "^(%s)$", text), REG_EXTENDED | REG_NOSUB);
    char why[128] = "";
    if (error == 0)
        return true;
    regerror(error, regex, why, sizeof why);
    return fail_set(fail, FAIL_INPUT, "'%s' is not a regular expression: %s", text, why);
}

bool form_patterns_open(struct form_patterns *patterns, struct arena *arena, const char *const *texts, size_t n,
                        struct fail *fail) {
    *patterns = (struct form_patterns){.items = ARENA_ARRAY(arena, regex_t, n)};
    for (; patterns->n < n; patterns->n++)
        if (!compile(arena, texts[patterns->n], &patterns->items[patterns->n], fail))
            return false;
    return true;
}

void form_patterns_close(struct form_patterns *patterns) {
    for (size_t i = 0; i < patterns->n; i++)
        regfree(&patterns->items[i]);
    patterns->n = 0;
}

// Length of the mnemonic that the form's text begins with; 0: the form has no text.
static size_t mnemonic_length(const struct form *form) {
    return form->text ? strcspn(form->text, " \t") : 0;
}

bool form_has_mnemonic(const struct form *form, const char *mnemonic) {
    size_t n = mnemonic_length(form);
    return n > 0 && strlen(mnemonic) == n && strncmp(form->text, mnemonic, n) == 0;
}

static bool matches_mnemonic(const regex_t *regex, const struct form *form) {
    char mnemonic[64];
    size_t n = mnemonic_length(form);
    if (n == 0 || n >= sizeof mnemonic)
        return false;
    memcpy(mnemonic, form->text, n);
    mnemonic[n] = '\0';
    return regexec(regex, mnemonic, 0, NULL, 0) == 0;
}

bool form_patterns_match(const struct form_patterns *patterns, const struct form *form) {
    for (size_t i = 0; i < patterns->n; i++)
        if (regexec(&patterns->items[i], form->opcode, 0, NULL, 0) == 0 ||
            regexec(&patterns->items[i], form->name, 0, NULL, 0) == 0 || matches_mnemonic(&patterns->items[i], form))
            return true;
    return false;
}

bool form_patterns_match_name(const struct form_patterns *patterns, const struct form *form) {
    for (size_t i = 0; i < patterns->n; i++)
        if (regexec(&patterns->items[i], form->name, 0, NULL, 0) == 0)
            return true;
    return false;
}

const char *form_near_name(struct arena *arena, const char *name, const struct form *forms, size_t n) {
    const char **names = ARENA_ARRAY(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        names[i] = forms[i].name;
        if (strcasecmp(names[i], name) == 0) // LLVM's names tell capitals from small letters
            return arena_printf(arena, " (did you mean '%s'?)", names[i]);
    }
    return text_did_you_mean(arena, name, names, n);
}
