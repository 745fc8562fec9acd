#include "blocks/x87_stack.h"

#include "analyzer/code/x86_encoding.h"

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

// Whether an opcode byte is of the first map: no 0f, 0f38 or 0f3a stands before it.
static bool is_of_first_map(const struct x86_encoding *encoding, const uint8_t *bytes) {
    uint8_t before = encoding->opcode_at ? bytes[encoding->opcode_at - 1] : 0;
    return encoding->is_legacy && before != 0x0f && before != 0x38 && before != 0x3a;
}

int x87_stack_step(const uint8_t *bytes, unsigned n, bool *sets_all) {
    const struct x86_encoding encoding = x86_encoding_of(bytes, n);
    uint8_t opcode = encoding.opcode;
    if (opcode < ESCAPE || opcode >= ESCAPE + N_ESCAPES || !is_of_first_map(&encoding, bytes))
        return 0;
    uint8_t second = bytes[encoding.opcode_at + 1];
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
    if (strcmp(block->source.isa->name, "x86_64") != 0)
        return 0;
    int left = 0;
    bool sets_all = false;
    int64_t offset = 0;
    unsigned at = 0;
    for (unsigned n_steps = 0; at < insns->n_insns && n_steps < insns->n_insns; n_steps++) {
        const struct insn *insn = &insns->insns[at++];
        left += x87_stack_step(block->bytes + offset, insn->n_bytes, &sets_all);
        if (sets_all || insn->is_call)
            return 0;
        if (insn->is_return)
            return left;
        if (!insn->is_branch || insn->is_conditional) {
            offset += insn->n_bytes;
            continue;
        }
        offset += insn->displacement;
        if (!insn->is_direct || offset < 0 || offset >= (int64_t)block->n_bytes ||
            !block_begins_at(insns, (size_t)offset))
            return 0;
        at = block_insn_at(insns, (size_t)offset);
    }
    return left;
}
