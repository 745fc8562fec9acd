#include "analyzer/pipeline/stuck.h"

#include "base/text.h"

static bool is_due_later(const struct simulation *sim) {
    for (uint64_t i = sim->reorder_buffer.oldest; i < sim->reorder_buffer.end; i++) {
        const struct in_flight *insn = flight_at(&sim->flight, i);
        if ((insn->stage == STAGE_ISSUED && insn->done_cycle >= sim->now) ||
            (insn->stage == STAGE_PENDING && insn->ready_cycle > sim->now))
            return true;
    }
    return false;
}

bool simulation_is_stuck(const struct simulation *sim) {
    int64_t redirected = redirected_until(sim);
    if (redirected != NEVER && sim->now < redirected)
        return false;
    if (!resource_unit_is_idle(sim->resources, sim->now))
        return false;
    if (sim->machine->in_order)
        return sim->in_order.n_issued == 0 && in_order_is_stuck(sim);
    return !is_due_later(sim);
}

// Where in the block the first instruction is that does not get on.
static unsigned stuck_position(const struct simulation *sim, bool *is_dispatched) {
    const struct reorder_buffer *buffer = &sim->reorder_buffer;
    for (uint64_t i = buffer->oldest; i < buffer->end; i++) {
        const struct in_flight *insn = flight_at(&sim->flight, i);
        *is_dispatched = true;
        if (insn->stage < STAGE_ISSUED)
            return insn->plan->position;
    }
    *is_dispatched = false;
    uint64_t index = sim->machine->in_order ? in_order_waiting(sim) : sim->next;
    return (unsigned)(index % sim->plan.n_insns);
}

static const char *why_stuck(const struct simulation *sim, const struct plan_insn *insn, struct arena *arena) {
    for (unsigned i = 0; i < insn->n_uses; i++) {
        const struct resource_pipe *pipe = &sim->resources->pipes[insn->uses[i].bit];
        unsigned n_units = (unsigned)__builtin_popcountll(pipe->all_units);
        if (insn->uses[i].units > n_units)
            return arena_printf(arena, "it needs %u units of %s, which has %u", insn->uses[i].units,
                                sim->machine->resources[pipe->resource].name, n_units);
    }
    return "the units it asks for are never all free together";
}

bool simulation_tell_stuck(const struct simulation *sim, struct fail *fail) {
    struct arena arena = {0};
    bool is_dispatched;
    unsigned position = stuck_position(sim, &is_dispatched);
    const struct plan_insn *insn = &sim->plan.insns[position];
    const char *text = insn->insn->text != NULL ? insn->insn->text : insn->insn->opcode;
    fail_set(fail, FAIL_WORK,
             "instruction %u of the block, '%s', can never be %s on %s: %s; its scheduling model is wrong",
             position + 1, text_without_tabs(&arena, text), is_dispatched ? "issued" : "dispatched", sim->machine->name,
             why_stuck(sim, insn, &arena));
    arena_free(&arena);
    return false;
}
