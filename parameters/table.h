// Private to this folder.
// Parameters of a card as rows of one table: their names, units and what shows them. It has those of the experiments on
// banks, renaming and slots.
#ifndef PARAMETERS_TABLE_H
#define PARAMETERS_TABLE_H

#include "parameters/session.h"

enum parameter {
    LOADS_APART, // a family: by distance
    LOAD_BANK_WIDTH,
    LOAD_BANKS,
    LOAD_BANK_READS,
    STORES_TO, // a family: by order of the lines
    STORE_LINE_ORDER,
    CONSTANT_CHAIN, // a family: by form
    CONSTANT_RANGE,
    CONSTANT_THEN, // a family: by consumer
    MEMORY_FORM,   // a family: by form of store and load
    MEMORY_RENAMED_LATENCY,
    MEMORY_FORWARDED_LATENCY,
    MEMORY_DISTANCE,
    MEMORY_PAIRS,
    FLAGS_WAIT,  // a family: by instruction and consumer
    LOOP_COPIES, // a family: by slots of the loop
    FUSED_SLOTS, // a family: by pair, and whether in a loop
    STACK_SYNC,  // a family: by use of the stack pointer
    N_PARAMETERS
};

// The head of its entry. `member`: what it is of its family; null: it is alone.
struct card_entry parameter_head(struct arena *arena, enum parameter parameter, const char *member);

// Adds a value as a number (card_add_number), or why there is none. Returns whether there is one; `note` is its kind
// then, null: none.
bool parameter_add(struct session *session, const struct card_entry *head, const struct value *value, double near,
                   const char *note);

#endif
