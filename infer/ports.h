// Port sets from times alone: what ports each form's uops may go to, as far as evidence decides it. Never more certain
// than the evidence: each form has all hypotheses that its experiments allow.
// How: docs/how-it-works/infer.md. Knows no name of a port, and no form but by its times.
#ifndef INFER_PORTS_H
#define INFER_PORTS_H

#include "infer/evidence.h"
#include "infer/port_map.h"

struct ports_options {
    double tolerance; // relative difference that no hypothesis is rejected for
    double excess;    // relative time beyond a prediction that no hypothesis is rejected for: ports are not chosen in
                      // the best way, and schedulers fill. Above 0, what nothing fits has what is nearest
    double slack;     // intervals are widened by this factor before they reject a hypothesis
    double steps;     // predictions to spend, all in all; a form whose search they end is not certain
};

enum ports_state {
    PORTS_UNMEASURED,  // the evidence has no time of the form alone
    PORTS_CERTAIN,     // one hypothesis is left
    PORTS_AMBIGUOUS,   // several are left, or several maps of the cluster; the first is the choice
    PORTS_DOUBTED,     // one is left, but it has fewer uops than slots, or was not measured beside each base, or an
                       // experiment with other forms contradicts it or has one that nothing explains; or nothing fits,
                       // and it is the nearest that no experiment is too short for, or its cluster is strained
    PORTS_CUT,         // the search ended before it was through
    PORTS_DISPATCH,    // no experiment shows that it needs a port
    PORTS_UNEXPLAINED, // no hypothesis explains its experiments
    N_PORTS_STATES,
};
extern const char *const ports_state_names[N_PORTS_STATES];

struct ports_form {
    enum ports_state state;
    double alone, alone_low, alone_high; // cycles alone; 0: not measured
    struct port_recipe *hypotheses;      // all that the evidence allows, best first, up to renaming
    size_t n_hypotheses, n_all;          // n_all: how many there are; the best 64 are kept
    bool is_base;                        // it is the one-uop form by which others of its set are measured
    bool is_near;                        // nothing fits: hypotheses are the nearest that are never too long
    unsigned n_items;                    // experiments that decided about it
    unsigned slots_mask;                 // slots that the evidence allows: bit s for s
};

struct ports_cluster {
    uint64_t ports;
    size_t n_families; // maps of its one-uop forms that the evidence allows, up to renaming; the first is chosen
    bool is_cut;       // there may be more
    // Ports of one-uop forms of which a pair takes longer than any map has it: the nearest one is taken.
    uint64_t strained;
};

struct ports {
    const struct evidence *evidence;
    struct ports_options options;
    struct port_map map; // the choice for each form; where there is none, its time alone on a port of its own
    struct ports_form *forms;
    struct ports_cluster *clusters;
    size_t n_clusters;
    size_t *conflicts; // items above the sum of their forms' times: forms that disturb each other. No port map has such
    size_t n_conflicts;
    size_t *slower; // items that take longer than the same multiset does in another order. Their ports are the same, so
                    // something else delays them
    size_t n_slower;
    bool *is_unused; // by item: conflicts, and what is slower
    struct ports_experiment {
        struct evidence_term terms[6];
        unsigned n_terms;
        double splits; // hypotheses of some form or cluster that it can tell apart from the choice
    } * next;          // experiments that would decide most of what is open
    size_t n_next;
};

// `evidence` outlives the result. The same evidence gives the same result.
void ports_infer(struct arena *arena, const struct evidence *evidence, const struct ports_options *options,
                 struct ports *ports);

// What a prediction of the item must lie within to fit it, cycles.
struct ports_band {
    double low, high;
};
struct ports_band ports_band_of(const struct ports *ports, size_t item);

// Of what is measured under the best conditions; of a real CPU's pairs.
static const struct ports_options ports_measured = {.tolerance = 0.025, .excess = 0.06, .slack = 2.5, .steps = 2e8};
static const struct ports_options ports_defaults = {.tolerance = 0.02, .excess = 0, .slack = 2.5, .steps = 2e8};

#endif
