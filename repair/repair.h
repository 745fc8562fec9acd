// Repairs a model: the smallest set of changes that makes it predict what was measured. Per scheduling class before per
// form. The changes are an overlay (analyzer/sched/overlay.h), which is checked by simulating every measured program
// again.
//
// Numbers that it changes: latencies, how early operands are read, uops, pipes and for how long they are held, and the
// dispatch width. It tries changes that the differences suggest, and keeps those with which fewer values differ. A
// change that makes any value worse is taken back for that form. A value that the model has no number for may come to
// the nearest one; and forms of other operands, such as LEA64r-rip, follow their opcode's plain form, unless they may
// have rules of their own. It also finds idioms: opcodes that wait for none of their sources where these are one
// register.
#ifndef REPAIR_REPAIR_H
#define REPAIR_REPAIR_H

#include "analyzer/model/model.h"
#include "check/findings.h"
#include "check/values.h"
#include "repair/repair_numbers.h"

struct repair_request {
    const struct check_results *results;
    const struct model *model; // LLVM's: not an overlay
    const char *name;          // of the overlay
    // Share of the opcodes, 0 to 1, that the repair does not see: their values judge it. A change of a class holds for
    // its members among them too.
    double held_out;
    // Whether uops shall be the measured dispatch slots. Else these are kept only: models may count uops by another
    // convention, as Intel's tables do, and a uop is changed where a throughput shows it.
    bool wants_slots;
    bool names_forms; // rules may name forms (overlay: 2); the model's instructions have theirs
    const struct lab_listener *listener;
};

// Why a model has no number for a value. The first reason that holds counts.
enum repair_limit {
    REPAIR_LIMIT_NONE,     // it has one
    REPAIR_LIMIT_CODE,     // the form's code decodes to another opcode
    REPAIR_LIMIT_MEMORY,   // it is a store and a load of one place
    REPAIR_LIMIT_REGISTER, // all sources are one register
    REPAIR_LIMIT_STACK,    // from a register of the x87 stack, which LLVM's instructions do not read
    REPAIR_LIMIT_OPERANDS, // its opcode has other forms, with the same numbers: high bytes, kinds of addresses
    REPAIR_LIMIT_FRACTION, // not a whole number of cycles, on as many pipes as any resource has
    REPAIR_N_LIMITS,
};
// Returns what such values are, behind their number: "through memory".
const char *repair_limit_about(enum repair_limit limit);

struct repair_count {
    size_t n_compared; // values that are stable and predicted
    size_t n_slots;    // dispatch slots that differ from the model's uops, where they are kept only; not in n_compared
    size_t n_unstable; // measured, and not to be trusted, as check counts them
    size_t n_differ_before, n_differ_after, n_worse;
    size_t n_sums_before, n_sums_after; // sums of two latencies that are too short (sums.h); they are not in n_differ
    size_t n_nearest;  // further off than before, but no further than the nearest number that the model can state
    size_t n_followed; // further off: other operands, of an opcode whose plain form has other numbers now
    size_t n_beside;   // further off: of other instructions in the measured program, each of which became right itself
    size_t n_limited[REPAIR_N_LIMITS]; // of those that differ after
};

// A mixture's prediction less what was measured, relative to that: LLVM's, and the repair's.
struct repair_mixture_error {
    const struct check_mixture *mixture;
    double before, after;
};

// A rule of which mixtures have shown that it is wrong, and what it has now.
struct repair_judged {
    const char *form; // the first one
    size_t n_forms;
    enum { REPAIR_EARLIER_PIPES, REPAIR_OTHER_PIPES, REPAIR_EARLIER_UOPS } has; // others with the same throughput
    size_t n_mixtures;                                                          // that have one of its forms in them
    double before, after; // mean error on these, with the rule and without
};

// What mixtures of forms show of a repair (survey/mixtures.h).
struct repair_mixtures {
    struct repair_mixture_score {
        size_t n;                              // mixtures that could be compared
        double before, after;                  // mean error, without its sign: of LLVM's model, and of the repair
    } scores[TABLE_MIXTURE_PROBE + 1];         // by use: only those that judge say how good the repair is
    const struct repair_mixture_error *errors; // of all, those furthest off first
    size_t n_errors;
    struct repair_judged *judged;
    size_t n_judged;
};

struct repair_result {
    const char *overlay; // text of the file
    struct repair_count seen, held_out;
    const struct check_finding *findings_before, *findings_after; // of what the repair saw
    size_t n_findings_before, n_findings_after;
    size_t n_class_rules, n_form_rules;
    size_t n_named;  // of the latter, those of a form by its own name
    size_t n_idioms; // opcodes that wait for none of their sources where these are one register
    // Those whose pipes are a guess: other pipes predict the values as well. The overlay names them.
    size_t n_guessed_classes, n_guessed_opcodes;
    size_t n_split_opcodes;   // those whose latencies are parts of measured sums, split evenly
    size_t n_bounded_opcodes; // whose latencies are left, as only bounds show that these are too long
    unsigned dispatch_width;  // changed; 0: it is not
    struct repair_mixtures mixtures;
    const struct repair_change *changes; // of every measured opcode, and of those that follow their class, by opcode
    size_t n_changes;
};

bool repair_run(struct arena *arena, const struct repair_request *request, struct repair_result *result,
                struct fail *fail);

#endif
