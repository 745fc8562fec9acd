// Multisets of forms as loops, whose times show which pipes forms share: what port sets are inferred from
// (infer/pair_campaign.h). Forms are those of a survey that can stand beside others without waiting for them. They are
// in classes: forms of one scheduling class with equal values, which one of them stands for.
#ifndef SURVEY_MULTISETS_H
#define SURVEY_MULTISETS_H

#include "analyzer/model/model.h"
#include "gen/gen.h"
#include "gen/kernel.h"
#include "survey/table/table.h"

struct shape;

struct multiset_form {
    const char *name, *sched_class;
    const char *kernel;       // that its throughput is measured with
    double cycles, low, high; // of a copy among its own kind
    double latency;           // until its result changes again, of one that reads what it writes; else 0
    unsigned slots;           // of dispatch; 0: unknown
    bool loads, has_vectors, has_masks;
    bool is_wide;     // a vector of 512 bits
    bool is_mixed;    // registers of several files, but for addresses
    double longest;   // latency of its operands; 0: unknown
    unsigned n_bytes; // of its encoding
    unsigned first;   // number of the form that stands for its class; its own number: it does
    const struct shape *shape;
};

struct multisets {
    struct arena *arena;
    const struct isa *isa;
    const char *syntax; // of the loops' text; null: the ISA has one alone
    struct model model; // lists the forms
    struct multiset_form *forms;
    size_t n_forms;
    double width; // slots a cycle, as the survey's fillers show it; 0: unknown
};

struct multiset_term {
    unsigned form, count;
};
enum { MULTISET_MOST_TERMS = 10 };

// `folder`: of a survey. Fails where it has no form that can stand beside others.
bool multisets_open(struct arena *arena, const struct isa *isa, const char *llvm, const char *folder,
                    const struct lab_listener *listener, struct multisets *sets, struct fail *fail);
void multisets_close(struct multisets *sets); // a zeroed one too

// A loop over the multiset, several times.
struct multiset_loop {
    struct kernel_text text;
    unsigned turns;  // how often the multiset is in one body
    unsigned copies; // of the body in the loop, which is of MIXTURE_LOOP instructions at least
};
// Makes the loop; `id`: of the kernel. `runs`: all copies of a form in so many multisets stand in a row; 0: forms stand
// by turns. False: registers do not suffice, or forms would wait for themselves.
bool multiset_loop(const struct multisets *sets, const struct multiset_term *terms, unsigned n, unsigned runs,
                   const char *id, struct multiset_loop *loop);

#endif
