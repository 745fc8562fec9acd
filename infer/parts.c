#include "infer/parts.h"

#include "base/text.h"

#include <string.h>

static const char ends[] = "  # The rest is kept.\n";

const char *parts_begin(struct arena *arena, const char *kind) {
    return arena_printf(arena, "  # Measured: written by 'cyclops cpu import %s', which writes it anew.\n", kind);
}

const char *parts_without(struct arena *arena, const char *text, const char *kind) {
    struct text kept = {.arena = arena};
    const char *begins = parts_begin(arena, kind), *begin, *end;
    text_add(&kept, "");
    while ((begin = strstr(text, begins)) && (end = strstr(begin, ends))) {
        text_addf(&kept, "%.*s", (int)(begin - text), text);
        text = end + strlen(ends);
    }
    text_add(&kept, text);
    return kept.data;
}

// The first line of the text that begins so; null where no line does.
static const char *line_of(const char *text, const char *start) {
    for (const char *line = text, *end; *line; line = end + 1) {
        if (text_starts(line, start))
            return line;
        if (!(end = strchr(line, '\n')))
            break;
    }
    return NULL;
}

bool parts_can_hold(const char *text, const char *key, struct fail *fail) {
    const char *line = line_of(text, key);
    return !line || line[strlen(key)] == '\n' || line[strlen(key)] == '\0' ||
           fail_set(fail, FAIL_INPUT, "the base has '%s' on one line with what it holds; write that below, a line each",
                    key);
}

const char *parts_with(struct arena *arena, const char *text, const char *key, const char *kind, const char *part) {
    if (!*part)
        return text;
    const char *begins = parts_begin(arena, kind), *line = line_of(text, key),
               *behind = line ? strchr(line, '\n') : NULL;
    if (!behind)
        return arena_printf(arena, "%s%s\n%s%s%s", text, key, begins, part, ends);
    return arena_printf(arena, "%.*s%s%s%s%s", (int)(behind + 1 - text), text, begins, part, ends, behind + 1);
}

const char *parts_without_line(struct arena *arena, const char *text, const char *start) {
    const char *line = line_of(text, start), *end = line ? strchr(line, '\n') : NULL;
    if (!line)
        return text;
    return arena_printf(arena, "%.*s%s", (int)(line - text), text, end ? end + 1 : "");
}
