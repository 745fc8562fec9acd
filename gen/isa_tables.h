// The instruction sets that isa.c lists, one file each.
#ifndef GEN_ISA_TABLES_H
#define GEN_ISA_TABLES_H

#include "gen/isa.h"

// instruction_bytes of an ISA whose instructions all have four.
unsigned isa_four_bytes(const uint8_t *code);

extern const struct isa isa_x86_64;
extern const struct isa isa_aarch64;
extern const struct isa isa_armv7;
extern const struct isa isa_mips, isa_mipsel;
extern const struct isa isa_riscv64;

#endif
