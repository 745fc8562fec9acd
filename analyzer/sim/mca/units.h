// Private to this folder.
// The units that both of llvm-mca's cores have, and what both do with them.
#ifndef ANALYZER_SIM_MCA_UNITS_H
#define ANALYZER_SIM_MCA_UNITS_H

#include "analyzer/sim/core.h"
#include "analyzer/sim/mca/flight.h"
#include "analyzer/sim/mca/load_store.h"
#include "analyzer/sim/mca/plan.h"
#include "analyzer/sim/mca/register_file.h"
#include "analyzer/sim/mca/resources.h"
#include "analyzer/sim/pipeline.h"

struct mca_units {
    struct simulation_plan plan;
    const struct plan_insn *next_plan; // of the next instruction to enter
    struct flight flight;
    struct register_unit registers;
    struct memory_unit memory;
    struct resource_unit *resources; // its own, or one that another hardware thread uses as well
    unsigned branch_penalty;         // cycles; 0: none
    struct event_use *uses;          // of the instruction being issued
    const unsigned *no_registers;
};

// Whether a knob of the core is out of the way.
static inline bool is_relaxed(const struct pipeline_options *options, unsigned knob) {
    return (options->relaxed >> knob & 1) != 0;
}

static inline unsigned or_else(unsigned value, unsigned otherwise) {
    return value != 0 ? value : otherwise;
}

// The execution as a core is to see it: itself, or a copy in which nothing waits for a register.
const struct execution *mca_units_execution(const struct core *core, bool without_dependences, struct stash *stash);

struct mca_sizes {
    uint64_t in_flight;     // instructions that can be in flight
    bool notes_dependences; // somebody wants to know what they waited for
    bool unlimited_queues;  // of loads and stores, whatever the machine says
};

void mca_units_start(struct mca_units *units, const struct core *core, const struct pipeline_options *options,
                     const struct mca_sizes *sizes, struct stash *stash);
// Both threads use the pipes of the first from now on, which fit for the instructions of both.
void mca_units_share(struct mca_units *first, struct mca_units *second, bool is_wanted, struct stash *stash);
// Instructions that have retired stay readable until this many more have: no forwarding path is slow enough to ask for
// older ones.
uint64_t mca_units_history(const struct mca_units *units);

// Records that an instruction of the execution can never be "issued" or "dispatched", and why. Returns true.
bool mca_units_record_stuck(const struct mca_units *units, const struct core *core, unsigned position, const char *can,
                            struct fail *fail);

// What all the units put of themselves, but for what the order of retirement changes.
void mca_units_put(const struct mca_units *units, const struct core *core, struct coder *coder);

// Enters the next instruction; it is in flight afterwards.
static inline struct in_flight *mca_units_enter(struct mca_units *units, struct core *core) {
    struct in_flight *insn = flight_enter(&units->flight, core->next, units->next_plan);
    core_enter(core);
    units->next_plan++;
    if (core->next_position == 0)
        units->next_plan = units->plan.insns;
    return insn;
}

// Cycle until which nothing enters, because the youngest instruction is a branch that was predicted wrongly; NEVER: it
// is not known yet, 0: nothing is in the way.
static inline int64_t mca_units_redirected(const struct mca_units *units, const struct core *core) {
    if (units->branch_penalty == 0 || core->next == 0)
        return 0;
    const struct in_flight *youngest = flight_at(&units->flight, core->next - 1);
    if (!youngest->plan->is_mispredicted)
        return 0;
    return youngest->done_cycle == NEVER ? NEVER : youngest->done_cycle + units->branch_penalty;
}

static inline struct event_insn event_of(const struct core *core, const struct in_flight *insn) {
    return core_event(core, insn->index, insn->plan->position);
}

// REPORT about an instruction in flight; the event is made only where somebody listens.
#define REPORT_OF(core, call, insn, ...)                                                                               \
    do {                                                                                                               \
        if (!(core)->reporter.wanted.call)                                                                             \
            break;                                                                                                     \
        struct event_insn event_ = event_of((core), (insn));                                                           \
        REPORT(&(core)->reporter, call, &event_, __VA_ARGS__);                                                         \
    } while (0)

// The same for calls that take nothing else.
#define REPORT_INSN(core, call, insn)                                                                                  \
    do {                                                                                                               \
        if (!(core)->reporter.wanted.call)                                                                             \
            break;                                                                                                     \
        struct event_insn event_ = event_of((core), (insn));                                                           \
        REPORT(&(core)->reporter, call, &event_);                                                                      \
    } while (0)

// Moves that renaming did away with, or might have.
void report_moves(const struct core *core, const struct in_flight *insn);

#endif
