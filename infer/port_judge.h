// How well a port map predicts times that it was not made from.
#ifndef INFER_PORT_JUDGE_H
#define INFER_PORT_JUDGE_H

#include "infer/ports.h"

struct port_judgement {
    size_t n;                   // multisets that are judged
    size_t n_seen;              // those that are evidence as well: not judged
    size_t n_unknown;           // those with a form that the evidence does not have, or has no time of: not judged
    size_t n_unexplained;       // those with a form that no hypothesis explains: not judged
    double mean, median, p90;   // relative error
    double bias;                // mean of (predicted - measured) / measured
    double mean_sum, mean_most; // error of the sum of times alone, and of the longest one, on the same multisets
};

// `items` are of the same forms as the evidence of `ports`; those of fewer than `least` different forms do not count.
struct port_judgement port_judge(struct arena *arena, const struct ports *ports, const struct evidence *judged,
                                 unsigned least);

#endif
