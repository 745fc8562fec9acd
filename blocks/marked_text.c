#include "blocks/marked_text.h"

#include "analyzer/code/markers.h"
#include "base/text.h"
#include "gen/comment.h"
#include "gen/registers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct marked_reader {
    struct arena *arena;
    const struct isa *isa;
    const char *name, *text;
    struct markers markers;
    struct word *words;
    size_t n_words;
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

static bool fail_place(const struct marked_reader *reader, size_t at, const char *message) {
    return fail_at(reader->fail, reader->name, line_of(reader->text, at), column_of(reader->text, at), "%s", message);
}

static bool fail_mistake(const struct marked_reader *reader, size_t at, const struct marker_mistake *mistake) {
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
static bool check_instrument(const struct marked_reader *reader, size_t at, struct slice word) {
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

// A word of llvm-exegesis, with what follows it. Or a wrong one, of llvm-mca as well.
struct word {
    size_t at;
    struct slice words[4]; // DEFREG RCX 7; MEM-DEF name size value; MEM-MAP name address
    size_t n;
    struct fail wrong; // status FAIL_NONE: it is right
};

// Whether llvm-exegesis may write this name: that of a general, vector or mask register, or a part of one, or of flags.
static bool is_any_register(const struct isa *isa, const char *name) {
    static const char *const others[] = {"EFLAGS", "DF", "MXCSR", "FPCW", "FPSW", "RIP", "NZCV", "FPCR"};
    struct register_name known;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0)
            return true;
    return register_find(isa, (struct slice){name, strlen(name)}, &known);
}

static const char *word_text(const struct marked_reader *reader, const struct word *word, size_t i) {
    return arena_copy(reader->arena, word->words[i].data, word->words[i].length);
}

static bool fail_number(const struct marked_reader *reader, const struct word *word, size_t i) {
    return fail_place(reader, word->at,
                      arena_printf(reader->arena, "'%s' is not a number that fits here", word_text(reader, word, i)));
}

static bool read_whole(const char *text, int base, uint64_t *number) {
    char *end;
    errno = 0;
    *number = strtoull(text, &end, base);
    return end != text && *end == '\0' && errno == 0;
}

// Checks what needs no other line: a MEM-DEF that no MEM-MAP uses is read nowhere else.
static bool check_state(const struct marked_reader *reader, const struct word *word) {
    const char *first = word_text(reader, word, 1);
    struct state_value value;
    uint64_t n_bytes;
    if (slice_is(word->words[0], "LIVEIN") && !is_any_register(reader->isa, first))
        return fail_place(reader, word->at,
                          arena_printf(reader->arena, "'%s' is no register of %s", first, reader->isa->name));
    if (!slice_is(word->words[0], "MEM-DEF"))
        return true;
    if (!read_whole(word_text(reader, word, 2), 0, &n_bytes))
        return fail_number(reader, word, 2);
    return state_value_parse(word->words[3].data, word->words[3].length, true, reader->isa, &value) ||
           fail_number(reader, word, 3);
}

static bool take_state(struct marked_reader *reader, size_t at, struct slice rest) {
    static const char *const known[] = {"DEFREG", "LIVEIN", "MEM-DEF", "MEM-MAP"};
    static const char *const examples[] = {"RCX 7", "RCX", "data 4096 7fffffff", "data 65536"};
    static const size_t n_words[] = {3, 2, 4, 3};
    struct word found = {.at = at};
    struct slice word;
    while (found.n < sizeof found.words / sizeof *found.words && slice_next(&rest, ' ', &word))
        if (slice_trim(word).length)
            found.words[found.n++] = slice_trim(word);
    const char *name = found.n ? arena_copy(reader->arena, found.words->data, found.words->length) : "";
    size_t n = sizeof known / sizeof *known, which = text_find(name, known, n);
    if (which == n)
        return fail_place(reader, at,
                          arena_printf(reader->arena,
                                       "unknown annotation LLVM-EXEGESIS-%s%s; there are DEFREG, LIVEIN, "
                                       "MEM-DEF, MEM-MAP",
                                       name, text_did_you_mean(reader->arena, name, known, n)));
    if (found.n < n_words[which])
        return fail_place(reader, at,
                          arena_printf(reader->arena, "LLVM-EXEGESIS-%s needs %zu word%s, as in LLVM-EXEGESIS-%s %s",
                                       name, n_words[which] - 1, n_words[which] > 2 ? "s" : "", name, examples[which]));
    if (!check_state(reader, &found))
        return false;
    *ARENA_ADD(reader->arena, reader->words, reader->n_words) = found;
    return true;
}

// Maps a value to an address: the value is that of the last MEM-DEF with the name.
static bool map_value(const struct marked_reader *reader, const struct word *map, struct start_state *state) {
    struct fail why = {0};
    for (size_t i = reader->n_words; i-- > 0;) {
        const struct word *word = &reader->words[i];
        struct state_value value;
        uint64_t address, n_bytes;
        if (!slice_is(word->words[0], "MEM-DEF") || !slice_equals(word->words[1], map->words[1]))
            continue;
        if (!read_whole(word_text(reader, map, 2), 0, &address))
            return fail_number(reader, map, 2);
        if (!read_whole(word_text(reader, word, 2), 0, &n_bytes) ||
            !state_value_parse(word->words[3].data, word->words[3].length, true, reader->isa, &value))
            return fail_number(reader, word, 3);
        return start_state_set_memory(reader->arena, reader->isa, NULL, address, n_bytes, &value, state, &why) ||
               fail_place(reader, map->at, why.text);
    }
    return fail_place(reader, map->at,
                      arena_printf(reader->arena, "no LLVM-EXEGESIS-MEM-DEF defines '%s'", word_text(reader, map, 1)));
}

static bool apply_word(const struct marked_reader *reader, const struct word *word, struct start_state *state) {
    struct state_value value;
    struct fail why = {0};
    if (word->wrong.status != FAIL_NONE)
        return fail_place(reader, word->at, word->wrong.text);
    if (slice_is(word->words[0], "MEM-MAP"))
        return map_value(reader, word, state);
    if (!slice_is(word->words[0], "DEFREG"))
        return true;
    if (!state_value_parse(word->words[2].data, word->words[2].length, true, reader->isa, &value))
        return fail_number(reader, word, 2);
    return start_state_set(reader->arena, reader->isa, word_text(reader, word, 1), &value, state, &why) ||
           fail_place(reader, word->at, why.text);
}

static bool is_in(const struct text_region *region, size_t at) {
    return at >= region->begin && at < region->end;
}

// Applies to each region what stands in it, or in none. A mistake costs the region that it stands in.
static bool apply_words(struct marked_reader *reader, struct marked_text *marked) {
    struct fail *all = reader->fail;
    for (size_t i = 0; i < reader->n_words; i++) {
        const struct word *word = &reader->words[i];
        bool is_in_any = false;
        for (size_t r = 0; r < marked->n_regions; r++)
            is_in_any |= is_in(&marked->regions[r], word->at);
        for (size_t r = 0; r < marked->n_regions; r++) {
            struct text_region *region = &marked->regions[r];
            reader->fail = is_in_any ? &region->refused : all;
            if (is_in_any && !is_in(region, word->at))
                continue;
            if (!apply_word(reader, word, &region->state) && !is_in_any)
                return false;
        }
    }
    return true;
}

bool marked_text_add_state(struct arena *arena, const struct isa *isa, const struct start_state *users,
                           struct start_state *state, struct fail *fail) {
    for (size_t i = 0; i < users->n_registers; i++)
        if (!start_state_set(arena, isa, users->registers[i].name, &users->registers[i].value, state, fail))
            return false;
    for (size_t i = 0; i < users->n_memory; i++)
        *ARENA_ADD(arena, state->memory, state->n_memory) = users->memory[i];
    state->init = users->init;
    state->init_bytes = users->init_bytes;
    state->n_init_bytes = users->n_init_bytes;
    return true;
}

// Takes a word that neither begins nor ends a region. Whose mistake it is shows when all regions are known.
static void take_word(struct marked_reader *reader, enum marker_kind kind, size_t at, struct slice rest) {
    struct fail *fail = reader->fail;
    struct word wrong = {.at = at};
    reader->fail = &wrong.wrong;
    if (!(kind == MARKER_STATE ? take_state(reader, at, rest) : check_instrument(reader, at, first_word(rest))))
        *ARENA_ADD(reader->arena, reader->words, reader->n_words) = wrong;
    reader->fail = fail;
}

static bool take_comment(struct marked_reader *reader, const struct comment *comment) {
    struct slice rest;
    struct marker_mistake mistake;
    enum marker_kind kind = marker_read(slice_trim(comment->text), &rest);
    size_t at = (size_t)(comment->all.data - reader->text), index;
    if (kind == MARKER_BEGIN && !markers_begin(&reader->markers, rest, at, &mistake))
        return fail_mistake(reader, at, &mistake);
    if (kind == MARKER_END && !markers_end(&reader->markers, rest, at, &index, &mistake))
        return fail_mistake(reader, at, &mistake);
    if (kind == MARKER_STATE || kind == MARKER_INSTRUMENT)
        take_word(reader, kind, at, rest);
    return true;
}

static void take_region(struct marked_reader *reader, const struct marker_region *from, struct text_region *region) {
    bool has_begin = from->begin != MARKERS_NOWHERE;
    *region = (struct text_region){
        .name = from->name,
        .begin = has_begin ? from->begin : 0,
        .end = from->end != MARKERS_NOWHERE ? from->end : strlen(reader->text),
        .line = has_begin ? line_of(reader->text, from->begin) : 0,
    };
    reader->fail = &region->refused;
    if (!has_begin && from->end == 0)
        fail_place(reader, 0, "there is no code in front of this end: begin the region with LLVM-MCA-BEGIN");
    else if (from->end == MARKERS_NOWHERE && has_begin)
        fail_place(reader, from->begin,
                   arena_printf(reader->arena, "this region has no end: put LLVM-MCA-END%s%s behind its code",
                                *from->name ? " " : "", from->name));
}

bool marked_text_read(struct arena *arena, const struct isa *isa, const char *name, const char *text,
                      struct marked_text *marked, struct fail *fail) {
    struct marked_reader reader = {.arena = arena, .isa = isa, .name = name, .text = text, .fail = fail};
    struct comment_reader comments = {.isa = isa, .at = text, .line_is_empty = true};
    markers_start(&reader.markers, arena);
    for (struct comment comment; comment_next(&comments, &comment);)
        if (!take_comment(&reader, &comment))
            return false;
    const struct markers *markers = &reader.markers;
    *marked = (struct marked_text){.regions = ARENA_ARRAY(arena, struct text_region, markers->n_regions),
                                   .n_regions = markers->n_regions};
    for (size_t i = 0; i < markers->n_regions; i++) {
        take_region(&reader, &markers->regions[i], &marked->regions[i]);
        marked->is_marked |= marked->regions[i].line || markers->regions[i].end != MARKERS_NOWHERE;
    }
    reader.fail = fail;
    if (!apply_words(&reader, marked))
        return false;
    if (marked->n_regions == 1)
        *fail = marked->regions->refused;
    return fail->status == FAIL_NONE;
}

const struct text_region *marked_text_find(struct arena *arena, const struct marked_text *marked, const char *file,
                                           const char *name, struct fail *fail) {
    const char **names = ARENA_ARRAY(arena, const char *, marked->n_regions);
    struct text list = {.arena = arena};
    const struct text_region *found = NULL;
    size_t n = 0;
    for (size_t i = 0; i < marked->n_regions; i++) {
        const struct text_region *region = &marked->regions[i];
        bool is_it = strcmp(region->name, name) == 0;
        if (is_it && found) {
            fail_at(fail, file, region->line, 0, "a second region '%s' begins here, after that of line %u: rename one",
                    name, found->line);
            return NULL;
        }
        found = is_it ? region : found;
        if (!*region->name)
            continue;
        names[n++] = region->name;
        text_addf(&list, "%s%s", list.length ? ", " : "", region->name);
    }
    if (found)
        return found;
    fail_at(fail, file, 0, 0, "there is no region '%s'%s; %s%s", name, text_did_you_mean(arena, name, names, n),
            list.length ? "there are " : "no region has a name", list.length ? list.data : "");
    return NULL;
}

static void blank(char *text, size_t from, size_t to) {
    for (size_t at = from; at < to; at++)
        if (text[at] != '\n')
            text[at] = ' ';
}

static size_t line_end(const char *text, size_t at) {
    return at + strcspn(text + at, "\n");
}

const char *marked_text_alone(struct arena *arena, const char *text, const struct marked_text *marked,
                              const struct text_region *region) {
    char *alone = arena_strdup(arena, text);
    size_t behind = line_end(text, region->end); // its own marker
    for (const struct text_region *other = marked->regions; other < marked->regions + marked->n_regions; other++) {
        if (other == region)
            continue;
        blank(alone, other->begin, line_end(text, other->begin));
        blank(alone, other->end, line_end(text, other->end));
        blank(alone, other->begin, other->end < region->begin ? other->end : region->begin);
        blank(alone, other->begin > behind ? other->begin : behind, other->end);
    }
    return alone;
}
