// Private to this folder.
// A new scheduling model on its way: which numbers each write and read of the target gets, and the text of it all.
#ifndef UPSTREAM_TD_NEW_TEXT_H
#define UPSTREAM_TD_NEW_TEXT_H

#include "upstream/td_model.h"
#include "upstream/td_new.h"
#include "upstream/td_ports.h"

enum { TD_ROW_MOST_ATOMS = 8 };
static const char td_new_processor[] = "cyclops-new"; // of the model while it is tried

// Numbers of a write: one latency, and what it holds.
struct td_cost {
    unsigned latency, slots, serial, n_uses;
    struct td_use uses[TD_EXPORT_MOST_USES];
};

// An opcode of the CPU file that the target has.
struct td_row {
    struct td_export export;
    const char **operands; // the target's SchedReadWrites: writes, then reads
    size_t n_operands;
    unsigned n_writes;
    unsigned atoms[TD_ROW_MOST_ATOMS], places[TD_ROW_MOST_ATOMS],
        n_atoms;     // numbers of writes, and which write each is of
    bool is_apart;   // it gets an InstRW
    bool is_joined;  // sets of pipes of it became one, as LLVM starts all in one cycle
    bool is_widened; // a set of pipes of it has no group: LLVM has not so many
};

// A SchedWrite, or a SchedRead, of the target.
struct td_write {
    const char *name;
    bool is_chosen;
    struct td_cost cost;
    size_t n_like, n_opcodes; // that have these numbers; all of it
};
struct td_read {
    const char *name;
    int cycles;
    size_t n_like, n_opcodes;
};

struct td_new {
    struct arena *arena;
    const struct td_new_request *request;
    const struct model *model;
    const char *name, *prefix; // "Znver5Model", "Znver5"
    bool has_x86_registers;    // the target has GR64 and its like
    struct td_ports ports;
    struct td_row *rows; // by opcode
    size_t n_rows;
    struct td_write *writes;
    size_t n_writes;
    struct td_read *reads;
    size_t n_reads;
};

// Adds a read that is not there yet; returns it.
struct td_read *td_new_read(struct td_new *new, const char *name);
// Gives writes and reads the numbers of most of their opcodes, and marks the opcodes that differ.
void td_new_choose(struct td_new *new);
// A parameter of the CPU file, as a whole number.
struct td_new_number td_new_parameter(const struct td_new *new, enum cpu_parameter parameter);
// Sets the text, and all that can be counted without llvm-tblgen.
void td_new_write(struct td_new *new, struct td_new_result *result);
// The same tables as an overlay without a base, which the simulator reads.
const char *td_new_overlay(const struct td_new *new);
// Null, or why the records do not come to the row's numbers.
const char *td_new_compare(const struct td_new *new, struct td_model *model, const struct td_row *row);

#endif
