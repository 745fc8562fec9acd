#include "analyzer/code/x87_effect.h"

#include "analyzer/code/x86_encoding.h"

#include <stddef.h>

enum { ESCAPE = 0xd8, N_ESCAPES = 8, REGISTERS_FROM = 0xc0, MEMORY_FORMS = 8 };

// By the opcode and the second byte's field for operations on memory: o operates on the top, c compares it, l loads, s
// stores, C and S pop as well; * sets the whole stack.
static const char memory_forms[N_ESCAPES][MEMORY_FORMS + 1] = {
    "oocCoooo", // d8: fadd, fmul, fcom, fcomp, fsub, fsubr, fdiv, fdivr
    "l.sS*...", // d9: fld, fst, fstp, fldenv
    "oocCoooo", // da: of integers
    "lSsS.l.S", // db: fild, fisttp, fist, fistp, fld, fstp
    "oocCoooo", // dc
    "lSsS*.*.", // dd: fld, fisttp, fst, fstp, frstor, fnsave
    "oocCoooo", // de
    "lSsSllSS", // df: fild, fisttp, fist, fistp, fbld, fild, fbstp, fistp
};

// What operations on registers do. i: the register that the second byte names. W0 and W1 are the two on top behind it.
enum { R0 = 1, R1 = 2, RI = 4, W0 = 8, W1 = 16, WI = 32, SWAPS = 64, SETS_ALL = 128 };

// Those of a range of second bytes.
static const struct register_form {
    uint8_t opcode, first, last;
    signed char step;
    uint8_t does;
} register_forms[] = {
    {0xd8, 0xc0, 0xcf, 0, R0 | RI | W0},  // fadd, fmul
    {0xd8, 0xd0, 0xd7, 0, R0 | RI},       // fcom
    {0xd8, 0xd8, 0xdf, -1, R0 | RI},      // fcomp
    {0xd8, 0xe0, 0xff, 0, R0 | RI | W0},  // fsub, fsubr, fdiv, fdivr
    {0xd9, 0xc0, 0xc7, 1, RI | W0},       // fld
    {0xd9, 0xc8, 0xcf, 0, SWAPS},         // fxch
    {0xd9, 0xd8, 0xdf, -1, R0 | WI},      // fstp
    {0xd9, 0xe0, 0xe1, 0, R0 | W0},       // fchs, fabs
    {0xd9, 0xe4, 0xe5, 0, R0},            // ftst, fxam
    {0xd9, 0xe8, 0xee, 1, W0},            // fld1 to fldz
    {0xd9, 0xf0, 0xf0, 0, R0 | W0},       // f2xm1
    {0xd9, 0xf1, 0xf1, -1, R0 | R1 | W0}, // fyl2x
    {0xd9, 0xf2, 0xf2, 1, R0 | W0 | W1},  // fptan
    {0xd9, 0xf3, 0xf3, -1, R0 | R1 | W0}, // fpatan
    {0xd9, 0xf4, 0xf4, 1, R0 | W0 | W1},  // fxtract
    {0xd9, 0xf5, 0xf5, 0, R0 | R1 | W0},  // fprem1
    {0xd9, 0xf6, 0xf7, 0, SETS_ALL},      // fdecstp, fincstp: no place is filled or emptied
    {0xd9, 0xf8, 0xf8, 0, R0 | R1 | W0},  // fprem
    {0xd9, 0xf9, 0xf9, -1, R0 | R1 | W0}, // fyl2xp1
    {0xd9, 0xfa, 0xfa, 0, R0 | W0},       // fsqrt
    {0xd9, 0xfb, 0xfb, 1, R0 | W0 | W1},  // fsincos
    {0xd9, 0xfc, 0xfc, 0, R0 | W0},       // frndint
    {0xd9, 0xfd, 0xfd, 0, R0 | R1 | W0},  // fscale
    {0xd9, 0xfe, 0xff, 0, R0 | W0},       // fsin, fcos
    {0xda, 0xc0, 0xdf, 0, R0 | RI | W0},  // fcmov
    {0xda, 0xe9, 0xe9, -2, R0 | R1},      // fucompp
    {0xdb, 0xc0, 0xdf, 0, R0 | RI | W0},  // fcmovn
    {0xdb, 0xe3, 0xe3, 0, SETS_ALL},      // fninit
    {0xdb, 0xe8, 0xf7, 0, R0 | RI},       // fucomi, fcomi
    {0xdc, 0xc0, 0xcf, 0, R0 | RI | WI},  // fadd, fmul
    {0xdc, 0xd0, 0xd7, 0, R0 | RI},       // fcom
    {0xdc, 0xd8, 0xdf, -1, R0 | RI},      // fcomp
    {0xdc, 0xe0, 0xff, 0, R0 | RI | WI},  // fsubr, fsub, fdivr, fdiv
    {0xdd, 0xc0, 0xc7, 0, SETS_ALL},      // ffree
    {0xdd, 0xd0, 0xd7, 0, R0 | WI},       // fst
    {0xdd, 0xd8, 0xdf, -1, R0 | WI},      // fstp
    {0xdd, 0xe0, 0xe7, 0, R0 | RI},       // fucom
    {0xdd, 0xe8, 0xef, -1, R0 | RI},      // fucomp
    {0xde, 0xc0, 0xcf, -1, R0 | RI | WI}, // faddp, fmulp
    {0xde, 0xd0, 0xd7, -1, R0 | RI},      // fcomp
    {0xde, 0xd9, 0xd9, -2, R0 | R1},      // fcompp
    {0xde, 0xe0, 0xff, -1, R0 | RI | WI}, // fsubrp, fsubp, fdivrp, fdivp
    {0xdf, 0xc0, 0xc7, -1, 0},            // ffreep
    {0xdf, 0xd0, 0xdf, -1, R0 | WI},      // fstp
    {0xdf, 0xe8, 0xf7, -1, R0 | RI},      // fucomip, fcomip
};

// Whether an opcode byte is of the first map: no 0f, 0f38 or 0f3a stands before it.
static bool is_of_first_map(const struct x86_encoding *encoding, const uint8_t *bytes) {
    uint8_t before = encoding->opcode_at ? bytes[encoding->opcode_at - 1] : 0;
    return encoding->is_legacy && before != 0x0f && before != 0x38 && before != 0x3a;
}

static struct x87_effect effect_of_memory_form(char form) {
    switch (form) {
    case 'o':
        return (struct x87_effect){.reads = 1, .writes = 1};
    case 'l':
        return (struct x87_effect){.step = 1, .writes = 1};
    case 'c':
    case 's':
        return (struct x87_effect){.reads = 1};
    case 'C':
    case 'S':
        return (struct x87_effect){.step = -1, .reads = 1};
    default:
        return (struct x87_effect){.sets_all = form == '*'};
    }
}

static struct x87_effect effect_of_register_form(const struct register_form *form, unsigned i) {
    const unsigned does = form->does, behind = (i + (unsigned)form->step) % X87_REGISTERS, both = 1U | 1U << i;
    struct x87_effect effect = {.step = form->step, .sets_all = does & SETS_ALL, .exchanges = does & SWAPS};
    effect.reads = (uint8_t)((does & R0 ? 1 : 0) | (does & R1 ? 2 : 0) | (does & RI ? 1 << i : 0));
    effect.writes = (uint8_t)((does & W0 ? 1 : 0) | (does & W1 ? 2 : 0) | (does & WI ? 1 << behind : 0));
    if (effect.exchanges)
        effect.reads = effect.writes = (uint8_t)both;
    return effect;
}

struct x87_effect x87_effect_of(const uint8_t *bytes, unsigned n) {
    const struct x86_encoding encoding = x86_encoding_of(bytes, n);
    const uint8_t opcode = encoding.opcode;
    if (opcode < ESCAPE || opcode >= ESCAPE + N_ESCAPES || !is_of_first_map(&encoding, bytes))
        return (struct x87_effect){0};
    const uint8_t second = bytes[encoding.opcode_at + 1];
    if (second < REGISTERS_FROM)
        return effect_of_memory_form(memory_forms[opcode - ESCAPE][second >> 3 & 7]);
    for (size_t i = 0; i < sizeof register_forms / sizeof *register_forms; i++)
        if (register_forms[i].opcode == opcode && second >= register_forms[i].first && second <= register_forms[i].last)
            return effect_of_register_form(&register_forms[i], second & 7);
    return (struct x87_effect){0};
}
