// Private to this folder.
// The instruction sets that isa.c lists. Each has a file.
#ifndef GEN_ISA_TABLES_H
#define GEN_ISA_TABLES_H

#include "gen/isa.h"

// Names of numbered registers, "r0", "r1", …, up to 7, 15, 30 or 31.
#define ISA_NAMES_7(r) r "0", r "1", r "2", r "3", r "4", r "5", r "6", r "7"
#define ISA_NAMES_15(r) ISA_NAMES_7(r), r "8", r "9", r "10", r "11", r "12", r "13", r "14", r "15"
#define ISA_NAMES_30(r)                                                                                                \
    ISA_NAMES_15(r), r "16", r "17", r "18", r "19", r "20", r "21", r "22", r "23", r "24", r "25", r "26", r "27",   \
        r "28", r "29", r "30"
#define ISA_NAMES_31(r) ISA_NAMES_30(r), r "31"

// instruction_bytes of an ISA whose instructions all have four bytes.
unsigned isa_four_bytes(const uint8_t *code);

// loop_end of an ISA whose loops all end with two instructions, of which one is a branch.
struct isa_loop_end isa_two_instructions(const struct program *program);

extern const struct isa isa_x86_64;
extern const struct isa isa_aarch64;
extern const struct isa isa_armv7;
extern const struct isa isa_mips, isa_mipsel;
extern const struct isa isa_riscv64;

#endif
