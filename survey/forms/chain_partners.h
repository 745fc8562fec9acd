// Private to survey/.
// Partners: instructions that carry a value from a result back to a source, so that copies of a form become a chain.
// Their own latencies are measured in the same survey; what a partner adds to a chain is then subtracted.
//
//     form: source ─► result ── partner ─► source of the next copy
//
// A latency between two register files cannot be told apart from that of the way back: of "vmovq %rax, %xmm0" and
// "vmovq %xmm0, %rax" only the sum shows. No third instruction changes that: every chain crosses as often in one
// direction as in the other. So a latency across files is only known to be at most the chain less the least that the
// way back can take, one cycle a step. Where the whole chain takes one cycle a step, each step takes one.
#ifndef SURVEY_FORMS_CHAIN_PARTNERS_H
#define SURVEY_FORMS_CHAIN_PARTNERS_H

#include "base/arena.h"
#include "base/text.h"
#include "survey/forms/shape.h"

enum { PARTNER_MOST_STEPS = 5 };

struct way_step; // isa_traits.h

// A step of the way back.
struct chain_partner_step {
    const char *name; // of the experiment that measures it: "movslq"
    unsigned times;   // instructions of this kind in the way
};

// A way from one port to another.
struct chain_partner {
    const char *name; // "movslq", "vmovq-xor"
    const char *text; // instructions, each with "; " in front; roles of the form, and of its own
    const char *init; // initial values of its own roles: ", t: 1"; or ""
    struct chain_partner_step steps[PARTNER_MOST_STEPS];
    unsigned n_steps;
    const char *pad; // of a padded way: the step that it has more of; null: it has no such step
};

// How long a way is made.
enum partner_length {
    PARTNER_PLAIN,
    PARTNER_LONGER,      // with PARTNER_LONGER_STEPS more behind or in front of flags
    PARTNER_PADDED,      // with PARTNER_PADS more of the first step that keeps the value
    PARTNER_PADDED_MORE, // with PARTNER_MORE_PADS of it
    PARTNER_PADDED_MOST, // with PARTNER_MOST_PADS of it
};

// Ways from port `from` to `to`, which differ in the domain of vector units, or in the flag that they read or write
// (chain_partners_writes_carry); 0: this ISA has no such way. `breakers`: instructions that end the dependences of
// other ports (chain_partner_break), which become part of the way; or "".
enum { PARTNER_MOST_WAYS = 2, PARTNER_LONGER_STEPS = 4 };
enum { PARTNER_PADS = 8, PARTNER_MORE_PADS = 24, PARTNER_MOST_PADS = 48 };
unsigned chain_partners_pads(enum partner_length length); // one of these; 0: it is not padded
unsigned chain_partners_find(struct arena *arena, const struct isa *isa, const struct shape *shape, unsigned from,
                             unsigned to, enum partner_length length, const char *breakers,
                             struct chain_partner ways[PARTNER_MOST_WAYS]);

// Ways that load into the port what the form has stored from it, in several widths, at its only address. `longer`:
// null, or the step of which a longer way has PARTNER_LONGER_STEPS more behind the load. 0: this ISA has no such way.
unsigned chain_partners_load(struct arena *arena, const struct isa *isa, const struct shape *shape, unsigned port,
                             const struct way_step *longer, struct chain_partner ways[PARTNER_MOST_WAYS]);

// The way from memory at the form's address to memory, through the role t with PARTNER_PADS steps more: `store` comes
// in front of the form, the way's text behind it. `bytes`: of the word, at most. False: this ISA has no such way.
bool chain_partners_through_memory(struct arena *arena, const struct isa *isa, const struct shape *shape,
                                   unsigned bytes, const char **store, struct chain_partner *way);

// The way that gives the first port, a result, the value of the role "again", and waits for the result. False: this ISA
// has no such way.
bool chain_partners_again(struct arena *arena, const struct isa *isa, const struct shape *shape,
                          struct chain_partner *way);

// The step that takes the port's value to itself; null: this ISA has no such step.
const struct way_step *chain_partners_keep(const struct isa *isa, const struct shape *shape, unsigned port);

// Adds an instruction, with "; " in front, that gives the port a value that depends on nothing. False: this ISA has no
// such instruction.
bool chain_partner_break(const struct isa *isa, const struct shape *shape, unsigned port, struct text *text);
// The same with an instruction that takes no pipe on most cores, if this ISA has one. Its latency is not known to be
// short, so it suits throughputs only. Adds initial values of its roles to `init`: ", zg: 1".
bool chain_partner_break_lightly(const struct isa *isa, const struct shape *shape, unsigned port, struct text *text,
                                 struct text *init);

// An experiment that measures steps.
struct chain_partner_experiment {
    const char *name; // "movslq": its kernel is CHAIN.movslq
    const char *body, *chain, *init;
    const char *feature; // LLVM's name; null: every CPU has it
    unsigned n_steps;    // parts of the chain whose cycles are not known one by one; 1: a way has it as a whole
    // Where it is not a chain of its own kind alone: the experiments whose cycles must add up to its own; null: none.
    const char *parts[3];
    // The experiment whose cycles come off its own: of a load, where the way back leads to a load's address. A core may
    // forward a result to the same kind of instruction earlier than to an address. Null: nothing comes off.
    const char *less;
};
size_t chain_partners_experiments(const struct isa *isa, const struct chain_partner_experiment **experiments);

// The same experiments of steps that a form with a vector configuration has. Their names state it, without its mask:
// "vand_e8mf4_half". The array and what it names live in the arena.
size_t chain_partners_experiments_at(struct arena *arena, const struct isa *isa, const struct vector_config *config,
                                     const struct chain_partner_experiment **experiments);
const char *chain_partners_at(struct arena *arena, const char *name, const struct vector_config *config);
// The configuration in such a name; false: it has none.
bool chain_partners_find_config(struct arena *arena, const char *name, struct vector_config *config);

// Whether the way of that name ends with an instruction that writes the carry flag alone. A form that does not read it
// leaves the chain open, as a longer way shows.
bool chain_partners_writes_carry(const char *way);

// The step of which a longer way has PARTNER_LONGER_STEPS more.
const char *chain_partners_longer(const struct isa *isa);

// Whether breakers in a chain may take longer than what they are hidden behind: on cores that issue in order.
bool chain_partners_hide_breakers(const struct isa *isa);

// Whether what the step begins with may hold the pipe that the step needs for longer than its result takes.
bool chain_partners_hold_pipes(const struct isa *isa, const char *step);

// How often the chain of an experiment is in a step of a way: 2 for "xor", which changes an address and changes it
// back.
unsigned chain_partners_times(const struct isa *isa, const char *step);

#endif
