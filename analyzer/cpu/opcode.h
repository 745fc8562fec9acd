// Private to this folder.
// What the name of an opcode of LLVM's says of an instruction.
#ifndef ANALYZER_CPU_OPCODE_H
#define ANALYZER_CPU_OPCODE_H

#include "analyzer/cpu/cpu.h"

#include <stdbool.h>
#include <stdint.h>

enum cpu_kind {
    CPU_NOP = 1 << 0,
    CPU_JUMPS = 1 << 1,          // on a condition
    CPU_SELECTS = 1 << 2,        // cmov, setcc
    CPU_HAS_FLAG_LOGIC = 1 << 3, // and, or, xor, test
    CPU_STEPS = 1 << 4,          // inc, dec: they leave the carry
    CPU_CARRIES = 1 << 5,        // adc, sbb, rcl, rcr, adcx: they read the carry alone
    // How it may fuse with a jump (X86BaseInfo.h, classifyFirstOpcodeInMacroFusion).
    CPU_FUSES_AS_TEST = 1 << 6,
    CPU_FUSES_AS_CMP = 1 << 7,
    CPU_FUSES_AS_LOGIC = 1 << 8, // or, xor
    CPU_COMPARES = 1 << 9,       // cmp, test: with a memory operand, nothing is stored
    CPU_HAS_MEMORY_AND_IMMEDIATE = 1 << 10,
    CPU_REVERSED_ZERO = 1 << 11, // in the other encoding, which LLVM's tables of idioms lack
    CPU_MOVES_GENERAL = 1 << 12,
    CPU_MOVES_VECTOR = 1 << 13,
    CPU_PREFETCHES = 1 << 14,
    CPU_SPLITS_INDEXED = 1 << 15, // flags alone, four inputs, or a destination that is no source
    CPU_PUSHES = 1 << 16,
    CPU_POPS = 1 << 17,
    CPU_LOADS_PLAINLY = 1 << 18, // if it loads
    CPU_LEA = 1 << 19,
    CPU_FUSES_WITH_MOVE = 1 << 20, // of what it changes
    CPU_GATHERS = 1 << 21,         // or scatters
    CPU_WIDE_LANES = 1 << 22,      // of these: an index or a value of a lane has 64 bits
    CPU_ZEROES_ITSELF = 1 << 26,   // where both that it reads are one register
    CPU_ONES_ITSELF = 1 << 27,     // likewise: all its bits are set then
    CPU_WRITES_CARRY = 1 << 28,    // clc, stc, cmc, adcx, bt and its kind: and no other flag
    CPU_SETS_CARRY = 1 << 29,      // of these clc and stc, which read no flag
    CPU_DIVIDES = 1 << 30,         // whole numbers
    // Of strings, at these registers.
    CPU_LOADS_RSI = 1 << 23,
    CPU_LOADS_RDI = 1 << 24,
    CPU_STORES_RDI = 1 << 25,
    CPU_IS_STRING = CPU_LOADS_RSI | CPU_LOADS_RDI | CPU_STORES_RDI,
};

// Several of the above, of an opcode of AArch64's: CPU_JUMPS, CPU_FUSES_AS_CMP, CPU_LOADS_PLAINLY.
uint32_t cpu_aarch64_kinds_of(const char *opcode);
// How many registers it stores, by its name: those of an address follow.
unsigned cpu_aarch64_stored(const char *opcode);
// Whether it moves the register of its address on.
bool cpu_aarch64_writes_back(const char *opcode);
// Several of the above, of an x86 opcode.
uint32_t cpu_kinds_of(const char *opcode);
enum cpu_flow cpu_flow_of(const char *opcode);
// `operands`: as in struct cpu_opcode.
enum cpu_operation cpu_operation_of(const char *opcode, const char **operands);
// Several of enum cpu_operand, by the letters.
unsigned cpu_operands_of(const char *operands);
bool cpu_pushes_number(const char *opcode); // of an opcode that pushes

#endif
