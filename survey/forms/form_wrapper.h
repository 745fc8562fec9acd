// Private to this folder.
// Surroundings: what some forms need around them. A form that moves a stack or an address, or that changes a state, is
// not measured by itself: instructions in front of its copies and behind them put the state back. Their cost is in the
// value, which is an upper bound. Other forms only need a set-up that makes them legal.
#ifndef SURVEY_FORMS_FORM_WRAPPER_H
#define SURVEY_FORMS_FORM_WRAPPER_H

#include "gen/isa.h"

#include <stdbool.h>

// All texts are assembly in the syntax of forms' examples, and null where there is nothing. Instructions are separated
// by "; ".
struct form_wrapper {
    const char *opcodes; // patterns of shells, separated by blanks
    const char *why_not; // reason why the form is left out, one clause; null: it is measured, as follows
    const char *setup;
    const char *body;           // of the form, in place of its example's text
    const char *first, *last;   // once around all copies
    const char *before, *after; // around each copy
    unsigned copies;            // of the form in a body; 0: one
    // x87: number of the stack's register that the first copy names. Each further copy names the next one, so they do
    // not wait for each other. 0: all copies are the same.
    unsigned first_register;
    const char *implicit; // registers that it uses without naming them, as a kernel has them: "rax, rdx"
    const char *init;     // initial values: "s: memory"
    const char *load;     // loads the first operand's register back from where the form has stored it: "popq"
    const char *chain;    // fixed register through which plain copies form a chain: "st0"
    bool is_steady;       // plain copies, without what is around them, are measured, too
    bool is_fixed_place;  // all its accesses are where the set-up has written
    bool has_all_bits;    // its sources have all bits set: masks of what is stored
    // Without the set-up it faults, as in the probe, though the CPU has it.
    bool faults_alone;
};

// Returns null where the form needs nothing.
const struct form_wrapper *form_wrapper_find(const struct isa *isa, const char *opcode);

#endif
