// Private to survey/.
// Dispatch slots: how much of the machine's width an instruction takes on its way to the schedulers; about the number
// of its fused uops. No counter is needed: copies of the form are mixed with so many fillers that nothing but the width
// limits them. A filler is an instruction that takes one slot and no pipe.
//
//     slots = cycles(form and k fillers) / cycles(filler) - k
//
// Both are loops. Their ends take a slot, too, and are taken off; where counter and branch are not fused, they take
// two, which only shows where a loop has one copy. Loops are long: a short one is replayed from a buffer, where an
// iteration begins with a cycle of its own (SLOTS_LOOP).
//
// Whatever else limits the mixture makes it slower, so each measurement is an upper bound. So are slots that stay empty
// because an instruction's uops enter together: that depends on k modulo the width, and another k shows less.
//
// Which filler to take is measured: the fastest of several, in which four simple instructions of three kinds of units
// take four slots. Fillers that need a pipe would hide the others' slots; those that share a slot would have it that
// four instructions take more.
#ifndef SURVEY_EXPERIMENTS_SLOTS_H
#define SURVEY_EXPERIMENTS_SLOTS_H

#include "base/arena.h"
#include "base/text.h"
#include "gen/isa.h"
#include "survey/experiments/experiment_list.h"
#include "survey/forms/filler.h"

#include <stdbool.h>
#include <stddef.h>

// Candidates, the preferred ones first (isa_traits.h), up to one without a name.
const struct slots_filler *slots_fillers(const struct isa *isa);
const struct slots_filler *slots_find_filler(const struct isa *isa, const char *name); // null: unknown name

// Adds so many fillers, each with "; " in front.
void slots_add_fillers(const struct slots_filler *filler, unsigned n, struct text *out);

// Adds the experiments that measure the fillers: FILL.xor alone, FILL.xor.68 with the simple instructions,
// FILL.xor.68.load with a load, and FILL.xor.44.chain with a chain (isa_traits.h).
void slots_add_experiments(const struct isa *isa, struct experiment_list *out);

// Fillers in the body of FILL.xor alone. Its loop is longer than a mixture's: whether its branch takes one slot or two
// makes 0.2 %.
enum { SLOTS_ALONE = 64 };

// Least instructions of a mixture's loop. Intel's CPUs replay loops that fit into their queue of uops, which holds 144
// on a Golden Cove. On a later one, loops of 181 uops took whole cycles, and those of 217 did not.
enum { SLOTS_LOOP = 200 };
// Copies of a form in a mixture, if the registers suffice: each takes some cycles, so a few hide a latency.
enum { SLOTS_COPIES = 8 };

// Numbers of fillers with which the simple instructions are measured, three copies of them in a loop; with which a
// chain is; and the slots that both take.
enum { SLOTS_N_CHECKS = 2, SLOTS_CHECKED = 4, SLOTS_CHAIN_FILLERS = 44, SLOTS_CHAINED = 3 };
#define SLOTS_LOAD "load"
#define SLOTS_CHAIN "chain"
extern const unsigned slots_checks[SLOTS_N_CHECKS];

// Most fillers in an experiment: more of them measure less precisely.
enum { SLOTS_MOST_FILLERS = 120, SLOTS_MOST_WANTED = 16 };

// A measurement of a form with fillers.
struct slots_sample {
    unsigned fillers;
    double slots, low, high; // by the formula above, and its interval
    bool is_stable;
    bool is_uneven; // each process has another value, and this is the median: an upper bound, no number
};

// What the measurements of a form show.
struct slots_result {
    enum slots_relation { SLOTS_UNKNOWN, SLOTS_AT_MOST, SLOTS_EQUAL } relation;
    double slots, low, high; // whole where they are equal
    size_t basis;            // index of the sample that has them
    bool is_stable;
    const char *why; // why they are not known, or a bound; null: they are equal
    // Numbers of fillers to measure next, which may show more.
    unsigned wanted[SLOTS_MOST_WANTED];
    unsigned n_wanted;
};

// `cycles`: of a copy of the form among others; `width`: fillers per cycle; `copies`: in a mixture's loop. Of a single
// one, more than one slot is a bound.
struct slots_result slots_judge(double cycles, double width, unsigned copies, const struct slots_sample *samples,
                                size_t n);

// Whether so many slots are, within the error of measuring, `whole`.
bool slots_are(double slots, double whole);
// Whether there is room for an instruction in them.
bool slots_hold_one(double slots);

#endif
