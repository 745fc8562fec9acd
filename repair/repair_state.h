// Private to this folder.
// The state of a repair (repair.h), for the files that do parts of it. repair.c calls these, and they do not call it.
#ifndef REPAIR_REPAIR_STATE_H
#define REPAIR_REPAIR_STATE_H

#include "check/predictor.h"
#include "repair/repair.h"
#include "repair/repair_search.h"

// A form with its values, which are [first, end) of the results'.
struct repair_member {
    const char *key; // equal for forms of one class whose instructions have the same numbers
    const char *form, *opcode, *class_name;
    size_t first, end;
    struct repair_numbers numbers;
    const char **others; // opcodes beside it in the program of its throughput
    size_t n_others;
};

// An opcode of a group without a value.
struct repair_unseen {
    const char *key; // as in struct repair_member
    const char *opcode;
    struct repair_numbers numbers;
};

// Of a latency that bounds the form together with others (repair_sums.c).
struct repair_sum {
    const char **others; // opcodes in its programs beside the form
    size_t n_others;
};

// An instruction that leads back in some form's chain (repair_sums.c).
struct repair_partner {
    const char *opcode;
    const struct repair_member *member; // its plain form
    struct repair_numbers now;          // LLVM's, as the rules so far change them
    bool is_known;                      // a latency of it is measured by itself
    bool is_settled;                    // its group has been repaired
    // Cycles by which LLVM's sums with it or others of its group are too long.
    double least_excess, most_excess;
    bool leads_back_to_several; // groups; else only to one
};

// An opcode that waits for none of its sources where these are one register.
struct repair_idiom {
    size_t value;    // index of the latency that shows it
    bool is_zero;    // it takes no pipe either
    bool is_dropped; // the value is predicted otherwise, or not at all
};

struct repair {
    struct arena *arena;
    const struct repair_request *request;
    const struct check_value *values; // as forwarding_accept has them
    size_t n_values;
    struct predicted *base;  // of the model as it is, by value
    double *gaps;            // likewise; below 0: the value is not compared
    double *worst_gaps;      // likewise: above them, a value is made worse. What no number that the model can state
                             // predicts may come to the nearest of these
    double *allowed_below;   // likewise, cycles (gap.h)
    bool *are_other_code;    // by value: the form's code decodes to another opcode
    bool *follow;            // by value: the form has other operands than its opcode's plain one, as LEA64r-rip. An
                             // overlay has one set of numbers for both, which is the plain form's: such a value
                             // neither changes them, nor keeps them from being changed
    bool *is_mended;         // by value: it differed, by twice as much as at the last look; no bound
    double *held_out;        // likewise, of values that the repair does not see; below 0: it sees it
    unsigned dispatch_width; // changed; 0: it is not
    struct repair_member *members;
    size_t n_members;
    double *commonness;       // of each resource: share of the members that use pipes of it
    const struct form *forms; // all of LLVM's
    size_t n_forms;
    struct repair_unseen *unseen; // opcodes without a value, by group
    size_t n_unseen;
    struct repair_pipes *pipes; // what the model says of pipes (repair_pipes.h)
    bool takes_bounds;          // also bounds of a form together with others: these others are repaired
    struct repair_sum *sums;    // by value
    struct repair_partner *partners;
    size_t n_partners;
    const char **bounded; // opcodes whose latencies are left, as only bounds show that these are too long
    size_t n_bounded;
    struct repair_rule *rules;
    size_t n_rules;
    struct repair_idiom *idioms;
    size_t n_idioms;
};

// ---- repair_state.c

// Whether the value bounds the form together with others: instructions that end dependences, or put back what it moves.
// What exceeds the bound may be theirs.
bool repair_is_shared_bound(const struct repair *repair, const struct repair_member *member, size_t i);
// Whether the value counts when changes are tried.
bool repair_is_taken(const struct repair *repair, const struct repair_member *member, size_t i);
// Changes the numbers by all rules that name the opcode, one after the other.
void repair_apply_rules(const struct repair *repair, const char *opcode, struct repair_numbers *numbers);
// The number behind the last member of the group that begins with `first`.
size_t repair_end_of_group(const struct repair *repair, size_t first);
// Begins a search of the members' numbers, from `start` on. What it holds lives in the arena.
struct repair_search repair_open_search(struct arena *arena, struct repair *repair, const struct repair_member *members,
                                        size_t n, const struct repair_numbers *start);
// Adds what the search found as a rule of the members.
void repair_add_rule(struct repair *repair, const struct repair_search *search, const struct repair_numbers *before,
                     const struct repair_member *members, size_t n, bool is_of_class);

// Comment lines above a rule, at the most.
enum { REPAIR_MOST_EVIDENCE = 3 };
// A comment line of the overlay: the value, what the model predicted, and the command that repeats it.
const char *repair_describe_value(const struct repair *repair, const struct check_value *value, double predicted);

// A member's class and the numbers of its instruction, as text.
const char *repair_member_key(struct arena *arena, const struct repair_member *member);

// ---- repair_members.c

// Finds the forms with their values, and whether their values count.
void repair_find_members(struct repair *repair);
// Whether any value of the member is compared.
bool repair_is_seen(const struct repair *repair, const struct repair_member *member);
// Finds how many of them use each resource.
void repair_find_commonness(struct repair *repair);

// ---- repair_width.c

// Finds another dispatch width, where that alone makes many values better for each that it makes worse.
void repair_find_width(struct repair *repair);

// ---- repair_bounds.c

// Repairs forms by what bounds them together with others, once these are repaired.
void repair_by_bounds(struct repair *repair);

// ---- repair_sums.c

// Finds latencies that are known as sums, and the instructions that lead back in their programs.
void repair_find_sums(struct repair *repair);
bool repair_has_latency(const struct repair *repair, const char *opcode); // one of it is measured by itself
// Whether members lead back in others' chains: with latencies of their own, or with such as only sums show. Those that
// explain all these sums by one change come first.
enum repair_lead { REPAIR_LEADS_KNOWN, REPAIR_LEADS_ALONE, REPAIR_LEADS_UNKNOWN, REPAIR_LEADS_NOWHERE };
enum repair_lead repair_leads_back(const struct repair *repair, const struct repair_member *members, size_t n);
// From now on the members' numbers are settled, whether they have changed or not.
void repair_settle_sums(struct repair *repair, const struct repair_member *members, size_t n);
// Notes what a rule makes of instructions that lead back.
void repair_note_sums(struct repair *repair, const struct repair_rule *rule);
// Sets these instructions beside the forms of a search as they are repaired so far.
void repair_set_sums(const struct repair *repair, struct arena *arena, struct repair_search *search);
// A comment line of the overlay where a changed latency is one's part of a sum; null: it is not.
const char *repair_describe_split(const struct repair *repair, const struct repair_search *search,
                                  const struct repair_numbers *before);

// ---- repair_raise.c

// Makes latencies longer where the rules so far leave measured sums too short. False: Cyclops itself failed.
bool repair_raise_sums(struct repair *repair, struct fail *fail);

// ---- repair_idioms.c

// Finds opcodes whose chain through one register the model predicts only as an idiom. False: Cyclops itself failed.
bool repair_find_idioms(struct repair *repair, struct fail *fail);
void repair_write_idioms(const struct repair *repair, struct text *text); // their rules
bool repair_drop_idiom(struct repair *repair, const char *opcode);        // false: it is not one
size_t repair_count_idioms(const struct repair *repair);

// ---- repair_classes.c

// Finds the opcodes without a value; members of which no value is compared are moved to them. Fails where LLVM's forms
// cannot be listed.
bool repair_find_unseen(struct repair *repair, struct fail *fail);
// Adds rules for opcodes without a value, where all others of their group came to the same numbers.
void repair_spread(struct repair *repair);
// Drops these rules, or the opcode's part in them. False: it has none.
void repair_unspread(struct repair *repair);
bool repair_unspread_opcode(struct repair *repair, const char *opcode);

#endif
