// When a conditional branch is taken, by its name.
#ifndef BLOCKS_CONDITION_H
#define BLOCKS_CONDITION_H

#include "base/text.h"

// The sign of a - b, where the branch compares a with b. Signed and unsigned alike: whoever asks has small values.
enum condition { CONDITION_OTHER, CONDITION_EQ, CONDITION_NE, CONDITION_LT, CONDITION_GE, CONDITION_GT, CONDITION_LE };

enum condition condition_opposite(enum condition condition);

// The condition of a branch, by its mnemonic: "jne" (x86), "b.ne", "cbz" (AArch64), "bne" (RISC-V). `isa`: its name.
enum condition condition_of_branch(const char *isa, struct slice name);

#endif
