// Private to this folder.
// A statement in loops: which turn of them makes which write, and expressions that differ by turn.
#ifndef UPSTREAM_TD_LOOP_VALUES_H
#define UPSTREAM_TD_LOOP_VALUES_H

#include "upstream/td_plan.h"

// Numbers that a `let` sets.
enum td_loop_number { TD_LOOP_LATENCY, TD_LOOP_UOPS, TD_LOOP_CYCLES, TD_LOOP_N_NUMBERS };
extern const char *const td_loop_names[TD_LOOP_N_NUMBERS];
extern const enum td_field td_loop_fields[TD_LOOP_N_NUMBERS];

enum { TD_LOOP_MOST_VARIABLES = 6, TD_LOOP_MOST_TOKENS = 16, TD_LOOP_N_GROUPS = 7 };

// A write that a statement makes in one turn of its loops.
struct td_turn {
    size_t atom;
    struct slice values[TD_LOOP_MOST_VARIABLES]; // of the loops' variables
};

struct td_loop {
    unsigned line;
    struct td_statement statement;
    bool is_variant;    // operands choose one of two sets of numbers, which are its arguments
    const char *only;   // condition under which the statement is this model's; "": always
    unsigned ports;     // number of the argument that lists the resources
    struct slice group; // the loop variable of register groups; empty: no loop has one
    // The write's name: pieces of text, and variables.
    struct td_token {
        struct slice text;
        bool is_variable;
        unsigned variable;
    } tokens[TD_LOOP_MOST_TOKENS];
    unsigned n_tokens;
    struct slice variables[TD_LOOP_MOST_VARIABLES];
    unsigned n_variables;
    struct td_turn *turns;
    size_t n_turns;
    // By number: the line of the `let` that sets it (0: none does), its value there, and the value that this statement
    // needs, null: it stays.
    unsigned let_lines[TD_LOOP_N_NUMBERS];
    struct td_span let_spans[TD_LOOP_N_NUMBERS];
    const char *values[TD_LOOP_N_NUMBERS];
    bool is_in_table[TD_LOOP_N_NUMBERS]; // likewise: elements of a list by group say it, below
    struct td_loop_cell {
        enum td_loop_number number;
        unsigned uses; // of the list
        struct td_span span;
        const char *text;
    } * cells;
    size_t n_cells;
};

// A number in each turn, as the file has it and as it shall be; and the expression that says it now.
struct td_loop_change {
    const char *now, **from, **to;
};

// Reads how the statement names its writes. False: that is not understood.
bool td_loop_read_name(struct td_plan *plan, struct td_loop *loop);
// Finds the values of its variables that make this name. False: none do.
bool td_loop_match(const struct td_loop *loop, const char *name, struct td_turn *turn);
// Whether the write is that of operands of which nothing is special.
bool td_loop_is_last_choice(const char *write);
// Whether all its variables are known at this place in front of the statement.
bool td_loop_is_in_scope(const struct td_plan *plan, const struct td_loop *loop, size_t at);

// The expression that says it in all turns: a number, a rule by group, or the present one with exceptions.
const char *td_loop_value(struct td_plan *plan, const struct td_loop *loop, const struct td_loop_change *change);
// Where the expression at `span` is "GetLMULValue<[1, 2, 4], mx>.c", or a name of such: notes the elements that change.
void td_loop_try_table(struct td_plan *plan, struct td_loop *loop, enum td_loop_number number,
                       const struct td_loop_change *change, struct td_span span);
// Forgets lists whose name is also used for what does not change so.
void td_loop_settle_tables(struct td_loop *loop);
void td_loop_edit_tables(struct td_plan *plan, const struct td_loop *loop, enum td_loop_number number);

// Finds the last line in front of a place that begins with these words, behind blanks; null: no line does.
const char *td_last_word(const struct td_text *text, size_t before, const char *words);

#endif
