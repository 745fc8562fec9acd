// Values for tests.
#ifndef CHECK_TESTING_VALUES_H
#define CHECK_TESTING_VALUES_H

#include "check/values.h"

// A stable value with an interval of ±`half`.
static inline struct check_value testing_value(const char *form, const char *class_name, enum check_quantity quantity,
                                               double cycles, double half) {
    return (struct check_value){.form = form,
                                .class_name = class_name,
                                .quantity = quantity,
                                .detail = quantity == CHECK_LATENCY ? "1 → 0" : "",
                                .how = "",
                                .source = quantity == CHECK_LATENCY ? "1" : "",
                                .destination = quantity == CHECK_LATENCY ? "0" : "",
                                .confidence = 0.99,
                                .value = {.is_known = true,
                                          .cycles = cycles,
                                          .low = cycles - half,
                                          .high = cycles + half,
                                          .verdict = MEASURED_WITHIN}};
}

#endif
