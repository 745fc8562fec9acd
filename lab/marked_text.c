#include "lab/marked_text.h"

#include "analyzer/model/markers.h"
#include "base/text.h"
#include "gen/comment.h"

#include <string.h>

struct reader {
    struct arena *arena;
    const struct isa *isa;
    const char *name, *text;
    struct markers markers;
    struct fail *fail;
};

static unsigned line_of(const char *text, size_t at) {
    unsigned line = 1;
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

static unsigned column_of(const char *text, size_t at) {
    size_t start = at;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    return (unsigned)(at - start) + 1;
}

static bool fail_place(const struct reader *reader, size_t at, const char *message) {
    return fail_at(reader->fail, reader->name, line_of(reader->text, at), column_of(reader->text, at), "%s", message);
}

static bool fail_mistake(const struct reader *reader, size_t at, const struct marker_mistake *mistake) {
    struct arena *arena = reader->arena;
    if (mistake->note_at == MARKERS_NOWHERE)
        return fail_place(reader, at,
                          arena_printf(arena, "%s: %s; begin each region with LLVM-MCA-BEGIN, and end it once",
                                       mistake->text, mistake->note));
    return fail_place(reader, at,
                      arena_printf(arena, "%s: the other one begins in line %u; end it first, or give both a name",
                                   mistake->text, line_of(reader->text, mistake->note_at)));
}

static struct slice first_word(struct slice text) {
    size_t n = 0;
    while (n < text.length && text.data[n] != ' ' && text.data[n] != '\t')
        n++;
    return (struct slice){text.data, n};
}

// Judges a word of llvm-mca's that neither begins nor ends a region.
static bool check_instrument(const struct reader *reader, size_t at, struct slice word) {
    static const char *const known[] = {"BEGIN", "END"};
    bool is_riscv = strcmp(reader->isa->name, "riscv64") == 0;
    if (is_riscv && (slice_is(word, "RISCV-LMUL") || slice_is(word, "RISCV-SEW")))
        return true; // what it states is in the bytes as well
    const char *name = arena_copy(reader->arena, word.data, word.length);
    if (slice_is(word, "LATENCY"))
        return fail_place(reader, at, "LLVM-MCA-LATENCY changes predictions of 'cyclops mca' only: leave it out");
    return fail_place(reader, at,
                      arena_printf(reader->arena, "unknown marker LLVM-MCA-%s%s", name,
                                   text_did_you_mean(reader->arena, name, known, sizeof known / sizeof *known)));
}

static bool check_state(const struct reader *reader, size_t at, struct slice word) {
    static const char *const known[] = {"DEFREG", "LIVEIN", "MEM-DEF", "MEM-MAP"};
    size_t n = sizeof known / sizeof *known;
    const char *name = arena_copy(reader->arena, word.data, word.length);
    if (strcmp(name, "LIVEIN") == 0) // each register holds something
        return true;
    if (text_find(name, known, n) == n)
        return fail_place(reader, at,
                          arena_printf(reader->arena, "unknown annotation LLVM-EXEGESIS-%s%s", name,
                                       text_did_you_mean(reader->arena, name, known, n)));
    return fail_place(reader, at,
                      arena_printf(reader->arena,
                                   "LLVM-EXEGESIS-%s cannot be followed here; leave it out to begin in the usual state",
                                   name));
}

static bool take_comment(struct reader *reader, const struct comment *comment) {
    struct slice rest;
    struct marker_mistake mistake;
    enum marker_kind kind = marker_read(slice_trim(comment->text), &rest);
    size_t at = (size_t)(comment->all.data - reader->text), index;
    if (kind == MARKER_BEGIN && !markers_begin(&reader->markers, rest, at, &mistake))
        return fail_mistake(reader, at, &mistake);
    if (kind == MARKER_END && !markers_end(&reader->markers, rest, at, &index, &mistake))
        return fail_mistake(reader, at, &mistake);
    if (kind == MARKER_INSTRUMENT)
        return check_instrument(reader, at, first_word(rest));
    return kind != MARKER_STATE || check_state(reader, at, first_word(rest));
}

static bool take_region(const struct reader *reader, const struct marker_region *from, struct text_region *region) {
    bool has_begin = from->begin != MARKERS_NOWHERE;
    if (from->end == MARKERS_NOWHERE && has_begin)
        return fail_place(reader, from->begin,
                          arena_printf(reader->arena, "this region has no end: put LLVM-MCA-END%s%s behind its code",
                                       *from->name ? " " : "", from->name));
    *region = (struct text_region){
        .name = from->name,
        .begin = has_begin ? from->begin : 0,
        .end = from->end != MARKERS_NOWHERE ? from->end : strlen(reader->text),
        .line = has_begin ? line_of(reader->text, from->begin) : 0,
    };
    return true;
}

bool marked_text_read(struct arena *arena, const struct isa *isa, const char *name, const char *text,
                      struct marked_text *marked, struct fail *fail) {
    struct reader reader = {.arena = arena, .isa = isa, .name = name, .text = text, .fail = fail};
    struct comment_reader comments = {.isa = isa, .at = text, .line_is_empty = true};
    markers_start(&reader.markers, arena);
    for (struct comment comment; comment_next(&comments, &comment);)
        if (!take_comment(&reader, &comment))
            return false;
    const struct markers *markers = &reader.markers;
    *marked = (struct marked_text){.regions = ARENA_ARRAY(arena, struct text_region, markers->n_regions),
                                   .n_regions = markers->n_regions};
    for (size_t i = 0; i < markers->n_regions; i++) {
        if (!take_region(&reader, &markers->regions[i], &marked->regions[i]))
            return false;
        marked->is_marked |= marked->regions[i].line || markers->regions[i].end != MARKERS_NOWHERE;
    }
    return true;
}

const struct text_region *marked_text_find(struct arena *arena, const struct marked_text *marked, const char *file,
                                           const char *name, struct fail *fail) {
    const char **names = ARENA_ARRAY(arena, const char *, marked->n_regions);
    struct text list = {.arena = arena};
    for (size_t i = 0; i < marked->n_regions; i++) {
        names[i] = marked->regions[i].name;
        if (strcmp(names[i], name) == 0)
            return &marked->regions[i];
        if (*names[i])
            text_addf(&list, "%s%s", list.length ? ", " : "", names[i]);
    }
    fail_at(fail, file, 0, 0, "there is no region '%s'%s; %s%s", name,
            text_did_you_mean(arena, name, names, marked->n_regions),
            list.length ? "there are " : "no region has a name", list.length ? list.data : "");
    return NULL;
}
