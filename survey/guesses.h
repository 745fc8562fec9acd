// Private to this folder.
// What a bundle measures in case it follows from its other values: mixtures with fillers (slots.h). Which are wanted is
// known where the form's throughput is, and how wide the machine is. Numbers of fillers that do on machines of most
// widths are collected, with the cases in which they are measured. What is not among them needs another trip.
#ifndef SURVEY_GUESSES_H
#define SURVEY_GUESSES_H

#include "lab/collect.h"
#include "survey/experiments/experiments.h"

struct guesses {
    struct arena *arena;
    struct collect *collect;
    const struct slots_filler *filler; // null: none was collected
    struct bench_rule *rules;          // the filler takes a slot, and so many pass in a cycle: a width each
    struct bench_case *cases;          // of the experiment at hand
    size_t n_rules;
};

// Makes the rules of what was collected, and lets the collection ask for cases until its end.
void guesses_open(struct guesses *guesses, struct arena *arena, const struct isa *isa, struct collect *collect);

// Adds the mixtures of a form whose throughput was collected: those that are measured first, or those that may follow
// from these.
void guesses_add(const struct guesses *guesses, const struct shape *shape, bool is_next, struct experiment_list *out);

#endif
