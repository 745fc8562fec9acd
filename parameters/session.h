// Private to this folder.
// A session of experiments. An experiment asks for the values of trials, and is called again once they are measured: so
// all experiments share rounds of measuring, and one that is resumed finds its earlier values in the journal.
#ifndef PARAMETERS_SESSION_H
#define PARAMETERS_SESSION_H

#include "lab/lab.h"
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
};

// Rings larger than the caches.
#define CHASE_FAR "64M"

struct value {
    bool is_good;             // else only `why`
    double cycles, low, high; // per body; with the clock's error
    bool is_stable;
    const char *why; // why there is no value, or why it is unstable; null: it is stable
};

struct session {
    struct arena *arena;
    const struct lab_options *options;
    const struct isa *isa;
    const struct recipe *recipe;
    const char *folder, *path; // of all files, and of the measurement file
    bool is_simulated;
    const char *llvm_cpu; // LLVM's name of the CPU; null: unknown
    struct card card;
    struct session_item {
        struct timing trial;
        bool is_measured, is_run; // run: its code ran
        unsigned n_tries;
        struct value value;
    } * items;
    size_t n_items;
    bool is_pending; // an experiment asked for what is not measured yet
};

// The value of a trial; null: it will be measured. Roles d0 to d5, v0 to v5, u and chases p and q are written; s and t
// are read; m is the address of memory. The strings must live as long as the session.
const struct value *session_value(struct session *session, const struct timing *trial);

// Whether a value is missing, or unstable and not yet tried often.
bool session_wants_more(const struct session *session);

// Measures all that was asked for, and what is unstable again. False only where nothing can go on.
bool session_measure(struct session *session, bool *is_stopped, struct fail *fail);

#endif
