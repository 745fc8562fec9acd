// Walks a block as a branch trace says.
#include "analyzer/predict/branch_trace.h"

#include "base/text.h"

#include <string.h>

enum { NOWHERE = -1 }; // control leaves the text

struct walk {
    struct arena *arena;
    const struct branch_trace *trace;
    const struct block *block;
    size_t step;        // the next word
    uint64_t n_taken;   // of its repetitions
    struct insn *insns; // that have run
    unsigned n_insns;
    unsigned *returns; // where calls go back to
    size_t n_returns;
    const struct branch_step *misplaced; // a wrong prediction where nothing branches
    struct fail *fail;
};

static const struct branch_step *next_step(const struct walk *walk) {
    return walk->step < walk->trace->n_steps ? &walk->trace->steps[walk->step] : NULL;
}

static void take_step(struct walk *walk) {
    const struct branch_step *step = next_step(walk);
    struct insn *last = walk->n_insns > 0 ? &walk->insns[walk->n_insns - 1] : NULL;
    if (step->is_mispredicted && last != NULL && (last->is_branch || last->is_call || last->is_return))
        last->is_mispredicted = true;
    else if (step->is_mispredicted)
        walk->misplaced = step;
    if (++walk->n_taken < step->count)
        return;
    walk->n_taken = 0;
    walk->step++;
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
    const struct branch_step *step = next_step(walk);
    if (step != NULL && step->label != NULL && is_label_of(walk->block, step->label, insn))
        take_step(walk);
}

static bool fail_label(const struct walk *walk, const struct branch_step *step) {
    const char **names = ARENA_ARRAY(walk->arena, const char *, walk->block->n_labels + 1);
    for (unsigned i = 0; i < walk->block->n_labels; i++)
        names[i] = walk->block->labels[i].name;
    return fail_at(walk->fail, walk->trace->name, step->line, step->column, "there is no label '%s' in the text%s",
                   step->label, text_did_you_mean(walk->arena, step->label, names, walk->block->n_labels));
}

static const char *in_words(const struct walk *walk, const struct insn *insn) {
    const char *text = text_without_tabs(walk->arena, insn->text);
    return insn->line != 0 ? arena_printf(walk->arena, "'%s' of line %u", text, insn->line)
                           : arena_printf(walk->arena, "'%s'", text);
}

static bool fail_branch(const struct walk *walk, const struct branch_step *step, const struct insn *insn) {
    const char *word = step->label != NULL ? step->label : "FALLTHROUGH";
    if (step->label != NULL && find_label(walk->block, step->label) == NOWHERE)
        return fail_label(walk, step);
    return fail_at(walk->fail, walk->trace->name, step->line, step->column,
                   "control comes to %s here, which cannot go to %s", in_words(walk, insn), word);
}

// A branch whose way the trace tells; *next stays where no word is left.
static bool follow_branch(struct walk *walk, const struct insn *insn, unsigned behind, long *next) {
    const struct branch_step *step = next_step(walk);
    if (step == NULL)
        return true;
    if (step->label == NULL && insn->is_conditional) {
        take_step(walk);
        *next = behind;
    } else if (step->label != NULL && (insn->target == NULL || strcmp(step->label, insn->target) == 0)) {
        *next = find_label(walk->block, step->label);
        if (*next == NOWHERE)
            return fail_label(walk, step);
    } else if (step->label != NULL && insn->is_conditional && is_label_of(walk->block, step->label, behind)) {
        *next = behind;
    } else {
        return fail_branch(walk, step, insn);
    }
    return true;
}

// The trace tells where an indirect call goes; what the text does not hold is stepped over.
static void follow_call(struct walk *walk, const struct insn *insn, unsigned behind, long *next) {
    const struct branch_step *step = next_step(walk);
    const char *callee_label = insn->target;
    if (callee_label == NULL && step != NULL) {
        callee_label = step->label;
        if (callee_label == NULL)
            take_step(walk);
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
    if (walk->n_insns >= BRANCH_TRACE_MOST_INSNS)
        return fail_at(walk->fail, walk->trace->name, 0, 0,
                       "the trace runs more than %d instructions; cut it where it repeats", BRANCH_TRACE_MOST_INSNS);
    *ARENA_ADD(walk->arena, walk->insns, walk->n_insns) = walk->block->insns[at];
    return true;
}

// ENTRY is the first instruction, unless the text has a label of that name; a trace may begin elsewhere.
static bool find_entry(struct walk *walk, long *entry) {
    const struct branch_step *step = next_step(walk);
    *entry = step->label != NULL ? find_label(walk->block, step->label) : NOWHERE;
    if (*entry != NOWHERE)
        return true;
    *entry = 0;
    if (step->label != NULL && strcmp(step->label, "ENTRY") == 0)
        take_step(walk);
    return true;
}

bool branch_trace_follow(struct arena *arena, const struct branch_trace *trace, const struct block *block,
                         struct block *run, struct fail *fail) {
    struct walk walk = {.arena = arena, .trace = trace, .block = block, .fail = fail};
    long next;
    if (!find_entry(&walk, &next))
        return false;
    while (next != NOWHERE && next < (long)block->n_insns) {
        unsigned at = (unsigned)next;
        arrive(&walk, at);
        if (!run_insn(&walk, at) || !find_next(&walk, at, &next))
            return false;
    }
    if (next != NOWHERE)
        arrive(&walk, (unsigned)next);
    const struct branch_step *left = next_step(&walk);
    if (left != NULL && left->label != NULL && find_label(block, left->label) == NOWHERE)
        return fail_label(&walk, left);
    if (walk.misplaced != NULL)
        return fail_at(fail, trace->name, walk.misplaced->line, walk.misplaced->column,
                       "no branch leads here that could have been predicted wrongly; take the '!' away");
    if (left != NULL)
        return fail_at(fail, trace->name, left->line, left->column, "the run has ended before this word");
    *run = *block;
    run->insns = walk.insns;
    run->n_insns = walk.n_insns;
    run->labels = NULL;
    run->n_labels = 0;
    return true;
}
