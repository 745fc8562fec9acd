// What the kept samples show so far.
#include "bench/measure/sampling.h"

#include <stddef.h>
#include <string.h>

const double *sampling_sorted(struct sampling *sampling, size_t offset) {
    for (size_t i = 0; i < sampling->n_kept; i++)
        memcpy(&sampling->sorted[i], (const char *)&sampling->samples[i] + offset, sizeof(double));
    statistics_sort(sampling->sorted, sampling->n_kept);
    return sampling->sorted;
}

void sampling_take_look(struct sampling *sampling) {
    size_t n = sampling->n_kept;
    struct sampling_look *look = &sampling->look;
    double confidence = statistics_look_confidence(SAMPLING_CONFIDENCE, ++sampling->n_looks);
    double step = statistics_median(sampling_sorted(sampling, offsetof(struct sample, step)), n);
    const double *sorted = sampling_sorted(sampling, offsetof(struct sample, cycles));
    for (size_t i = 0; i < n; i++)
        sampling->scratch[i] = sampling->samples[i].cycles;
    look->n_batches = sampling->n_batches;
    look->median = statistics_median(sorted, n);
    look->step = step * look->median;
    look->effective = statistics_effective_count(sampling->scratch, n, look->median, look->step);
    look->interval = statistics_median_interval(sorted, n, look->effective, confidence);
    look->interval.confidence -= (1 - SAMPLING_CONFIDENCE) * (1 - 1.0 / sampling->n_looks); // the cost of earlier looks
    look->has_modes = statistics_two_modes(sorted, n, look->step, look->modes);
}
