// A neighbour that keeps the vector units of a core busy, for the tests of what such a one does to measured values.
//     hog CPU [ON_MS OFF_MS]     always, or in spells of ON_MS on average with pauses of OFF_MS on average
// Runs until it is killed. Six additions and six multiplications that do not wait for each other: that takes all vector
// pipes of the cores known.
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef float floats __attribute__((vector_size(16)));
typedef uint32_t integers __attribute__((vector_size(16)));

#ifdef __x86_64__
#define VECTOR(value) "x"(value)
#else
#define VECTOR(value) "w"(value)
#endif

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void keep_busy(uint64_t until_ns) {
    enum { TURNS = 20000 };
    floats f0 = {1, 1, 1, 1}, f1 = f0, f2 = f0, f3 = f0, f4 = f0, f5 = f0;
    integers u0 = {1, 2, 3, 4}, u1 = u0, u2 = u0, u3 = u0, u4 = u0, u5 = u0;
// The barrier makes the compiler compute each, in a register.
#define STEP(f, u)                                                                                                     \
    (f) *= (f);                                                                                                        \
    (u) += (u);                                                                                                        \
    __asm__ volatile("" : "+" VECTOR(f), "+" VECTOR(u));
    while (now_ns() < until_ns)
        for (int turn = 0; turn < TURNS; turn++) {
            STEP(f0, u0) STEP(f1, u1) STEP(f2, u2) STEP(f3, u3) STEP(f4, u4) STEP(f5, u5)
        }
}

// Between half of the mean and one and a half.
static uint64_t spell_ns(double mean_ms) {
    return (uint64_t)(mean_ms * 1e6 * (0.5 + drand48()));
}

static void be_quiet(uint64_t ns) {
    struct timespec pause = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    nanosleep(&pause, NULL);
}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 4) {
        fputs("usage: hog CPU [ON_MS OFF_MS]\n", stderr);
        return 2;
    }
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((unsigned)atoi(argv[1]), &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) {
        perror("hog");
        return 77;
    }
    srand48((long)now_ns());
    if (argc == 2)
        keep_busy(UINT64_MAX);
    for (;;) {
        keep_busy(now_ns() + spell_ns(atof(argv[2])));
        be_quiet(spell_ns(atof(argv[3])));
    }
}
