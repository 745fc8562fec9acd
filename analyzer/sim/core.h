// What simulates an execution: a *core* is a table of functions, and a state of its own that begins with struct core.
// The simulator (pipeline.h) drives any core, cycle by cycle, reports when cycles begin and end, and finds the steady
// state from what the core puts of itself; it knows no core. A core knows nothing of the loop around it.
//
// To add a core, write one `struct core_ops` and what it points to; no other file changes. llvm-mca's two are in mca.h,
// the smallest is in cores_test.c.
#ifndef ANALYZER_SIM_CORE_H
#define ANALYZER_SIM_CORE_H

#include "analyzer/code/execution.h"
#include "analyzer/sched/insn.h"
#include "analyzer/sched/machine.h"
#include "analyzer/sim/coder.h"
#include "analyzer/sim/report.h"
#include "analyzer/sim/stash.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct core;
struct pipeline_options;

// Something that may limit a block, and that pipeline_options.relaxed takes out of the way: to find what to blame.
enum core_limit { LIMIT_DEPENDENCES, LIMIT_BUFFER, LIMIT_RETIREMENT };

struct core_knob {
    const char *name; // for people and files: "reorder buffer"
    enum core_limit limit;
};

struct core_ops {
    const char *name;
    size_t bytes; // of its state
    // Prepares a run with memory of the stash, which belongs to this run alone. `plan` resolves the execution: what
    // does not change from one execution of an instruction to the next. `start` builds the units. The state is zero
    // before, but for struct core. The plan may be null.
    void (*plan)(struct core *core, const struct pipeline_options *options, struct stash *stash);
    void (*start)(struct core *core, const struct pipeline_options *options, struct stash *stash);
    // One cycle, core->now. Enters instructions with core_enter, as long as core->next < core->total, and sets
    // core->has_moved where something happened that another cycle alone would not bring about.
    void (*cycle)(struct core *core);
    // Nothing moved in this cycle: the next one in which something may, at least core->now + 1. Those in between are
    // left out where nobody has to see them. Null: the next one.
    int64_t (*wakes_at)(const struct core *core);
    // All instructions have entered: whether some are not done.
    bool (*has_work)(const struct core *core);
    // Nothing moved in this cycle. Where time alone changes nothing either, records a failure that names the
    // instruction and the reason, and returns true.
    bool (*why_stuck)(const struct core *core, struct fail *fail);

    // For the steady state, between cycles; core->now is the next one. Index of the oldest instruction that may be in
    // flight; numbers that are cheap to make and tell most states apart, mixed into `hash`; and the complete state.
    uint64_t (*oldest)(const struct core *core);
    uint64_t (*signature)(const struct core *core, uint64_t hash);
    void (*put_state)(const struct core *core, struct coder *coder);

    const struct core_knob *knobs;
    unsigned n_knobs; // at most 32

    // Two hardware threads of one core (corun.h); null: it cannot have them. `pair`: both have started, and share from
    // now on what threads share (with memory of the first one's stash). `cycle_pair`: one cycle of both; `first` goes
    // first.
    void (*pair)(struct core *first, struct core *second, struct stash *stash);
    void (*cycle_pair)(struct core *first, struct core *second);
};

// What every core has: where a run is. A cycle is counted from 0, an instruction's index is in execution order over all
// iterations.
struct core {
    const struct core_ops *ops;
    const struct machine *machine;
    const struct execution *execution;
    unsigned n_steps;      // of it
    bool is_shared;        // another thread runs on it as well
    bool has_moved;        // see core_ops.cycle
    double settled_cycles; // per iteration, that it goes on with for ever (pipeline_options.least_cycles); 0: not known
    int64_t now;
    uint64_t next, total;   // index of the next instruction to enter; number of them
    unsigned next_position; // of it: its step
    uint64_t n_entered;     // iterations of which all instructions have entered
    uint64_t n_queued;      // instructions that a front end has taken in, and that have not entered
    struct reporter reporter;
};

// What a run is about.
struct core_run {
    const struct machine *machine;
    const struct execution *execution; // not empty
    const struct pipeline_options *options;
    struct event_listener *const *listeners; // null-terminated; null for none
    bool is_shared;
};

// A state for cores of this kind, to be started; lives as long as the arena.
struct core *core_new(struct arena *arena, const struct core_ops *ops);
void core_start(struct core *core, const struct core_run *run, struct stash *stash);
// The simulator's own part of the state, and the core's.
void core_put_state(const struct core *core, struct coder *coder);

static inline bool core_has_work(const struct core *core) {
    return core->next < core->total || core->ops->has_work(core);
}

// The next instruction enters.
static inline void core_enter(struct core *core) {
    core->next++;
    if (++core->next_position == core->n_steps) {
        core->next_position = 0;
        core->n_entered++;
    }
}

// Cycles since the beginning, those left out included.
static inline uint64_t core_cycles(const struct core *core) {
    return (uint64_t)core->now + core->reporter.skipped_cycles;
}

static inline struct event_insn core_event(const struct core *core, uint64_t index, unsigned position) {
    return (struct event_insn){.index = index + core->reporter.skipped_insns,
                               .position = position,
                               .insn = execution_insn(core->execution, position)};
}

#endif
