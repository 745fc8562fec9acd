// When a program is worth measuring, by what others took. Such conditions travel with the programs to a machine that
// has nothing else to choose by. They are data: who makes them knows why, and what holds here does not.
#ifndef BENCH_CONDITION_H
#define BENCH_CONDITION_H

#include <stdbool.h>
#include <stddef.h>

// The cycles of a program's body lie in [low, high].
struct bench_term {
    size_t program; // its number
    double low, high;
};

enum { BENCH_MOST_TERMS = 4 };

// Terms that hold together. Rules are shared: what follows from the machine is looked at by thousands of programs.
struct bench_rule {
    struct bench_term terms[BENCH_MOST_TERMS];
    unsigned n_terms;
};

// A case in which a program is measured: its rule holds, and so do its own terms.
struct bench_case {
    size_t rule; // number of it
    struct bench_rule own;
};

// Whether one of the cases holds. `cycles`: of each program, NAN: no value, and no term of it holds.
bool bench_case_holds(const struct bench_rule *rules, const struct bench_case *cases, size_t n, const double *cycles);

#endif
