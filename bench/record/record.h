// Measurement files: JSON Lines; each run appends a header line with its host and clock, then one object a measurement.
// A line that a killed run cut short is left as it is, and passed over in reading. Reader and writer side
// by side; the only owner of the format. Append-only: field names only ever get added.
#ifndef BENCH_RECORD_RECORD_H
#define BENCH_RECORD_RECORD_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/bench.h"
#include "bench/host/host.h"

#include <stdbool.h>
#include <stdio.h>

enum { RECORD_VERSION = 1, RECORD_MAX_PREDICTIONS = 4 };

// Where code of unknown origin could not go on.
struct record_fault {
    unsigned instruction, copy; // from 1, in the body and among its copies; 0: not known
    const char *text;           // of the instruction, in Intel's syntax where there is a choice
    const char *access;         // "read" or "write"; "": it was no access to memory
    const char *address;        // of the access, "0x10"; null: not known
    const char *explanation;    // one sentence without its full stop, for people
};

struct json_text;
void record_put_fault(struct json_text *json, const char *key, const struct record_fault *fault);

// The header line of a measurement file. `host` is null where the target is no real machine; `bench` where nothing is
// measured.
void record_put_header(struct json_text *json, const char *key, const struct host *host, const struct bench *bench);

// One line of a file. Strings are null where the file does not say.
struct record {
    unsigned run;  // which of the file's headers it stands under, from 1; 0: before any. Only set by reading
    unsigned line; // of the file, from 1. Likewise
    const char *kernel, *isa, *mode, *form, *arc, *instruction; // instruction: for people, "vfmadd231ps zmm"
    const char *placement; // of the memory that streams access, against each other: "own-lines"; null: of no meaning
    unsigned streams;      // "n"
    unsigned instructions; // in one body, the loop's own included where form is looped
    unsigned loop_instructions;        // of them, that are the loop's own; 0: as many as usual
    unsigned loop_branches;            // among those
    double executed;                   // of them in one iteration, branches followed; 0: not known. Not read
    const char *doubt;                 // why the number is not of what it claims to be; null: no reason. Not read
    const char *bytes;                 // of the body, hex; the loop's own included where form is looped
    const char *setup;                 // hash of what sets the initial values, 16 hex digits
    const char *beside, *beside_bytes; // kernel and code that another hardware thread ran meanwhile; null: none
    struct bench_measurement measurement;
    // Of a block, where it was measured or tried on a real machine; else null, and the rest means nothing.
    const struct record_block {
        const char *alias; // "disjoint", "same": of its registers at the start
        unsigned pages;    // that appeared where one pass through it touched memory
        bool walks;        // a longer run touched more
        int64_t drift;     // bytes that one pass moves the stack pointer by
        bool has_fault;    // it did not come to its end:
        struct record_fault fault;
    } * block;
    unsigned n_predictions;
    struct record_prediction {
        const char *model; // "llvm-19/znver5"
        double cycles;     // per body
        const char *bottleneck;
        const char *verdict, *blame; // "agrees", "differs", "unsure"; what of the model is to blame. Not read
    } predictions[RECORD_MAX_PREDICTIONS];
};

// Opens for appending ("-": standard output), so that an unwritable place is known before measuring starts, and for
// this program alone: two runs would mix their lines. Writes the header; `host` is null where the target is no real
// machine.
FILE *record_open(const char *path, const struct host *host, const struct bench *bench, struct fail *fail);
bool record_write(FILE *out, const struct record *record, struct fail *fail);

struct json_t; // jansson's

struct record_file {
    struct json_t **headers; // one a run
    size_t n_headers;
    struct record *records;
    size_t n_records;
    unsigned n_cut;    // lines that were cut short, and left out
    unsigned cut_line; // the last of them
};
// A line cut short (the last one, or one that a header follows) is left out; anything else that is wrong is a failure
// at its line. Success and failure both need record_file_close.
bool record_read(struct arena *arena, const char *path, struct record_file *file, struct fail *fail);
void record_file_close(struct record_file *file);

// Where the run that wrote `header` measured, seen from one on this host with this clock. RECORD_ELSEWHERE: the CPU or
// its surroundings, the target, a simulated CPU's model or the clock's tier is another. RECORD_OTHER_CPU: only the
// logical CPU is; code that needs assists, for one, may take another time there.
enum record_origin { RECORD_HERE, RECORD_OTHER_CPU, RECORD_ELSEWHERE };
enum record_origin record_origin(const struct json_t *header, const struct host *host, const struct bench *bench);
// The logical CPU of that run, where it was on this host; else -1.
int record_cpu(const struct json_t *header, const struct host *host);
// Did that run ask for no less than `options` do, and spend as much on it? Then measuring again leads no further.
bool record_tried_as_hard(const struct json_t *header, const struct bench_options *options);

#endif
