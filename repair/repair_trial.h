// Private to this folder.
// One change, tried: the measured programs are simulated with it, and what still differs is its cost.
#ifndef REPAIR_REPAIR_TRIAL_H
#define REPAIR_REPAIR_TRIAL_H

#include "check/predictor.h"
#include "repair/repair_numbers.h"

enum { REPAIR_MOST_TRIED = 256 }; // in one round

struct repair_cost {
    size_t n_worse; // values that differ by more than with LLVM's numbers, in a careful search
    size_t n_differ;
    double gaps;       // sum of those, without a few hundredths of each
    unsigned pipes;    // the largest rank (repair_pipes.h) of pipes that are not LLVM's; 0: all are
    unsigned distance; // numbers changed, without those that follow from others
    // Cycles for which pipes are held longer, each times the share of forms that use the pipe. Of changes that fit as
    // well, the one whose pipes fewer others use for a shorter time: if those of all were the limit, the others would
    // show it, too.
    double commonness;
};

// What is searched: numbers of some opcodes, judged by some values.
struct repair_search {
    const struct model *model;     // LLVM's
    const struct check_value *all; // values, which `values` are numbers of
    unsigned dispatch_width;       // changed; 0: it is not
    const unsigned char *ranks;    // of other pipes, as repair_pipes_rank has them; null: all are alike
    const double *commonness;      // of each resource: share of the measured forms that use its pipes; null: unknown
    const char **opcodes;
    size_t n_opcodes;
    const struct repair_rule *context; // changes of other opcodes in the programs, which each trial has
    size_t n_context;
    // Bounds are no numbers. A latency that only these show changes where that alone explains all of them, and an early
    // read never does; no latency becomes 0 unless one that is measured is.
    bool has_only_bounds, has_zero;
    bool leaves_latencies;       // the model's latencies were left for this reason
    bool is_careful;             // what makes a value worse is worse than any other change; needs worst_gaps
    const double *worst_gaps;    // by value of `all`: above it, a value is made worse
    const double *gaps;          // of LLVM's model, by value of `all`; null: all values shall be explained
    const double *allowed_below; // likewise, cycles (gap.h); null: bounds may be predicted as far below as may be
    const size_t *values;        // numbers of the values
    const size_t *weights;       // values that each stands for; null: one
    size_t n_values;
    struct repair_numbers base; // LLVM's
    struct repair_numbers best;
    struct repair_cost cost;     // of the best
    struct predicted *predicted; // the best one's predictions, by number in `values`
    struct repair_numbers next;  // the best of this round
    struct repair_cost next_cost;
    struct repair_numbers *tried; // in this round; room for REPAIR_MOST_TRIED
    size_t n_tried;
};

// The rank of a resource for a use of the members (repair_pipes.h).
unsigned repair_rank_of(const struct repair_search *search, unsigned use, unsigned resource);

// Whether a gap is larger than another one, and not by rounding alone.
bool repair_is_larger(double gap, double other);

// Whether numbers of an instruction can explain the value: not a latency through memory, nor that of a zero idiom, nor
// what is kept only.
bool repair_can_explain(const struct check_value *value);

// Predicts the values with the numbers, and adds up what differs. What no number explains only counts where it comes to
// differ by more than LLVM's model: a chain through memory that the CPU renames must not become a latency. `all`: room
// for the predictions, or null. False: one cannot be predicted.
bool repair_evaluate(const struct repair_search *search, const struct repair_numbers *numbers, struct repair_cost *cost,
                     struct predicted *all);
// As repair_evaluate, and `all` has what limits each program, which takes as long again.
bool repair_evaluate_fully(const struct repair_search *search, const struct repair_numbers *numbers,
                           struct repair_cost *cost, struct predicted *all);

// Whether the prediction is further below a bound than what leads back to the source can be (gap.h).
bool repair_is_too_far_below(const struct repair_search *search, size_t value, const struct predicted *predicted);
// By how much the prediction differs, as far as the search can help it; infinite: the model has no prediction.
double repair_gap_to_close(const struct repair_search *search, size_t value, const struct predicted *predicted);
// Measured less predicted cycles times `factor`, as a whole number; of a bound, rounded down.
int repair_cycles_between(const struct check_value *value, double predicted, double factor);

// Tries numbers, unless this round has tried them: they are `next` where they cost less.
void repair_try(struct repair_search *search, const struct repair_numbers *numbers);
// As repair_try, also of numbers that were tried. `all`: room for their predictions. False: one cannot be predicted.
bool repair_try_again(struct repair_search *search, const struct repair_numbers *numbers, struct predicted *all);

#endif
