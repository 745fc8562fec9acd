// Private to this folder.
// Instruction tables of several machines, form by form: which of them have one model and microcode, and where values
// differ (table_machines.h).
#ifndef REPORT_TABLE_MATRIX_H
#define REPORT_TABLE_MATRIX_H

#include "report/table_machines.h"

// How near two tables are. Each kind has a limit of its own for what differs by chance.
enum matrix_kinship {
    MATRIX_ONE_KIND,   // of one model and microcode
    MATRIX_MICROCODES, // of one model, with another microcode
    MATRIX_MODELS,     // of two models
    MATRIX_N_KINSHIPS,
};

// Tables of one model and microcode.
struct matrix_group {
    const char *name; // of its first table
    const char *cpu;
    const char *model; // the same without its microcode
    size_t *members;   // numbers of machines
    size_t n_members;
};

// One form in all tables: rows by number of the machine; null: it does not have the form.
struct matrix_form {
    const char *name;
    const struct table_row **rows;
};

struct matrix {
    struct arena *arena;
    const struct table_machine *machines;
    size_t n_machines;
    struct matrix_group *groups;
    size_t n_groups;
    struct matrix_form *forms; // by name
    size_t n_forms;
    // Fewest standard deviations by which values differ, and how many pairs of values that is found from.
    double least_deviations[MATRIX_N_KINSHIPS];
    size_t n_compared[MATRIX_N_KINSHIPS];
};

enum matrix_quantity { MATRIX_LATENCY, MATRIX_THROUGHPUT, MATRIX_SLOTS, MATRIX_N_QUANTITIES };

// A value of a row that others have as well.
struct matrix_value {
    enum matrix_quantity quantity;
    const struct table_latency *latency; // else null
    const struct table_value *value;     // null: the row has none
};

// `form`: only this one; it fails where no table has it. Null: all forms. What differs is found of all, so that it is
// the same in both.
bool matrix_make(struct arena *arena, const struct table_machine *machines, size_t n, const char *form,
                 struct matrix *matrix, struct fail *fail);

// Returns the group's row of the form, of the first of its tables that has one; null: none has, or could measure it.
const struct table_row *matrix_row(const struct matrix *matrix, const struct matrix_form *form, size_t group);

bool matrix_is_anywhere(const struct matrix *matrix, const struct matrix_form *form); // whether any group has one

// Sets the row's values, one after the other; false behind the last one. `i`: 0 first. A row may be null.
bool matrix_next(const struct table_row *row, size_t *i, struct matrix_value *value);
// Returns what the row has of the same quantity and operands; null: nothing.
const struct table_value *matrix_same(const struct table_row *row, const struct matrix_value *wanted);
// Whether a group's value is known in any of them, and no group before it has one of the same: then it gets a line.
bool matrix_is_first(const struct matrix *matrix, const struct matrix_form *form, size_t group,
                     const struct matrix_value *value);

enum matrix_kinship matrix_kinship(const struct matrix *matrix, size_t group, size_t other);

// Whether two values of one quantity differ: -1: the second one is smaller; 1: it is larger; 0: they do not, or cannot
// be compared. Either may be null.
int matrix_values_differ(const struct matrix *matrix, enum matrix_kinship kinship, const struct table_value *a,
                         const struct table_value *b);
// Whether a value of this quantity differs between two groups.
bool matrix_groups_differ(const struct matrix *matrix, const struct matrix_form *form, size_t group, size_t other,
                          enum matrix_quantity quantity);
// Whether one does between any two groups.
bool matrix_form_differs(const struct matrix *matrix, const struct matrix_form *form);

// A value that differs between two tables.
struct matrix_move {
    const char *form, *before_name, *after_name;
    struct matrix_value before;
    const struct table_value *after;
    double factor; // of the larger one to the smaller one
};
struct matrix_moves {
    struct matrix_move *items;
    size_t n;
    size_t n_by_sign[MATRIX_N_QUANTITIES][2]; // smaller ones, larger ones
};
struct matrix_moves matrix_find_moves(const struct matrix *matrix, size_t before, size_t after); // between two groups
// Between the first table of a group and another one of it, which makes the host, its state or a neighbour the reason.
struct matrix_moves matrix_find_disagreements(const struct matrix *matrix, const struct matrix_group *group,
                                              size_t member);
void matrix_sort_moves(struct matrix_moves *moves);                                // the largest first
const char *matrix_move_text(struct arena *arena, const struct matrix_move *move); // "slots: 1 in A, 2 in B"

// What lets a reader of the page judge values as these functions do.
bool matrix_can_be_compared(const struct table_value *value);

#endif
