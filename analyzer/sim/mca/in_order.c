#include "analyzer/sim/mca/in_order.h"

#include "analyzer/sim/mca/mca.h"

#include <limits.h>

enum { IN_ORDER_DEPENDENCES, IN_ORDER_QUEUES, IN_ORDER_N_KNOBS };

static const struct core_knob in_order_knobs[IN_ORDER_N_KNOBS] = {
    [IN_ORDER_DEPENDENCES] = {"dependency chain", LIMIT_DEPENDENCES},
    [IN_ORDER_QUEUES] = {"load and store queues", LIMIT_BUFFER},
};

static struct in_order *in_order_of(struct core *core) {
    return (struct in_order *)core;
}

static const struct in_order *in_order_of_const(const struct core *core) {
    return (const struct in_order *)core;
}

// The width option is for out-of-order machines only, as in llvm-mca; what it changes of the plan is how many
// instructions may be in flight.
static void in_order_plan(struct core *core, const struct pipeline_options *options, struct stash *stash) {
    const struct machine *machine = core->machine;
    const struct plan_options planned = {
        .dispatch_width = or_else(options->dispatch_width, machine->dispatch_width),
        .rob_size = UINT_MAX,
        .default_file_size = options->register_file_size,
        .as_llvm_mca = options->as_llvm_mca,
        .has_segments = core->is_shared,
    };
    core->execution = mca_units_execution(core, is_relaxed(options, IN_ORDER_DEPENDENCES), stash);
    plan_build(&in_order_of(core)->units.plan, machine, core->execution, &planned, stash);
}

static uint64_t most_in_flight(const struct simulation_plan *plan) {
    uint64_t longest = plan->max_latency;
    for (unsigned i = 0; i < plan->n_insns; i++)
        if (plan->insns[i].uops > longest)
            longest = plan->insns[i].uops;
    return (longest + 2) * plan->most_per_cycle;
}

static void in_order_start(struct core *core, const struct pipeline_options *options, struct stash *stash) {
    struct in_order *sim = in_order_of(core);
    const struct mca_sizes sizes = {.in_flight = most_in_flight(&sim->units.plan),
                                    .unlimited_queues = is_relaxed(options, IN_ORDER_QUEUES)};
    mca_units_start(&sim->units, core, options, &sizes, stash);
    sim->stage.issued_slots = STASH_ARRAY(stash, uint32_t, sizes.in_flight);
    sim->repeats_mistakes = options->mistakes_of_llvm_mca;
}

static void in_order_cycle_one(struct core *core) {
    in_order_cycle(in_order_of(core));
}

static bool in_order_has_work(const struct core *core) {
    const struct in_order_stage *stage = &in_order_of_const(core)->stage;
    return stage->n_issued != 0 || stage->stall != IN_ORDER_NO_STALL || stage->is_carrying;
}

static bool is_waiting_for_time_in_order(const struct in_order *sim) {
    int64_t redirected = mca_units_redirected(&sim->units, &sim->core);
    return (redirected != NEVER && sim->core.now < redirected) ||
           !resource_unit_is_idle(sim->units.resources, sim->core.now) || sim->stage.n_issued != 0;
}

// The instruction that waits has entered, but has not been issued.
static bool in_order_why_stuck(const struct core *core, struct fail *fail) {
    const struct in_order *sim = in_order_of_const(core);
    enum in_order_stall stall = sim->stage.stall;
    if (is_waiting_for_time_in_order(sim) || (stall != IN_ORDER_RESOURCES && stall != IN_ORDER_MEMORY))
        return false;
    unsigned n = core->n_steps, position = (core->next_position + n - 1) % n;
    return mca_units_record_stuck(&sim->units, core, position, "dispatched", fail);
}

// Instructions retire out of order: none of those whose slots were taken since is in flight.
static uint64_t in_order_oldest(const struct core *core) {
    uint64_t n_slots = in_order_of_const(core)->units.flight.slot_mask + 1;
    return core->next > n_slots ? core->next - n_slots : 0;
}

static uint64_t in_order_signature(const struct core *core, uint64_t hash) {
    const struct in_order *sim = in_order_of_const(core);
    const struct in_order_stage *stage = &sim->stage;
    hash = signature_mix(hash, (uint64_t)stage->n_issued << 32 | stage->carried_uops);
    hash = signature_mix(hash, (uint64_t)stage->stall << 32 ^ (uint64_t)stage->stall_cycles);
    hash = signature_mix(hash, (uint64_t)stage->last_write_back);
    return signature_mix(hash, sim->units.resources->free);
}

static void put_stage(const struct in_order_stage *stage, struct coder *coder) {
    coder_put(coder, stage->stall);
    coder_put(coder, (uint64_t)stage->stall_cycles);
    coder_put(coder, stage->is_carrying);
    coder_put(coder, stage->carried_uops);
    coder_put(coder, (uint64_t)stage->last_write_back);
    coder_put(coder, stage->n_issued);
}

// Which instructions are in flight; and since when, as they write back later than after the latency where uops took
// longer to issue.
static void put_ages(const struct flight *flight, struct coder *coder) {
    for (uint64_t i = coder->next; i-- > coder->oldest && !coder->differs;) {
        const struct in_flight *insn = flight_at(flight, i);
        if (!flight_has(insn, i))
            continue;
        coder_put(coder, coder_insns_ago(coder, i));
        coder_put(coder, insn->stage >= STAGE_ISSUED ? (uint64_t)(coder->now - insn->issue_cycle) : 0);
    }
}

static void in_order_put_state(const struct core *core, struct coder *coder) {
    const struct in_order *sim = in_order_of_const(core);
    put_stage(&sim->stage, coder);
    mca_units_put(&sim->units, core, coder);
    put_ages(&sim->units.flight, coder);
    if (sim->units.plan.is_fixed)
        flight_put_history(&sim->units.flight, coder->next, sim->units.flight.slot_mask + 1, coder);
}

static void in_order_pair(struct core *first, struct core *second, struct stash *stash) {
    mca_units_share(&in_order_of(first)->units, &in_order_of(second)->units, first->reporter.wanted.issued, stash);
}

static bool is_in_execution(const struct in_order *sim) {
    const struct in_order_stage *stage = &sim->stage;
    for (unsigned i = 0; i < stage->n_issued; i++)
        if (sim->units.flight.slots[stage->issued_slots[i]].done_cycle > sim->core.now)
            return true;
    return false;
}

static void in_order_cycle_pair(struct core *first, struct core *second) {
    struct in_order *a = in_order_of(first), *b = in_order_of(second);
    unsigned width = first->machine->dispatch_width;
    bool is_one_alone = first->machine->threads_take_turns && !is_in_execution(a) && !is_in_execution(b);
    a->stage.taken = 0;
    in_order_cycle(a);
    unsigned used = a->stage.used;
    b->stage.taken = (is_one_alone && used != 0) || used > width ? width : used;
    in_order_cycle(b);
}

const struct core_ops mca_in_order = {
    .name = "in order",
    .bytes = sizeof(struct in_order),
    .plan = in_order_plan,
    .start = in_order_start,
    .cycle = in_order_cycle_one,
    .has_work = in_order_has_work,
    .why_stuck = in_order_why_stuck,
    .oldest = in_order_oldest,
    .signature = in_order_signature,
    .put_state = in_order_put_state,
    .knobs = in_order_knobs,
    .n_knobs = IN_ORDER_N_KNOBS,
    .pair = in_order_pair,
    .cycle_pair = in_order_cycle_pair,
};
