#include "analyzer/code/execution.h"

bool execution_is_way_taken(const struct insn *insn, bool came_behind) {
    return insn_changes_way(insn) && !(insn->is_conditional && came_behind);
}

struct execution_step execution_step_at(const struct execution *execution, unsigned i) {
    if (execution->steps != NULL)
        return execution->steps[i];
    const struct block *block = execution->block;
    return (struct execution_step){.insn = i,
                                   .is_taken = i + 1 == block->n_insns && insn_changes_way(&block->insns[i])};
}

struct block execution_lay_out(struct arena *arena, const struct execution *execution) {
    struct block laid_out = *execution->block;
    if (execution->steps == NULL)
        return laid_out;
    struct insn *insns = ARENA_ARRAY(arena, struct insn, execution->n_steps);
    for (unsigned i = 0; i < execution->n_steps; i++) {
        insns[i] = *execution_insn(execution, i);
        insns[i].is_taken = execution->steps[i].is_taken;
    }
    laid_out.insns = insns;
    laid_out.n_insns = execution->n_steps;
    laid_out.labels = NULL;
    laid_out.n_labels = 0;
    return laid_out;
}
