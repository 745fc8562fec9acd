#include "report/page_fill.h"

#include "base/file.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

const char *page_fill(struct arena *arena, const char *name, const char *data, struct fail *fail) {
    static const char mark[] = "@DATA@";
    const char *path = file_installed(arena, arena_printf(arena, "share/cyclops/pages/%s", name));
    char *page;
    if (!file_read(arena, path, &page, NULL, fail))
        return NULL;
    const char *place = strstr(page, mark);
    if (!place) {
        fail_at(fail, path, 0, 0, "the page has no place for the data (%s)", mark);
        return NULL;
    }
    struct text text = {.arena = arena};
    text_append(&text, page, (size_t)(place - page));
    // "</script>" in a text would end the data.
    for (const char *rest = data; *rest;) {
        size_t n = strcspn(rest, "<");
        text_append(&text, rest, n);
        rest += n;
        if (*rest) {
            text_add(&text, "\\u003c");
            rest++;
        }
    }
    text_add(&text, place + strlen(mark));
    return text.data;
}

const char *page_fill_json(struct arena *arena, const char *name, json_t *data, struct fail *fail) {
    char *text = json_dumps(data, JSON_COMPACT);
    json_decref(data);
    if (!text) {
        fail_set(fail, FAIL_WORK, "no memory for the page's data");
        return NULL;
    }
    const char *page = page_fill(arena, name, text, fail);
    free(text);
    return page;
}
