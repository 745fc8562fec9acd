#include "gen/registers.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

// Nearly all names differ in their first letter, by more than its case; and a survey compares some ten million.
static bool names(const char *name, struct slice word) {
    enum { CASE = 'a' ^ 'A' };
    return word.length && ((*name ^ *word.data) & ~CASE) == 0 && strlen(name) == word.length &&
           strncasecmp(name, word.data, word.length) == 0;
}

static bool find_in_classes(const struct isa *isa, struct slice word, struct register_name *found) {
    for (const struct register_class *each = isa->classes; each->name; each++)
        for (unsigned i = 0; each->registers[i]; i++)
            if (names(each->registers[i], word)) {
                *found = (struct register_name){each, i, i};
                return true;
            }
    return false;
}

bool register_find(const struct isa *isa, struct slice word, struct register_name *found) {
    if (find_in_classes(isa, word, found))
        return true;
    for (const struct register_alias *alias = isa->aliases; alias->name; alias++)
        if (names(alias->name, word))
            return find_in_classes(isa, (struct slice){alias->reg, strlen(alias->reg)}, found);
    return false;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$'; // MIPS writes $t0
}

static struct slice word_at(struct slice text, size_t start) {
    size_t end = start;
    while (end < text.length && is_word(text.data[end]))
        end++;
    return (struct slice){text.data + start, end - start};
}

static size_t skip_blanks(struct slice text, size_t at) {
    while (at < text.length && (text.data[at] == ' ' || text.data[at] == '\t'))
        at++;
    return at;
}

// Sets `last` where a range begins here: "{r4-r11}", "{v0.4s - v3.4s}". A range also names the registers in between.
static void find_range(const struct isa *isa, struct slice behind, struct register_name *found) {
    struct register_name last;
    size_t at = behind.length && *behind.data == '.' ? 1 + word_at(behind, 1).length : 0;
    at = skip_blanks(behind, at);
    if (at == behind.length || behind.data[at] != '-')
        return;
    if (register_find(isa, word_at(behind, skip_blanks(behind, at + 1)), &last) && last.class == found->class &&
        last.index > found->index)
        found->last = last.index;
}

bool register_next(const struct isa *isa, struct slice *rest, struct slice *word, struct register_name *found) {
    while (rest->length) {
        size_t skip = 0;
        while (skip < rest->length && !is_word(rest->data[skip]))
            skip++;
        *word = word_at(*rest, skip);
        size_t end = skip + word->length;
        *rest = (struct slice){rest->data + end, rest->length - end};
        bool is_type = skip && word->data[-1] == '.'; // "vmull.s16"
        if (word->length && !is_type && register_find(isa, *word, found)) {
            find_range(isa, *rest, found);
            return true;
        }
    }
    return false;
}

unsigned register_file_index(char file) {
    static const char files[REGISTER_N_FILES] = {'g', 'k', 'v', 'f', 'a', 'c', 'm', 's'};
    unsigned i = 0;
    while (i < REGISTER_N_FILES && files[i] != file)
        i++;
    assert(i < REGISTER_N_FILES);
    return i;
}

unsigned register_entry(const struct register_name *name) {
    return name->index * name->class->span;
}

static uint64_t entries_of(const struct register_class *class, unsigned index) {
    unsigned span = class->span, first = index * span;
    assert(first + span <= 64);
    return (UINT64_MAX >> (64 - span)) << first;
}

void register_set_add(struct register_set *set, const struct register_class *class, unsigned index) {
    set->files[register_file_index(class->file)] |= entries_of(class, index);
}

bool register_set_has(const struct register_set *set, const struct register_class *class, unsigned index) {
    return set->files[register_file_index(class->file)] & entries_of(class, index);
}

bool register_set_has_all(const struct register_set *set, const struct register_class *class, unsigned index) {
    return !(entries_of(class, index) & ~set->files[register_file_index(class->file)]);
}

void register_set_add_name(struct register_set *set, const struct isa *isa, const char *name) {
    struct register_name found;
    if (register_find(isa, (struct slice){name, strlen(name)}, &found))
        register_set_add(set, found.class, found.index);
}

void register_set_add_text(struct register_set *set, const struct isa *isa, const char *text) {
    struct slice rest = {text, strlen(text)}, word;
    struct register_name found;
    while (register_next(isa, &rest, &word, &found))
        for (unsigned i = found.index; i <= found.last; i++)
            register_set_add(set, found.class, i);
}

unsigned register_class_count(const struct register_class *class) {
    unsigned n = 0;
    while (class->registers[n])
        n++;
    return n;
}

static bool is_free(const struct isa *isa, const struct register_set *taken, const char *name) {
    struct register_name found;
    return register_find(isa, (struct slice){name, strlen(name)}, &found) &&
           !register_set_has(taken, found.class, found.index);
}

const char *register_loop_counter(const struct isa *isa, const struct register_set *taken, bool preserves_flags) {
    if (preserves_flags && isa->flag_free_counter && is_free(isa, taken, isa->flag_free_counter))
        return isa->flag_free_counter;
    for (unsigned i = 0; isa->loop_counters[i]; i++)
        if (is_free(isa, taken, isa->loop_counters[i]))
            return isa->loop_counters[i];
    return NULL;
}

const char *register_loop_counters(struct arena *arena, const struct isa *isa) {
    struct text all = {.arena = arena};
    for (unsigned i = 0; isa->loop_counters[i]; i++)
        text_addf(&all, "%s%s", i ? ", " : "", isa->loop_counters[i]);
    return all.data;
}
