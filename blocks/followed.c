#include "blocks/followed.h"

#include "bench/sandbox/steps.h"
#include "blocks/accesses.h"
#include "blocks/hidden_data.h"
#include "gen/link.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// One body may take up to MOST_STEPS.
enum { MOST_STEPS = 200000, TIMEOUT_SECONDS = 20 };

bool follow_record(struct arena *arena, const struct program *program, const struct bench_code *code,
                   const struct follow_options *options, struct followed *followed, struct fail *fail) {
    const struct program_range range = program_followed_range(program);
    const struct steps_request request = {
        .code = code,
        .iterations = options->enough_steps, // a body takes at least one step
        .first = range.offset,
        .end = range.offset + range.length,
        .has_segments = true,
        .most = MOST_STEPS,
        .timeout_seconds = options->timeout_seconds > 0 ? options->timeout_seconds : TIMEOUT_SECONDS,
        .body_bytes = program->body_range.length,
        .copies = program->unroll,
        .enough = options->enough_steps,
        .is_own_loop = program->has_own_branch,
        .has_registers = options->has_registers,
    };
    struct steps steps;
    if (!steps_record(arena, &request, &steps, fail))
        return false;
    if (steps.outcome != BENCH_OK || steps.bodies == 0)
        return fail_set(fail, FAIL_WORK, "stepping through it: %s", bench_outcome_name(steps.outcome));
    uint32_t *offsets = ARENA_ARRAY(arena, uint32_t, steps.n);
    for (size_t i = 0; i < steps.n; i++)
        offsets[i] = steps.offsets[i] - (uint32_t)range.offset;
    *followed = (struct followed){
        .offsets = offsets, .registers = steps.registers, .n = steps.n, .bodies = (double)steps.bodies};
    return true;
}

static const unsigned NOWHERE = UINT_MAX; // no instruction begins there

struct order_map {
    const struct block *block;
    const unsigned *index;                // of the instruction at each of the block's bytes; NOWHERE: none begins there
    size_t first, n_bytes;                // the block's first byte in the offsets, and its length
    const struct follow_outside *outside; // null: none
};

static struct order_map map_block(struct arena *arena, const struct block *block, size_t first,
                                  const struct follow_outside *outside) {
    size_t n_bytes = 0, offset = 0;
    for (unsigned i = 0; i < block->n_insns; i++)
        n_bytes += block->insns[i].n_bytes;
    unsigned *index = ARENA_ARRAY(arena, unsigned, n_bytes);
    for (size_t i = 0; i < n_bytes; i++)
        index[i] = NOWHERE;
    for (unsigned i = 0; i < block->n_insns; offset += block->insns[i++].n_bytes)
        index[offset] = i;
    return (struct order_map){block, index, first, n_bytes, outside};
}

static int compare_offsets(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// Index of the instruction at an offset, of the block or outside; NOWHERE: none begins there.
static unsigned insn_at(const struct order_map *map, uint32_t offset) {
    const struct follow_outside *outside = map->outside;
    if (offset >= map->first && offset - map->first < map->n_bytes)
        return map->index[offset - map->first];
    const uint32_t *found =
        outside && outside->n ? bsearch(&offset, outside->offsets, outside->n, sizeof *found, compare_offsets) : NULL;
    return found ? map->block->n_insns + (unsigned)(found - outside->offsets) : NOWHERE;
}

// The youngest step ends: control goes on at another offset.
static void end_step(struct follow_order *order, const struct block *block, uint32_t offset, uint32_t next) {
    struct execution_step *step = &order->steps[order->n - 1];
    const struct insn *insn = &block->insns[step->insn];
    step->is_taken = execution_is_way_taken(insn, next == offset + insn->n_bytes);
}

bool follow_order(struct arena *arena, const struct block *block, size_t first, const struct follow_outside *outside,
                  const uint32_t *offsets, size_t n_offsets, struct follow_order *order) {
    const struct order_map map = map_block(arena, block, first, outside);
    *order = (struct follow_order){.steps = ARENA_ARRAY(arena, struct execution_step, n_offsets + 1),
                                   .first = ARENA_ARRAY(arena, size_t, n_offsets + 1),
                                   .last = ARENA_ARRAY(arena, size_t, n_offsets + 1)};
    for (size_t i = 0; i < n_offsets; i++) {
        unsigned at = insn_at(&map, offsets[i]);
        if (at == NOWHERE) {
            order->lost = offsets[i];
            return false;
        }
        bool is_repetition = i > 0 && offsets[i] == offsets[i - 1] && !block->insns[at].is_branch;
        if (!is_repetition) {
            if (i > 0)
                end_step(order, block, offsets[i - 1], offsets[i]);
            order->steps[order->n] = (struct execution_step){.insn = at};
            order->first[order->n++] = i;
        }
        order->last[order->n - 1] = i;
    }
    if (order->n) // another turn follows
        end_step(order, block, offsets[n_offsets - 1], offsets[0]);
    return true;
}

// ---- functions that it calls

struct follow_outside follow_list_outside(struct arena *arena, const struct followed *followed, size_t n_bytes) {
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

// Describes the instruction at an address of the program's segments.
static bool describe_one(struct arena *arena, const struct model *model, const struct program *program,
                         uint64_t address, struct insn *insn) {
    for (size_t s = 0; s < program->link->n_segments; s++) {
        const struct segment *segment = &program->segments[s];
        uint64_t at = address - segment->address;
        if (at >= segment->n_bytes)
            continue;
        struct block one;
        struct fail why = {0};
        size_t n = model->backend
                       ? model->backend->first_length(model->cpu, segment->bytes + at, segment->n_bytes - (size_t)at)
                       : 0;
        if (!n || !model_describe_bytes(model, arena, segment->bytes + at, n, &one, &why) || one.n_insns != 1)
            continue;
        *insn = *one.insns;
        return true;
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

// ---- the execution

// Describes the program's loop, and behind it what ran outside.
static bool describe_all(struct arena *arena, const struct model *model, const struct program *program,
                         const struct follow_outside *outside, struct block *block, struct fail *fail) {
    const struct program_range range = program_followed_range(program);
    const struct code_reader reader = {model->backend, model->cpu, model->machine};
    const uint8_t *bytes = hidden_data_bytes(arena, &reader, program->code + range.offset, range.length);
    return model_describe_bytes(model, arena, bytes, range.length, block, fail) &&
           add_outside(arena, model, program, outside, block, fail);
}

// What a step left behind is known when the last of its repetitions has run.
static void find_accesses(struct arena *arena, const struct machine *machine, const struct block *block,
                          const struct step_registers *recorded, const struct follow_order *order) {
    for (size_t i = 0; i < order->n; i++) {
        struct step_registers registers = recorded[order->first[i]];
        registers.stack_behind = recorded[order->last[i]].stack_behind;
        accesses_find(arena, machine, &block->insns[order->steps[i].insn], &registers, &order->steps[i]);
    }
}

bool follow_execution(struct arena *arena, const struct model *model, const struct program *program,
                      const struct followed *followed, struct execution *execution, unsigned *n_own,
                      struct fail *fail) {
    const struct follow_outside outside = follow_list_outside(arena, followed, program_followed_range(program).length);
    struct block *block = ARENA_NEW(arena, struct block);
    struct follow_order order;
    if (!describe_all(arena, model, program, &outside, block, fail))
        return false;
    if (!follow_order(arena, block, 0, &outside, followed->offsets, followed->n, &order))
        return fail_set(fail, FAIL_WORK, "it jumps to byte %u of the loop, into the middle of an instruction",
                        order.lost);
    if (followed->registers)
        find_accesses(arena, model->machine, block, followed->registers, &order);
    *n_own = block->n_insns;
    block->n_insns += (unsigned)outside.n;
    *execution = (struct execution){
        .block = block, .steps = order.steps, .n_steps = (unsigned)order.n, .n_passes = (unsigned)followed->bodies};
    return true;
}

bool execution_record(struct arena *arena, const struct model *model, const struct program *program,
                      const struct bench_code *code, size_t enough_steps, struct execution *execution,
                      struct fail *fail) {
    static const double timeout_seconds = 2;
    const struct follow_options options = {
        .enough_steps = enough_steps, .timeout_seconds = timeout_seconds, .has_registers = true};
    struct followed followed = {.n = 0};
    unsigned n_own;
    return follow_record(arena, program, code, &options, &followed, fail) &&
           follow_execution(arena, model, program, &followed, execution, &n_own, fail);
}
