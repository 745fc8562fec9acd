// Measured values to judge: those of a survey's instruction table, or of measurement files. Each has a key made of
// names, which is the same in another file of the same experiment.
#ifndef CHECK_VALUES_H
#define CHECK_VALUES_H

#include "base/arena.h"
#include "base/fail.h"
#include "lab/listener.h"
#include "survey/table/table.h"

#include <stdbool.h>
#include <stddef.h>

enum check_quantity { CHECK_LATENCY, CHECK_THROUGHPUT, CHECK_SLOTS, CHECK_BLOCK, CHECK_N_QUANTITIES };
const char *check_quantity_name(enum check_quantity quantity); // "latency", "throughput", "slots", "block"

struct check_value {
    const char *form;       // opcode of LLVM's ("VADDPSYrr"), or the name of a kernel or block
    const char *class_name; // LLVM's scheduling class; without one, the form
    const char *example;    // instruction as text; null: unknown
    enum check_quantity quantity;
    // What tells it from other values of its form: of latencies "1 → 0"; of throughputs "to one address"; of
    // measurement files also the number of streams and the like. "": nothing.
    const char *detail;
    const char *source, *destination; // of latencies, as in struct table_latency; else ""
    bool is_to_others;                // likewise
    // Of a latency that is until the form's own kind has the result: cycles until others have it, which is later; 0:
    // they are not known to wait longer (check/forwarding.h).
    double to_others;
    // Measured cycles of such a value, where `value` has been made to accept every number from there to `to_others`; 0:
    // it has not (check/forwarding.h).
    double to_own_kind;
    const char *how; // of measurement files: arc, form, placement, set-up; else ""
    // CHECK_THROUGHPUT of measurement files: copies side by side, of which the value is one's cycles. One stream, and
    // few of them, show a latency where copies depend on each other. 0: a survey, whose value is the throughput itself
    unsigned streams;
    struct table_value value; // CHECK_SLOTS: in slots
    // Machine code with the form in it, hex; null: it was not measured. Here and in the value's parts, "d77f000d:" may
    // be in front: what ran before, and sets a state that costs depend on.
    const char *code;
    double confidence; // of the interval, 0 to 1
    // A throughput of stores that lines of a cache may limit: an upper bound to a model, which has none
    // (check/stores.h).
    bool waits_for_lines;
    // By a repair: no number of the model changes for it, and none may come to be further from it than LLVM's is.
    bool is_kept_only;
    bool is_for_hardware_only; // no model is held against it: it is that of stores to one address, and they wait there
};

// A measured loop of several forms (survey/mixtures.h). It is no value of a form: it makes no finding, and judges
// models.
struct check_mixture {
    const char *name, *about; // as in struct table_mixture
    enum table_mixture_use use;
    struct check_value value; // a CHECK_BLOCK of that name: cycles of a pass through the loop
};

// A table's values do not keep the confidence of their measurements, which has this default (bench/bench.h).
#define CHECK_USUAL_CONFIDENCE 0.99

// Whether a model may be below the value: it is an upper bound, at least to a model.
bool check_value_is_bound(const struct check_value *value);

struct check_results {
    const char *path;                 // first of the files or folders, for people
    const char *machine;              // for people: CPU and microcode
    const char *clock;                // for people: which clock, and its error
    struct date_range when;           // when they were measured
    const char *repeat_options;       // for table_repeat
    const struct check_value *values; // by check_value_compare
    size_t n_values;
    size_t n_forms;                       // forms, kernels and blocks among them
    const struct check_mixture *mixtures; // of a survey, by name
    size_t n_mixtures;
    const char *const
        *left_out; // forms that a survey does not try to measure, such as those that the CPU lacks; sorted
    size_t n_left_out;
};

// Machine, clock and date, for people: "AMD EPYC 9B45 …; ratio clock, ±0.02 %; 2026-11-27T00:17Z".
const char *check_results_origin(struct arena *arena, const struct check_results *results);

// What was measured of the form, for people: "latency 1 → 0", "throughput", "one stream, looped", "each of 7 streams,
// looped".
const char *check_value_label(struct arena *arena, const struct check_value *value);

// Returns the index of a form's first value; n: it has no value. `values`: by check_value_compare.
size_t check_values_find_form(const struct check_value *values, size_t n, const char *form);

// Order by form, quantity and detail; 0: the same value.
int check_value_compare(const struct check_value *a, const struct check_value *b);

// Reads the folders of a survey, or measurement files. Fails where both are mixed, or as table_read and record_read do.
// Of the throughputs of a form, the one in the table counts; of stores also that to one address. Values that did not
// run are there, not known.
bool check_results_read(struct arena *arena, const char *const *paths, size_t n, const struct lab_listener *listener,
                        struct check_results *results, struct fail *fail);

#endif
