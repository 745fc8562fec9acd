#include "blocks/text_blocks.h"

#include "base/text.h"
#include "blocks/marked_text.h"
#include "blocks/object_code.h"
#include "gen/gen.h"

#include <ctype.h>
#include <string.h>

// A text, as read and as assembled.
struct text_reader {
    struct arena *arena;
    const struct block_source *source;
    struct marked_text marked;
    bool has_sections; // it has data, or other sections without code
    struct object_file file;
    struct object_linker *linker; // null: it was not assembled
    struct fail not_assembled;    // why
    struct gen_errors wrong;      // lines that the assembler refuses
    struct text_blocks *blocks;
};

// ---- its lines

static bool line_begins_section(struct slice line) {
    static const char *const words[] = {".section", ".data", ".bss", ".rodata", ".comm", ".lcomm"};
    struct slice trimmed = slice_trim(line);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        bool is_word = trimmed.length >= length && memcmp(trimmed.data, words[i], length) == 0;
        bool is_other =
            memmem(trimmed.data, trimmed.length, ".text", 5) || memmem(trimmed.data, trimmed.length, ".note", 5);
        if (is_word && !is_other)
            return true;
    }
    return false;
}

static bool line_aligns(struct slice line) {
    struct slice trimmed = slice_trim(line);
    return trimmed.length > 1 && *trimmed.data == '.' && memmem(trimmed.data, trimmed.length, "align", 5);
}

static bool any_line(struct slice text, bool (*is_so)(struct slice line)) {
    struct slice line;
    while (slice_next(&text, '\n', &line))
        if (is_so(line))
            return true;
    return false;
}

static struct slice text_lines(const struct text_reader *reader) {
    return (struct slice){reader->source->text, strlen(reader->source->text)};
}

// ---- the object

static const char *region_symbol(struct arena *arena, size_t region) {
    return arena_printf(arena, OBJECT_REGION "%zu", region);
}

// Returns the end of the comment that begins there.
static const char *comment_end(const char *comment) {
    const char *end = strncmp(comment, "/*", 2) == 0 ? strstr(comment, "*/") : NULL;
    return end ? end + 2 : comment + strcspn(comment, "\n");
}

// Returns the place of the first marker from there on; `length`: there is none.
static size_t next_marker(const struct marked_text *marked, size_t from, size_t length) {
    size_t next = length;
    for (size_t i = 0; i < marked->n_regions; i++) {
        const struct text_region *region = &marked->regions[i];
        if (region->line && region->begin >= from && region->begin < next)
            next = region->begin;
        if (region->end >= from && region->end < next)
            next = region->end;
    }
    return next;
}

// Adds the symbols of the regions that begin or end there.
static void add_symbols(const struct text_reader *reader, size_t at, struct text *out) {
    const struct marked_text *marked = &reader->marked;
    for (size_t i = 0; i < marked->n_regions; i++) {
        const char *symbol = region_symbol(reader->arena, i);
        if (marked->regions[i].refused.status != FAIL_NONE)
            continue;
        if (marked->regions[i].begin == at)
            text_addf(out, "; %s: .type %s, %%function;", symbol, symbol);
        else if (marked->regions[i].end == at)
            text_addf(out, "; .size %s, . - %s;", symbol, symbol);
    }
}

// Returns the text with a function for each region in place of its markers. Lines stay what they are.
static const char *with_symbols(const struct text_reader *reader) {
    const struct marked_text *marked = &reader->marked;
    const char *text = reader->source->text;
    struct text out = {.arena = reader->arena};
    size_t length = strlen(text), at = 0;
    if (!marked->is_marked)
        return text;
    if (next_marker(marked, 0, length) > 0)
        add_symbols(reader, 0, &out);
    for (size_t marker; (marker = next_marker(marked, at, length)) < length;) {
        text_append(&out, text + at, marker - at);
        add_symbols(reader, marker, &out);
        for (at = marker; text + at < comment_end(text + marker); at++)
            if (text[at] == '\n')
                text_add(&out, "\n");
    }
    text_add(&out, text + at);
    if (at < length)
        add_symbols(reader, length, &out);
    return out.data;
}

// Leaves out directives of clang's that GNU as does not know.
static const char *for_gnu_as(struct arena *arena, const char *text) {
    struct text out = {.arena = arena};
    struct slice rest = {text, strlen(text)}, line;
    text_add(&out, "");
    while (slice_next(&rest, '\n', &line)) {
        struct slice trimmed = slice_trim(line);
        if (trimmed.length < 8 || memcmp(trimmed.data, ".addrsig", 8) != 0)
            text_append(&out, line.data, line.length);
        text_add(&out, "\n");
    }
    return out.data;
}

// In front, on the first line: what makes it Intel's syntax.
static const char *in_front(const struct text_reader *reader) {
    static const char directive[] = ".intel_syntax noprefix; ";
    const struct block_source *source = reader->source;
    if (!source->isa->syntaxes[0])
        return "";
    bool is_intel = source->syntax ? strcmp(source->syntax, "intel") == 0 : !strchr(source->text, '%');
    return is_intel ? directive : "";
}

// ---- wrong lines: each costs the blocks that run it

// Returns a line, from 1.
static const char *line_at(const char *text, unsigned line) {
    for (; line > 1 && *text; text++)
        line -= *text == '\n';
    return text;
}

// Puts a symbol that nothing defines in place of each wrong instruction: the linker refuses what refers to it. Returns
// null where another line is wrong: code may refer to what it defines.
static const char *replace_wrong(const struct text_reader *reader, const char *text) {
    struct text out = {.arena = reader->arena};
    const char *at = text;
    for (size_t i = 0; i < reader->wrong.n; i++) {
        unsigned number = reader->wrong.items[i].line;
        const char *line = line_at(text, number);
        size_t name = strcspn(line, " \t:\n"), label = line[name] == ':' ? name + 1 : 0;
        const char *begin = line + label + strspn(line + label, " \t"), *end = begin + strcspn(begin, "\n");
        if (!isalpha((unsigned char)*begin) || memchr(begin, ':', (size_t)(end - begin)))
            return NULL;
        if (begin < at) // several on one line
            continue;
        text_append(&out, at, (size_t)(begin - at));
        text_addf(&out, ".long " OBJECT_WRONG "%u", number);
        at = end;
    }
    text_add(&out, at);
    return out.data;
}

static bool assemble_text(struct text_reader *reader, const char *text, struct gen_errors *errors) {
    const struct block_source *source = reader->source;
    struct object_file *file = &reader->file;
    *file = (struct object_file){.path = source->name, .triple = source->isa->triple, .is_text = true};
    return gen_assemble_text(reader->arena, source->isa, source->name, text, &file->data, &file->n_bytes, errors,
                             &reader->not_assembled);
}

static void assemble(struct text_reader *reader) {
    struct arena *arena = reader->arena;
    const char *text = arena_printf(arena, "%s%s", in_front(reader), for_gnu_as(arena, with_symbols(reader)));
    bool is_done = assemble_text(reader, text, &reader->wrong);
    const char *rest = is_done || !reader->wrong.n ? NULL : replace_wrong(reader, text);
    if (is_done || (rest && assemble_text(reader, rest, NULL)))
        reader->linker = object_linker_open(arena, &reader->file, reader->source->isa, &reader->not_assembled);
    if (reader->linker && !is_done && !object_linker_follows(reader->linker))
        reader->linker = NULL;
}

// ---- mistakes

static bool is_in_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

// Returns the first place of a word in a region's text; null: it is not there.
static const char *find_word(const struct text_reader *reader, const struct text_region *region, const char *word) {
    const char *text = reader->source->text, *end = text + region->end;
    size_t length = strlen(word);
    for (const char *at = text + region->begin; (at = strstr(at, word)) && at < end; at++)
        if ((at == text || !is_in_word(at[-1]) || at[-1] == '$') && !is_in_word(at[length]))
            return at;
    return NULL;
}

static bool fail_word(const struct text_reader *reader, const struct text_region *region, const char *word,
                      const char *message, struct fail *why) {
    const char *at = find_word(reader, region, word), *text = reader->source->text;
    unsigned line = at != NULL, column = line;
    for (; at && text < at; text++) {
        column = *text == '\n' ? 1 : column + 1;
        line += *text == '\n';
    }
    fail_clear(why);
    return fail_at(why, reader->source->name, line, column, "%s", message);
}

// Whether a word is all of an operand, as registers are.
static bool is_operand(const struct text_reader *reader, const char *word, size_t length) {
    const char *before = word, *behind = word + length + strspn(word + length, " \t");
    while (before > reader->source->text && (before[-1] == ' ' || before[-1] == '\t'))
        before--;
    bool follows = before > reader->source->text && (before[-1] == ',' || (before < word && is_in_word(before[-1])));
    return follows && (*behind == '\0' || strchr(",;\n#", *behind));
}

// Returns the register that an operand may mean, which differs in at most a letter; null: none does.
static const char *find_register(const struct isa *isa, const char *name) {
    for (const struct register_class *class = isa->classes; class->name; class ++)
        for (const char *const *reg = class->registers; *reg; reg++)
            if (strlen(name) > 1 && strlen(name) == strlen(*reg) && text_distance(*reg, name) <= 1)
                return *reg;
    return NULL;
}

// Refuses an operand of x86 that nothing defines and that is a register's name, or nearly: rbz in Intel's syntax, rax
// in AT&T's. Other ISAs write variables like that.
static bool check_names(const struct text_reader *reader, const struct text_region *region,
                        const struct block_source *taken, struct fail *why) {
    const struct isa *isa = reader->source->isa;
    for (size_t i = 0; i < taken->n_made_up && isa->syntaxes[0]; i++) {
        const char *name = taken->made_up[i], *at = find_word(reader, region, name);
        const char *near = at && is_operand(reader, at, strlen(name)) ? find_register(isa, name) : NULL;
        if (near)
            return fail_word(reader, region, name,
                             arena_printf(reader->arena,
                                          "'%s' is neither a register nor defined here (did you mean '%s%s'?)", name,
                                          strcmp(near, name) ? "" : "%", near),
                             why);
    }
    return true;
}

// Returns the mistake of the line that a symbol stands for; null: it stands for no line.
static const struct fail *find_wrong(const struct text_reader *reader, const char *symbol) {
    for (size_t i = 0; i < reader->wrong.n; i++)
        if (strcmp(symbol, arena_printf(reader->arena, OBJECT_WRONG "%u", reader->wrong.items[i].line)) == 0)
            return &reader->wrong.items[i];
    return NULL;
}

// ---- blocks

static struct text_block *add(const struct text_reader *reader, const struct text_region *from, const char *name) {
    struct text_block *block = ARENA_ADD(reader->arena, reader->blocks->items, reader->blocks->n);
    *block = (struct text_block){.name = name,
                                 .line = from->line,
                                 .region = (size_t)(from - reader->marked.regions),
                                 .state = from->state,
                                 .refused = from->refused,
                                 .source = *reader->source};
    block->source.region_begin = from->begin;
    block->source.region_end = reader->marked.is_marked ? from->end : 0;
    return block;
}

// Takes a piece of the object for a block: by its bytes where it `must`, or where it refers to what is outside of it.
static void take_piece(const struct text_reader *reader, const struct object_piece *piece, bool must,
                       const struct text_region *within, struct text_block *block) {
    struct block_source bytes = {.isa = reader->source->isa,
                                 .name = reader->source->name,
                                 .bytes = piece->bytes,
                                 .n_bytes = piece->n_bytes,
                                 .line = block->line,
                                 .line_offset = (unsigned)(piece->address % 64),
                                 .alignment = piece->alignment};
    block->source.line_offset = bytes.line_offset;
    block->source.alignment = bytes.alignment;
    struct fail *why = &block->refused;
    bool is_linked = object_linker_read(reader->linker, piece, &bytes, why);
    const char *missing = object_linker_missing(reader->linker);
    const struct fail *wrong = missing ? find_wrong(reader, missing) : NULL;
    if (!is_linked && wrong)
        *why = *wrong;
    else if (!is_linked && missing)
        fail_word(reader, within, missing, arena_strdup(reader->arena, why->text), why);
    if (is_linked && check_names(reader, within, &bytes, why) && (bytes.link || must))
        block->source = bytes;
}

static void add_region(const struct text_reader *reader, const struct text_region *region) {
    const size_t number = (size_t)(region - reader->marked.regions);
    // A branch out of a region is a way out, and calls nothing.
    const struct object_range range = {.symbol = region_symbol(reader->arena, number), .is_label = true};
    struct text_block *block = add(reader, region, region->name);
    const struct object_piece *pieces;
    struct fail why = {0};
    size_t n;
    bool must =
        any_line((struct slice){reader->source->text + region->begin, region->end - region->begin}, line_aligns);
    if (region->refused.status != FAIL_NONE || !reader->linker ||
        !object_code_read(reader->arena, &reader->file, &range, &pieces, &n, &why))
        return;
    take_piece(reader, pieces, must, region, block);
}

static struct text_region whole_text(const struct text_reader *reader) {
    return (struct text_region){.name = "", .end = strlen(reader->source->text)};
}

static bool add_function(const struct text_reader *reader, const char *name, struct fail *fail) {
    const struct object_range range = {.symbol = name};
    const struct text_region all = whole_text(reader);
    const struct object_piece *pieces;
    size_t n;
    if (!reader->linker) {
        *fail = reader->not_assembled;
        return false;
    }
    if (!object_code_read(reader->arena, &reader->file, &range, &pieces, &n, fail))
        return false;
    take_piece(reader, pieces, true, &all, add(reader, reader->marked.regions, name));
    return true;
}

// Adds the whole text: each of its functions, where there are several.
static void add_unmarked(const struct text_reader *reader) {
    const struct object_range all = {0}, code = {.section = ".text"};
    const struct text_region *region = reader->marked.regions;
    const struct object_piece *pieces;
    size_t n = 0;
    struct fail why = {0};
    bool is_read = reader->linker && object_code_read(reader->arena, &reader->file, &all, &pieces, &n, &why);
    bool has_functions = is_read && n > 1;
    bool must = reader->has_sections || has_functions || any_line(text_lines(reader), line_aligns);
    if (is_read && n == 1) // a function, or code without one: all of its section
        is_read = object_code_read(reader->arena, &reader->file, &code, &pieces, &n, &why) ||
                  object_code_read(reader->arena, &reader->file, &all, &pieces, &n, &why);
    for (size_t i = 0; is_read && i < n; i++)
        take_piece(reader, &pieces[i], must, region, add(reader, region, has_functions ? pieces[i].name : ""));
    if (is_read)
        return;
    struct text_block *block = add(reader, region, "");
    if (reader->has_sections && !reader->linker)
        block->refused = reader->not_assembled;
}

// Whether the object can make a difference. What is only code, and whole in itself, is the same without.
static bool wants_object(const struct text_reader *reader, const struct text_choice *choice) {
    const struct block_source *source = reader->source;
    return reader->marked.is_marked || choice->symbol || reader->has_sections ||
           any_line(text_lines(reader), line_aligns) || strstr(source->text, ".type") ||
           block_names_others(reader->arena, source->isa, source->text);
}

static bool add_all(const struct text_reader *reader, const struct text_choice *choice, struct fail *fail) {
    const struct marked_text *marked = &reader->marked;
    const char *name = choice->region;
    const struct text_region *one =
        name ? marked_text_find(reader->arena, marked, reader->source->name, name, fail) : NULL;
    if (name)
        return one && (add_region(reader, one), true);
    if (choice->symbol)
        return add_function(reader, choice->symbol, fail);
    for (size_t i = 0; marked->is_marked && i < marked->n_regions; i++)
        add_region(reader, &marked->regions[i]);
    if (!marked->is_marked)
        add_unmarked(reader);
    return true;
}

bool text_blocks_read(struct arena *arena, const struct block_source *source, const struct text_choice *choice,
                      struct text_blocks *blocks, struct fail *fail) {
    struct text_reader reader = {.arena = arena, .source = source, .blocks = blocks};
    *blocks = (struct text_blocks){0};
    if (!marked_text_read(arena, source->isa, source->name, source->text, &reader.marked, fail))
        return false;
    reader.has_sections = any_line(text_lines(&reader), line_begins_section);
    if (wants_object(&reader, choice))
        assemble(&reader);
    bool is_done = add_all(&reader, choice, fail);
    object_linker_close(reader.linker);
    return is_done;
}
