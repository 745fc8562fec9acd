// Runs a loop again from its copied state, in the sandbox, at the same addresses, each time from the same state:
// measured, and as an execution for predictions.
#ifndef HOT_REPLAY_H
#define HOT_REPLAY_H

#include "analyzer/code/execution.h"
#include "hot/state.h"
#include "lab/lab.h"

// How a replay ends after so many turns; what disturbs least comes first.
enum hot_stop {
    HOT_STOP_EXIT,  // at code that the recorded steps come to only then, such as the loop's exit: a jump stands there
    HOT_STOP_COUNT, // the register that decides the number of turns begins with another value
    HOT_STOP_CELL,  // a counter at a back edge or an inner exit: adds instructions
};

struct hot_replay {
    const char *why; // it cannot be replayed, one clause; null: it was
    enum hot_stop stop;
    uint64_t turns;    // in one replay
    const char *doubt; // what makes the value less than the loop's own, one clause; null: nothing that is known
    double cycles_per_turn, low, high;    // with the measurement's interval
    struct bench_measurement measurement; // of one replay of all turns, without putting the state in place
    size_t n_bytes;                       // lines that it touches, bytes: the working set
    const char *level;                    // smallest cache that holds it: "L1", "L2", "L3", "memory"
    // What the recorded turns do.
    double accesses_split, accesses_crossing; // per turn: over a line of 64 bytes, over a page
    double forwarded;                         // loads per turn that a store of the last 64 stores wrote
    struct hot_branch {
        uint64_t address;        // in memory
        double taken, not_taken; // per turn
        double mispredicted;     // per turn, in the second half, by a two-level predictor with much room: see ways.c
    } * branches;
    size_t n_branches;
    size_t n_steps; // of the state, in one replay; ends at the stop
};

// Replays and measures states, all in one session, so that n take little longer than one. False only when Cyclops
// itself failed.
bool hot_replay_run(struct lab *lab, const struct hot_state *const *states, size_t n, struct hot_replay *replays,
                    struct fail *fail);

// The steps of one replay as a model describes them: all turns, one pass, with the addresses of accesses. Fails where
// the model does not know an instruction.
bool hot_replay_execution(struct arena *arena, const struct model *model, const struct hot_state *state, size_t n_steps,
                          struct execution *execution, struct fail *fail);

#endif
