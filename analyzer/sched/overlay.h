// Overlay files (YAML): a machine written down by people, as changes of LLVM's (`base: llvm`) or whole (`base: none`).
// Reader, and what makes a machine and instructions of it. It does not say which instruction a piece of code is: that
// is LLVM's, also where LLVM has no scheduling model of the CPU.
//
//     overlay: 2                   # version of the format; 1 lacks `forms` of rules
//     name: cortex-a8              # the model is called overlay:cortex-a8
//     about: one line for people
//     measured: 2026-11-27T00:17Z  # when what it rests on was measured, for people
//     base: none                   # or llvm
//     triple: armv7-linux-gnueabi  # as in LLVM; left out: the user's (base llvm), or no ISA at all (base none)
//     cpu: cortex-a8               # LLVM's name; with base none, whose instructions are decoded
//     features: +neon
//     machine:                     # all of base llvm's stay as they are unless given here
//       order: in                  # or out; base none only
//       dispatch_width: 2          # uops a cycle
//       reorder_buffer: 64         # uops; out of order only (what is for the other order is an error)
//       retire_width: 0            # instructions a cycle; 0: unlimited
//       load_queue: 0              # entries; 0: unlimited
//       store_queue: 0
//       completes: any             # in order only: results may be written in any order (default: in program order)
//       threads: turns             # in order only: of two hardware threads one issues in a cycle, unless an
//                                  # instruction of several cycles is being executed (default, together: both do)
//     resources:
//       - {name: ALU, units: 2, buffer: 8}   # buffer: entries; 0: taken at dispatch; left out: the common one
//       - {name: PIPES, members: [A, B]}     # a group: either serves
//     register_files:              # out of order only; without them, renaming is unlimited
//       - {name: GPR, registers: "R[0-9]+", size: 32}    # regular expression on LLVM's register names
//     instructions:                # those a later rule matches too, it changes further
//       - match: "ADDu|ADDiu"      # regular expression on LLVM's whole opcode name; base none without triple: the name
//                                  # RISC-V's vectors: also on the opcode with its pair of element and group, such as
//                                  # VADD_VV-e32m2 or "VADD_V[VX]-e.*m8"; without "-e", a rule is of all pairs
//         uops: 1
//         latency: 2               # of all its writes; or [2, 3], one each in the order of `cyclops explain`
//         uses: [ALU, {resource: MUL, acquire: 0, release: 3}]               # ALU alone: from 0 to 1
//                                  # of a group, also `units: 2`, which must be free for it to issue; left out: 1
//         advances: [{read: 0, after: mac, cycles: 4}]   # read 0 is wanted that much later; left out: all; any write
//                                  # or {operand: 6, cycles: 4}: by LLVM's number of what is read, as ReadAdvance is:
//                                  # also where an address has an index that not all of the opcode's have
//         writes: mac              # name of its results, for `after`
//         idiom: zero              # without memory, and where all registers that it reads are one, it waits for
//                                  # none, and takes no pipe; or dependency-breaking: it is executed all the same
//         begins_group: true       # it is dispatched first in its cycle; ends_group: last
//       - forms: [LEA64r-base-index, ADD8rr-high0]   # in the place of `match`: forms by their whole names (struct
//         latency: 2               # form, `cyclops list forms`); one, or a list; a form is in one rule only
//
//     card: []                     # findings of `cyclops machine` (docs/how-it-works): anything, it is ignored
//
// Any number may be written {value: 2, source: "where it is from"}, and any mapping may have a `source`. Unknown keys
// are errors. Each use is held as it stands: a use of a group's member takes nothing of the group besides.
#ifndef ANALYZER_SCHED_OVERLAY_H
#define ANALYZER_SCHED_OVERLAY_H

#include "analyzer/sched/insn.h"
#include "analyzer/sched/machine.h"
#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum overlay_base { OVERLAY_ON_LLVM, OVERLAY_ALONE };

struct overlay; // as read; what its functions return lives as long

// Reads and checks all of a file but what depends on LLVM. Null and a failure with line and column where it is wrong.
struct overlay *overlay_read(struct arena *arena, const char *path, struct fail *fail);
// The same of a text; `name` is what messages call it.
struct overlay *overlay_parse(struct arena *arena, const char *name, const char *text, struct fail *fail);
void overlay_close(struct overlay *overlay); // null is allowed

const char *overlay_name(const struct overlay *overlay);
uint64_t overlay_hash(const struct overlay *overlay);     // of the file's text: another one is another machine
const char *overlay_about(const struct overlay *overlay); // "" where the file says nothing
enum overlay_base overlay_base(const struct overlay *overlay);
// As the file has them; null: not given.
const char *overlay_triple(const struct overlay *overlay);
const char *overlay_cpu(const struct overlay *overlay);
const char *overlay_features(const struct overlay *overlay);

// The machine that the file makes of LLVM's `from` (base none: of which the registers are taken; null: there are none).
const struct machine *overlay_machine(struct overlay *overlay, const struct machine *from, struct fail *fail);

// Whether a rule names forms: then instructions must have theirs (struct insn).
bool overlay_names_forms(const struct overlay *overlay);

// Check the rules against all names that LLVM has. A rule that matches no opcode, or names no form of LLVM's, would
// change nothing, unseen: the first such one is the failure.
bool overlay_check_opcodes(const struct overlay *overlay, struct arena *arena, const char *const *opcodes, size_t n,
                           struct fail *fail);
bool overlay_check_forms(const struct overlay *overlay, struct arena *arena, const char *const *names, size_t n,
                         struct fail *fail);

// Changes a block's instructions, copies of which it makes in `arena`. Once overlay_machine has been called. Fails at
// the first instruction that a file with base none does not describe.
bool overlay_apply(struct overlay *overlay, struct arena *arena, struct block *block, struct fail *fail);

// An instruction that is nothing but its rule, called by the rule's `match`: of a machine without an ISA.
bool overlay_insn(struct overlay *overlay, struct arena *arena, const char *name, struct insn *insn, struct fail *fail);

// Where the numbers of an instruction are from, as its rules say; null: they do not.
const char *overlay_source(const struct overlay *overlay, struct arena *arena, const struct insn *insn);

#endif
