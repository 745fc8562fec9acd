// What a CPU file does not explain of the measurements that it was made from, by cause: everything is predicted again
// by the whole file. A cause is a kind of value and the side that the prediction is off to; it does not say which
// mechanism is missing.
#ifndef INFER_UNEXPLAINED_H
#define INFER_UNEXPLAINED_H

#include "check/predictor.h"
#include "infer/ports.h"

enum unexplained_cause {
    // of a survey
    UNEXPLAINED_LATENCY_LONGER,
    UNEXPLAINED_LATENCY_SHORTER,
    UNEXPLAINED_SUM,
    UNEXPLAINED_MEMORY,
    UNEXPLAINED_THROUGHPUT_LONGER,
    UNEXPLAINED_THROUGHPUT_SHORTER,
    UNEXPLAINED_SLOTS,
    // of pairs
    UNEXPLAINED_SLOWER,
    UNEXPLAINED_DISTURBED,
    UNEXPLAINED_SPREAD,
    UNEXPLAINED_PAIR_SHORTER,
    UNEXPLAINED_NO_RECIPE,
    UNEXPLAINED_N_CAUSES
};
// "latencies: longer": than the file has them
const char *unexplained_about(enum unexplained_cause cause);

struct unexplained_values {
    size_t n;
    double error;               // sum of |predicted - measured| / measured, of a quarter of a cycle at least
    const char *worst;          // name of the value that is furthest off; null: there is none
    double measured, predicted; // of it, cycles or slots
};

struct unexplained {
    struct unexplained_values by_cause[UNEXPLAINED_N_CAUSES];
    size_t n_values, n_unstable, n_unpredicted; // of the survey: compared; not compared, as they are unstable, or as
                                                // the file predicts nothing of them
    size_t n_experiments;                       // of pairs: compared
    double values_error, experiments_error;     // of all that are compared, as above
};

// A stable value beside its prediction.
struct unexplained_value {
    bool is_compared;      // both are known, and the value has one speed
    bool is_off;           // by more than 5 % and a tenth of a cycle
    double predicted, off; // cycles; predicted - measured
};
struct unexplained_value unexplained_compare(struct predictor *predictor, const struct check_value *value);

// Adds what the model leaves of a survey, and what the map leaves of pairs.
void unexplained_add_survey(struct arena *arena, const struct model *model, const struct check_results *results,
                            struct unexplained *unexplained);
void unexplained_add_pairs(struct arena *arena, const struct ports *ports, struct unexplained *unexplained);

#endif
