// Kernels without a file: made of texts, and written.
#include "gen/kernel_read.h"

#include "base/text.h"
#include "gen/isa.h"

#include <string.h>

static void take_words(struct arena *arena, const char *text, struct kernel_words *words) {
    while (text && *text) {
        const char *comma = strstr(text, ", ");
        size_t length = comma ? (size_t)(comma - text) : strlen(text);
        *ARENA_ADD(arena, words->items, words->n) = (struct kernel_word){arena_copy(arena, text, length), NULL};
        text += comma ? length + strlen(", ") : length;
    }
}

// Takes "role: value" apart.
static void take_init(struct arena *arena, const char *text, struct kernel_keys *keys) {
    take_words(arena, text, &keys->values);
    for (size_t i = 0; i < keys->values.n; i++) {
        const char *pair = keys->values.items[i].text, *colon = strstr(pair, ": ");
        size_t length = colon ? (size_t)(colon - pair) : strlen(pair);
        *ARENA_ADD(arena, keys->roles.items, keys->roles.n) =
            (struct kernel_word){arena_copy(arena, pair, length), NULL};
        keys->values.items[i].text = colon ? colon + strlen(": ") : "";
    }
}

static const char *copy(struct arena *arena, const char *text) {
    return text ? arena_strdup(arena, text) : NULL;
}

struct kernel_text kernel_text_copy(struct arena *arena, const struct kernel_text *kernel) {
    return (struct kernel_text){.name = copy(arena, kernel->name),
                                .about = copy(arena, kernel->about),
                                .body = copy(arena, kernel->body),
                                .setup = copy(arena, kernel->setup),
                                .implicit = copy(arena, kernel->implicit),
                                .init = copy(arena, kernel->init),
                                .chain = copy(arena, kernel->chain),
                                .writes = copy(arena, kernel->writes),
                                .requires = copy(arena, kernel->requires)};
}

bool kernel_add(struct arena *arena, const char *path, const struct isa *isa, const char *syntax,
                const struct kernel_text *text, struct kernel_set *set, struct fail *fail) {
    const char *first = isa->syntaxes[0] ? isa->syntaxes[0] : "";
    struct kernel_file file = {
        .yaml = {.arena = arena, .fail = fail, .path = path}, .isa = isa, .syntax = syntax ? syntax : first};
    struct kernel_keys keys = {
        .name.text = text->name, .about.text = text->about, .setup.text = text->setup, .body.text = text->body};
    struct kernel kernel = {0};
    take_words(arena, text->chain, &keys.chain);
    take_words(arena, text->writes, &keys.writes);
    take_words(arena, text->implicit, &keys.implicit);
    take_words(arena, text->requires, &keys.features);
    take_init(arena, text->init, &keys);
    if (!kernel_make(&file, &keys, &kernel))
        return false;
    *ARENA_ADD(arena, set->kernels, set->n_kernels) = kernel;
    return true;
}

void kernel_put_head(const char *comment, const struct isa *isa, const char *syntax, struct text *out) {
    text_addf(out, "# %s\nisa: %s\n", comment, isa_family(isa));
    if (isa->syntaxes[0])
        text_addf(out, "syntax: %s\n", syntax ? syntax : isa->syntaxes[0]);
    text_add(out, "kernels:\n");
}

// Begins a key of a kernel that has lines of its own, or is one line.
static void put_key(const char *key, bool has_lines, struct text *out) {
    text_addf(out, has_lines ? "    %s: " : ", %s: ", key);
}

static void put_end(bool has_lines, struct text *out) {
    text_add(out, has_lines ? "\n" : "");
}

// Braces begin a mapping.
static void put_init(const char *init, bool has_lines, struct text *out) {
    struct kernel_keys keys = {.name = {NULL, NULL}};
    take_init(out->arena, init, &keys);
    put_key("init", has_lines, out);
    text_add(out, "{");
    for (size_t i = 0; i < keys.roles.n; i++) {
        const char *value = keys.values.items[i].text, *quote = strchr(value, '{') ? "\"" : "";
        text_addf(out, "%s%s: %s%s%s", i ? ", " : "", keys.roles.items[i].text, quote, value, quote);
    }
    text_add(out, "}");
    put_end(has_lines, out);
}

static void put_assembly(const char *key, const char *text, bool has_lines, struct text *out) {
    struct slice rest = {text, strlen(text)}, line;
    put_key(key, has_lines, out);
    text_addf(out, has_lines ? "|\n" : "\"%s\"", text);
    while (has_lines && slice_next(&rest, '\n', &line))
        if (line.length)
            text_addf(out, "      %.*s\n", (int)line.length, line.data);
}

static void put_words(const char *key, const char *words, bool has_lines, struct text *out) {
    if (!words)
        return;
    put_key(key, has_lines, out);
    text_addf(out, "[%s]", words);
    put_end(has_lines, out);
}

void kernel_put(const struct kernel_text *kernel, struct text *out) {
    bool has_lines = strchr(kernel->body, '\n') || (kernel->setup && strchr(kernel->setup, '\n')),
         is_word = kernel->about && !strpbrk(kernel->about, " ,:;\"");
    text_addf(out, has_lines ? "  - name: %s\n" : "  - {name: %s", kernel->name);
    if (kernel->about) {
        put_key("about", has_lines, out);
        text_addf(out, is_word ? "%s" : "\"%s\"", kernel->about);
        put_end(has_lines, out);
    }
    put_assembly("body", kernel->body, has_lines, out);
    if (kernel->setup)
        put_assembly("setup", kernel->setup, has_lines, out);
    put_words("implicit", kernel->implicit, has_lines, out);
    if (kernel->init)
        put_init(kernel->init, has_lines, out);
    put_words("writes", kernel->writes, has_lines, out);
    put_words("chain", kernel->chain, has_lines, out);
    put_words("requires", kernel->requires, has_lines, out);
    text_add(out, has_lines ? "" : "}\n");
}
