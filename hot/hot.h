// From a program to its hot loops: each with its share of the time, replayed with its own data, predicted by models,
// and what limits it.
#ifndef HOT_HOT_H
#define HOT_HOT_H

#include "hot/moments.h"
#include "hot/replay.h"

// What a model says of the recorded turns.
struct hot_forecast {
    const char *model;
    double cycles;        // per turn; NAN: see `missing`
    const char *missing;  // reason, one clause; null: there is a prediction
    const char *limit;    // "latency", "Zn4FP01"; "": unknown
    const char *sentence; // by a CPU file, what makes the limit of the usual turn, without capital and full stop; null
    double usual_cycles;  // with it: what the usual turn takes by that, where it repeats
    const char **notes;   // what the model does not know of the turns, a sentence each
    size_t n_notes;
};

// One copy of a loop, replayed and predicted.
struct hot_moment {
    struct hot_state *state;
    const char *why; // it has no value, and why, one clause; null: it has one
    struct hot_replay replay;
    double ways_share; // share of the turns that are like the usual one, 0 to 1
    // The usual turn's instructions as machine code, where they stand one behind the other; null: they do not.
    const uint8_t *turn_bytes;
    size_t n_turn_bytes;
    struct hot_forecast *forecasts; // by each model of the lab
};

// Where a turn begins.
enum hot_turn {
    HOT_TURN_LOOP,  // at the loop's head
    HOT_TURN_CALL,  // at each call of a function that is in no loop of its own; what lies between is in it
    HOT_TURN_PLACE, // at the hottest place, where control never comes to the head
};

struct hot_finding {
    const struct hot_loop *loop; // null: of a case file, which has no profile
    enum hot_turn turn;
    uint64_t head; // address in the module where its turns begin
    const struct hot_module *module;
    const struct hot_loop *caller; // of what is in no loop, the hottest loop that may call it; null: none
    const struct hot_module *caller_module;
    double share; // of the profile's samples, without inner loops, 0 to 1; NAN: no profile
    // Share of the samples that are at instructions which its replayed turns run, but for those that another finding
    // runs more often; with functions that it calls. NAN: no profile.
    double covered;
    // The run that it was copied in took another time than the profile's: its moments may be in other parts of the
    // program than were chosen.
    bool is_shifted;
    struct hot_moment *moments;
    size_t n_moments; // in the order of their times; 0: see `why`
    size_t n_chosen;  // moments at which it was to be copied
    bool is_untimed;  // the profile has no times: it was copied once
    const char *why;  // there is no value, and why, one clause; null: there is
    // With a value: the moment that stands for most of the loop's time. The value is that of the turns at all moments,
    // of which there are as many as the loop makes in the time that each moment stands for.
    const struct hot_moment *main;
    double cycles, low, high; // per turn
    double least, most;       // of the moments' values
    bool is_stable;           // all values that count are
    bool is_uneven;           // they differ by more than a tenth
    double *predicted;        // per turn, of the same turns, by each model of the lab; NAN: not of all moments
    size_t n_models;
    // Per turn in the program, with inner loops, by the profile's time and turns, with the interval of 95 % that the
    // number of samples allows; NAN: these are not both known, a turn has functions in it that it calls, or the
    // interval says nothing.
    double program_cycles, program_low, program_high;
};

struct hot_findings {
    const struct hot_profile *profile; // null: of a case file
    const struct hot_loops *loops;     // likewise
    struct hot_finding *items;         // the hottest first
    size_t n;
    struct hot_covered covered;      // by all findings together; of a case file, when it was saved
    const char *cpu;                 // of a case file, where it was saved; null: of none
    struct hot_run profiled, copied; // the two runs of the program
    bool was_run;
};

struct hot_choice {
    size_t most;        // loops
    double least_share; // of the samples in a loop itself
    double enough;      // share of the samples, from which on only large loops are replayed, and no functions
};

// Chooses what may be replayed: the loops with most samples; functions that are in no loop; and the loops that call
// these.
void hot_choose(struct arena *arena, const struct hot_profile *profile, const struct hot_loops *loops,
                const struct hot_choice *choice, struct hot_findings *findings);

// Copies the states of the chosen loops in a run of the program, each at up to so many moments; what has none gets its
// reason. `argv` null: `pid`.
bool hot_copy_states(struct arena *arena, const struct decoder *decoder, char *const *argv, int pid,
                     size_t most_moments, struct hot_findings *findings, struct fail *fail);

// Takes the states of a case file instead.
void hot_take_states(struct arena *arena, const struct hot_case *saved, struct hot_findings *findings);

// Replays one, and predicts it. False only when Cyclops itself failed.
bool hot_judge(struct lab *lab, const struct hot_findings *findings, struct hot_finding *finding, struct fail *fail);

// Replays what was chosen: loops; then functions whose code no replay has run yet, or a loop that calls them, until
// enough of the samples is covered or there are as many replays as chosen. What was not tried is no finding any
// more.
bool hot_judge_all(struct lab *lab, const struct hot_choice *choice, struct hot_findings *findings, struct fail *fail);

#endif
