#include "hot/touches.h"

#include "blocks/accesses.h"
#include "blocks/x86_registers.h"

#include <string.h>

enum { RAX = 0, RCX = 1, RBX = 3, RBP = 5, RSI = 6, RDI = 7, WORD = 8, LINE = 64, LARGE = 4096 };

static void add(struct touches *touches, struct touch touch) {
    if (touches->n < TOUCHES_MOST)
        touches->items[touches->n++] = touch;
    else
        touches->are_all = false;
}

static unsigned element_bytes(const struct insn *insn) {
    switch (insn->opcode[strlen(insn->opcode) - 1]) {
    case 'B':
        return 1;
    case 'W':
        return 2;
    case 'L':
        return 4;
    default:
        return WORD;
    }
}

// One element: a process that steps stops after each.
static void add_string(struct touches *touches, const struct insn *insn, const struct step_registers *registers) {
    unsigned bytes = element_bytes(insn);
    bool is_repeated = strncmp(insn->text, "rep", 3) == 0;
    char first = *insn->opcode, second = insn->opcode[1]; // movs, cmps, lods: of rsi; all but lods: of rdi
    if (is_repeated && registers->general[RCX] == 0)
        return;
    if (first == 'M' || first == 'C' || first == 'L')
        add(touches, (struct touch){registers->general[RSI], bytes, false, true});
    if (first != 'L')
        add(touches,
            (struct touch){registers->general[RDI], bytes, first == 'M' || (first == 'S' && second == 'T'), true});
}

// What a push, pop, call or return touches at the stack pointer.
static void add_stack(struct touches *touches, const struct insn *insn, const struct step_registers *registers) {
    uint64_t top = registers->general[X86_RSP];
    if (insn->is_call || strncmp(insn->opcode, "PUSH", 4) == 0)
        add(touches, (struct touch){top - WORD, WORD, true, true});
    else if (insn->is_return || strncmp(insn->opcode, "POP", 3) == 0)
        add(touches, (struct touch){top, WORD, false, true});
    else
        for (unsigned i = 0; i < 2; i++) // leave, enter
            add(touches, (struct touch){registers->general[i ? RBP : X86_RSP] - LINE, 2 * LINE, true, false});
}

// Around all that a register points to.
static void add_guesses(struct touches *touches, const struct step_registers *registers) {
    touches->are_all = false;
    for (unsigned i = 0; i < STEP_REGISTERS; i++)
        add(touches, (struct touch){registers->general[i] - LINE, 2 * LINE, true, false});
}

// Of instructions of which LLVM does not say that they access memory: whether they may. Most have other effects, such
// as div, and nops have operands that they do not access.
static bool may_touch(const struct insn *insn) {
    static const char *const others[] = {"NOOP", "LEA", "PREFETCH"}, *const without_operand[] = {"MASKMOV"};
    bool may = insn->address != NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        may &= strncmp(insn->opcode, others[i], strlen(others[i])) != 0;
    for (size_t i = 0; i < sizeof without_operand / sizeof *without_operand; i++)
        may |= strncmp(insn->opcode, without_operand[i], strlen(without_operand[i])) == 0;
    return may;
}

void touches_find(struct arena *scratch, const struct machine *machine, const struct book_insn *insn,
                  const struct step_registers *registers, bool is_over, struct touches *touches) {
    *touches = (struct touches){.are_all = true};
    if (insn->is_string) {
        add_string(touches, insn->insn, registers);
        return;
    }
    if (strncmp(insn->insn->opcode, "XLAT", 4) == 0) { // a byte of a table, by al
        add(touches, (struct touch){registers->general[RBX] + (uint8_t)registers->general[RAX], 1, false, true});
        return;
    }
    struct execution_step step = {0};
    struct step_registers still = *registers;
    if (!is_over)
        still.stack_behind = registers->general[X86_RSP]; // pushes and pops are added here
    accesses_find(scratch, machine, insn->insn, &still, &step);
    for (unsigned i = 0; i < step.n_accesses; i++) {
        const struct memory_access *access = &step.accesses[i];
        bool has_size = access->bytes != 0;
        if (access->is_known)
            add(touches, (struct touch){access->address, has_size ? access->bytes : LARGE, access->is_store, has_size});
        if (!access->is_known || !has_size)
            touches->are_all = false;
    }
    if (!is_over && insn->insn->uses_stack)
        add_stack(touches, insn->insn, registers);
    if (!touches->are_all || (!step.has_accesses && may_touch(insn->insn)))
        add_guesses(touches, registers);
}
