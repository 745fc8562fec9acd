// Private to survey/.
// Throughputs that are a little slower than those of other forms of their scheduling class. Mostly the form is slower.
// But code that loads vectors may be at another speed for seconds. Two looks
// may both find the slower speed, and say so with a narrow interval. Forms of one class that differ tell.
#ifndef SURVEY_TABLE_RECHECK_H
#define SURVEY_TABLE_RECHECK_H

#include "survey/table/table.h"

// A throughput and its form's class.
struct recheck_peer {
    const char *sched_class;
    const struct table_throughput *throughput;
};

// Whether two may be compared: they are of one class, and made in the same way.
bool recheck_are_alike(const struct recheck_peer *a, const struct recheck_peer *b);
// Order in which those that may be compared stand beside each other, the fastest first.
int recheck_compare_peers(const struct recheck_peer *a, const struct recheck_peer *b);
// Returns the names of the kernels of stable throughputs that are slower than a stable one of the same class, made in
// the same way, by more than 1 % and at most 15 %; and of the two fastest of these, the witnesses: where they are as
// slow now, all of them have two speeds (clusters.h). In the order of the names, each once.
const char **recheck_than_class(struct arena *arena, const struct survey_table *table, size_t *n);

#endif
