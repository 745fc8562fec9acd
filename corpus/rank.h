// Private to this folder.
// Statistics of pairs of numbers.
#ifndef CORPUS_RANK_H
#define CORPUS_RANK_H

#include <stddef.h>

struct rank_pair {
    float x, y;
};

// Returns Kendall's tau-b, -1 to 1: whether pairs in the order of x are in the order of y, too; ties count for neither.
// 0 where all x, or all y, are equal. Sorts the pairs. (W. R. Knight, 1966: n log n steps.)
double rank_tau(struct rank_pair *pairs, size_t n);

// Returns the median; 0 without numbers. Sorts them.
double rank_median(float *numbers, size_t n);

#endif
