#include "analyzer/code/markers.h"

#include <string.h>

static struct slice without_blanks(struct slice text) {
    while (text.length && (*text.data == ' ' || *text.data == '\t'))
        text = (struct slice){text.data + 1, text.length - 1};
    return text;
}

static bool take_front(struct slice *text, const char *front) {
    size_t length = strlen(front);
    if (text->length < length || memcmp(text->data, front, length) != 0)
        return false;
    *text = (struct slice){text->data + length, text->length - length};
    return true;
}

enum marker_kind marker_read(struct slice comment, struct slice *rest) {
    *rest = without_blanks(comment);
    if (take_front(rest, "LLVM-EXEGESIS-"))
        return MARKER_STATE;
    if (!take_front(rest, "LLVM-MCA-"))
        return MARKER_NONE;
    enum marker_kind kind = take_front(rest, "END")     ? MARKER_END
                            : take_front(rest, "BEGIN") ? MARKER_BEGIN
                                                        : MARKER_INSTRUMENT;
    if (kind != MARKER_INSTRUMENT)
        *rest = without_blanks(*rest);
    return kind;
}

static void add(struct markers *markers, const char *name, size_t begin) {
    *ARENA_ADD(markers->arena, markers->open, markers->n_open) = markers->n_regions;
    *ARENA_ADD(markers->arena, markers->regions, markers->n_regions) =
        (struct marker_region){.name = name, .begin = begin, .end = MARKERS_NOWHERE, .is_open = true};
}

void markers_start(struct markers *markers, struct arena *arena) {
    *markers = (struct markers){.arena = arena};
    add(markers, "", MARKERS_NOWHERE);
}

// Returns the place in `open` of the marked region of that name; n_open: no such region is open.
static size_t find_open(const struct markers *markers, struct slice name) {
    for (size_t i = 0; i < markers->n_open; i++) {
        const struct marker_region *region = &markers->regions[markers->open[i]];
        if (region->begin != MARKERS_NOWHERE && slice_is(name, region->name))
            return i;
    }
    return markers->n_open;
}

static bool nothing_is_marked(const struct markers *markers) {
    return markers->n_regions == 1 && markers->regions[0].begin == MARKERS_NOWHERE && markers->regions[0].is_open;
}

bool markers_begin(struct markers *markers, struct slice name, size_t at, struct marker_mistake *mistake) {
    size_t other = find_open(markers, name);
    const char *copy = arena_copy(markers->arena, name.data, name.length);
    if (other < markers->n_open) {
        *mistake = (struct marker_mistake){"found multiple overlapping anonymous regions",
                                           "Previous anonymous region was defined here",
                                           markers->regions[markers->open[other]].begin};
        if (name.length) {
            mistake->text = "overlapping regions cannot have the same name";
            mistake->note = arena_printf(markers->arena, "region %s was previously defined here", copy);
        }
        return false;
    }
    if (nothing_is_marked(markers))
        markers->n_regions = markers->n_open = 0;
    add(markers, copy, at);
    return true;
}

bool markers_end(struct markers *markers, struct slice name, size_t at, size_t *index, struct marker_mistake *mistake) {
    size_t which = name.length == 0 && markers->n_open == 1 ? 0 : find_open(markers, name);
    if (which == markers->n_open) {
        *mistake = (struct marker_mistake){"found an invalid region end directive",
                                           "unable to find an active anonymous region", MARKERS_NOWHERE};
        if (name.length)
            mistake->note =
                arena_printf(markers->arena, "unable to find an active region named %.*s", (int)name.length, name.data);
        return false;
    }
    *index = markers->open[which];
    markers->regions[*index].end = at;
    markers->regions[*index].is_open = false;
    memmove(markers->open + which, markers->open + which + 1, (--markers->n_open - which) * sizeof *markers->open);
    return true;
}
