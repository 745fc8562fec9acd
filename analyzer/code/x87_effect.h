// What an instruction of x86 does to the stack of x87: Intel SDM volume 2, B.17; appendix A, table A-7 and on.
#ifndef ANALYZER_CODE_X87_EFFECT_H
#define ANALYZER_CODE_X87_EFFECT_H

#include <stdbool.h>
#include <stdint.h>

enum { X87_REGISTERS = 8 };

// Bit i stands for st(i).
struct x87_effect {
    int step;       // pushes less pops
    bool sets_all;  // the whole stack, or what is on top of it otherwise
    bool exchanges; // fxch: each of its two registers becomes the other one
    uint8_t reads;  // as they are called before it
    uint8_t writes; // as they are called behind it
};

// `bytes` are one whole instruction, `n` of 1 to 15. Of one that is not of x87, nothing.
struct x87_effect x87_effect_of(const uint8_t *bytes, unsigned n);

#endif
