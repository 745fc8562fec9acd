// Evidence: measured times of multisets of forms, independent of each other, in a steady state. A form is any name;
// what it stands for is the caller's. Knows no port.
#ifndef INFER_EVIDENCE_H
#define INFER_EVIDENCE_H

#include "base/fail.h"
#include "base/index.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct evidence_term {
    unsigned form; // index into evidence.forms
    unsigned count;
};

struct evidence_item {
    struct evidence_term *terms; // by form, ascending; each form once
    unsigned n_terms, n_insns;   // n_insns: the sum of counts
    double cycles, low, high;    // measured, of the whole multiset, with its interval
    const char *id;              // of its record; or the file's line: "line 12"
    const char *set;             // the group of experiments it belongs to; "": the file does not state one
};

// A zeroed struct with an arena is empty.
struct evidence {
    struct arena *arena;
    const char **forms;
    size_t n_forms;
    struct evidence_item *items;
    size_t n_items;
    struct index names; // of forms
};

// Returns the index of the form with this name, which is added where it is new.
unsigned evidence_form(struct evidence *evidence, const char *name);

// Adds a multiset; terms may come in any order and repeat a form. `id` and `set` are kept as pointers.
void evidence_add(struct evidence *evidence, const struct evidence_term *terms, unsigned n_terms, double cycles,
                  double low, double high, const char *id, const char *set);

// Whether two are the same multiset; equal ones have equal hashes.
bool evidence_is_same(const struct evidence_item *a, const struct evidence_item *b);
uint64_t evidence_hash(const struct evidence_item *item);

// Reads a table, adding to what is there: lines of columns separated by tabs, where its first line has a tab, else by
// commas ("…" around a field that holds one). The first line names the columns: `cycles` and `forms` (PMEvo's
// `instructions(;-separated)` too); `low`, `high`, `id`, `set` where they are known; others are ignored. Forms are
// separated by semicolons; "3*NAME" stands for three. `relative`: half of the interval where the file has none,
// relative. Fails with the line that is wrong.
bool evidence_read(struct evidence *evidence, const char *path, double relative, struct fail *fail);

#endif
