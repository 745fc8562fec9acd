#include "hot/replay.h"

#include "blocks/accesses.h"
#include "hot/trace.h"

#include <stdlib.h>
#include <string.h>

struct described {
    uint64_t address;
    unsigned number; // of the instruction in the block
};

static int compare(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// Addresses of all instructions that run, each once, ascending.
static uint64_t *list_addresses(struct arena *arena, const struct hot_state *state, size_t n_steps, size_t *n) {
    uint64_t *list = ARENA_ARRAY(arena, uint64_t, n_steps + 1);
    memcpy(list, state->steps, n_steps * sizeof *list);
    qsort(list, n_steps, sizeof *list, compare);
    *n = 0;
    for (size_t i = 0; i < n_steps; i++)
        if (!*n || list[*n - 1] != list[i])
            list[(*n)++] = list[i];
    return list;
}

static bool describe(struct arena *arena, const struct model *model, const struct hot_state *state, uint64_t address,
                     struct insn *insn, struct fail *fail) {
    uint8_t *bytes = ARENA_ARRAY(arena, uint8_t, INSN_BOOK_MOST_BYTES);
    size_t n = trace_read(state, address, bytes, INSN_BOOK_MOST_BYTES);
    size_t length = n && model->backend ? model->backend->first_length(model->cpu, bytes, n) : 0;
    struct block one;
    if (!length || length > n)
        return fail_set(fail, FAIL_WORK, "the model knows no instruction at %#llx", (unsigned long long)address);
    if (!model_describe_bytes(model, arena, bytes, length, &one, fail))
        return false;
    *insn = *one.insns;
    return one.n_insns == 1 ||
           fail_set(fail, FAIL_WORK, "the model reads several instructions at %#llx", (unsigned long long)address);
}

bool hot_replay_execution(struct arena *arena, const struct model *model, const struct hot_state *state, size_t n_steps,
                          struct execution *execution, struct fail *fail) {
    size_t n_insns;
    const uint64_t *addresses = list_addresses(arena, state, n_steps, &n_insns);
    struct insn *insns = ARENA_ARRAY(arena, struct insn, n_insns + 1);
    for (size_t i = 0; i < n_insns; i++)
        if (!describe(arena, model, state, addresses[i], &insns[i], fail))
            return false;
    struct execution_step *steps = ARENA_ARRAY(arena, struct execution_step, n_steps + 1);
    size_t n = 0;
    for (size_t i = 0, last; i < n_steps; i = last + 1) {
        const uint64_t *at = bsearch(&state->steps[i], addresses, n_insns, sizeof *at, compare);
        const struct insn *insn = &insns[at - addresses];
        for (last = i; last + 1 < n_steps && state->steps[last + 1] == *at && !insn_changes_way(insn);)
            last++; // one that repeats itself
        uint64_t next = last + 1 < state->n_steps ? state->steps[last + 1] : state->next;
        struct step_registers registers = state->before[i];
        registers.stack_behind = state->before[last].stack_behind;
        steps[n] = (struct execution_step){.insn = (unsigned)(at - addresses),
                                           .is_taken = execution_is_way_taken(insn, next == *at + insn->n_bytes)};
        accesses_find(arena, model->machine, insn, &registers, &steps[n++]);
    }
    struct block *block = ARENA_NEW(arena, struct block);
    *block = (struct block){.name = "", .insns = insns, .n_insns = (unsigned)n_insns};
    *execution = (struct execution){.block = block, .steps = steps, .n_steps = (unsigned)n, .n_passes = 1};
    return true;
}
