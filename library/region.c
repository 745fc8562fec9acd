// Regions for languages that cannot include cyclops_region.h.
#include "library/cyclops.h"

#if defined(__x86_64__) || defined(__aarch64__)
#include "library/cyclops_region.h"

struct cyclops_timed_region {
    struct cyclops_region region;
};

struct cyclops_timed_region *cyclops_timed_region_open(void) {
    return calloc(1, sizeof(struct cyclops_timed_region));
}

void cyclops_timed_region_begin(struct cyclops_timed_region *region) {
    cyclops_region_begin(&region->region);
}

void cyclops_timed_region_end(struct cyclops_timed_region *region) {
    cyclops_region_end(&region->region);
}

struct cyclops_timed_value cyclops_timed_region_value(const struct cyclops_timed_region *region) {
    struct cyclops_region_value value = cyclops_region_get(&region->region);
    return (struct cyclops_timed_value){value.cycles, value.low, value.high, value.n, value.why};
}

void cyclops_timed_region_close(struct cyclops_timed_region *region) {
    free(region);
}
#else
struct cyclops_timed_region *cyclops_timed_region_open(void) {
    return NULL;
}

void cyclops_timed_region_begin(struct cyclops_timed_region *region) {
    (void)region;
}

void cyclops_timed_region_end(struct cyclops_timed_region *region) {
    (void)region;
}

struct cyclops_timed_value cyclops_timed_region_value(const struct cyclops_timed_region *region) {
    (void)region;
    return (struct cyclops_timed_value){0};
}

void cyclops_timed_region_close(struct cyclops_timed_region *region) {
    (void)region;
}
#endif
