// Random CPUs whose ports are known, what would be measured on them, and how much of it ports_infer finds: for tests.
#ifndef INFER_TESTING_PORTS_H
#define INFER_TESTING_PORTS_H

#include "infer/ports.h"

struct testing_cpu {
    struct port_map map; // the truth, by form
    const char **names;
    unsigned n_forms;
    double noise;   // standard deviation, relative
    uint64_t state; // of random numbers
};

struct testing_score {
    unsigned n_forms, n_right; // forms with uops; those whose chosen recipe is the true one, up to renaming
    unsigned n_certain, n_certain_wrong;
    double error; // mean relative error of random multisets of 3 to 10 forms, by the map that was chosen
};

enum testing_kind {
    TESTING_VISIBLE, // ports that compete are fewer than dispatch is wide
    TESTING_ANY,     // there may be sets that dispatch hides, so that no experiment tells them apart
    TESTING_HIDDEN,  // visible, but one set has no one-uop form
};

// `seed` decides about all of it; `n_ports`: 6 to 17.
void testing_cpu_make(struct arena *arena, struct testing_cpu *cpu, unsigned seed, unsigned n_ports, double noise,
                      enum testing_kind kind);
// Each form alone, each pair balanced and with either side doubled, and each form behind fillers.
// `few`: pairs only with the first one-uop form of each set, as a campaign with sentinels does.
void testing_cpu_measure(struct testing_cpu *cpu, bool few, struct evidence *evidence);
// One more experiment.
void testing_cpu_try(struct testing_cpu *cpu, struct evidence *evidence, const struct evidence_term *terms, unsigned n);
struct testing_score testing_cpu_compare(struct testing_cpu *cpu, const struct ports *ports);

#endif
