// Private to this folder.
// Was the round alone on its core? The reference chain alone cannot say: a thread beside us on the core (a hardware
// thread that a VM may not even see) takes issue slots and pipes, which hardly slows a chain of adds and makes code
// that is bound by throughput take up to twice its time. So each round also times pieces of code whose cycles are known
// (enum bench_check, level.h), and where one of them departs, the round or the value is doubted. Two always run; of the
// others, which each keep one kind of unit as busy as can be, those that the code needs as well.
// Not seen: a neighbour that has kept as busy ever since the levels were looked for.
#ifndef BENCH_MEASURE_CHECKS_H
#define BENCH_MEASURE_CHECKS_H

#include "bench/target.h"

// Has the job's rounds time what its code needs. The session's own chains have all of them: that is where their levels
// are looked for first.
void checks_put(const struct bench *bench, struct target_job *job);

// Cycles per body of each check in this round, by the session's clock; 0: not timed, or worthless.
void checks_cycles(const struct bench *bench, const struct target_job *job, const struct target_round *round,
                   double cycles[BENCH_N_CHECKS]);

// Learns of the clean levels from the rounds of the jobs that were in one process. True where one is known now, or
// lower than it was, so that samples of before must be judged again.
bool checks_learn(struct bench *bench, const struct target_job *const *jobs, unsigned n_jobs);

// False, and why, where one of the checks that count for `code` is far from its level.
bool checks_agree(const struct bench *bench, const struct bench_code *code, const double cycles[BENCH_N_CHECKS],
                  enum bench_drop *why);

// Whether the medians of a value's checks are what the levels of now ask for: by the distance that makes another level.
bool checks_medians_agree(const struct bench *bench, const struct bench_code *code,
                          const double cycles[BENCH_N_CHECKS]);

// Whether one of the checks that feel neighbours is faster than its level, with nothing that speaks against it.
bool checks_are_faster(const struct bench *bench, const struct bench_code *code, const double cycles[BENCH_N_CHECKS]);

// Whether the levels are known of the checks that count for the code; else the first one's that is not. BENCH_N_CHECKS:
// all are.
enum bench_check checks_unknown(const struct bench *bench, const struct target_job *job);

// How far n readings of a check together are from its level: relative, 0 where that is within the noise or the check
// does not count for the code. A departure too small to show in one round does show in all of them.
double checks_departure(const struct bench *bench, const struct bench_code *code, enum bench_check check,
                        const double *sorted, size_t n);

// What a check runs, for people: "independent loads are", and a plural's verb.
const char *checks_subject(enum bench_check check);

#endif
