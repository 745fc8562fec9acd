// Twenty regions whose cycles are known on every x86-64 CPU: chains of additions (1 cycle each) and multiplies (3).
// Prints each value, and those that are wrong: outside of their interval, and not marked.
//     known [ROUNDS]
#include "cyclops_region.h"

#define TEXT(x) #x
#define CHAIN(adds, multiplies)                                                                                        \
    __asm__ volatile(                                                                                                  \
        ".rept " TEXT(adds) "\n\tadd %1, %0\n\t.endr\n\t.rept " TEXT(multiplies) "\n\timul %1, %0\n\t.endr"            \
        : "+r"(value)                                                                                                  \
        : "r"(step)                                                                                                    \
        : "cc")
#define MEASURE(turns, adds, multiplies)                                                                               \
    do {                                                                                                               \
        double wanted = (double)(turns) * ((adds) + 3.0 * (multiplies));                                               \
        memset(region, 0, sizeof *region);                                                                             \
        unsigned executions = (turns) > 1 ? 200 + 300000 / (turns) : 30000;                                            \
        for (unsigned i = 0; i < executions; i++) {                                                                    \
            cyclops_region_begin(region);                                                                              \
            for (unsigned turn = 0; turn < (turns); turn++)                                                            \
                CHAIN(adds, multiplies);                                                                               \
            cyclops_region_end(region);                                                                                \
        }                                                                                                              \
        judge(region, wanted);                                                                                         \
    } while (0)

static unsigned n, n_marked, n_wrong;

static void judge(const struct cyclops_region *region, double wanted) {
    struct cyclops_region_value value = cyclops_region_get(region);
    int is_wrong = value.why == NULL && !(value.low <= wanted && wanted <= value.high);
    n++;
    n_marked += value.why != NULL;
    n_wrong += (unsigned)is_wrong;
    printf("%8.0f  ", wanted);
    cyclops_region_print(region, is_wrong ? "WRONG" : "right", stdout);
}

int main(int argc, char **argv) {
    static struct cyclops_region regions[1], *region = regions;
    uint64_t value = 1, step = 3;
    for (int round = argc > 1 ? atoi(argv[1]) : 1; round > 0; round--) {
        MEASURE(1, 0, 0);
        MEASURE(1, 10, 0);
        MEASURE(1, 20, 0);
        MEASURE(1, 50, 0);
        MEASURE(1, 100, 0);
        MEASURE(1, 200, 0);
        MEASURE(1, 500, 0);
        MEASURE(1, 1000, 0);
        MEASURE(1, 0, 10);
        MEASURE(1, 0, 20);
        MEASURE(1, 0, 50);
        MEASURE(1, 0, 100);
        MEASURE(1, 31, 7);
        MEASURE(1, 7, 31);
        MEASURE(1, 100, 100);
        MEASURE(100, 100, 0);
        MEASURE(100, 20, 10);
        MEASURE(1000, 100, 0);
        MEASURE(10000, 100, 0);
        MEASURE(100000, 20, 0);
    }
    printf("%u values, %u marked, %u wrong\n", n, n_marked, n_wrong);
    return n_wrong != 0;
}
