// Private to this folder.
// A session of experiments. An experiment asks for the values of trials, and is called again once they are measured: so
// all experiments share rounds of measuring, and one that is resumed finds its earlier values in the journal.
#ifndef PARAMETERS_SESSION_H
#define PARAMETERS_SESSION_H

#include "base/index.h"
#include "bench/record/journal.h"
#include "lab/campaign.h"
#include "parameters/card.h"
#include "parameters/recipes.h"

// A kernel to measure, as one stream.
struct timing {
    const char *name;     // unique; letters, digits, '-', '_' and '.'
    const char *body;     // lines
    const char *setup;    // null: none
    const char *feature;  // CPU features that it needs, "avx512f, avx512vl"; null: none
    const char *init;     // initial values besides those that session_value knows, "a: 1, b: 2"; null: none
    const char *writes;   // written roles besides those that it knows, "a, b"; null: none
    const char *implicit; // registers that it uses without naming them; null: none
    const char *chase;    // size of the rings of `p` and `q`; null: CHASE_FAR
    enum program_form form;
    unsigned unroll; // as in struct gen_request
    bool is_rough;   // a point of a curve: measured again only where session_doubt asks for it
};

// Rings larger than the caches.
#define CHASE_FAR "64M"

struct value {
    bool is_good;             // else only `why`
    double cycles, low, high; // per body; with the clock's error
    bool is_stable;
    bool is_alone;   // at least as many rounds were kept as dropped because of a neighbour
    const char *why; // why there is no value, or why it is unstable; null: it is stable
};

// Whether there is a value, and it is stable.
bool value_is_usable(const struct value *value);
// (a - b) · factor, with the errors of both; null: `b` is nothing. Where one is not usable, so is the result.
struct value value_less(const struct value *a, const struct value *b, double factor);
// n / a: bodies of n instructions as a rate, instructions per cycle.
struct value value_rate(const struct value *a, double n);
struct value value_ratio(const struct value *a, const struct value *b); // a / b
double median_of(double *numbers, size_t n);                            // sorts them; at least one

// Why an experiment has nothing to show: it is not written for the ISA of the session.
extern const char session_no_isa[];

// What a round measures: values that are missing; or those that are unstable, a limited number of times. What it looks
// for in a file: those that are missing, and were not sought yet.
enum session_part { SESSION_MISSING, SESSION_UNSTABLE, SESSION_UNSOUGHT };

struct session {
    struct arena *arena;
    struct campaign campaign;
    const struct isa *isa;
    const struct recipe *recipe;
    struct date_range when; // as in struct card
    bool is_simulated;      // there are no caches and no pages
    bool is_bare; // simulated by a model of LLVM's: there is no front end, no retirement and no memory to wait for
    const char *llvm_cpu;    // LLVM's name of the CPU; null: unknown
    const struct host *host; // this machine; null: unknown
    // Of the machine whose values it has:
    bool is_guest;       // of a hypervisor
    unsigned page_bytes; // 0: unknown
    bool is_elsewhere;   // it takes values of another machine than this one
    struct card card;
    struct session_item {
        struct timing trial;
        bool is_measured, is_run; // run: its code ran
        bool is_doubtful;         // see session_doubt
        bool is_planned;          // it belongs to the current round
        bool is_late;             // the budget ended before it could be measured
        bool is_sought;           // the measurement file was looked through for it
        unsigned n_tries;
        struct value value;
    } * items;
    size_t n_items;
    struct index names;      // of the items' trials
    size_t n_missing;        // values that experiments asked for, and that are not measured yet
    bool is_final;           // what is not measured now has a value that says so, so each experiment can end
    double end;              // when measuring ends, s of session_seconds
    double wait_seconds;     // time that is left to wait for neighbours to leave, s
    enum session_part part;  // of the round at work
    const char *round_start; // its time, as a file's header has it
    size_t n_taken;          // values that come from the measurement file
    const char **before;     // names of what the measurement file held at the start
    size_t n_before;
    struct journal held; // what a session that measures nothing takes its values from
};

// Starts its campaign. The session must stay where it is.
void session_open(struct session *session, const struct campaign_request *request);

// Reads the names of all trials that the folder's measurement file holds.
bool session_read_names(struct session *session, struct fail *fail);

// Calls for each trial whose name begins so, and that is measured, or was by an earlier run.
void session_each(const struct session *session, const char *prefix, void (*each)(void *context, const char *name),
                  void *context);

double session_seconds(void); // time by a clock that never goes back, s

// The value of a trial; null: it will be measured. Roles d0 to d5, v0 to v5, n0 to n5, u and chases p and q are
// written; s and t are read; m is the address of memory. The strings must live as long as the session.
const struct value *session_value(struct session *session, const struct timing *trial);
// Whether that trial was asked for before: then session_value needs its name only, and a long body need not be made.
bool session_knows(const struct session *session, const char *name);

// Asks for a rough value again, where it is unstable: where it lies matters.
void session_doubt(struct session *session, const char *name);

// Adds all trials to a text, as a kernel file.
void session_add_kernels(const struct session *session, struct text *out);

size_t session_count(const struct session *session, enum session_part part);

// Measures a part of what was asked for, but not all at once: the card is written in between. Ends at session->end.
// Missing values are first looked for in the measurement file, also behind that end: a card that has all it needs takes
// no budget. `is_stopped`: the user ended it. False only where nothing can go on.
bool session_measure(struct session *session, enum session_part part, bool *is_stopped, struct fail *fail);

// In place of session_measure, for values of whichever machine the measurement file is of. Open reads it, and what it
// says of that machine. Take looks for what was asked for since the last call, and sets `n` to how many of them have a
// value now. Collect hands on what has none, or, where all have one, what is unstable.
bool session_open_held(struct session *session, struct fail *fail);
bool session_take_held(struct session *session, size_t *n, struct fail *fail);
bool session_collect(struct session *session, struct collect *collect, struct fail *fail);
void session_close_held(struct session *session);

#endif
