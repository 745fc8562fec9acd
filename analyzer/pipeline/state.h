// Private to this folder.
// The complete state of a simulation between two cycles as a row of numbers, relative to the cycle and the instruction
// that come next: two simulations of the same block with equal rows go on alike. Private to the pipeline.
// What follows from other parts of the state is left out, and so is what has no influence any more.
#ifndef ANALYZER_PIPELINE_STATE_H
#define ANALYZER_PIPELINE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct simulation;

// Words that a state takes at most.
size_t state_max_words(const struct simulation *sim);
// Writes the state; returns its length.
size_t state_write(const struct simulation *sim, uint64_t *words);
// Whether the state is this one.
bool state_is(const struct simulation *sim, const uint64_t *words, size_t n_words);

#endif
