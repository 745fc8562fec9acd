#include "upstream/td_series.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

// ---- applying a diff

struct lines {
    struct slice *items; // each with its line break
    size_t n;
};

static void add_lines(struct arena *arena, struct lines *lines, const struct slice *items, size_t n) {
    for (size_t i = 0; i < n; i++)
        *ARENA_ADD(arena, lines->items, lines->n) = items[i];
}

static bool next_line(struct slice *rest, struct slice *line) {
    const char *end = memchr(rest->data, '\n', rest->length);
    *line = (struct slice){rest->data, end ? (size_t)(end - rest->data) + 1 : rest->length};
    *rest = (struct slice){rest->data + line->length, rest->length - line->length};
    return line->length > 0;
}

static struct lines lines_of(struct arena *arena, const char *text) {
    struct lines lines = {0};
    struct slice rest = {text, strlen(text)}, line;
    while (next_line(&rest, &line))
        add_lines(arena, &lines, &line, 1);
    return lines;
}

static bool are_at(const struct lines *lines, size_t at, const struct lines *old) {
    bool are = at + old->n <= lines->n;
    for (size_t i = 0; are && i < old->n; i++)
        are = lines->items[at + i].length == old->items[i].length &&
              memcmp(lines->items[at + i].data, old->items[i].data, old->items[i].length) == 0;
    return are;
}

// Replaces lines at the place nearest to the expected one, of which the later comes first.
static bool apply_hunk(struct arena *arena, struct lines *lines, size_t expected, const struct lines *old,
                       const struct lines *new) {
    for (size_t off = 0; off <= lines->n; off++) {
        const bool is_later = are_at(lines, expected + off, old);
        if (!is_later && (off > expected || !are_at(lines, expected - off, old)))
            continue;
        const size_t at = is_later ? expected + off : expected - off, behind = at + old->n;
        struct lines result = {0};
        add_lines(arena, &result, lines->items, at);
        add_lines(arena, &result, new->items, new->n);
        add_lines(arena, &result, lines->items + behind, lines->n - behind);
        *lines = result;
        return true;
    }
    return false;
}

const char *td_apply(struct arena *arena, const char *text, const char *diff) {
    struct lines lines = lines_of(arena, text), hunk = lines_of(arena, diff);
    for (size_t i = 0; i < hunk.n;) {
        const char *to = text_starts(hunk.items[i].data, "@@ ") ? strchr(hunk.items[i].data, '+') : NULL;
        struct lines old = {0}, new = {0};
        for (i++; to && i < hunk.n && hunk.items[i].data[0] != '@'; i++) {
            const char sign = hunk.items[i].data[0];
            struct slice line = {hunk.items[i].data + 1, hunk.items[i].length - 1};
            if (sign == '\\') // "No newline at end of file": of the line before
                continue;
            if (i + 1 < hunk.n && hunk.items[i + 1].data[0] == '\\')
                line.length--;
            if (sign != '+')
                add_lines(arena, &old, &line, 1);
            if (sign != '-')
                add_lines(arena, &new, &line, 1);
        }
        if (to && !apply_hunk(arena, &lines, strtoul(to + 1, NULL, 10) - 1, &old, &new))
            return NULL;
    }
    struct text out = {.arena = arena};
    text_add(&out, "");
    for (size_t i = 0; i < lines.n; i++)
        text_append(&out, lines.items[i].data, lines.items[i].length);
    return out.data;
}

// ---- what goes with what

static bool is_changed(const struct repair_change *change) {
    return !repair_numbers_are_equal(&change->before, &change->after);
}

// Whether two diffs make a record of the same name.
static bool define_same(struct arena *arena, const char *diff, const char *other) {
    static const char begin[] = "\n+def ";
    bool do_so = false;
    for (const char *at = strstr(diff, begin); at && !do_so; at = strstr(at + 1, begin)) {
        const size_t length = strcspn(at + sizeof begin - 1, ":");
        const char *line = arena_copy(arena, at, sizeof begin - 1 + length + 1);
        do_so = length && strstr(other, line);
    }
    return do_so;
}

// LLVM's file with these patches. Null: they do not go together.
static const char *text_with(struct arena *arena, const struct td_series *series, const bool *needs) {
    const char *text = series->file;
    for (size_t i = 0; text && i < series->n_patches; i++)
        text = needs[i] ? td_apply(arena, text, series->patches[i]->diff) : text;
    return text;
}

static void need(const struct td_series *series, bool *needs, size_t patch) {
    needs[patch] = true;
    for (size_t i = 0; i < series->patches[patch]->n_needs; i++)
        needs[series->patches[patch]->needs[i]] = true;
}

static bool share_opcode(const struct td_patch *patch, const struct td_patch *other) {
    bool do_so = false;
    for (size_t i = 0; i < patch->request.n_changes; i++)
        do_so |= is_changed(&patch->request.changes[i]) && is_changed(&other->request.changes[i]);
    return do_so;
}

// Marks the patches that this one does not go with, and those that these need. Returns their number.
static size_t find_needs(struct arena *arena, const struct td_series *series, const struct td_patch *patch,
                         const char *diff, bool *needs) {
    size_t n = 0;
    for (size_t i = 0; i < series->n_patches; i++) {
        bool *with = ARENA_ARRAY(arena, bool, series->n_patches);
        need(series, with, i);
        const struct td_patch *other = series->patches[i];
        const char *text = text_with(arena, series, with);
        if (share_opcode(patch, other) || define_same(arena, diff, other->diff) || !text ||
            !td_apply(arena, text, diff))
            need(series, needs, i);
    }
    for (size_t i = 0; i < series->n_patches; i++)
        n += needs[i];
    return n;
}

// The numbers with one more change: of latencies, of all else, or of both.
static struct repair_numbers changed(const struct repair_numbers *numbers, const struct repair_change *change) {
    const struct repair_numbers *before = &change->before, *after = &change->after;
    const struct repair_numbers latencies = repair_numbers_with_latencies(before, after),
                                rest = repair_numbers_with_latencies(after, before);
    struct repair_numbers result = *numbers;
    if (!repair_numbers_are_equal(&latencies, before))
        result = repair_numbers_with_latencies(&result, after);
    return repair_numbers_are_equal(&rest, before) ? result : repair_numbers_with_latencies(after, &result);
}

// A patch's request, of the file with others.
static struct td_request request_with(struct arena *arena, const struct td_series *series, const struct td_patch *patch,
                                      const char *text, const bool *needs) {
    struct td_request request = patch->request;
    struct repair_change *changes = ARENA_ARRAY(arena, struct repair_change, request.n_changes + 1);
    for (size_t i = 0; i < request.n_changes; i++) {
        struct repair_numbers numbers = request.changes[i].before;
        for (size_t p = 0; p < series->n_patches; p++)
            if (needs[p])
                numbers = changed(&numbers, &series->patches[p]->request.changes[i]);
        changes[i] = request.changes[i];
        changes[i].before = numbers;
        changes[i].after = changed(&numbers, &request.changes[i]);
    }
    request.text = text;
    request.changes = changes;
    return request;
}

// ---- adding

// Makes the patch against the file with those that it needs; with all, where these do not go together.
static bool make(struct arena *arena, const struct td_series *series, struct td_patch *patch, bool *needs,
                 struct fail *fail) {
    const char *text = text_with(arena, series, needs);
    if (!text)
        memset(needs, true, series->n_patches);
    const struct td_request request = request_with(arena, series, patch, text ? text : series->text, needs);
    size_t *list = NULL;
    patch->n_needs = 0;
    for (size_t i = 0; i < series->n_patches; i++)
        if (needs[i])
            *ARENA_ADD(arena, list, patch->n_needs) = i;
    patch->needs = list;
    if (!td_repair(arena, &request, &patch->td, fail))
        return false;
    patch->diff = patch->td.diff;
    return true;
}

// Whether the patch goes with all earlier ones; then sets its diff, and the text with all of them.
static bool goes_with_all(struct arena *arena, struct td_series *series, struct td_patch *patch) {
    const char *text = td_apply(arena, series->text, patch->diff);
    if (!text) {
        patch->diff = patch->td.narrow_diff;
        text = td_apply(arena, series->text, patch->diff);
    }
    bool *all = ARENA_ARRAY(arena, bool, series->n_patches + 1);
    memset(all, true, series->n_patches);
    const struct td_request request = request_with(arena, series, patch, text, all);
    struct td_result result;
    struct fail fail = {0};
    const bool is_read = text && td_compare(arena, &request, &result, &fail);
    fail_clear(&fail);
    if (!is_read)
        return false;
    series->text = text;
    patch->n_equal = result.n_equal;
    return true;
}

// Makes the patch anew with what it does not go without.
static bool settle(struct arena *arena, struct td_series *series, struct td_patch *patch, struct fail *fail) {
    bool *needs = ARENA_ARRAY(arena, bool, series->n_patches + 1),
         *narrow = ARENA_ARRAY(arena, bool, series->n_patches + 1);
    const size_t n = find_needs(arena, series, patch, patch->diff, needs);
    if (n && find_needs(arena, series, patch, patch->td.narrow_diff, narrow) < n) {
        needs = narrow;
        patch->diff = patch->td.narrow_diff;
    }
    if (memchr(needs, true, series->n_patches) && !make(arena, series, patch, needs, fail))
        return false;
    if (!*patch->diff || goes_with_all(arena, series, patch))
        return true;
    memset(needs, true, series->n_patches);
    if (!make(arena, series, patch, needs, fail))
        return false;
    series->text = patch->td.text;
    patch->n_equal = patch->td.n_equal;
    return true;
}

bool td_series_add(struct arena *arena, struct td_series *series, const struct td_request *request,
                   enum td_added *added, size_t *which, struct fail *fail) {
    struct td_patch *patch = ARENA_NEW(arena, struct td_patch);
    char *file;
    if (!series->file && !file_read(arena, request->path, &file, NULL, fail))
        return false;
    if (!series->file)
        series->file = series->text = file;
    patch->request = *request;
    *added = TD_ADDED_NOTHING;
    if (!make(arena, series, patch, ARENA_ARRAY(arena, bool, series->n_patches + 1), fail))
        return false;
    if (!*patch->diff)
        return true;
    *added = TD_ADDED_SAME;
    patch->alone = patch->diff;
    for (*which = 0; *which < series->n_patches; ++*which)
        if (strcmp(series->patches[*which]->alone, patch->alone) == 0)
            return true;
    if (!settle(arena, series, patch, fail))
        return false;
    if (!*patch->diff) { // those that it needs have it all
        *which = patch->needs[patch->n_needs - 1];
        return true;
    }
    *added = TD_ADDED;
    *ARENA_ADD(arena, series->patches, series->n_patches) = patch;
    return true;
}
