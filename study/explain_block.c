#include "study/explain_block.h"

#include "analyzer/predict/core_plan.h"
#include "blocks/marked_text.h"
#include "blocks/turns.h"
#include "gen/block.h"
#include "study/explain.h"
#include "study/explain_loop.h"
#include "study/explain_names.h"

#include <string.h>

static const struct isa *isa_of(struct arena *arena, const struct model *model) {
    const char *triple = model->machine->triple;
    return isa_find(arena_copy(arena, triple, strcspn(triple, "-")));
}

// Finds the text with the chosen region only. Fails at a wrong marker.
static bool choose_region(struct arena *arena, const struct model *model, const struct explain_block_options *options,
                          const char **text, struct fail *fail) {
    const struct isa *isa = isa_of(arena, model);
    struct marked_text marked;
    *text = options->text;
    if (!options->is_file || !isa)
        return true;
    if (!marked_text_read(arena, isa, options->name, options->text, &marked, fail))
        return false;
    if (!options->region && marked.n_regions > 1)
        return fail_at(fail, options->name, marked.regions[1].line, 0,
                       "a second region begins here; an explanation is of one: choose it with --region NAME");
    const struct text_region *region = marked.regions;
    if (options->region && !(region = marked_text_find(arena, &marked, options->name, options->region, fail)))
        return false;
    *text = marked_text_alone(arena, options->text, &marked, region);
    *fail = region->refused;
    return fail->status == FAIL_NONE;
}

static bool describe_text(struct arena *arena, const struct model *model, const struct explain_block_options *options,
                          struct block *block, struct fail *fail) {
    struct backend_source source;
    struct fail unread = {0};
    const char *text;
    if (!choose_region(arena, model, options, &text, fail))
        return false;
    const char *in_syntax = model_in_syntax(arena, model->machine->triple, text);
    if (!model_describe_text(model, arena, options->name, in_syntax, &source, &unread)) {
        struct insn *insn = ARENA_NEW(arena, struct insn);
        *block = (struct block){.name = options->text, .insns = insn, .n_insns = 1};
        if (!options->is_file && explain_may_be_form(options->text))
            return explain_form(arena, model, options->text, insn, fail);
        *fail = unread;
        return false;
    }
    if (!source.n_blocks || !source.blocks->n_insns)
        return fail_at(fail, options->name, 0, 0, "there is no instruction in it");
    *block = *source.blocks;
    return explain_check_names(arena, model->machine, options->name, text, block, fail);
}

// A text's branches have no bytes yet that say where they go: they name a label.
static bool goes_back(const struct block *block) {
    const char *target = block->insns[block->n_insns - 1].target;
    for (unsigned i = 0; i < block->n_labels && target; i++)
        if (block->labels[i].insn == 0 && strcmp(block->labels[i].name, target) == 0)
            return true;
    return !target && turns_is_loop(block);
}

// The code as it is repeated: a loop goes back to its own begin, or gets a loop's end; what is unrolled has none.
static bool repeat(struct arena *arena, const struct model *model, const struct explain_block_options *options,
                   struct bounds_request *way, struct block *block, struct fail *fail) {
    bool is_own_loop = goes_back(block);
    way->is_loop = options->is_given ? options->is_loop : block->insns[block->n_insns - 1].is_branch;
    if (options->is_given && way->is_loop && !is_own_loop)
        return explain_add_loop(arena, model, block, &way->start, fail);
    if (options->is_given && !way->is_loop && is_own_loop && block->n_insns > 1)
        block->n_insns--;
    return true;
}

bool explain_block(struct arena *arena, const struct model *model, const struct explain_block_options *options,
                   struct block_explanation *explanation, struct fail *fail) {
    *explanation = (struct block_explanation){.model = model};
    struct block *block = &explanation->block;
    struct bounds_request *way = &explanation->way;
    *way = (struct bounds_request){
        .cpu = model->own,
        .block = block,
        .is_decoded = options->is_decoded,
        .registers = options->registers,
        .pages_are_one = options->pages_are_one,
    };
    bool is_described = options->text
                            ? describe_text(arena, model, options, block, fail)
                            : model_describe_bytes(model, arena, options->bytes, options->n_bytes, block, fail);
    if (!is_described || !repeat(arena, model, options, way, block, fail))
        return false;
    if (!way->is_loop && !way->is_decoded) // as 'cyclops run' lays them out
        way->copies = block_copies(block->n_insns, block_bytes(block));
    if (!bounds_explain(arena, way, &explanation->found, fail) ||
        !core_cycles_find(way, 0, &explanation->core_cycles, fail))
        return false;
    explanation->words = (struct bounds_words){model->own, block, &explanation->found};
    explanation->sentence = bounds_largest_sentence(arena, &explanation->words);
    explanation->next_sentence = bounds_next_sentence(arena, &explanation->words);
    explanation->n_notes = bounds_list_notes(arena, &explanation->words, &explanation->notes);
    return true;
}
