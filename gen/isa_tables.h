// The instruction sets that isa.c lists, one file each.
#ifndef GEN_ISA_TABLES_H
#define GEN_ISA_TABLES_H

#include "gen/isa.h"

extern const struct isa isa_x86_64;
extern const struct isa isa_aarch64;

#endif
