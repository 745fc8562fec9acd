#include "blocks/x87_stack.h"

#include <string.h>

enum { ESCAPE = 0xd8, N_ESCAPES = 8, REGISTERS_FROM = 0xc0, MEMORY_FORMS = 8 };

// By the opcode and the second byte's field for operations on memory: + pushes, - pops, * sets the whole stack.
static const char memory_forms[N_ESCAPES][MEMORY_FORMS + 1] = {
    "...-....", // d8: fcomp
    "+..-*...", // d9: fld, fstp, fldenv
    "...-....", // da: ficomp
    "+-.-.+.-", // db: fild, fisttp, fistp, fld, fstp
    "...-....", // dc: fcomp
    "+-.-*.*.", // dd: fld, fisttp, fstp, frstor, fnsave
    "...-....", // de: ficomp
    "+-.-++--", // df: fild, fisttp, fistp, fbld, fild, fbstp, fistp
};

// Of operations on registers: those of a range of second bytes.
static const struct register_form {
    uint8_t opcode, first, last;
    signed char step;
    bool sets_all;
} register_forms[] = {
    {0xd8, 0xd8, 0xdf, -1, false}, // fcomp
    {0xd9, 0xc0, 0xc7, 1, false},  // fld
    {0xd9, 0xd8, 0xdf, -1, false}, // fstp
    {0xd9, 0xe8, 0xee, 1, false},  // fld1 to fldz
    {0xd9, 0xf1, 0xf1, -1, false}, // fyl2x
    {0xd9, 0xf2, 0xf2, 1, false},  // fptan
    {0xd9, 0xf3, 0xf3, -1, false}, // fpatan
    {0xd9, 0xf4, 0xf4, 1, false},  // fxtract
    {0xd9, 0xf6, 0xf7, 0, true},   // fdecstp, fincstp: no place is filled or emptied
    {0xd9, 0xf9, 0xf9, -1, false}, // fyl2xp1
    {0xd9, 0xfb, 0xfb, 1, false},  // fsincos
    {0xda, 0xe9, 0xe9, -2, false}, // fucompp
    {0xdb, 0xe3, 0xe3, 0, true},   // fninit
    {0xdc, 0xd8, 0xdf, -1, false}, // fcomp
    {0xdd, 0xc0, 0xc7, 0, true},   // ffree
    {0xdd, 0xd8, 0xdf, -1, false}, // fstp
    {0xdd, 0xe8, 0xef, -1, false}, // fucomp
    {0xde, 0xc0, 0xd7, -1, false}, // faddp, fmulp, fcomp
    {0xde, 0xd9, 0xd9, -2, false}, // fcompp
    {0xde, 0xe0, 0xff, -1, false}, // fsubrp, fsubp, fdivrp, fdivp
    {0xdf, 0xc0, 0xc7, -1, false}, // ffreep
    {0xdf, 0xd0, 0xdf, -1, false}, // fstp
    {0xdf, 0xe8, 0xf7, -1, false}, // fucomip, fcomip
};

static bool is_prefix(uint8_t byte) {
    return byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e || (byte >= 0x40 && byte <= 0x4f) ||
           (byte >= 0x64 && byte <= 0x67) || byte == 0xf0 || byte == 0xf2 || byte == 0xf3;
}

int x87_stack_step(const uint8_t *bytes, size_t n, bool *sets_all) {
    size_t at = 0;
    while (at < n && is_prefix(bytes[at]))
        at++;
    if (at + 1 >= n || bytes[at] < ESCAPE || bytes[at] >= ESCAPE + N_ESCAPES)
        return 0;
    uint8_t opcode = bytes[at], second = bytes[at + 1];
    if (second < REGISTERS_FROM) {
        char form = memory_forms[opcode - ESCAPE][second >> 3 & 7];
        *sets_all |= form == '*';
        return form == '+' ? 1 : form == '-' ? -1 : 0;
    }
    for (size_t i = 0; i < sizeof register_forms / sizeof *register_forms; i++) {
        const struct register_form *form = &register_forms[i];
        if (form->opcode != opcode || second < form->first || second > form->last)
            continue;
        *sets_all |= form->sets_all;
        return form->step;
    }
    return 0;
}

int x87_stack_left(const struct lab_block *block) {
    const struct block *insns = &block->insns;
    if (!block->is_decoded || strcmp(block->source.isa->name, "x86_64") != 0)
        return 0;
    int left = 0;
    bool sets_all = false;
    unsigned at = 0, n_steps = 0;
    while (at < insns->n_insns && n_steps++ < insns->n_insns) {
        const struct insn *insn = &insns->insns[at];
        size_t offset = 0;
        for (unsigned i = 0; i < at; i++)
            offset += insns->insns[i].n_bytes;
        left += x87_stack_step(block->bytes + offset, insn->n_bytes, &sets_all);
        if (sets_all || insn->is_call)
            return 0;
        if (insn->is_return)
            return left;
        at++;
        if (!insn->is_branch || insn->is_conditional)
            continue;
        int64_t target = (int64_t)offset + insn->displacement;
        if (!insn->is_direct || target < 0 || target >= (int64_t)block->n_bytes)
            return 0;
        at = block_insn_at(insns, (size_t)target);
    }
    return left;
}
