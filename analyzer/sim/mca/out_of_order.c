#include "analyzer/sim/mca/out_of_order.h"

#include "analyzer/sim/mca/mca.h"

// Entries of a reorder buffer whose size is not known: more than any instruction window ever built. And of one that
// shall not limit a block.
enum { UNKNOWN_ROB_SIZE = 1 << 14, RELAXED_ROB_SIZE = 1 << 13 };

enum {
    OUT_OF_ORDER_DEPENDENCES,
    OUT_OF_ORDER_REORDER_BUFFER,
    OUT_OF_ORDER_QUEUES,
    OUT_OF_ORDER_RETIREMENT,
    OUT_OF_ORDER_N_KNOBS
};

static const struct core_knob out_of_order_knobs[OUT_OF_ORDER_N_KNOBS] = {
    [OUT_OF_ORDER_DEPENDENCES] = {"dependency chain", LIMIT_DEPENDENCES},
    [OUT_OF_ORDER_REORDER_BUFFER] = {"reorder buffer", LIMIT_BUFFER},
    [OUT_OF_ORDER_QUEUES] = {"load and store queues", LIMIT_BUFFER},
    [OUT_OF_ORDER_RETIREMENT] = {"retire width", LIMIT_RETIREMENT},
};

static struct out_of_order *out_of_order_of(struct core *core) {
    return (struct out_of_order *)core;
}

static const struct out_of_order *out_of_order_of_const(const struct core *core) {
    return (const struct out_of_order *)core;
}

static void out_of_order_plan(struct core *core, const struct pipeline_options *options, struct stash *stash) {
    struct out_of_order *sim = out_of_order_of(core);
    const struct machine *machine = core->machine;
    sim->dispatch_width = or_else(options->dispatch_width, machine->dispatch_width);
    sim->reorder_buffer = (struct reorder_buffer){
        .size = is_relaxed(options, OUT_OF_ORDER_REORDER_BUFFER) ? RELAXED_ROB_SIZE
                                                                 : or_else(machine->rob_size, UNKNOWN_ROB_SIZE),
        .retire_width =
            is_relaxed(options, OUT_OF_ORDER_RETIREMENT) ? 0 : or_else(options->retire_width, machine->retire_width),
    };
    core->execution = mca_units_execution(core, is_relaxed(options, OUT_OF_ORDER_DEPENDENCES), stash);
    const struct plan_options planned = {
        .dispatch_width = sim->dispatch_width,
        .rob_size = sim->reorder_buffer.size,
        .default_file_size = options->register_file_size,
        .has_buffers = true,
        .eliminates_moves = true,
        .as_llvm_mca = options->as_llvm_mca,
        .has_segments = core->is_shared,
    };
    plan_build(&sim->units.plan, machine, core->execution, &planned, stash);
}

static void out_of_order_start(struct core *core, const struct pipeline_options *options, struct stash *stash) {
    struct out_of_order *sim = out_of_order_of(core);
    const struct event_calls *wanted = &core->reporter.wanted;
    bool has_pressure = wanted->critical || wanted->pressed;
    const struct mca_sizes sizes = {.in_flight = sim->reorder_buffer.size,
                                    .notes_dependences = has_pressure,
                                    .unlimited_queues = is_relaxed(options, OUT_OF_ORDER_QUEUES)};
    mca_units_start(&sim->units, core, options, &sizes, stash);
    sim->scheduler = (struct scheduler){
        .flight = &sim->units.flight, .resources = sim->units.resources, .memory = &sim->units.memory};
    scheduler_init(&sim->scheduler, sizes.in_flight, wanted->pending || wanted->ready || wanted->executed, stash);
    sim->queue = (struct micro_op_queue){.size = options->micro_op_queue, .throughput = options->decoder_throughput};
    if (has_pressure)
        sim->pressure.criticals = STASH_ARRAY(stash, struct event_critical, sim->units.flight.slot_mask + 1);
}

__attribute__((flatten)) static void out_of_order_cycle(struct core *core) {
    struct out_of_order *sim = out_of_order_of(core);
    retire_cycle(sim);
    execute_cycle(sim);
    dispatch_cycle(sim);
    if (sim->pressure.criticals != NULL)
        report_pressure(sim);
}

static bool out_of_order_has_work(const struct core *core) {
    return !reorder_buffer_is_empty(&out_of_order_of_const(core)->reorder_buffer);
}

static bool is_due_later(const struct out_of_order *sim) {
    for (uint64_t i = sim->reorder_buffer.oldest; i < sim->reorder_buffer.end; i++) {
        const struct in_flight *insn = flight_at(&sim->units.flight, i);
        if ((insn->stage == STAGE_ISSUED && insn->done_cycle >= sim->core.now) ||
            (insn->stage == STAGE_PENDING && insn->ready_cycle > sim->core.now))
            return true;
    }
    return false;
}

// Time alone changes something: a branch is behind, a pipe is held, a result is on its way.
static bool is_waiting_for_time_out_of_order(const struct out_of_order *sim) {
    int64_t redirected = mca_units_redirected(&sim->units, &sim->core);
    return (redirected != NEVER && sim->core.now < redirected) ||
           !resource_unit_is_idle(sim->units.resources, sim->core.now) || is_due_later(sim);
}

static bool out_of_order_why_stuck(const struct core *core, struct fail *fail) {
    const struct out_of_order *sim = out_of_order_of_const(core);
    const struct reorder_buffer *buffer = &sim->reorder_buffer;
    if (is_waiting_for_time_out_of_order(sim))
        return false;
    for (uint64_t i = buffer->oldest; i < buffer->end; i++) {
        const struct in_flight *insn = flight_at(&sim->units.flight, i);
        if (insn->stage < STAGE_ISSUED)
            return mca_units_record_stuck(&sim->units, core, insn->plan->position, "issued", fail);
    }
    return mca_units_record_stuck(&sim->units, core, core->next_position, "dispatched", fail);
}

static uint64_t out_of_order_oldest(const struct core *core) {
    return out_of_order_of_const(core)->reorder_buffer.oldest;
}

static uint64_t out_of_order_signature(const struct core *core, uint64_t hash) {
    const struct out_of_order *sim = out_of_order_of_const(core);
    const struct scheduler *scheduler = &sim->scheduler;
    const struct memory_unit *memory = &sim->units.memory;
    hash = signature_mix(hash, (uint64_t)sim->reorder_buffer.used << 32 | sim->carried_uops);
    hash = signature_mix(hash, core->next - sim->reorder_buffer.oldest);
    hash = signature_mix(hash, (uint64_t)scheduler->n_waiting << 32 | scheduler->n_pending);
    hash = signature_mix(hash, (uint64_t)memory->loads << 32 | memory->stores);
    return signature_mix(hash, sim->units.resources->free);
}

static void out_of_order_put_state(const struct core *core, struct coder *coder) {
    const struct out_of_order *sim = out_of_order_of_const(core);
    const struct mca_units *units = &sim->units;
    coder_put(coder, sim->carried_uops);
    coder_put(coder, sim->queue.used);
    coder_put(coder, sim->reorder_buffer.used);
    mca_units_put(units, core, coder);
    if (units->plan.is_fixed)
        flight_put_history(&units->flight, coder->oldest, mca_units_history(units), coder);
    pressure_put(&sim->pressure, &units->flight, coder);
}

static void out_of_order_pair(struct core *first, struct core *second, struct stash *stash) {
    struct out_of_order *a = out_of_order_of(first), *b = out_of_order_of(second);
    mca_units_share(&a->units, &b->units, first->reporter.wanted.issued, stash);
    b->scheduler.resources = b->units.resources;
}

// Who has fewer instructions in flight dispatches: otherwise one that waits for long would fill the schedulers, and
// keep out the other. (The policy ICOUNT of Tullsen et al., Exploiting Choice, ISCA 1996.)
static void out_of_order_cycle_pair(struct core *first, struct core *second) {
    struct out_of_order *a = out_of_order_of(first), *b = out_of_order_of(second);
    retire_cycle(a);
    retire_cycle(b);
    execute_cycle(a);
    execute_cycle(b);
    bool is_second_behind = b->reorder_buffer.used < a->reorder_buffer.used;
    struct out_of_order *next = is_second_behind ? b : a, *other = is_second_behind ? a : b;
    dispatch_cycle(next);
    if (next->dispatch_room == next->dispatch_width)
        dispatch_cycle(other);
}

const struct core_ops mca_out_of_order = {
    .name = "out of order",
    .bytes = sizeof(struct out_of_order),
    .plan = out_of_order_plan,
    .start = out_of_order_start,
    .cycle = out_of_order_cycle,
    .has_work = out_of_order_has_work,
    .why_stuck = out_of_order_why_stuck,
    .oldest = out_of_order_oldest,
    .signature = out_of_order_signature,
    .put_state = out_of_order_put_state,
    .knobs = out_of_order_knobs,
    .n_knobs = OUT_OF_ORDER_N_KNOBS,
    .pair = out_of_order_pair,
    .cycle_pair = out_of_order_cycle_pair,
};
