// Private to this folder.
// An opcode whose numbers are looked for: its plain form, what was measured of it, and what is found so far.
#ifndef INFER_SUBJECT_H
#define INFER_SUBJECT_H

#include "analyzer/code/form.h"
#include "check/predictor.h"
#include "check/values.h"
#include "infer/numbers.h"

struct subject {
    const struct form *form;
    const struct check_value *values;
    size_t n_values;
    struct numbers numbers;
    bool is_known;   // a latency of it is measured by itself
    bool is_settled; // its part of a sum is decided
};

// The model as it is so far, and an instruction by it.
struct subject_view {
    struct arena *arena; // for what is looked at
    struct arena *kept;  // for what is found
    struct predictor *predictor;
    const struct cpu *cpu;
    uint64_t scalar_pipes; // of plain operations of general registers; 0: unknown
};

// Whether a measured time is told from another one: by more than the interval, 2 % and 0.02 cycles.
bool subject_differs(const struct check_value *value, double cycles, double other);

// Sets the recipe of its instruction. False: no code holds it.
bool subject_recipe(const struct subject_view *view, const struct subject *subject, struct cpu_recipe *recipe);

// Latencies that are measured by themselves.
void subject_take_latencies(const struct subject_view *view, struct subject *subject);
bool subject_is_of_address(const struct check_value *value); // whether its source is a register of an address
// Sets latency to the slowest result, where a sum shows that it is off by so much.
void subject_change_latency(const struct subject_view *view, struct subject *subject, double change);
// Lets the result come so much later from the source of a sum, and from others as before. `missing`: of the sum.
void subject_delay_source(const struct subject_view *view, struct subject *subject, const struct check_value *value,
                          double missing);
// What it stores after it has loaded it, through memory.
void subject_take_memory(const struct subject_view *view, struct subject *subject);
// Slots; then pipes, by its throughput.
void subject_take_slots(const struct subject_view *view, struct subject *subject);
void subject_take_throughput(const struct subject_view *view, struct subject *subject);

#endif
