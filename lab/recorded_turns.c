#include "lab/recorded_turns.h"

#include "lab/plan_assemble.h"

#include <limits.h>
#include <string.h>

static const unsigned NO_TURN = UINT_MAX;

const char *recorded_turns_refusal(const struct isa *isa) {
    if (isa != isa_native())
        return "it is of another ISA than this machine";
    return strcmp(isa->name, "x86_64") == 0 ? NULL : "addresses are recorded on x86-64 only";
}

// By instruction of what ran: its number in a turn. NO_TURN: it belongs to the loop around the turns, or is elsewhere.
static unsigned *number_in_turn(struct arena *arena, const struct program *program, const struct block *block,
                                unsigned *n_of_turn) {
    const bool is_looped = program->form == PROGRAM_LOOPED;
    const struct program_range turn = is_looped ? program->loop_range : program->body_range;
    const size_t first = turn.offset - program_followed_range(program).offset;
    const size_t end = first + turn.length * (is_looped ? 1 : program->unroll);
    unsigned *numbers = ARENA_ARRAY(arena, unsigned, block->n_insns + 1), n = 0;
    size_t at = 0;
    *n_of_turn = 0;
    for (unsigned i = 0; i < block->n_insns; at += block->insns[i++].n_bytes) {
        bool is_inside = at >= first && at < end;
        if (is_inside && (at - first) % turn.length == 0)
            n = 0;
        numbers[i] = is_inside ? n++ : NO_TURN;
        *n_of_turn = is_inside && n > *n_of_turn ? n : *n_of_turn;
    }
    return numbers;
}

// Leaves the steps of whole turns.
static bool keep_turns(struct arena *arena, const struct program *program, struct execution *run, struct fail *fail) {
    unsigned n_of_turn, n = 0;
    const unsigned *numbers = number_in_turn(arena, program, run->block, &n_of_turn);
    struct execution_step *steps = ARENA_ARRAY(arena, struct execution_step, run->n_steps + 1);
    for (unsigned i = 0; i < run->n_steps; i++) {
        const unsigned number = numbers[run->steps[i].insn];
        if (number == NO_TURN)
            continue;
        if (number != n % n_of_turn)
            return fail_set(fail, FAIL_WORK, "its instructions did not run one after the other");
        steps[n] = run->steps[i];
        steps[n++].insn = number;
    }
    if (n_of_turn == 0 || n / n_of_turn < RECORDED_TURNS)
        return fail_set(fail, FAIL_WORK, "it did not make %d turns", RECORDED_TURNS);
    run->steps = steps;
    run->n_steps = n - n % n_of_turn;
    run->n_passes = n / n_of_turn;
    return true;
}

static bool recorded_turns_of(struct arena *arena, const struct turns_recorder *recorder,
                              const struct experiment *experiment, struct execution *run, struct fail *fail) {
    enum { LOOP_INSTRUCTIONS = 4 }; // of a loop around the turns, at most: it may be around each
    const struct program *program = &experiment->program;
    const char *refusal = recorded_turns_refusal(experiment->block->source.isa);
    const struct bench_code code = experiment_code(experiment, false);
    const size_t steps = (size_t)(RECORDED_TURNS + 1) * (program->instructions + LOOP_INSTRUCTIONS);
    if (refusal)
        return fail_set(fail, FAIL_UNAVAILABLE, "%s", refusal);
    if (program->routine_range.length)
        return fail_set(fail, FAIL_WORK, "it is called");
    return execution_record(arena, recorder->model, program, &code, steps, run, fail) &&
           keep_turns(arena, program, run, fail);
}

void recorded_turns_find(struct arena *arena, const struct turns_recorder *recorder,
                         const struct experiment *experiment, struct recorded_turns *turns) {
    struct fail why = {0};
    *turns = (struct recorded_turns){.refusal = NULL};
    if (recorded_turns_of(arena, recorder, experiment, &turns->run, &why))
        return;
    turns->run = (struct execution){.block = NULL};
    turns->refusal = arena_strdup(arena, why.text);
}

static void record_all(struct arena *arena, const struct turns_recorder *recorder, const struct plan *plan,
                       struct recorded_turns *turns) {
    for (size_t i = 0; i < plan->n_experiments; i++) {
        const struct experiment *experiment = plan->experiments[i];
        recorded_turns_find(arena, recorder, experiment, &turns[experiment->block->number - 1]);
    }
}

bool recorded_turns_of_plan(struct arena *arena, const struct turns_recorder *recorder, struct plan *plan,
                            struct recorded_turns *turns, struct fail *fail) {
    static struct program *const no_chains[N_CHAINS];
    struct fail refused = {0};
    for (unsigned i = 0; i < plan->n_blocks; i++)
        turns[i] = (struct recorded_turns){.refusal = "no program of it can be made"};
    bool is_prepared = plan->n_experiments && blocks_prepare(arena, plan, recorder->decoder, false, &refused) &&
                       plan_assemble(arena, no_chains, plan, &refused);
    if (!is_prepared) {
        *fail = plan->n_experiments ? refused : *fail;
        return plan->n_experiments == 0;
    }
    record_all(arena, recorder, plan, turns);
    return true;
}
