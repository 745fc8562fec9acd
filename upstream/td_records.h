// Private to this folder.
// What llvm-tblgen knows of a target's scheduling models: its records, evaluated, each with the place it is written at.
// It reads the text of `llvm-tblgen --print-detailed-records`, and keeps the records that scheduling needs.
#ifndef UPSTREAM_TD_RECORDS_H
#define UPSTREAM_TD_RECORDS_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

// Fields of records that are kept, in the text's own words; null: the record has none such.
enum td_field {
    TD_ACQUIRE_AT_CYCLES,
    TD_ALIAS_RW,
    TD_BASE_INSTR, // RISC-V: the instruction that a pseudo becomes
    TD_CYCLES,
    TD_INSTRS,
    TD_ISSUE_WIDTH, // of models, which edit_width looks for
    TD_LATENCY,
    TD_MATCH_RW,
    TD_NAME,
    TD_NUM_MICRO_OPS,
    TD_OPERAND_READ_WRITES,
    TD_PREDICATE,
    TD_PROC_RESOURCES,
    TD_READ_TYPE,
    TD_RELEASE_AT_CYCLES,
    TD_REPEAT,
    TD_SCHED_MODEL,
    TD_SCHED_RW,
    TD_SELECTED,
    TD_UNSUPPORTED,
    TD_VLEN, // RISC-V, of models that have it: bits of a vector register
    TD_VALID_WRITES,
    TD_VARIANTS,
    TD_WRITE_TYPE,
    TD_WRITES,
    TD_N_FIELDS
};

struct td_record {
    const char *name;
    const char *file; // name without folders
    unsigned line;    // of the statement that makes it: of the outermost `defm`, if there is one
    bool is_multiple; // a `defm` makes it
    const char *fields[TD_N_FIELDS];
    unsigned lines[TD_N_FIELDS]; // of the `let` that sets each, where it is in the same file; 0: it is not
};

struct td_records {
    const struct td_record *items; // by name
    size_t n_items;
};

// Reads a text, of which the records are copies. `nested`: null, or a file whose loops and multiclasses hold the
// numbers: a record's line is then that of the innermost statement in this file.
void td_records_read(struct arena *arena, struct slice text, const char *nested, struct td_records *records);
// Null: no record has that name.
const struct td_record *td_records_find(const struct td_records *records, const char *name);
// The elements of "[A, B]"; `n` is set to their number.
const char **td_list(struct arena *arena, const char *list, size_t *n);

#endif
