// Measurement files: JSON Lines. Each run appends a header line with its host and clock, then one object per
// measurement. A line that a killed run cut short stays in the file; the reader skips it, and others that are damaged.
// Only this module knows the format. Later versions may add fields, but do not rename or remove them.
#ifndef BENCH_RECORD_RECORD_H
#define BENCH_RECORD_RECORD_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/bench.h"
#include "bench/host/host.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum { RECORD_VERSION = 1, RECORD_MAX_PREDICTIONS = 4 };

// Place of a fault in code of unknown origin.
struct record_fault {
    unsigned instruction, copy; // index in the body, and of the body among its copies, from 1; 0: unknown
    const char *text;           // the instruction, in Intel's syntax where there is a choice
    const char *access;         // "read" or "write"; "": not an access to memory
    const char *address;        // address of the access, "0x10"; null: unknown
    const char *explanation;    // one sentence without its full stop, for people
};

struct json_text;
void record_put_fault(struct json_text *json, const char *key, const struct record_fault *fault);

// Adds the header line of a measurement file. `host` is null where the target is not a real machine, `bench` where
// nothing is measured.
void record_put_header(struct json_text *json, const char *key, const struct host *host, const struct bench *bench);

// One measurement of a file. Strings that the file does not have are null.
struct record {
    unsigned run;  // number of the header above it in the file, from 1; 0: before any, or below a damaged one. Set by
                   // reading only
    unsigned line; // line of the file, from 1. Set by reading only
    const char *kernel, *isa, *mode, *form, *arc, *instruction; // instruction: for people, "vfmadd231ps zmm"
    const char *placement;      // placement of the streams' memory accesses: "own-lines"; null: has no meaning here
    unsigned streams;           // number of streams, "n"
    unsigned instructions;      // instructions in one body, the loop's own included where form is looped
    unsigned loop_instructions; // the loop's own among them; 0: the usual number
    unsigned loop_branches;     // branches among the loop's own
    double executed;            // instructions executed in one iteration; 0: unknown. Not read
    const char *doubt;          // reason to doubt that the number means what it claims; null: no reason. Not read
    const char *bytes;          // machine code of the body, hex; the loop's own included where form is looped
    const char *setup;          // hash of the code that sets the initial values, 16 hex digits
    const char *setup_bytes; // machine code before the loop, hex; null: it sets registers and memory, and nothing else
    const char *corunner, *corunner_bytes; // kernel and machine code of the co-runner; null: no co-runner
    struct bench_measurement measurement;
    // Findings on a block that was measured or tried on a real machine; null: none. Its fault is not read.
    const struct record_block {
        const char *alias;   // values of its registers at the start: "disjoint", "same"
        const char *memory;  // what stands behind its pages (bench_memory_name); null: views of a few real pages
        const char *set;     // values that the user gave registers and memory, gen/start_state.h's text; null: none
        const char *init;    // machine code that ran before it, hex; null: none
        const char *made_up; // symbols of made-up memory, which nothing defines, blanks between them; null: none
        unsigned pages;      // pages that appeared where one pass through it touched memory
        bool walks;          // a longer run touched more pages
        int64_t drift;       // movement of the stack pointer by one pass, bytes
        unsigned copies;     // copies of the body in one iteration: a straight line between two branches. Not read
        bool has_own_branch; // looped: its own branch is the loop, and the value is per turn
        uint64_t turns;      // turns of the loop in one iteration; 0: unknown, or not a loop. Not read
        unsigned ran;        // instructions that ran at all, without those that do nothing. Not read, as the next three
        unsigned ran_of;     // all of them; 0: there are no branches inside, or the run was not recorded
        bool has_idle_loop;  // a loop inside did not run
        size_t idle_loop;    // offset of its first instruction, bytes
        const char *notes;   // what distorts its value, words with blanks between them; null: nothing is known
        bool has_fault;      // it did not reach its end, because of `fault`
        struct record_fault fault;
    } * block;
    unsigned n_predictions;
    struct record_prediction {
        const char *model; // "llvm-19/znver5"
        double cycles;     // cycles per body
        const char *bottleneck;
        const char *of;              // what was simulated: "turn", "run"; null: the text, a straight line. Not read
        const char *verdict, *blame; // "agrees", "differs", "unsure"; the number of the model to blame. Not read
        // By a CPU file: its instructions, and those with a number of LLVM's; what the file does not know. Not read
        bool is_own;
        unsigned n_insns, n_by_llvm;
        const char *addresses; // "run", "static"
        const char **notes;
        size_t n_notes;
    } predictions[RECORD_MAX_PREDICTIONS];
};

// Opens a file for appending ("-": standard output), and writes the header. Call it before measuring starts. Fails
// where the file cannot be written, or another run writes to it. `host` is null where the target is not a real machine.
FILE *record_open(const char *path, const struct host *host, const struct bench *bench, struct fail *fail);
bool record_write(FILE *out, const struct record *record, struct fail *fail);

// The machine code as a model takes it, hex: that of the body, behind its set-up and a colon where the record has one.
const char *record_code(struct arena *arena, const struct record *record);

struct json_t; // jansson's

// Lines that were left out, as they are not JSON: one that a killed run cut short, or a damaged one.
struct record_damage {
    unsigned n;         // lines
    unsigned line;      // number of the last one, from 1
    unsigned n_no_kill; // of them, those that no killed run leaves
    unsigned n_good;    // lines that are JSON
    bool is_headless;   // what follows stands below a header that was left out
    struct fail cut;    // of a line that was cut short; only the next one shows whether a killed run ended there
    struct fail first;  // of the first line that no killed run leaves
};
// Returns the sentence about them, without its full stop; null: no line was left out.
const char *record_damage_text(struct arena *arena, const char *path, const struct record_damage *damage);

struct record_file {
    struct arena *arena;     // of its strings and records
    struct json_t **headers; // one per run
    size_t n_headers;
    struct record *records;
    size_t n_records;
    struct record_damage damage;
    // Where record_read_on goes on.
    off_t end;        // bytes read
    unsigned n_lines; // whole ones among them
};
// Reads a file. Leaves out lines that are not JSON, unless all are so and no killed run explains it. Fails at any other
// wrong line.
// Success and failure both need record_file_close.
bool record_read(struct arena *arena, const char *path, struct record_file *file, struct fail *fail);
// The same of the headers and the first measurement alone: a whole survey's other ones take seconds.
bool record_read_headers(struct arena *arena, const char *path, struct record_file *file, struct fail *fail);
// Reads what was added since. Of a file that has only its arena, nothing was read yet. Records that were read before
// stay where they are, but for the list of them.
bool record_read_on(const char *path, struct record_file *file, struct fail *fail);
void record_file_close(struct record_file *file);

// A file read measurement by measurement: it may be larger than memory.
struct record_stream;
// Fails where the file cannot be opened. record_stream_close ends success and failure (null).
struct record_stream *record_stream_open(const char *path, struct fail *fail);
// Reads the next measurement; its strings live in `arena`. False at the end, and at a wrong line, which is a failure as
// in record_read.
bool record_stream_next(struct record_stream *stream, struct arena *arena, struct record *record, struct fail *fail);
// The header above the last measurement read; null: no header. It lives until the next measurement is read.
const struct json_t *record_stream_header(const struct record_stream *stream);
// What was left out so far.
const struct record_damage *record_stream_damage(const struct record_stream *stream);
void record_stream_close(struct record_stream *stream);

// Where the run that wrote `header` measured, compared with this host and clock.
//  - RECORD_OTHER_CPU: only the logical CPU differs. Code that needs assists, for example, may take another time.
//  - RECORD_ELSEWHERE: the kind of CPU, microcode, hypervisor, target, simulated model or clock differs.
enum record_origin { RECORD_HERE, RECORD_OTHER_CPU, RECORD_ELSEWHERE };
enum record_origin record_origin(const struct json_t *header, const struct host *host, const struct bench *bench);
// Whether two runs measured on the same kind of core with the same microcode, as far as both headers state it.
bool record_is_same_cpu(const struct json_t *a, const struct json_t *b);
// Whether they did in the same kind of place as well, with the same clock. Null: a header that is not there.
bool record_is_same_origin(const struct json_t *a, const struct json_t *b);
// Returns when that run began to measure, as base/date.h writes it; null: an earlier version wrote the header.
const char *record_time(const struct json_t *header);
// Fails where the file holds measurements of another ISA or target than a run that would go on with it, or of a
// simulated CPU by another model: an overlay may have changed. Null for `isa`: any; for `model`: this run's CPU is
// real.
bool record_check_target(const char *path, const struct record_file *file, const char *isa, const char *target,
                         const char *model, struct fail *fail);
// Returns the logical CPU of that run; -1: it was on another host, or the CPU is unknown.
int record_cpu(const struct json_t *header, const struct host *host);
// Whether that run requested as much precision as `options`, with as much time. Another run would not be more precise.
bool record_tried_as_hard(const struct json_t *header, const struct bench_options *options);

#endif
