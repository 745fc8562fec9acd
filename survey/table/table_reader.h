// Private to survey/.
// What the files that make a table (table.h) share: the measurements by their experiments, values and the steps
// and fillers that they rest on, and a row while it is made.
//
//     table_entries.c ─► table_steps.c, table_slots.c ─► table_throughputs.c,
//         table_limits.c ─► table_padded.c ─► table_latencies.c ─► table.c
#ifndef SURVEY_TABLE_TABLE_READER_H
#define SURVEY_TABLE_TABLE_READER_H

#include "bench/record/record.h"
#include "survey/experiments/experiment_key.h"
#include "survey/table/table.h"

#include <stdbool.h>
#include <stddef.h>

// A measurement of an experiment.
struct entry {
    const struct record *record;
    const char *how;           // as in struct table_value
    struct experiment_key key; // what was measured
    bool is_looped;            // else unrolled
    size_t place;              // among the lines of all files
    double least, most; // cycles of a body in all records of the experiment that are steady in themselves; 0: none
    const char *folder; // whose file it is in
};

// What is known of a partner's step.
struct step {
    const char *name;
    double side_by_side;      // cycles of one among independent ones, at most; 0: not known
    struct table_value value; // cycles of one step; TABLE_AT_MOST: only the sum with the way back is known
};

// What is known of a filler.
struct filler {
    const char *name;
    struct table_value value; // cycles of one
    const char *why;          // why it measures no slots; null: it does
    bool is_unsteady;         // because it, or what it was checked with, is not stable
    bool is_missing;          // because it, or that, is not measured yet
};

struct table_reader {
    struct arena *arena;
    const struct lab_listener *listener;
    const struct isa *isa;     // null: nothing was measured
    struct record_file *files; // one a folder; they hold the records
    struct entry *entries;     // in the order of forms
    size_t n_entries;
    struct date_range when; // when the runs of these began
    struct step *steps;
    size_t n_steps;
    struct filler *fillers;
    size_t n_fillers;
    bool has_unsteady_filler;    // another look may find one to take
    bool lacks_fillers;          // there are some for this ISA, and none is measured yet
    const struct filler *filler; // the one to take; null: none
};

// A row while it is made.
struct row_builder {
    struct table_reader *reader;
    struct table_row *row;
    const struct entry *entries; // of the form
    size_t n_entries;
    struct table_latency *latencies;
    struct table_throughput *throughputs;
};

// ---- table_entries.c

// A role's name in tables: "1.base" of "o1_base".
const char *reader_label(struct arena *arena, const char *role);
// Reads the measurement files of all folders. `header`: the last one; `clock`: the last one whose clock was calibrated,
// null where no clock was calibrated. Fails where there is no measurement.
bool reader_read_measurements(struct table_reader *reader, const char *const *folders, size_t n,
                              const struct json_t **header, const struct json_t **clock, struct fail *fail);

// ---- table_follow.c

// Adds an experiment that follows from the row's values, unless the row has it.
void reader_follow(struct arena *arena, struct table_row *row, struct experiment_key key);

// ---- table_origin.c

// A text of a header line, or of an object in it; "": it has no such text.
const char *reader_header_text(const struct json_t *header, const char *key);
// How the name of a simulated target begins.
extern const char reader_simulated[];
// Fails where the folder holds no survey, with what else it may hold.
bool reader_is_survey(struct arena *arena, const char *folder, struct fail *fail);
// Options with which `cyclops run` measures on the simulated CPU again; null: it was a real one.
const char *reader_repeat_options(struct arena *arena, const struct isa *isa, const struct json_t *header);

// ---- table_steps.c

// Adds `times` what `other` is made of.
void reader_add_parts(struct arena *arena, struct table_value *value, const struct table_value *other, double times);
// A larger error of the clock, relative: no number follows from what it timed.
#define READER_MOST_CLOCK_ERROR 0.1
// A measurement's cycles divided by `parts`. Not known where its clock was not calibrated.
struct table_value reader_value(struct arena *arena, const struct entry *entry, double parts);
// Makes a value unstable where a part of it is, and of two speeds where a part has them. It waits for a second look
// where nothing else makes it so.
void reader_doubt(struct table_value *value, const struct table_value *part);
// Whether a chain of known parts takes their sum. So do chains with one step more.
#define READER_SUM_CYCLES 0.1
bool reader_is_sum(double cycles, double sum);
// How far from a whole number of cycles a chain may be; and a copy in one: of copies that cross, both are measured
// together.
double reader_chain_slack(double cycles);
double reader_copy_slack(const struct entry *entry, double cycles);
// What a partner's step takes among independent ones, cycles, at most; 0: not known.
double reader_side_by_side(const struct table_reader *reader, const char *name);
void reader_read_steps(struct table_reader *reader);
// The measurement of a partner's experiment; null: there is no measurement.
const struct entry *reader_find_partner(const struct table_reader *reader, const char *name);
// Takes the way back off a chain: what is left is the form's. False where a step is not known.
bool reader_subtract_way(const struct table_reader *reader, const char *way, struct table_value *value);
// Takes so many more of a step off a chain. False where the step is not known. `name`: "": the usual one.
bool reader_subtract_steps(const struct table_reader *reader, const char *name, unsigned n, struct table_value *value);
// Whether a chain through flags is closed: with more steps it takes these longer, or nearly so where pipes limit the
// shorter one. Takes that as long as these steps off the longer one.
bool reader_is_closed(const struct table_reader *reader, const struct table_value *value, struct table_value *longer,
                      const char *name);

// ---- table_slots.c

// Reads the fillers and chooses the fastest of those that take one slot each.
void reader_read_fillers(struct table_reader *reader, struct survey_table *table);
void reader_read_slots(struct row_builder *m);

// ---- table_mixtures.c

bool reader_read_mixtures(struct table_reader *reader, struct survey_table *table, struct fail *fail);

// ---- table_limits.c

// No instruction of a closed chain takes less than a cycle, but for moves that are eliminated at renaming, and those
// close by themselves.
#define READER_LEAST_STEP 0.9
// Whether a latency that is left without the way back is no latency.
bool reader_is_too_short(const struct table_value *value);
// What was measured, and does not show the latency.
struct table_value reader_without_number(const struct table_value *value, const char *why);
// Less than half a step says nothing of when a result can be read.
#define READER_HALF_CYCLE 0.5
// Whether cycles are within `slack` of a whole number; but no more than WHOLE_CHAIN_MOST.
bool reader_is_near_whole(double cycles, double slack);
bool reader_are_of_one_pair(const struct entry *a, const struct entry *b);
// Cycles that copies of the form take side by side, at most; 0: not known.
struct side_by_side {
    double least; // in the layout that takes least
    double most;  // in straight code, in the placement that takes most: the copies of a chain are at one address
};
struct side_by_side reader_copies(const struct row_builder *m);
// Whether the form is microcode, or a gather, which loads each lane by itself. False where its slots are not known.
bool reader_has_many_uops(const struct row_builder *m);
// Cycles that all instructions of a chain's body may take side by side: copies of the form, which take `parallel`, its
// way back and the steps that make it longer, and what ends the other dependences.
double reader_pipes_of(const struct row_builder *m, const struct entry *entry, double parallel);
// Whether a chain takes longer than its result's own way from copy to copy, so that this one does not limit it. Of a
// crossing chain, `cycles` of both copies; of one of them, whether a copy takes longer than the own way.
bool reader_is_longer_than_own(const struct row_builder *m, const struct entry *entry, double cycles);
// Why a value is a bound.
extern const char reader_why_pipes[], reader_why_as_long[];
// Decides whether a chain's cycles are its latency. A chain of dependent instructions takes a whole number of cycles,
// one at least, and longer than copies side by side; what does not is limited by more than its latency.
//
// `is_confirmed`: some more steps add as much as they take, so nothing at one address is the limit.
void reader_limit_chain(const struct row_builder *m, const struct entry *entry, bool is_confirmed,
                        struct table_value *value);

// ---- table_padded.c

// Holds a latency against chains with many more steps, if it needs any, and requests these. False: it needs none.
// `chain`: cycles of the plain one; `is_confirmed`: as above.
bool reader_judge_by_padded(struct row_builder *m, const struct entry *entry, double chain, bool is_confirmed,
                            struct table_value *value);

// ---- table_latencies.c

void reader_read_latency(struct row_builder *m, const struct entry *entry);
// Makes rows of slow values, which close through a partner, rows "to others" unless others are known to wait no longer.
void reader_mark_slow_to_others(struct row_builder *m);
// Drops what other instructions wait for a result, where copies of the form wait as long, or where it is a bound.
void reader_keep_longer_to_others(struct row_builder *m);

// ---- table_throughputs.c

void reader_read_throughput(struct row_builder *m, const struct entry *entry);
// Marks throughputs that are only as good as their streams' latency allows: each stream waits for itself.
void reader_mark_waiting(struct row_builder *m);
// Marks throughputs that fewer streams make worse: then more of them, for which there are no registers, might be
// better. Streams wait for themselves, or for something that LLVM's tables do not state.
void reader_mark_few_streams(struct row_builder *m);
// Makes throughputs upper bounds of which fewer streams take less, and those of the fewer streams.
void reader_mark_uneven_streams(struct row_builder *m);
// Takes throughputs with breakers for the form's own where more copies to a breaker take as long: then the breakers
// cost nothing.
void reader_mark_free(struct row_builder *m);
// Marks throughputs that depend on how code is supplied: of straight code and a loop, one takes clearly longer, and the
// other no whole number of cycles on a number of pipes.
void reader_mark_supply(struct row_builder *m);
// Returns the throughput of copies of the form alone, as they are in the mixtures; null: it is not known.
const struct table_throughput *reader_find_plain(const struct row_builder *m);
// The throughput that a reader wants, as its index; the number of all: there is none. Loads are words side by side in
// one line, which all first-level caches serve as fast as there are pipes. Stores are on lines of their own, all of
// them: a Zen 5 stores to eight lines in turn faster than to sixteen.
// `with_fillers`: copies with fillers behind them may be it as well.
size_t reader_find_headline(const struct table_row *row, bool with_fillers);

#endif
