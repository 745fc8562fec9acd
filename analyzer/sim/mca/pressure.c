#include "analyzer/sim/mca/pressure.h"

#include "analyzer/sim/mca/out_of_order.h"

static struct event_critical *critical_of(const struct out_of_order *sim, const struct in_flight *insn) {
    return &sim->pressure.criticals[flight_slot(&sim->units.flight, insn)];
}

__attribute__((noinline)) void pressure_enter(struct out_of_order *sim, const struct in_flight *insn) {
    *critical_of(sim, insn) = (struct event_critical){.resources = 0};
}

__attribute__((noinline)) void pressure_note_busy(struct out_of_order *sim) {
    sim->pressure.busy = 0;
    for (uint64_t i = sim->reorder_buffer.oldest; i < sim->reorder_buffer.end; i++) {
        struct in_flight *insn = flight_at(&sim->units.flight, i);
        insn->is_new = false;
        if (insn->stage != STAGE_READY)
            continue;
        uint64_t busy = resource_unit_busy(sim->units.resources, insn->plan, sim->core.now);
        if (busy != 0)
            critical_of(sim, insn)->resources = busy;
        sim->pressure.busy |= busy;
    }
}

// llvm-mca cuts this mask to 32 bits.
static bool is_affected(const struct event_critical *critical, uint64_t busy) {
    return (uint32_t)(critical->resources & busy) != 0;
}

static void press_resources(struct out_of_order *sim) {
    uint64_t busy = sim->pressure.busy;
    if (busy == 0)
        return;
    for (uint64_t i = sim->reorder_buffer.oldest; i < sim->reorder_buffer.end; i++) {
        const struct in_flight *insn = flight_at(&sim->units.flight, i);
        if (insn->stage == STAGE_READY && is_affected(critical_of(sim, insn), busy))
            critical_of(sim, insn)->resource_cycles++;
    }
    REPORT(&sim->core.reporter, pressed, PRESSURE_RESOURCES, busy);
}

// Instructions that were dispatched in this cycle are not blamed.
static void press_dependences(struct out_of_order *sim) {
    unsigned n_registers = 0, n_memory = 0;
    for (uint64_t i = sim->reorder_buffer.oldest; i < sim->reorder_buffer.end; i++) {
        const struct in_flight *insn = flight_at(&sim->units.flight, i);
        if (insn->stage != STAGE_PENDING || insn->is_new ||
            resource_unit_busy(sim->units.resources, insn->plan, sim->core.now) != 0)
            continue;
        bool is_pressed_by_memory = insn->plan->is_memory && memory_unit_is_pending(&sim->units.memory, insn);
        bool is_pressed_by_registers = insn->ready_cycle > sim->core.now;
        critical_of(sim, insn)->memory_cycles += is_pressed_by_memory;
        critical_of(sim, insn)->register_cycles += is_pressed_by_registers;
        n_memory += is_pressed_by_memory;
        n_registers += is_pressed_by_registers;
    }
    if (n_registers != 0)
        REPORT(&sim->core.reporter, pressed, PRESSURE_REGISTERS, (uint64_t)0);
    if (n_memory != 0)
        REPORT(&sim->core.reporter, pressed, PRESSURE_MEMORY, (uint64_t)0);
}

__attribute__((noinline)) void report_pressure(struct out_of_order *sim) {
    const struct pressure *pressure = &sim->pressure;
    if (!pressure->was_full && pressure->dispatched_uops <= pressure->issued_uops)
        return;
    press_resources(sim);
    press_dependences(sim);
}

__attribute__((noinline)) void report_critical(struct out_of_order *sim, const struct in_flight *insn) {
    struct event_critical critical = *critical_of(sim, insn);
    critical.on_register = flight_critical(&sim->units.flight, insn);
    if (insn->plan->is_memory)
        critical.on_memory = memory_unit_critical(&sim->units.memory, insn);
    critical.on_register.index += sim->core.reporter.skipped_insns;
    critical.on_memory.index += sim->core.reporter.skipped_insns;
    REPORT_OF(&sim->core, critical, insn, &critical);
}

void pressure_put(const struct pressure *pressure, const struct flight *flight, struct coder *coder) {
    coder_put(coder, pressure->was_full);
    if (pressure->criticals == NULL)
        return;
    for (uint64_t i = coder->next; i-- > coder->oldest && !coder->differs;) {
        const struct in_flight *insn = flight_at(flight, i);
        if (!flight_has(insn, i) || insn->stage >= STAGE_ISSUED)
            continue;
        const struct event_critical *critical = &pressure->criticals[flight_slot(flight, insn)];
        coder_put(coder, critical->resources);
        coder_put(coder, critical->resource_cycles);
        coder_put(coder, critical->register_cycles);
        coder_put(coder, critical->memory_cycles);
    }
}
