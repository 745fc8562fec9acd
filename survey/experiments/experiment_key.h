// Private to survey/.
// What an experiment of a survey is, and its name. Kernels, measurements and the table carry the struct. The name is
// for people and files; only this module knows how it is made. Of throughputs:
//  - FORM: the throughput
//  - FORM.broken: the same, with instructions that end the dependences through fixed registers
//  - FORM.broken.N: the same, with N copies of the form to one set of such instructions. Each of these takes no pipe
//    if possible
//  - FORM.lines: as FORM.broken, of a gather or scatter whose lanes are on lines of their own
//  - FORM.places.PLACEMENT: as FORM, of a load or a store with its operands elsewhere (struct table_throughput). The
//    first form of each scheduling class has them, and those of classes where they matter
//  - FORM.around.N: N copies with what the form needs around them (form_wrapper.h)
//  - FORM.copies.N: N copies that do not wait for each other
//  - FORM.slow, FORM.slow.around.N: as FORM and FORM.around.N, of a division or square root of numbers that are not
//    round
//  - FORM.slots.FILLER.N: the form mixed with N fillers (slots.h)
//  - FORM.filled.FILLER.N: as FORM, with N fillers behind each copy (fills.h)
// Of latencies:
//  - FORM.chain: pairs that close by themselves, with a chain for each, which the program's arc names
//  - FORM.SOURCE-RESULT.WAY: one pair, through a partner (chain_partners.h), or with dependences ended ("alone")
//  - FORM.SOURCE-RESULT_whole.WAY: the same to the whole register of which the form writes the high byte
//  - FORM.SOURCE-RESULT.crossing: one pair, through two copies of the form, of which each reads the other's result
//  - FORM.SOURCE-RESULT.WAY.together: one pair through a partner, where the result still depends on its earlier value
//  - FORM.SOURCE-RESULT.WAY.others: one pair through a partner, though it closes by itself: other instructions may
//    wait longer for the result
//  - FORM.SOURCE-RESULT.WAY.longer: the same with some more steps, where flags are on the way. Without a difference,
//    the chain is open: the form does not write that flag, or does not read carry
//  - FORM.SOURCE-RESULT.WAY.padded.STEP: the same with many more of that step. It is made where the chain may take
//    longer than its latency, for other reasons, or may not be closed
//  - FORM.SOURCE-RESULT.WAY.padded.STEP.N: with so many more of it, where the usual number made a difference
//  - FORM.SOURCE-memory.WAY: the time through memory: the form stores, and an instruction loads the same bytes back
//    into the source
//  - FORM.SOURCE-memory.WAY.longer.STEP: the same with some more of that step behind the load
//  - FORM.slow.SOURCE-RESULT.WAY: one pair of a division or square root of numbers that are not round
//  - FORM.same: all sources are one register
//  - FORM.memory: from a word of memory that the form reads and writes to itself, in straight code and as a loop
//  - FORM.memory.WAY: the same through instructions that store the word and load it back, with many steps in between.
//    What the form adds to CHAIN.WAY shows whether it reads and writes the word at all
// Of no form, or of several:
//  - CHAIN.WAY: a partner's own latency
//  - SIDE.STEP: a partner's step, side by side
//  - FILL.FILLER, FILL.FILLER.N: a filler by itself, and N of them beside simple instructions
//  - FILL.FILLER.N.BESIDE: N of them beside a load or a chain
//  - mixture.NUMBER, FORM.beside.PROBE: mixtures (mixtures.h)
#ifndef SURVEY_EXPERIMENTS_EXPERIMENT_KEY_H
#define SURVEY_EXPERIMENTS_EXPERIMENT_KEY_H

#include "base/arena.h"
#include "gen/program.h"

#include <stdbool.h>
#include <string.h>

enum experiment_kind {
    EXPERIMENT_OTHER, // of a later version, or of no survey: nothing follows from it
    EXPERIMENT_PLAIN,
    EXPERIMENT_BROKEN,
    EXPERIMENT_LINES,
    EXPERIMENT_PLACES,
    EXPERIMENT_AROUND,
    EXPERIMENT_COPIES,
    EXPERIMENT_SLOTS,
    EXPERIMENT_FILLED,
    EXPERIMENT_CHAIN,
    EXPERIMENT_PAIR,
    EXPERIMENT_SAME,
    EXPERIMENT_MEMORY,
    EXPERIMENT_PARTNER,
    EXPERIMENT_STEP,
    EXPERIMENT_FILLER,
    EXPERIMENT_MIXTURE,
    EXPERIMENT_PROBE,
    EXPERIMENT_N_KINDS
};

// What the table reads of an experiment by itself. A kind states it, and one that states nothing is none of the form's
// own values: it can never be taken for its latency or throughput.
enum experiment_value {
    EXPERIMENT_NO_VALUE, // it is of no form, or has a reader of its own: slots, mixtures, partners
    EXPERIMENT_THROUGHPUT,
    EXPERIMENT_LATENCY,
};

// What leads from a pair's result back to its source.
enum experiment_closing {
    EXPERIMENT_BY_WAY,
    EXPERIMENT_ALONE,    // the form itself, with other dependences ended
    EXPERIMENT_CROSSING, // a second copy of the form, which reads the first one's result and the other way round
};

// How the chain of a pair differs from its plain one.
enum experiment_variant {
    EXPERIMENT_USUAL,
    EXPERIMENT_TOGETHER,
    EXPERIMENT_TO_OTHERS,
    EXPERIMENT_LONGER,
    EXPERIMENT_PADDED,
};

// Fields that a kind does not have are 0 or null.
struct experiment_key {
    enum experiment_kind kind;
    const char *form;                 // LLVM's opcode: "VADDPSYrr"; of a kind of no form, what its name begins with
    bool has_slow_values;             // operands are numbers that are not round
    unsigned copies;                  // of the form, of which the name states how many; 0: it does not
    enum program_placement placement; // of its accesses, if the name states it
    const char *filler;               // the filler that is in it: "xor"
    unsigned n_fillers;               // behind each copy, or in a mixture; 0: the filler is alone
    const char *beside; // what a filler is checked with: SLOTS_LOAD, SLOTS_CHAIN; empty: simple instructions
    // A latency's: roles of the ports, "memory", or "same". Of EXPERIMENT_CHAIN, those of the arc.
    const char *source, *result;
    const char *way; // of a latency, the steps from the result to the source; empty: none; null: it is a throughput
    enum experiment_closing closing;
    enum experiment_variant variant;
    const char *step;       // a partner's, side by side; of which a chain has more, empty: the usual one
    unsigned n_steps;       // of EXPERIMENT_PADDED: so many more
    unsigned long number;   // of a random mixture
    const char *probe_form; // of a probe: the form that takes other pipes
};

// Takes a name apart; both texts must outlive the key. `arc`: the chain that was measured of the kernel, "d->s"; null:
// none.
void experiment_key_parse(struct arena *arena, const char *name, const char *arc, struct experiment_key *key);
// Whether two keys are of one experiment. What a key leaves open, null or 0, the other must leave open as well.
bool experiment_is_same(const struct experiment_key *a, const struct experiment_key *b);
// Returns the name. Kernels of EXPERIMENT_OTHER have none that this knows: null.
const char *experiment_key_name(struct arena *arena, const struct experiment_key *key);

enum experiment_value experiment_value_of(enum experiment_kind kind);

static inline bool experiment_is_latency(const struct experiment_key *key) {
    return key->way != NULL;
}

// What a latency's role is: all flags together, memory, a register of an address, or the whole register of which the
// form writes the high byte.
static inline bool experiment_is_flags(const char *role) {
    return strcmp(role, "flags") == 0;
}
static inline bool experiment_is_memory(const char *role) {
    return strcmp(role, "memory") == 0;
}
static inline bool experiment_is_base(const char *role) {
    return strstr(role, "_base");
}
static inline bool experiment_is_address(const char *role) {
    return experiment_is_base(role) || strstr(role, "_index");
}
static inline bool experiment_is_whole(const char *role) {
    return strstr(role, "_whole");
}
// Else it is a fixed register, or memory.
static inline bool experiment_is_operand(const char *role) {
    return *role == 'o' && role[1] >= '0' && role[1] <= '9';
}

// Takes the first step off what is left of a way.
const char *experiment_next_step(struct arena *arena, const char **way);

// Whether several forms are in it: it is no form's value.
static inline bool experiment_is_mixture(const struct experiment_key *key) {
    return key->kind == EXPERIMENT_MIXTURE || key->kind == EXPERIMENT_PROBE;
}

// Copies of the form in a stream, or in a chain's body.
static inline unsigned experiment_copies(const struct experiment_key *key) {
    return key->closing == EXPERIMENT_CROSSING ? 2 : key->copies ? key->copies : 1;
}

// Whether nothing ends what the result carries from copy to copy by itself.
static inline bool experiment_is_together(const struct experiment_key *key) {
    return key->variant == EXPERIMENT_TOGETHER || key->closing == EXPERIMENT_CROSSING;
}

// Whether instructions end dependences through fixed registers.
static inline bool experiment_has_breakers(const struct experiment_key *key) {
    return key->kind == EXPERIMENT_BROKEN || key->kind == EXPERIMENT_LINES;
}

#endif
