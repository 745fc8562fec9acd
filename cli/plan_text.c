#include "cli/plan_text.h"

#include "base/text.h"
#include "lab/marked_text.h"
#include "lab/object_code.h"

#include <string.h>

static const char symbol[] = "cyclops.block";

static bool line_begins_data(struct slice line) {
    static const char *const words[] = {".section", ".data", ".bss", ".rodata"};
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

static bool has_data(const char *text) {
    struct slice rest = {text, strlen(text)}, line;
    while (slice_next(&rest, '\n', &line))
        if (line_begins_data(line))
            return true;
    return false;
}

// Returns the text with the region's markers replaced by a symbol and its size.
static const char *with_symbol(struct arena *arena, const char *text, const struct text_region *region) {
    struct text out = {.arena = arena};
    const char *begin = text + region->begin, *end = text + region->end;
    if (region->line)
        text_append(&out, text, region->begin);
    text_addf(&out, "; %s: .type %s, %%function%s", symbol, symbol, region->line ? "" : ";");
    begin += region->line ? strcspn(begin, "\n") : 0;
    text_append(&out, begin, begin < end ? (size_t)(end - begin) : 0);
    text_addf(&out, "; .size %s, . - %s", symbol, symbol);
    text_add(&out, end + strcspn(end, "\n"));
    return out.data;
}

// Adds a region of a text, such as a compiler's, that also has data, to which the region may refer.
static bool add_with_data(struct arena *arena, struct plan *plan, const struct block_source *source,
                          const struct text_region *region, const char *label, const struct plan_options *options,
                          struct fail *fail) {
    struct object_file file = {.path = source->name, .triple = source->isa->triple};
    const struct object_range range = {.symbol = symbol};
    const char *text = model_in_syntax(arena, source->isa->triple, with_symbol(arena, source->text, region));
    const struct object_piece *pieces;
    size_t n;
    if (!gen_assemble_text(arena, source->isa, source->name, text, &file.data, &file.n_bytes, fail) ||
        !object_code_read(arena, &file, &range, &pieces, &n, fail))
        return false;
    struct block_source bytes = {
        .isa = source->isa, .name = source->name, .bytes = pieces[0].bytes, .n_bytes = pieces[0].n_bytes};
    struct object_linker *linker = object_linker_open(arena, &file, source->isa, fail);
    bool is_done = linker && object_linker_read(linker, &pieces[0], &bytes, fail) &&
                   plan_add_block(arena, plan, &bytes, label, options, fail);
    object_linker_close(linker);
    return is_done;
}

static bool add_region(struct arena *arena, struct plan *plan, const struct block_source *source,
                       const struct marked_text *marked, const struct text_region *region, const char *label,
                       const struct plan_options *options, struct fail *fail) {
    struct block_source part = *source;
    struct plan_options with_state = *options;
    with_state.block.state = region->state;
    if (!marked_text_add_state(arena, source->isa, &options->block.state, &with_state.block.state, fail))
        return false;
    part.region_begin = region->begin;
    part.region_end = marked->is_marked ? region->end : 0;
    if (*region->name)
        label = arena_printf(arena, "%s:%s", source->name, region->name);
    else if (marked->n_regions > 1)
        label = arena_printf(arena, "%s:%u", source->name, region->line);
    return marked->is_marked && has_data(source->text)
               ? add_with_data(arena, plan, source, region, label, &with_state, fail)
               : plan_add_block(arena, plan, &part, label, &with_state, fail);
}

bool plan_add_text(struct arena *arena, struct plan *plan, const struct block_source *source, const char *label,
                   const char *region, const struct plan_options *options, struct fail *fail) {
    struct marked_text marked;
    if (!marked_text_read(arena, source->isa, source->name, source->text, &marked, fail))
        return false;
    const struct text_region *one = region ? marked_text_find(arena, &marked, source->name, region, fail) : NULL;
    if (region)
        return one && add_region(arena, plan, source, &marked, one, label, options, fail);
    for (size_t i = 0; i < marked.n_regions; i++) {
        struct fail why = {0};
        if (!add_region(arena, plan, source, &marked, &marked.regions[i], label, options, &why))
            plan_refuse(arena, plan, &why);
    }
    return true;
}
