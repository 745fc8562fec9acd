#include "gen/armv7_text.h"

#include <string.h>
#include <strings.h>

static bool starts(struct slice word, const char *start) {
    return word.length >= strlen(start) && strncasecmp(word.data, start, strlen(start)) == 0;
}

static bool starts_one_of(struct slice word, const char *const *starts_of) {
    for (; *starts_of; starts_of++)
        if (starts(word, *starts_of))
            return true;
    return false;
}

// Takes the mnemonic off the front.
static struct slice take_mnemonic(struct slice *instruction) {
    size_t length = 0;
    while (length < instruction->length && !strchr(" \t", instruction->data[length]))
        length++;
    struct slice word = {instruction->data, length};
    *instruction = slice_trim((struct slice){instruction->data + length, instruction->length - length});
    return word;
}

void armv7_add_implied(const struct isa *isa, struct slice instruction, struct register_set *set) {
    static const char *const pairs[] = {"ldrd", "strd", "ldrexd", "strexd", NULL};
    struct slice rest = instruction;
    if (!starts_one_of(take_mnemonic(&rest), pairs))
        return;
    const char *address = memchr(rest.data, '[', rest.length);
    if (address)
        rest.length = (size_t)(address - rest.data);
    struct slice word;
    struct register_name found, last = {0};
    while (register_next(isa, &rest, &word, &found))
        last = found;
    // The first register of a pair is even. An odd one is the second, which the text names.
    if (last.class && last.class->file == 'g' && last.index % 2 == 0 &&
        last.index + 1 < register_class_count(last.class))
        register_set_add(set, last.class, last.index + 1);
}

static bool is_pc(struct slice name) {
    return (name.length == 2 && starts(name, "pc")) || (name.length == 3 && starts(name, "r15"));
}

// "{r4, r6-pc}" anywhere in the operands.
static bool has_pc_in_list(struct slice operands) {
    const char *open = memchr(operands.data, '{', operands.length);
    const char *close = memchr(operands.data, '}', operands.length);
    if (!open || !close || close < open)
        return false;
    for (const char *at = open + 1; at < close;) {
        size_t length = 0;
        while (at + length < close && !strchr(",- \t", at[length]))
            length++;
        if (is_pc((struct slice){at, length}))
            return true;
        at += length + 1;
    }
    return false;
}

static struct slice take_operand(struct slice *operands) {
    struct slice operand = {0};
    slice_next(operands, ',', &operand);
    return slice_trim(operand);
}

bool armv7_leaves_loop(struct slice instruction) {
    static const char *const lists[] = {"pop", "ldm", NULL}, *const sums[] = {"add", "sub", NULL},
                             *const readers[] = {"str", "cmp", "cmn", "tst", "teq", "mcr", NULL};
    struct slice operands = instruction, word = take_mnemonic(&operands);
    if (starts(word, "bx")) // and bxj, bxeq; A32 has no "bxns"
        return true;
    if (starts_one_of(word, lists))
        return has_pc_in_list(operands);
    if (starts_one_of(word, readers) || !is_pc(take_operand(&operands)))
        return false;
    return !starts_one_of(word, sums) || !is_pc(take_operand(&operands));
}
