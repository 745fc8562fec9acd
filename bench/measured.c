#include "bench/measured.h"

#include <math.h>

double measured_low(const struct bench_measurement *m) {
    return m->low * (1 - m->clock_error);
}

double measured_high(const struct bench_measurement *m) {
    return m->high * (1 + m->clock_error);
}

double measured_half_width(const struct bench_measurement *m) {
    return fmax(m->high - m->cycles, m->cycles - m->low) + m->clock_error * m->cycles;
}

bool measured_differ(const struct bench_measurement *a, const struct bench_measurement *b) {
    bool is_apart = measured_high(a) < measured_low(b) || measured_high(b) < measured_low(a);
    return is_apart && fabs(a->cycles - b->cycles) > MEASURED_LEAST_DIFFERENCE * fmin(a->cycles, b->cycles);
}
