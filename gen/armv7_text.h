// Private to this folder.
// Effects of A32 instructions that their mnemonic and named registers do not show: second registers of pairs, and jumps
// that write the program counter. Reads text, not machine code.
#ifndef GEN_ARMV7_TEXT_H
#define GEN_ARMV7_TEXT_H

#include "gen/registers.h"

// Adds the second register of a pair whose text names the first only: "ldrd r4, [r2]" also loads r5 (Arm ARM for Armv7,
// A8.8.72: Rt2 is Rt + 1; GNU as does not require it). Also for strd, ldrexd, strexd.
void armv7_add_implied(const struct isa *isa, struct slice instruction, struct register_set *set);

// Whether an instruction jumps to an address from a register or memory, with or without a condition: bx, or one that
// writes pc in a list in braces or as its first operand. False for "add pc, pc, …", which stays near (a jump table).
bool armv7_leaves_loop(struct slice instruction);

#endif
