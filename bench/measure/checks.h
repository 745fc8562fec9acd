// Private to this folder.
// Was the round alone on its core? The reference chain alone cannot show it. A neighbour, which a VM may not even see,
// takes issue slots and pipes. That hardly slows a chain of adds, but code bound by throughput may take twice its time.
// So each round also times checks (enum bench_check, level.h), whose cycles are known. Where one departs, the round or
// the value is doubted.
//  - Two checks always run.
//  - Each other one keeps one kind of unit as busy as possible. It runs where the code uses that kind, too.
// Not seen: a neighbour that has been as busy ever since the levels were found.
#ifndef BENCH_MEASURE_CHECKS_H
#define BENCH_MEASURE_CHECKS_H

#include "bench/target.h"

// Adds the checks that the code needs to the job. The session's own chains have all checks: their levels are first
// looked for there.
void checks_put(const struct bench *bench, struct target_job *job);

// Cycles per body of each check in this round, by the session's clock; 0: not timed, or worthless.
void checks_cycles(const struct bench *bench, const struct target_job *job, const struct target_round *round,
                   double cycles[BENCH_N_CHECKS]);

// Learns the levels from the rounds of the jobs of one process. True where a level became known or lower: earlier
// samples must be judged again.
bool checks_learn(struct bench *bench, const struct target_job *const *jobs, unsigned n_jobs);

// Whether all checks that count for `code` are near their levels; else sets `why`.
bool checks_agree(const struct bench *bench, const struct bench_code *code, const double cycles[BENCH_N_CHECKS],
                  enum bench_drop *why);

// Whether the medians of a value's checks agree with the current levels: they are nearer than another level would be.
bool checks_medians_agree(const struct bench *bench, const struct bench_code *code,
                          const double cycles[BENCH_N_CHECKS]);

// Whether a check that neighbours slow is faster than its level, while the multiply check is at its own.
bool checks_are_faster(const struct bench *bench, const struct bench_code *code, const double cycles[BENCH_N_CHECKS]);

// The first check that counts for the code and has no known level; BENCH_N_CHECKS: there is none.
enum bench_check checks_unknown(const struct bench *bench, const struct target_job *job);

// Distance of n readings of a check together from its level, relative; 0 within the noise, or where the check does not
// count for the code. Many rounds show a departure that is too small for one.
double checks_departure(const struct bench *bench, const struct bench_code *code, enum bench_check check,
                        const double *sorted, size_t n);

// Slowing of the code's kind by a state of the core, relative: 0, or the check's n readings above its level. Such a
// state may end at any time, so the truth is a range.
double checks_slowing(const struct bench *bench, const struct bench_code *code, enum bench_check check,
                      const double *sorted, size_t n);

// What a check runs, for people, with the verb: "independent loads are".
const char *checks_subject(enum bench_check check);

#endif
