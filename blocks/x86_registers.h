// Private to blocks/ and hot/.
// Numbers of x86's registers in encodings, by LLVM's registers; and addresses by the instruction pointer.
#ifndef BLOCKS_X86_REGISTERS_H
#define BLOCKS_X86_REGISTERS_H

#include "analyzer/code/insn.h"
#include "analyzer/sched/machine.h"

#include <stdbool.h>
#include <stdint.h>

enum { X86_REGISTERS = 16, X86_RSP = 4 };

// Number of a general register of 64 or 32 bits; X86_REGISTERS: it is another one. `is_narrow`: of 32 bits.
unsigned x86_general_register(const struct machine *machine, uint16_t reg, bool *is_narrow);

// Number of a vector register, whatever width of it is named; -1: it is another one.
int x86_vector_register(const struct machine *machine, uint16_t reg);

// LLVM's name of a register; "": there is no such register.
const char *x86_register_name(const struct machine *machine, uint16_t reg);

// Whether an instruction names an address by its distance from the next instruction. Sets that address. `at`: the
// instruction's own, or its offset in a block.
bool x86_names_by_distance(const struct machine *machine, const struct insn *insn, uint64_t at, uint64_t *address);

#endif
