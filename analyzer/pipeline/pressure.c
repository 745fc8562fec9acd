#include "analyzer/pipeline/pressure.h"

#include "analyzer/pipeline/simulation.h"

void pressure_init(struct simulation *sim, struct stash *stash) {
    sim->pressure = (struct pressure){.criticals = NULL};
    if (!sim->machine->in_order && (sim->heard.pressed || sim->heard.critical))
        sim->pressure.criticals = STASH_ARRAY(stash, struct event_critical, sim->flight.slot_mask + 1);
}

static struct event_critical *critical_of(const struct simulation *sim, const struct in_flight *insn) {
    return &sim->pressure.criticals[flight_slot(&sim->flight, insn)];
}

__attribute__((noinline)) void pressure_enter(struct simulation *sim, const struct in_flight *insn) {
    *critical_of(sim, insn) = (struct event_critical){.resources = 0};
}

__attribute__((noinline)) void pressure_note_busy(struct simulation *sim) {
    sim->pressure.busy = 0;
    for (uint64_t i = sim->reorder_buffer.oldest; i < sim->reorder_buffer.end; i++) {
        struct in_flight *insn = flight_at(&sim->flight, i);
        insn->is_new = false;
        if (insn->stage != STAGE_READY)
            continue;
        uint64_t busy = resource_unit_busy(sim->resources, insn->plan, sim->now);
        if (busy != 0)
            critical_of(sim, insn)->resources = busy;
        sim->pressure.busy |= busy;
    }
}

// llvm-mca cuts this mask to 32 bits.
static bool is_affected(const struct event_critical *critical, uint64_t busy) {
    return (uint32_t)(critical->resources & busy) != 0;
}

static void press_resources(struct simulation *sim) {
    uint64_t busy = sim->pressure.busy;
    if (busy == 0)
        return;
    for (uint64_t i = sim->reorder_buffer.oldest; i < sim->reorder_buffer.end; i++) {
        const struct in_flight *insn = flight_at(&sim->flight, i);
        if (insn->stage == STAGE_READY && is_affected(critical_of(sim, insn), busy))
            critical_of(sim, insn)->resource_cycles++;
    }
    TELL(sim, pressed, PRESSURE_RESOURCES, busy);
}

// Instructions that were dispatched in this cycle are not blamed.
static void press_dependences(struct simulation *sim) {
    unsigned n_registers = 0, n_memory = 0;
    for (uint64_t i = sim->reorder_buffer.oldest; i < sim->reorder_buffer.end; i++) {
        const struct in_flight *insn = flight_at(&sim->flight, i);
        if (insn->stage != STAGE_PENDING || insn->is_new ||
            resource_unit_busy(sim->resources, insn->plan, sim->now) != 0)
            continue;
        bool is_pressed_by_memory = insn->plan->is_memory && memory_unit_is_pending(&sim->memory, insn);
        bool is_pressed_by_registers = insn->ready_cycle > sim->now;
        critical_of(sim, insn)->memory_cycles += is_pressed_by_memory;
        critical_of(sim, insn)->register_cycles += is_pressed_by_registers;
        n_memory += is_pressed_by_memory;
        n_registers += is_pressed_by_registers;
    }
    if (n_registers != 0)
        TELL(sim, pressed, PRESSURE_REGISTERS, (uint64_t)0);
    if (n_memory != 0)
        TELL(sim, pressed, PRESSURE_MEMORY, (uint64_t)0);
}

__attribute__((noinline)) void tell_pressure(struct simulation *sim) {
    const struct pressure *pressure = &sim->pressure;
    if (!pressure->was_full && pressure->dispatched_uops <= pressure->issued_uops)
        return;
    press_resources(sim);
    press_dependences(sim);
}

__attribute__((noinline)) void tell_critical(struct simulation *sim, const struct in_flight *insn) {
    struct event_critical critical = *critical_of(sim, insn);
    critical.on_register = flight_critical(&sim->flight, insn);
    if (insn->plan->is_memory)
        critical.on_memory = memory_unit_critical(&sim->memory, insn);
    critical.on_register.index += sim->skipped_insns;
    critical.on_memory.index += sim->skipped_insns;
    TELL_OF(sim, critical, insn, &critical);
}

void tell_moves(struct simulation *sim, const struct in_flight *insn) {
    const struct insn *described = insn->plan->insn;
    if (!sim->heard.moved || !described->eliminable_move || described->n_writes != described->n_reads ||
        described->n_writes == 0)
        return;
    struct event_moves moves = {
        .file = sim->machine->registers[described->writes[0].reg].file,
        .candidates = described->n_writes,
        .eliminated = insn->is_eliminated ? described->n_writes : 0,
        .zero = insn->zero_moves,
    };
    TELL_OF(sim, moved, insn, &moves);
}
