#include "lab/branches.h"

#include "analyzer/predict/model_prediction.h"

#include <string.h>

// Steps of a recording: enough to average over bodies that differ, and few enough to take less than a second.
enum { ENOUGH_STEPS = 4000 };

bool branches_record(struct arena *arena, const struct program *program, const struct bench_code *code,
                     struct followed *followed, struct fail *fail) {
    const struct follow_options options = {.enough_steps = ENOUGH_STEPS};
    return follow_record(arena, program, code, &options, followed, fail);
}

static bool does_nothing(const struct insn *insn) {
    static const char *const names[] = {"nop", "data16", "cs nop", "xchg ax, ax", "int3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(insn->text + strspn(insn->text, " \t"), names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

// Whether code that begins at the target of a branch backwards comes to that branch again, offsets in bytes. A jump
// from code behind a return to the function's end closes no loop.
static bool closes_loop(const struct block *block, size_t target, unsigned branch) {
    size_t offset = 0, furthest = 0;
    for (unsigned i = 0; i < branch; offset += block->insns[i++].n_bytes) {
        const struct insn *insn = &block->insns[i];
        size_t next = offset + insn->n_bytes;
        if (offset < target)
            continue;
        if (insn->is_branch && insn->is_direct && insn->displacement > 0 &&
            offset + (size_t)insn->displacement > furthest)
            furthest = offset + (size_t)insn->displacement;
        if ((insn->is_return || (insn->is_branch && !insn->is_conditional)) && furthest < next)
            return false;
    }
    return true;
}

// Finds out how much of the block ran. `first`: the block's first byte in the bytes that were followed.
static void find_idle(struct arena *arena, const struct block *block, const struct execution *run, size_t first,
                      size_t n_bytes, struct followed *followed) {
    bool *has_run = ARENA_ARRAY(arena, bool, block->n_insns);
    size_t offset = 0;
    followed->n_ran = followed->n_insns = 0;
    followed->has_idle_loop = false;
    for (size_t i = 0; i < run->n_steps; i++)
        if (run->steps[i].insn < block->n_insns) // else of a function that it calls
            has_run[run->steps[i].insn] = true;
    for (unsigned i = 0; i < block->n_insns; offset += block->insns[i++].n_bytes) {
        const struct insn *insn = &block->insns[i];
        int64_t target = (int64_t)offset + insn->displacement - (int64_t)first;
        if (offset < first || offset >= first + n_bytes || does_nothing(insn))
            continue;
        followed->n_insns++;
        followed->n_ran += has_run[i];
        if (has_run[i] || !insn->is_branch || !insn->is_direct || insn->displacement > 0 || target < 0 ||
            !closes_loop(block, (size_t)target + first, i))
            continue;
        followed->has_idle_loop = true;
        followed->idle_loop = (size_t)target;
    }
}

// Finds the loop inside that turns most often before it is left; not the one around the block.
static void find_longest(struct arena *arena, const struct block *block, const struct execution *run,
                         struct program_range own, struct followed *followed) {
    unsigned *n_back = ARENA_ARRAY(arena, unsigned, block->n_insns),
             *n_on = ARENA_ARRAY(arena, unsigned, block->n_insns);
    size_t offset = 0;
    for (size_t i = 0; i + 1 < run->n_steps; i++)
        if (run->steps[i].insn < block->n_insns) // else of a function that it calls
            ++*(run->steps[i + 1].insn <= run->steps[i].insn ? &n_back[run->steps[i].insn] : &n_on[run->steps[i].insn]);
    followed->longest_loop = 0;
    for (unsigned i = 0; i < block->n_insns; offset += block->insns[i++].n_bytes) {
        const struct insn *insn = &block->insns[i];
        bool is_inside = offset >= own.offset && offset + insn->n_bytes <= own.offset + own.length;
        double turns = n_on[i] ? (double)n_back[i] / n_on[i] + 1 : 0;
        if (is_inside && insn->is_branch && insn->is_direct && n_back[i] && turns > followed->longest_loop)
            followed->longest_loop = turns;
    }
}

bool branches_predict(struct arena *arena, const struct model *model, const struct program *program,
                      struct followed *followed, struct prediction *prediction, struct fail *fail) {
    struct execution run;
    unsigned n_own;
    if (!follow_execution(arena, model, program, followed, &run, &n_own, fail))
        return false;
    struct block block = *run.block; // without what it calls
    block.n_insns = n_own;
    const struct program_range own = program_block_range(program);
    const size_t first = own.offset - program_followed_range(program).offset;
    find_idle(arena, &block, &run, first, own.length, followed);
    find_longest(arena, &block, &run, (struct program_range){first, own.length - program->has_own_branch}, followed);
    const struct prediction_request request = {.execution = &run, .way.is_loop = true};
    if (!prediction_by_model(arena, model, &request, prediction, fail))
        return false;
    followed->instructions = run.n_steps / followed->bodies;
    return true;
}
