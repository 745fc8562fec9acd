#include "lab/branches.h"

#include "analyzer/predict/model_prediction.h"
#include "bench/sandbox/steps.h"
#include "gen/link.h"

#include <stdlib.h>
#include <string.h>

// Steps of a recording: enough to average over bodies that differ, and few enough to take less than a second. One body
// may take up to MOST_STEPS.
enum { ENOUGH_STEPS = 4000, MOST_STEPS = 200000, TIMEOUT_SECONDS = 20 };

bool follow_record(struct arena *arena, const struct program *program, const struct bench_code *code,
                   struct followed *followed, struct fail *fail) {
    const struct program_range range = program_followed_range(program);
    const struct steps_request request = {
        .code = code,
        .iterations = ENOUGH_STEPS, // a body takes at least one step
        .first = range.offset,
        .end = range.offset + range.length,
        .has_segments = true,
        .most = MOST_STEPS,
        .timeout_seconds = TIMEOUT_SECONDS,
        .body_bytes = program->body_range.length,
        .copies = program->unroll,
        .enough = ENOUGH_STEPS,
        .is_own_loop = program->has_own_branch,
    };
    struct steps steps;
    if (!steps_record(arena, &request, &steps, fail))
        return false;
    if (steps.outcome != BENCH_OK || steps.bodies == 0)
        return fail_set(fail, FAIL_WORK, "stepping through it: %s", bench_outcome_name(steps.outcome));
    uint32_t *offsets = ARENA_ARRAY(arena, uint32_t, steps.n);
    for (size_t i = 0; i < steps.n; i++)
        offsets[i] = steps.offsets[i] - (uint32_t)range.offset;
    *followed = (struct followed){.offsets = offsets, .n = steps.n, .bodies = (double)steps.bodies};
    return true;
}

// Returns the index of the instruction at each offset; block->n_insns: none begins there. Sets `n_bytes`, their length.
static unsigned *index_insns(struct arena *arena, const struct block *block, size_t *n_bytes) {
    *n_bytes = 0;
    for (unsigned i = 0; i < block->n_insns; i++)
        *n_bytes += block->insns[i].n_bytes;
    unsigned *index = ARENA_ARRAY(arena, unsigned, *n_bytes);
    for (size_t i = 0; i < *n_bytes; i++)
        index[i] = block->n_insns;
    size_t offset = 0;
    for (unsigned i = 0; i < block->n_insns; offset += block->insns[i++].n_bytes)
        index[offset] = i;
    return index;
}

static int compare_offsets(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

bool follow_order(struct arena *arena, const struct block *block, size_t first, const struct follow_outside *outside,
                  const uint32_t *offsets, size_t n_offsets, struct follow_order *order) {
    size_t n_bytes;
    const unsigned *index = index_insns(arena, block, &n_bytes);
    unsigned *insns = ARENA_ARRAY(arena, unsigned, n_offsets);
    *order = (struct follow_order){.insns = insns};
    for (size_t i = 0; i < n_offsets; i++) {
        bool is_inside = offsets[i] >= first && offsets[i] - first < n_bytes;
        const uint32_t *found = outside && outside->n && !is_inside
                                    ? bsearch(&offsets[i], outside->offsets, outside->n, sizeof *found, compare_offsets)
                                    : NULL;
        unsigned at = is_inside ? index[offsets[i] - first] : block->n_insns;
        if (at == block->n_insns && !found) {
            order->lost = offsets[i];
            return false;
        }
        at += found ? (unsigned)(found - outside->offsets) : 0;
        bool is_repetition = i > 0 && offsets[i] == offsets[i - 1] && !found && !block->insns[at].is_branch;
        if (!is_repetition)
            insns[order->n++] = at;
    }
    return true;
}

// ---- functions that it calls

// Lists the instructions outside of the loop, each once.
static struct follow_outside list_outside(struct arena *arena, const struct followed *followed, size_t n_bytes) {
    uint32_t *list = ARENA_ARRAY(arena, uint32_t, followed->n + 1);
    size_t n_all = 0, n = 0;
    for (size_t i = 0; i < followed->n; i++)
        if (followed->offsets[i] >= n_bytes)
            list[n_all++] = followed->offsets[i];
    qsort(list, n_all, sizeof *list, compare_offsets);
    for (size_t i = 0; i < n_all; i++)
        if (i == 0 || list[i] != list[n - 1])
            list[n++] = list[i];
    return (struct follow_outside){list, n};
}

// Describes the instruction at an address of the program's segments: the shortest bytes that are one.
static bool describe_one(struct arena *arena, const struct model *model, const struct program *program,
                         uint64_t address, struct insn *insn) {
    enum { LONGEST = 15 };
    for (size_t s = 0; s < program->link->n_segments; s++) {
        const struct segment *segment = &program->segments[s];
        uint64_t at = address - segment->address;
        for (size_t n = 1; at < segment->n_bytes && n <= LONGEST && n <= segment->n_bytes - at; n++) {
            struct block one;
            struct fail why = {0};
            if (!model_describe_bytes(model, arena, segment->bytes + at, n, &one, &why) || one.n_insns != 1)
                continue;
            *insn = *one.insns;
            return true;
        }
    }
    return false;
}

// Puts the instructions outside of the block behind its own. Fails where one is not known.
static bool add_outside(struct arena *arena, const struct model *model, const struct program *program,
                        const struct follow_outside *outside, struct block *block, struct fail *fail) {
    struct insn *insns = ARENA_ARRAY(arena, struct insn, block->n_insns + outside->n + 1);
    uint64_t start = program->link ? program->link->code_address + program_followed_range(program).offset : 0;
    memcpy(insns, block->insns, block->n_insns * sizeof *insns);
    for (size_t i = 0; i < outside->n; i++)
        if (!program->link || !describe_one(arena, model, program, start + (uint64_t)(int32_t)outside->offsets[i],
                                            &insns[block->n_insns + i]))
            return fail_set(fail, FAIL_WORK, "it calls code that the model does not describe");
    block->insns = insns;
    return true;
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
static void find_idle(struct arena *arena, const struct block *block, const struct follow_order *order, size_t first,
                      size_t n_bytes, struct followed *followed) {
    bool *has_run = ARENA_ARRAY(arena, bool, block->n_insns);
    size_t offset = 0;
    followed->n_ran = followed->n_insns = 0;
    followed->has_idle_loop = false;
    for (size_t i = 0; i < order->n; i++)
        if (order->insns[i] < block->n_insns) // else of a function that it calls
            has_run[order->insns[i]] = true;
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
static void find_longest(struct arena *arena, const struct block *block, const struct follow_order *order,
                         struct program_range own, struct followed *followed) {
    unsigned *n_back = ARENA_ARRAY(arena, unsigned, block->n_insns),
             *n_on = ARENA_ARRAY(arena, unsigned, block->n_insns);
    size_t offset = 0;
    for (size_t i = 0; i + 1 < order->n; i++)
        if (order->insns[i] < block->n_insns) // else of a function that it calls
            ++*(order->insns[i + 1] <= order->insns[i] ? &n_back[order->insns[i]] : &n_on[order->insns[i]]);
    followed->longest_loop = 0;
    for (unsigned i = 0; i < block->n_insns; offset += block->insns[i++].n_bytes) {
        const struct insn *insn = &block->insns[i];
        bool is_inside = offset >= own.offset && offset + insn->n_bytes <= own.offset + own.length;
        double turns = n_on[i] ? (double)n_back[i] / n_on[i] + 1 : 0;
        if (is_inside && insn->is_branch && insn->is_direct && n_back[i] && turns > followed->longest_loop)
            followed->longest_loop = turns;
    }
}

static bool lay_out(struct arena *arena, const struct program *program, const struct follow_outside *outside,
                    const struct block *block, struct followed *followed, struct execution *run, struct fail *fail) {
    struct follow_order order;
    if (!follow_order(arena, block, 0, outside, followed->offsets, followed->n, &order))
        return fail_set(fail, FAIL_WORK, "it jumps to byte %u of the loop, into the middle of an instruction",
                        order.lost);
    const struct program_range own = program_block_range(program);
    const size_t first = own.offset - program_followed_range(program).offset;
    find_idle(arena, block, &order, first, own.length, followed);
    find_longest(arena, block, &order, (struct program_range){first, own.length - program->has_own_branch}, followed);
    struct block *whole = ARENA_NEW(arena, struct block);
    *whole = *block;
    whole->n_insns += (unsigned)outside->n;
    struct execution_step *steps = ARENA_ARRAY(arena, struct execution_step, order.n + 1);
    for (size_t i = 0; i < order.n; i++) {
        unsigned at = order.insns[i], next = order.insns[i + 1 < order.n ? i + 1 : 0];
        steps[i] =
            (struct execution_step){.insn = at, .is_taken = execution_is_way_taken(&block->insns[at], next == at + 1)};
    }
    *run = (struct execution){
        .block = whole, .steps = steps, .n_steps = (unsigned)order.n, .n_passes = (unsigned)followed->bodies};
    return true;
}

bool follow_predict(struct arena *arena, const struct model *model, const struct program *program,
                    struct followed *followed, struct prediction *prediction, struct fail *fail) {
    const struct program_range range = program_followed_range(program);
    const struct follow_outside outside = list_outside(arena, followed, range.length);
    struct block block;
    struct execution run = {0};
    const struct prediction_request request = {.execution = &run, .way.is_loop = true};
    if (!model_describe_bytes(model, arena, program->code + range.offset, range.length, &block, fail) ||
        !add_outside(arena, model, program, &outside, &block, fail) ||
        !lay_out(arena, program, &outside, &block, followed, &run, fail) ||
        !prediction_by_model(arena, model, &request, prediction, fail))
        return false;
    followed->instructions = run.n_steps / followed->bodies;
    return true;
}
