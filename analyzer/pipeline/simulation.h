// Private to this folder.
// One run: the units, the stages that move instructions through them, and who listens. Private to the pipeline.
#ifndef ANALYZER_PIPELINE_SIMULATION_H
#define ANALYZER_PIPELINE_SIMULATION_H

#include "analyzer/pipeline/event.h"
#include "analyzer/pipeline/flight.h"
#include "analyzer/pipeline/in_order.h"
#include "analyzer/pipeline/load_store.h"
#include "analyzer/pipeline/micro_op_queue.h"
#include "analyzer/pipeline/periodic.h"
#include "analyzer/pipeline/pipeline.h"
#include "analyzer/pipeline/plan.h"
#include "analyzer/pipeline/pressure.h"
#include "analyzer/pipeline/register_file.h"
#include "analyzer/pipeline/reorder_buffer.h"
#include "analyzer/pipeline/resources.h"
#include "analyzer/pipeline/scheduler.h"

// Which calls some listener has.
struct heard {
    bool cycle_begin, cycle_end, dispatched, pending, ready, issued, executed, retired, stalled;
    bool marked, repeated, buffers_taken, buffers_freed, moved, critical, pressed;
};

struct simulation {
    const struct machine *machine;
    const struct block *block;
    struct simulation_plan plan;
    struct flight flight;
    struct register_unit registers;
    struct reorder_buffer reorder_buffer;
    struct memory_unit memory;
    struct resource_unit *resources; // its own, or one that another hardware thread uses as well
    struct scheduler scheduler;
    struct pressure pressure;
    struct periodic periodic;
    struct event_listener *const *listeners; // null-terminated
    struct heard heard;

    int64_t now;
    uint64_t next, total;              // index of the next instruction to dispatch; number of them
    const struct plan_insn *next_plan; // of it
    unsigned next_position;            // of it, in the block
    uint64_t n_entered;                // iterations of which all instructions have been dispatched
    // Left out so far, as it repeats what was walked: to be added to what is told.
    uint64_t skipped_cycles, skipped_insns;
    bool mistakes_of_llvm_mca;
    uint64_t n_forgotten; // instructions whose end was not told, as one of these mistakes
    bool has_moved;       // something happened in this cycle

    struct micro_op_queue queue;
    unsigned dispatch_width;
    unsigned dispatch_room;  // uops that can still be dispatched in this cycle
    unsigned carried_uops;   // of the last instruction dispatched, wider than the machine, still to go
    unsigned branch_penalty; // cycles; 0: none
    struct in_order_stage in_order;
    bool is_shared; // the core runs another thread as well

    struct event_use *uses; // of the instruction being issued
    const unsigned *no_registers;
};

// Prepares a run with memory of the stash, which belongs to this run alone.
void simulation_start(struct simulation *sim, const struct machine *machine, const struct pipeline_options *options,
                      const struct block *block, struct event_listener *const *listeners, struct stash *stash);
bool simulation_has_work(const struct simulation *sim);

// Out of order. Each stage begins the cycle, youngest stage last; then instructions are dispatched while they can be.
void retire_cycle(struct simulation *sim);
void execute_cycle(struct simulation *sim);
void dispatch_cycle(struct simulation *sim);
bool dispatch_can(struct simulation *sim);
void dispatch(struct simulation *sim);
void dispatch_all(struct simulation *sim); // the whole stage, of one cycle

// A dispatched instruction enters the execute stage; an executed one may retire later.
bool execute_can(struct simulation *sim, const struct plan_insn *insn);
void execute(struct simulation *sim, struct in_flight *insn);

static inline const struct plan_insn *next_insn(const struct simulation *sim) {
    return sim->next_plan;
}

// Enters the next instruction; it is in flight afterwards.
static inline struct in_flight *enter_next(struct simulation *sim) {
    struct in_flight *insn = flight_enter(&sim->flight, sim->next, sim->next_plan);
    sim->next++;
    sim->next_plan++;
    if (++sim->next_position == sim->plan.n_insns) {
        sim->next_plan = sim->plan.insns;
        sim->next_position = 0;
        sim->n_entered++;
    }
    return insn;
}

// Cycle until which nothing enters, because the youngest instruction is a branch that was predicted wrongly; NEVER: it
// is not known yet, 0: nothing is in the way.
static inline int64_t redirected_until(const struct simulation *sim) {
    if (sim->branch_penalty == 0 || sim->next == 0)
        return 0;
    const struct in_flight *youngest = flight_at(&sim->flight, sim->next - 1);
    if (!youngest->plan->insn->is_mispredicted)
        return 0;
    return youngest->done_cycle == NEVER ? NEVER : youngest->done_cycle + sim->branch_penalty;
}

static inline struct event_insn event_insn_of(const struct simulation *sim, const struct in_flight *insn) {
    return (struct event_insn){
        .index = insn->index + sim->skipped_insns, .position = insn->plan->position, .insn = insn->plan->insn};
}

// The instruction after the youngest one in flight.
static inline struct event_insn event_insn_next(const struct simulation *sim) {
    return (struct event_insn){
        .index = sim->next + sim->skipped_insns, .position = sim->next_position, .insn = next_insn(sim)->insn};
}

// Calls `call` of every listener that has it: TELL(sim, retired, &event, registers).
#define TELL(sim, call, ...)                                                                                           \
    do {                                                                                                               \
        if (!(sim)->heard.call)                                                                                        \
            break;                                                                                                     \
        for (struct event_listener *const *l_ = (sim)->listeners; *l_ != NULL; l_++)                                   \
            if ((*l_)->call != NULL)                                                                                   \
                (*l_)->call((*l_)->self, __VA_ARGS__);                                                                 \
    } while (0)

// The same about an instruction in flight; the event is made only where somebody listens.
#define TELL_OF(sim, call, insn, ...)                                                                                  \
    do {                                                                                                               \
        if (!(sim)->heard.call)                                                                                        \
            break;                                                                                                     \
        struct event_insn event_ = event_insn_of((sim), (insn));                                                       \
        TELL(sim, call, &event_, __VA_ARGS__);                                                                         \
    } while (0)

// The same for calls that take nothing else.
#define TELL_INSN(sim, call, insn)                                                                                     \
    do {                                                                                                               \
        if (!(sim)->heard.call)                                                                                        \
            break;                                                                                                     \
        struct event_insn event_ = event_insn_of((sim), (insn));                                                       \
        TELL(sim, call, &event_);                                                                                      \
    } while (0)

#endif
