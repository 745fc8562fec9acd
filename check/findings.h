// Findings: differences that intervals cannot explain, put together by their cause. Three questions are never mixed.
//  - gap: does the model's prediction lie outside the measured interval?
//  - model: has the model moved away from what was measured, compared with another model?
//  - hardware: has the measured value moved, compared with an earlier measurement?
#ifndef CHECK_FINDINGS_H
#define CHECK_FINDINGS_H

#include "check/values.h"

enum check_question { CHECK_GAP, CHECK_MODEL, CHECK_HARDWARE, CHECK_N_QUESTIONS };
const char *check_question_name(enum check_question question); // "gap", "model", "hardware"

// One value that differs.
struct check_difference {
    const struct check_value *value;
    double number; // what the value is held against: the prediction, or the earlier value (hardware), cycles
    double before; // CHECK_MODEL: the other model's prediction, cycles
    double gap;    // (number - value) / value; CHECK_HARDWARE: (value - number) / number
    double sum; // of a sum of latencies that is too short (check/sums.h): the model's, cycles; the measured one is the
                // value's. 0: it is not
    bool are_slots;           // CHECK_SLOTS: `number` is in slots of a CPU file, and not in uops
    const char *own, *shared; // names of the cause: that of its class; that of several classes, null: not shared
    const char *about;        // of the prediction, for people: "Zn4Store held for 2 cycles"
    const char *cause;        // the one of the two names that counts
};

struct check_finding {
    enum check_question question;
    const char *id;                             // stable, made of names: "gap:latency/WriteFAdd"
    const char *summary;                        // one clause: "latency 3, measured 4"
    const struct check_difference *differences; // in the order of the values' keys
    const struct check_difference *typical;     // the one that the summary is of: an example
    size_t n_differences, n_forms, n_classes;
    // Of measured dispatch slots against a model's uops. Models may count uops before fusion, as Intel's tables do:
    // what differs by convention alone must not hide the others, and is listed behind them.
    bool is_of_slots;
    // Of sums of two latencies that are too short: which of both is wrong is not known. They are listed behind those
    // whose cause is.
    bool is_of_sums;
    double most;                             // largest |gap| of them
    const struct check_allowance *allowance; // null: none fits
    bool is_allowed;
    // Why the allowance does not hold: "expired on 2026-01-31". Null: it holds, or no allowance fits.
    const char *why_not;
};

// Makes findings of the differences of one question: those that explain most come first, those of sums behind all
// others, and those of slots last. A
// cause that this many scheduling classes share is one finding; else each class has its own.
enum { CHECK_SHARED_CLASSES = 3 };
void check_find(struct arena *arena, enum check_question question, struct check_difference *differences, size_t n,
                const struct check_finding **findings, size_t *n_findings);

#endif
