// Walks a block as a branch trace says.
#include "analyzer/predict/branch_trace.h"

#include "base/text.h"

#include <string.h>

enum { NOWHERE = -1 }; // control leaves the text

struct walk {
    struct arena *arena;
    const struct branch_trace *trace;
    const struct block *block;
    size_t word;                  // the next word
    uint64_t n_taken;             // of its repetitions
    struct execution_step *steps; // that have run
    unsigned n_steps;
    unsigned *returns; // where calls go back to
    size_t n_returns;
    const struct branch_word *misplaced; // a wrong prediction where nothing branches
    struct fail *fail;
};

static const struct branch_word *next_word(const struct walk *walk) {
    return walk->word < walk->trace->n_words ? &walk->trace->words[walk->word] : NULL;
}

static void take_word(struct walk *walk) {
    const struct branch_word *word = next_word(walk);
    struct execution_step *last = walk->n_steps > 0 ? &walk->steps[walk->n_steps - 1] : NULL;
    if (word->is_mispredicted && last != NULL && insn_changes_way(&walk->block->insns[last->insn]))
        last->is_mispredicted = true;
    else if (word->is_mispredicted)
        walk->misplaced = word;
    if (++walk->n_taken < word->count)
        return;
    walk->n_taken = 0;
    walk->word++;
}

// The label's instruction, which may be the one behind the last; NOWHERE if the text has no such label.
static long find_label(const struct block *block, const char *label) {
    for (unsigned i = 0; i < block->n_labels; i++)
        if (strcmp(block->labels[i].name, label) == 0)
            return block->labels[i].insn;
    return NOWHERE;
}

static bool is_label_of(const struct block *block, const char *label, unsigned insn) {
    for (unsigned i = 0; i < block->n_labels; i++)
        if (block->labels[i].insn == insn && strcmp(block->labels[i].name, label) == 0)
            return true;
    return false;
}

// Control has come to an instruction: the word that says so is taken.
static void arrive(struct walk *walk, unsigned insn) {
    const struct branch_word *word = next_word(walk);
    if (word != NULL && word->label != NULL && is_label_of(walk->block, word->label, insn))
        take_word(walk);
}

static bool fail_label(const struct walk *walk, const struct branch_word *word) {
    const char **names = ARENA_ARRAY(walk->arena, const char *, walk->block->n_labels + 1);
    for (unsigned i = 0; i < walk->block->n_labels; i++)
        names[i] = walk->block->labels[i].name;
    return fail_at(walk->fail, walk->trace->name, word->line, word->column, "there is no label '%s' in the text%s",
                   word->label, text_did_you_mean(walk->arena, word->label, names, walk->block->n_labels));
}

static const char *in_words(const struct walk *walk, const struct insn *insn) {
    const char *text = text_without_tabs(walk->arena, insn->text);
    return insn->line != 0 ? arena_printf(walk->arena, "'%s' of line %u", text, insn->line)
                           : arena_printf(walk->arena, "'%s'", text);
}

static bool fail_branch(const struct walk *walk, const struct branch_word *word, const struct insn *insn) {
    const char *name = word->label != NULL ? word->label : "FALLTHROUGH";
    if (word->label != NULL && find_label(walk->block, word->label) == NOWHERE)
        return fail_label(walk, word);
    return fail_at(walk->fail, walk->trace->name, word->line, word->column,
                   "control comes to %s here, which cannot go to %s", in_words(walk, insn), name);
}

// A branch whose way the trace tells; *next stays where no word is left.
static bool follow_branch(struct walk *walk, const struct insn *insn, unsigned behind, long *next) {
    const struct branch_word *word = next_word(walk);
    if (word == NULL)
        return true;
    if (word->label == NULL && insn->is_conditional) {
        take_word(walk);
        *next = behind;
    } else if (word->label != NULL && (insn->target == NULL || strcmp(word->label, insn->target) == 0)) {
        *next = find_label(walk->block, word->label);
        if (*next == NOWHERE)
            return fail_label(walk, word);
    } else if (word->label != NULL && insn->is_conditional && is_label_of(walk->block, word->label, behind)) {
        *next = behind;
    } else {
        return fail_branch(walk, word, insn);
    }
    return true;
}

// The trace tells where an indirect call goes; what the text does not hold is stepped over.
static void follow_call(struct walk *walk, const struct insn *insn, unsigned behind, long *next) {
    const struct branch_word *word = next_word(walk);
    const char *callee_label = insn->target;
    if (callee_label == NULL && word != NULL) {
        callee_label = word->label;
        if (callee_label == NULL)
            take_word(walk);
    }
    long callee = callee_label != NULL ? find_label(walk->block, callee_label) : NOWHERE;
    *next = behind;
    if (callee == NOWHERE)
        return;
    *ARENA_ADD(walk->arena, walk->returns, walk->n_returns) = behind;
    *next = callee;
}

// Where control goes from instruction `at`; NOWHERE: the run ends with it.
static bool find_next(struct walk *walk, unsigned at, long *next) {
    const struct insn *insn = &walk->block->insns[at];
    *next = NOWHERE;
    if (insn->is_return)
        *next = walk->n_returns > 0 ? (long)walk->returns[--walk->n_returns] : NOWHERE;
    else if (insn->is_call)
        follow_call(walk, insn, at + 1, next);
    else if (insn->is_branch && (insn->is_conditional || insn->target == NULL))
        return follow_branch(walk, insn, at + 1, next);
    else if (insn->is_branch)
        *next = find_label(walk->block, insn->target);
    else
        *next = at + 1;
    return true;
}

static bool run_insn(struct walk *walk, unsigned at) {
    if (walk->n_steps >= BRANCH_TRACE_MOST_STEPS)
        return fail_at(walk->fail, walk->trace->name, 0, 0,
                       "the trace runs more than %d instructions; cut it where it repeats", BRANCH_TRACE_MOST_STEPS);
    *ARENA_ADD(walk->arena, walk->steps, walk->n_steps) = (struct execution_step){.insn = at};
    return true;
}

// ENTRY is the first instruction, unless the text has a label of that name; a trace may begin elsewhere.
static bool find_entry(struct walk *walk, long *entry) {
    const struct branch_word *word = next_word(walk);
    *entry = word->label != NULL ? find_label(walk->block, word->label) : NOWHERE;
    if (*entry != NOWHERE)
        return true;
    *entry = 0;
    if (word->label != NULL && strcmp(word->label, "ENTRY") == 0)
        take_word(walk);
    return true;
}

bool branch_trace_follow(struct arena *arena, const struct branch_trace *trace, const struct block *block,
                         struct execution *execution, struct fail *fail) {
    struct walk walk = {.arena = arena, .trace = trace, .block = block, .fail = fail};
    long next;
    if (!find_entry(&walk, &next))
        return false;
    while (next != NOWHERE && next < (long)block->n_insns) {
        unsigned at = (unsigned)next;
        arrive(&walk, at);
        if (!run_insn(&walk, at) || !find_next(&walk, at, &next))
            return false;
        walk.steps[walk.n_steps - 1].is_taken = execution_is_way_taken(&block->insns[at], next == (long)at + 1);
    }
    if (next != NOWHERE)
        arrive(&walk, (unsigned)next);
    const struct branch_word *left = next_word(&walk);
    if (left != NULL && left->label != NULL && find_label(block, left->label) == NOWHERE)
        return fail_label(&walk, left);
    if (walk.misplaced != NULL)
        return fail_at(fail, trace->name, walk.misplaced->line, walk.misplaced->column,
                       "no branch leads here that could have been predicted wrongly; take the '!' away");
    if (left != NULL)
        return fail_at(fail, trace->name, left->line, left->column, "the run has ended before this word");
    if (walk.n_steps == 0)
        return fail_at(fail, trace->name, 0, 0, "the trace runs no instruction");
    *execution = (struct execution){.block = block, .steps = walk.steps, .n_steps = walk.n_steps};
    return true;
}
