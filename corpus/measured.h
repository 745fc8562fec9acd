// Measured values of blocks, one after the other: from the folder of a corpus, or from a CSV file of others. They need
// not fit into memory.
#ifndef CORPUS_MEASURED_H
#define CORPUS_MEASURED_H

#include "base/arena.h"
#include "base/fail.h"
#include "gen/program.h"
#include "lab/listener.h"

#include <stdbool.h>
#include <stddef.h>

enum value_kind { VALUE_STABLE, VALUE_UNSTABLE, VALUE_MISSING };

struct corpus_value {
    const char *hex;  // the block, hexadecimal
    const char *code; // what one iteration executes, hexadecimal: in a loop, some copies and the loop's own
    enum program_form form;
    enum value_kind kind;  // VALUE_MISSING: it could not run, and what follows means nothing
    double cycles;         // per iteration
    double low, high;      // ends of the interval with the clock's error, cycles
    unsigned pages;        // pages that one pass touches
    bool is_of_others;     // no `cyclops corpus run` measured it: as BHive's harness did
    bool starts_apart;     // general registers held addresses of their own; else one address
    bool memory_is_own;    // behind each page stood memory of its own; else all were one
    bool has_pages, walks; // `pages` is known; a longer run touches more
    const char *set;       // start values of registers and memory, gen/start_state.h's text; "": none
    bool starts_otherwise; // in a way that none of these states: code that ran before, another fill or first address
    const char *notes;     // what distorts the value, words with blanks between them; "": nothing is known
    const char *file;      // where it is from
    unsigned line;
};

struct measured_request {
    const char *const *folders; // of corpora
    size_t n_folders;
    const char *csv;    // or a CSV file ("-": standard input); null: folders
    const char *column; // title of the column with the values; null: found by its title, or the second
    double per;         // iterations that a value of the file is of; 0: by the column's title, or 100
    bool is_strict;     // a malformed line is a failure
    const struct lab_listener *listener;
};

struct measured;
// Null and a failure where there is nothing to read.
struct measured *measured_open(const struct measured_request *request, struct fail *fail);
// Reads the next value; its strings live in `arena`. False at the end, and where it fails.
bool measured_next(struct measured *measured, struct arena *arena, struct corpus_value *value, struct fail *fail);
size_t measured_malformed(const struct measured *measured); // lines that hold no value
void measured_close(struct measured *measured);             // null, too

#endif
