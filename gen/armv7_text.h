// Private to this folder.
// What A32 instructions do that their mnemonic and the registers they name do not show: registers that come with
// another, and jumps by writing the program counter. Reads text; knows no encoding.
#ifndef GEN_ARMV7_TEXT_H
#define GEN_ARMV7_TEXT_H

#include "gen/registers.h"

// Adds the second register of a pair of which the text names the first only: "ldrd r4, [r2]" loads r5, too (Arm ARM for
// Armv7, A8.8.72: Rt2 is Rt + 1; GNU as lets it be left out). Likewise strd, ldrexd, strexd.
void armv7_add_implied(const struct isa *isa, struct slice instruction, struct register_set *set);

// Whether it goes where a register or memory says, with or without a condition: bx, and whatever else writes pc, as a
// list in braces or a first operand. Not "add pc, pc, …", which stays near (a jump table).
bool armv7_leaves_loop(struct slice instruction);

#endif
