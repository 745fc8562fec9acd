// Private to check/ and repair/.
// Latencies that are known as sums. One from one kind of registers to another is measured as a chain with an
// instruction that leads back. Where that one's own latency is not known, only the sum of both is. The table has an
// upper bound then: the chain less the least that the way back can take. But the chain itself is measured exactly. So a
// model whose sum is shorter has a latency too short, in one of the two.
#ifndef CHECK_SUMS_H
#define CHECK_SUMS_H

#include "check/findings.h"
#include "check/predictor.h"

// Whether the value is such a latency. One through memory is not: a model has no latency of a store and a load
// together.
bool sums_is_one(const struct check_value *value);

// Cycles by which a model's sum is shorter than the measured interval; 0: less than that.
double sums_missing(const struct check_value *value, const struct predicted *predicted);

// Opcodes beside the form in the value's programs that read something. What reads nothing, as a mov of a constant,
// leads nothing back.
struct sums_partners {
    const char **opcodes;
    size_t n;
};
struct sums_partners sums_find_partners(struct arena *arena, const struct predictor *predictor,
                                        const struct check_value *value);

// The sums of results.
struct sums {
    const struct check_results *results;
    const struct sums_partners *unknown; // of each value that is a sure sum: those whose own latency is not known
    const char **partners; // all opcodes that lead back in a sum, and whose own latency is not known; sorted
    size_t n_partners;
};
void sums_open(struct sums *sums, struct arena *arena, const struct predictor *predictor,
               const struct check_results *results);

// Describes a sure sum that is too short: a difference as of gap_describe. The cause is a pair of scheduling classes,
// in whichever direction it was measured; or what many forms have in common that one instruction leads back from, if
// they lead nothing back themselves.
struct check_difference sums_describe(struct arena *arena, const struct sums *sums, const struct check_value *value,
                                      const struct predicted *predicted);

#endif
