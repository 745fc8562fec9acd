// The instruction table of a CPU: one row per form, derived from the measurement files of a survey. No number exists
// only here: each value names the measurement that it rests on.
#ifndef SURVEY_TABLE_TABLE_H
#define SURVEY_TABLE_TABLE_H

#include "analyzer/model/model.h"
#include "base/arena.h"
#include "base/date.h"
#include "base/fail.h"
#include "bench/bench.h"
#include "gen/program.h"
#include "lab/listener.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// How a value stands to the truth.
enum table_relation {
    TABLE_EQUAL,   // the value itself
    TABLE_AT_MOST, // an upper bound
};

// The partner of a form whose chain is two copies that cross: each reads the other's result.
#define TABLE_CROSSING "crossing"

struct table_value;
bool table_is_crossing(const struct table_value *value); // whether that is its partner

// A measured program that a value is made of.
struct table_part {
    const char *kernel;
    const char *code; // machine code of one body for a model, as of record_code
    double factor;    // by which its cycles count; negative: they are taken off
};

struct table_value {
    bool is_known;            // else it was not measured, or did not run; `why` has the reason
    double cycles, low, high; // value and interval with the clock's error, cycles
    enum table_relation relation;
    enum bench_verdict verdict;
    bool is_lost;        // not known yet: it was measured, but no round counts, or its clock was not steady
    bool is_waiting;     // unstable only because it was seen at one time: a survey looks twice
    bool has_two_speeds; // or many; the interval holds all of them (measured_has_two_speeds)
    bool is_confirmed;   // by a longer chain: its further steps add what they take, so the chain waits for results only
    const char *why;     // one clause: why it is unstable, a bound, or not known; its speeds; null: no remark
    const char *kernel;  // name of the measured kernel: `cyclops run --kernels DIR/kernels NAME` repeats it
    const char *how;     // its options there, such as "--n 8 --form looped"; null: none
    const char *folder;  // DIR of that; null: not of a survey
    const char *bytes;   // machine code of one body, hex
    const char *code;    // the same for a model, as of record_code
    double sum;          // TABLE_AT_MOST through a partner: cycles of the whole chain; else 0
    double chain;        // as it was measured, cycles for each copy of the form: of a latency, with the way back
    const char *partner; // what closes the chain: steps, TABLE_CROSSING; null: it closes by itself
    // How it is made: `constant`, cycles, plus the cycles of each part times its factor. A model's cycles of the same
    // programs thus give its prediction of the value. No parts: dispatch slots, which are no such sum.
    const struct table_part *parts;
    size_t n_parts;
    double constant;
};

static inline bool table_is_stable(const struct table_value *value) {
    return value->is_known && value->verdict != MEASURED_UNSTABLE;
}

// Whether it is one number: no bound, and not of two speeds, of which nobody knows which one another value had.
static inline bool table_is_single(const struct table_value *value) {
    return table_is_stable(value) && !value->has_two_speeds && value->relation == TABLE_EQUAL;
}

struct table_latency {
    bool has_slow_values;             // its operands are not round numbers, as in struct table_throughput
    const char *source, *destination; // operands: "0" (LLVM's number), "1.base", "rax", "flags.carry", "flags.zero"
    struct table_value value;
    // Until another instruction has the result, which is longer than until a copy of the form has it: another row.
    bool is_to_others;
};

// Whether it is not among the latencies of the form's ordinary operands:
//  - from "same": all sources are one register. Below a cycle, the CPU knows the result without waiting for it
//  - from "memory" to "memory": through a word of memory that the form reads and writes
//  - from a register to "memory": the form stores it, and it is loaded back. Only the sum is known
static inline bool table_latency_is_special(const struct table_latency *latency) {
    return strcmp(latency->source, "same") == 0 || strcmp(latency->destination, "memory") == 0;
}

// What a hardware event counted in a throughput.
struct table_count {
    const char *event;       // its name, as it was requested
    double count, low, high; // per instruction of the form, with what is around it; and their interval
    const char *why;         // why it is not to be trusted, one clause; null: no doubt
};

struct table_throughput {
    bool is_looped;                   // else unrolled
    enum program_placement placement; // of its memory operands; PLACEMENT_NONE: it has fewer than two
    // They are elsewhere than those of the form's other throughputs: loads, which are in one line, at one address or
    // on lines of their own; stores, which are on lines of their own or at one address, in one line. It shows what of a
    // cache limits them, and is never the headline.
    bool is_elsewhere;
    bool has_breakers; // with instructions between that end dependences
    bool has_lines;    // of a gather or scatter: its lanes are on lines of their own, else at one address
    unsigned streams;
    struct table_value value;         // cycles per instruction of the form
    double seen_least, seen_most;     // cycles of all looks at it that were steady in themselves; 0: none was
    bool is_short_of_streams;         // half of them take longer, so it is a bound
    unsigned faster_streams;          // fewer streams that take less, so their number decides; 0: none do
    const struct table_count *counts; // but instructions
    size_t n_counts;
    bool has_slow_values;    // its operands are not round numbers: divisions and square roots take longer
    bool has_wrapper;        // with instructions that put back what the form moves or changes
    bool has_light_breakers; // breakers that take no pipe if possible: eliminated moves, zero idioms
    unsigned copies;  // those of the streams that share the fixed registers, but not the one that each of them changes
    unsigned fillers; // behind each copy (survey/table/fills.h); 0: none
    const char *filler; // of these: "xor"; null: it has no fillers
};

static inline bool table_has_one_address(const struct table_throughput *throughput) {
    return throughput->placement == PLACEMENT_SAME_ADDRESS;
}

// How a throughput is made but for the numbers of its streams and copies. Equal numbers: in the same way.
static inline unsigned table_throughput_way(const struct table_throughput *throughput) {
    unsigned elsewhere = throughput->is_elsewhere ? throughput->placement : 0;
    return (unsigned)throughput->is_looped | (unsigned)table_has_one_address(throughput) << 1 |
           (unsigned)throughput->has_breakers << 2 | (unsigned)throughput->has_light_breakers << 3 |
           (unsigned)throughput->has_lines << 4 | (unsigned)throughput->has_slow_values << 5 |
           (unsigned)throughput->has_wrapper << 6 | elsewhere << 7 | throughput->fillers << 10;
}

// Dispatch slots: a form's share of the machine's width on the way to the schedulers (survey/experiments/slots.h).
struct table_slots {
    struct table_value value; // in slots, where others have cycles; whole, unless it is a bound
    bool is_missing;          // nothing of them is measured yet, and more measuring may show them
};

// A loop of several forms (survey/mixtures.h).
enum table_mixture_use {
    TABLE_MIXTURE_TO_CHOOSE, // a random one: changes of a model may be chosen by it
    TABLE_MIXTURE_TO_JUDGE,  // a random one that only judges them
    TABLE_MIXTURE_PROBE,     // the first form of a scheduling class beside a form of other pipes; serves to choose
};
struct table_mixture {
    const char *name;  // of its kernel: "mixture.017", "VADDPSYrr.beside.VPERMDYrr"
    const char *about; // its forms, with copies of each before the others' turn comes again: "4 VMULPSZrr, 2 VPERMDZrr;
                       // random"; "": unknown
    enum table_mixture_use use;
    struct table_value value; // cycles of a pass through its loop
};

// Numbers of one scheduling model, from its table; of a CPU file, of an example of the form.
struct table_model {
    bool is_known;
    double latency;     // cycles: the longest of its writes
    double rthroughput; // cycles
    unsigned uops;      // of a CPU file: slots of dispatch
};

struct experiment_key; // survey/experiments/experiment_key.h

struct table_row {
    const char *form;        // LLVM's opcode: "VADDPSYrr"
    const char *example;     // its text, as LLVM prints it, with spaces for tabs
    const char *sched_class; // LLVM's name; null: unknown
    const char *left_out;    // reason why it has no value, such as "illegal instruction"; null: it has one
    bool is_refused;         // the survey does not try to measure it; else a form without a value may get one later
    const struct table_latency *latencies;
    size_t n_latencies;
    const struct table_throughput *throughputs;
    size_t n_throughputs;
    size_t headline;                  // index of the throughput that a reader wants; n_throughputs: there is none
    const struct table_model *models; // by number of the table's models
    struct table_slots slots;
    // Experiments that follow from the values, made and still wanted: padded chains, throughputs in other placements,
    // and with fillers, dispatch slots.
    struct experiment_key *follow;
    size_t n_follow;
};
// Returns a copy of the row's throughputs, which may be changed.
struct table_throughput *table_copy_throughputs(struct arena *arena, const struct table_row *row);

struct survey_table {
    const char *cpu;            // for people: "AMD EPYC 9B45 (family 26, model 2), microcode …"
    const char *host;           // the last run's header, as JSON; null: the table is of no run
    const char *llvm_cpu;       // LLVM's name of the CPU: "znver5"
    const char *triple;         // LLVM's triple
    const char *clock;          // for people: which clock, and its error
    struct date_range when;     // when it was measured
    const char *repeat_options; // for table_repeat: of a simulated CPU; null: none
    const char *const *models;  // names, such as "llvm-22/znver5"
    size_t n_models;
    const char *filler; // what measures dispatch slots: "xor"; null: nothing does, because of `no_filler`
    double width;       // fillers per cycle
    const char *no_filler;
    const struct table_row *rows;
    size_t n_rows;
    const struct table_mixture *mixtures; // those that were measured, in the order of their names
    size_t n_mixtures;
    size_t n_forms, n_measured; // forms known to LLVM; forms with a value
    size_t n_slots_missing;     // forms whose dispatch slots are missing
    size_t n_lost;              // latencies, throughputs, slots and mixtures that are measured, and not known yet
    size_t n_values;            // those with a value; of these:
    size_t n_unstable, n_waiting, n_at_most; // each unstable one is either waiting or not
};

// Where a survey was made.
struct table_origin {
    const char *isa; // name of the ISA; null: nothing was measured
    const char *cpu; // the simulated one: "znver4"; null: a real CPU
    bool is_here;    // its last run was on a CPU as this machine's
    // What its last run ran on: "native", "sim:znver4,noise=none,seed=1"; null: it has no run.
    const char *target;
    const char *machine, *clock; // of its last run, for people, as below; null: likewise
    const char *vendor;          // of a real CPU, as /proc/cpuinfo has it, with its family and model; null: unknown
    unsigned family, model;
};
bool table_find_origin(struct arena *arena, const char *folder, struct table_origin *origin, struct fail *fail);
// The same of a single measurement file.
bool table_find_origin_of_file(struct arena *arena, const char *path, struct table_origin *origin, struct fail *fail);

// Whether a path is one of the files that a survey keeps in its folder: they are read with their folder, and nothing
// else may be written there. Sets `folder` to that one.
bool table_is_file_of_survey(struct arena *arena, const char *path, const char **folder);
// Fails where a path cannot be a measurement file by itself: it is of a survey, or a model.
bool table_stands_alone(struct arena *arena, const char *path, struct fail *fail);

struct record_file;
struct json_t; // jansson's

// What the header line of a measurement file says, for people: CPU and microcode; which clock, and its error.
const char *table_machine_text(struct arena *arena, const struct json_t *header);
const char *table_clock_text(struct arena *arena, const struct json_t *header);

// Returns the command that measures a value again. `options`: as the table has them.
const char *table_repeat(struct arena *arena, const struct table_value *value, const char *options);

// Reads the folders of a survey, or of its shards, and adds the numbers of `models`. Notes measurements of other
// machines than the last one's, which are left out. Fails where a folder holds no survey, a file of it is wrong, or
// nothing has been measured yet.
bool table_read(struct arena *arena, const char *const *folders, size_t n_folders, const struct model *models,
                size_t n_models, const struct lab_listener *listener, struct survey_table *table, struct fail *fail);
// The same of one folder while it is measured, without models. `measurements`: what was read of its measurement file,
// which the caller keeps; only the rest is read.
bool table_read_on(struct arena *arena, const char *folder, struct record_file *measurements,
                   struct survey_table *table, struct fail *fail);

#endif
