// The least time in which ports can do work where each piece may go to any port of its set: what the best spread takes.
// Not a schedule: it knows no order, window or latency.
#ifndef ANALYZER_PREDICT_PORT_SPREAD_H
#define ANALYZER_PREDICT_PORT_SPREAD_H

#include "analyzer/cpu/cpu.h"

// Returns cycles: the most that any set of ports is kept busy by what must go there, divided by its ports. It is enough
// to try unions of the given sets (Hall's theorem). Of more than 512 unions over more than 20 ports, only the first 512
// are tried: then it is a lower bound. Equal sets may be given more than once. `ports`: the set that decides, 0: there
// is no work; may be null.
double port_spread(const struct cpu_use *work, unsigned n, uint64_t *ports);

#endif
