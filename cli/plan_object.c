#include "cli/plan_object.h"

#include "base/text.h"

#include <string.h>

bool plan_add_object(struct arena *arena, struct plan *plan, const struct isa *isa, const struct object_file *file,
                     const struct object_range *range, const struct plan_options *options, struct fail *fail) {
    const struct object_piece *pieces;
    size_t n;
    if (!object_code_read(arena, file, range, &pieces, &n, fail))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct fail why = {0};
        struct block_source source = {
            .isa = isa, .name = file->path, .bytes = pieces[i].bytes, .n_bytes = pieces[i].n_bytes};
        if (object_data_read(arena, file, &pieces[i], &source, &why) &&
            plan_add_block(arena, plan, &source, pieces[i].name, options, &why))
            plan->experiments[plan->n_experiments - 1]->block->is_function = true;
        else
            plan_refuse(arena, plan, &why);
    }
    return true;
}

static const char begin[] = "LLVM-MCA-BEGIN", end[] = "LLVM-MCA-END", symbol[] = "cyclops.block";

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

bool plan_has_marked_data(const char *text) {
    struct slice rest = {text, strlen(text)}, line;
    if (!strstr(text, begin))
        return false;
    while (slice_next(&rest, '\n', &line))
        if (line_begins_data(line))
            return true;
    return false;
}

// Returns the text with the marks replaced by a symbol and its size.
static const char *with_symbol(struct arena *arena, const char *text) {
    struct text out = {.arena = arena};
    struct slice rest = {text, strlen(text)}, line;
    while (slice_next(&rest, '\n', &line)) {
        if (memmem(line.data, line.length, begin, strlen(begin)))
            text_addf(&out, "%s: .type %s, %%function", symbol, symbol);
        else if (memmem(line.data, line.length, end, strlen(end)))
            text_addf(&out, ".size %s, . - %s", symbol, symbol);
        else
            text_append(&out, line.data, line.length);
        text_add(&out, "\n");
    }
    return out.data;
}

bool plan_add_marked(struct arena *arena, struct plan *plan, const struct block_source *source, const char *label,
                     const struct plan_options *options, struct fail *fail) {
    struct object_file file = {.path = source->name, .triple = source->isa->triple};
    const struct object_range range = {.symbol = symbol};
    const char *text = with_symbol(arena, model_in_syntax(arena, source->isa->triple, source->text));
    const struct object_piece *pieces;
    size_t n;
    if (!gen_assemble_text(arena, source->isa, source->name, text, &file.data, &file.n_bytes, fail) ||
        !object_code_read(arena, &file, &range, &pieces, &n, fail))
        return false;
    struct block_source bytes = {
        .isa = source->isa, .name = source->name, .bytes = pieces[0].bytes, .n_bytes = pieces[0].n_bytes};
    return object_data_read(arena, &file, &pieces[0], &bytes, fail) &&
           plan_add_block(arena, plan, &bytes, label, options, fail);
}
