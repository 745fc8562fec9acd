#include "gen/registers.h"
#include "gen/statement.h"

#include <string.h>

// Returns the name of the first class that a class extends: "xmm" for "xmm32".
static const char *class_name(const struct isa *isa, const struct register_class *found) {
    for (const struct register_class *each = isa->classes; each->name; each++)
        if (each->file == found->file && each->bits == found->bits &&
            strncmp(each->name, found->name, strlen(each->name)) == 0)
            return each->name;
    return found->name;
}

// Returns the operands with each register replaced by its class.
static const char *operands_by_class(struct arena *arena, const struct isa *isa, struct slice operands) {
    struct text out = {.arena = arena};
    struct register_name found;
    struct slice word, rest = operands;
    const char *at = operands.data;
    while (register_next(isa, &rest, &word, &found)) {
        size_t before = (size_t)(word.data - at);
        if (before && word.data[-1] == '%')
            before--;
        text_append(&out, at, before);
        text_add(&out, class_name(isa, found.class));
        at = word.data + word.length;
    }
    text_append(&out, at, (size_t)(operands.data + operands.length - at));
    return out.data;
}

// Takes the next operand off the front. Commas inside of brackets do not separate operands.
static bool next_operand(struct slice *rest, struct slice *operand) {
    if (!rest->length)
        return false;
    size_t n = 0;
    for (int depth = 0; n < rest->length && (depth > 0 || rest->data[n] != ','); n++)
        depth += strchr("([{", rest->data[n]) ? 1 : strchr(")]}", rest->data[n]) ? -1 : 0;
    *operand = slice_trim((struct slice){rest->data, n});
    size_t used = n < rest->length ? n + 1 : n;
    *rest = (struct slice){rest->data + used, rest->length - used};
    return true;
}

static bool operands_are_equal(struct slice operands, struct slice *first) {
    struct slice other;
    if (!next_operand(&operands, first))
        return false;
    while (next_operand(&operands, &other))
        if (!slice_equals(other, *first))
            return false;
    return true;
}

const char *statement_label(struct arena *arena, const struct isa *isa, struct slice instruction) {
    size_t n = 0;
    while (n < instruction.length && instruction.data[n] != ' ' && instruction.data[n] != '\t')
        n++;
    const char *mnemonic = arena_copy(arena, instruction.data, n);
    struct slice operands = slice_trim((struct slice){instruction.data + n, instruction.length - n});
    if (!operands.length)
        return mnemonic;
    const char *classes = operands_by_class(arena, isa, operands);
    struct slice first, all = {classes, strlen(classes)};
    if (operands_are_equal(all, &first))
        return arena_printf(arena, "%s %.*s", mnemonic, (int)first.length, first.data);
    return arena_printf(arena, "%s %s", mnemonic, classes);
}
