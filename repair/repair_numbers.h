// The numbers that a model has of an opcode, and changes of them as rules of an overlay.
#ifndef REPAIR_REPAIR_NUMBERS_H
#define REPAIR_REPAIR_NUMBERS_H

#include "analyzer/sched/insn.h"
#include "analyzer/sched/machine.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

enum { REPAIR_MOST_WRITES = 8, REPAIR_MOST_READS = 16, REPAIR_MOST_USES = 16 };

struct repair_numbers {
    unsigned uops, n_writes, n_reads, n_uses;
    unsigned latencies[REPAIR_MOST_WRITES];
    int advances[REPAIR_MOST_READS];      // cycles by which a read may come early, of any write
    unsigned operands[REPAIR_MOST_READS]; // LLVM's number of the operand that is read
    // LLVM counts the units of a group from the pipes in it that the instruction holds besides (InstrBuilder.cpp). So
    // where one has several, the pipes stay, and only their times may change. Where LLVM has reserved one, all uses
    // stay.
    bool has_fixed_pipes, has_fixed_uses;
    struct repair_use {
        unsigned resource; // index
        unsigned acquire, release;
        unsigned units; // of a group: those that must be free for it to issue
    } uses[REPAIR_MOST_USES];
};

// False where the instruction has more of something than fits, or reads that come early after some writes only.
bool repair_numbers_read(const struct machine *machine, const struct insn *insn, struct repair_numbers *numbers);

// Returns the numbers with the latencies and advances of others.
struct repair_numbers repair_numbers_with_latencies(const struct repair_numbers *numbers,
                                                    const struct repair_numbers *others);
bool repair_numbers_are_equal(const struct repair_numbers *a, const struct repair_numbers *b);
// Number of those that differ.
unsigned repair_numbers_distance(const struct repair_numbers *a, const struct repair_numbers *b);

// Cycles for which the use holds its resource.
unsigned repair_use_cycles(const struct repair_use *use);
// Cycles for which the uses hold resources that use `u`'s contains (LLVM: Super).
unsigned repair_numbers_held_inside(const struct machine *machine, const struct repair_numbers *numbers, unsigned u);
// Whether use `u` follows from those of resources inside, and is not one by itself.
bool repair_numbers_follow(const struct machine *machine, const struct repair_numbers *numbers, unsigned u);

// What becomes of an opcode.
struct repair_change {
    const char *opcode;
    struct repair_numbers before, after;
    bool depends_on_operands; // the model has several sets of numbers of it
    bool is_spread;           // it has no value, and follows its class
    const char *class_name;
};

// A rule of an overlay's `instructions`.
struct repair_rule {
    const char **opcodes;
    size_t n_opcodes; // 0: it is dropped
    struct repair_numbers before, after;
    bool is_of_class;
    bool is_of_form; // `opcodes` are names of forms
    bool is_spread;  // of opcodes without a value, as all others of their class are
    bool is_split;   // its latencies are parts of sums with others that are not known by themselves
    bool is_guess;   // it names pipes that the throughput does not tell from others
    const char *class_name;
    const char *evidence; // comment lines above it; null: none
};
void repair_rule_write(struct arena *arena, const struct machine *machine, const struct repair_rule *rule,
                       struct text *text);

// Changes the numbers of an opcode that it matches, as the overlay does.
void repair_rule_apply(const struct repair_rule *rule, struct repair_numbers *numbers);

// The beginning of an overlay. `dispatch_width`: 0: as the model has it. `names_forms`: whether a rule does.
void repair_head_write(const struct machine *machine, const char *name, const char *about, unsigned dispatch_width,
                       bool names_forms, struct text *text);

#endif
