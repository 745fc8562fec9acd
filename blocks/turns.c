// Follows the general registers through one turn as "value at the loop's head, plus a number". A comparison of two such
// values decides when the loop ends: their difference changes by the same amount in each turn.
#include "blocks/turns.h"

#include "base/text.h"
#include "blocks/condition.h"
#include "blocks/turns_certain.h"
#include "gen/registers.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPERANDS = 4, WORD_BITS = 64 };

// A value: unknown, a number, or the value of a register at the loop's head plus a number.
struct linear {
    enum { FORM_UNKNOWN, FORM_NUMBER, FORM_HEAD } kind;
    unsigned reg;
    int64_t number;
    unsigned fixed; // also plus this register, which the loop never writes: its number, and 1; 0: none
};

// What a conditional branch compares: a - b, in so many bits.
struct comparison {
    bool is_known;
    struct linear a, b;
    unsigned bits;
};

// An instruction's text in parts.
struct words {
    struct slice mnemonic, operands[MOST_OPERANDS];
    unsigned n;
};

struct walk {
    const struct turns_request *request;
    struct linear forms[TURNS_REGISTERS];
    struct comparison flags;
    const bool *is_certain; // for each instruction: it executes once in each turn
};

static struct words split(const char *text) {
    struct words words = {.mnemonic = {text, strcspn(text, " ")}};
    const char *at = text + words.mnemonic.length;
    while (*at && words.n < MOST_OPERANDS) {
        size_t n = 0;
        for (int depth = 0; at[n] && (depth > 0 || at[n] != ','); n++)
            depth += at[n] == '[' || at[n] == '(' ? 1 : at[n] == ']' || at[n] == ')' ? -1 : 0;
        words.operands[words.n++] = slice_trim((struct slice){at, n});
        at += at[n] ? n + 1 : n;
    }
    return words;
}

// Whether the operand is a whole general register.
static bool is_register(const struct walk *walk, struct slice operand, unsigned *index, unsigned *bits) {
    struct register_name found;
    if (!register_find(walk->request->isa, operand, &found) || found.class->file != 'g' ||
        found.index >= TURNS_REGISTERS || found.class->bits < 32)
        return false;
    *index = found.index;
    *bits = found.class->bits;
    return true;
}

static bool is_number(struct slice operand, int64_t *number) {
    char digits[32], *end;
    if (operand.length && *operand.data == '#')
        operand = (struct slice){operand.data + 1, operand.length - 1};
    if (!operand.length || operand.length >= sizeof digits)
        return false;
    memcpy(digits, operand.data, operand.length);
    digits[operand.length] = '\0';
    *number = strtoll(digits, &end, 0);
    return *end == '\0';
}

static struct linear of_operand(const struct walk *walk, struct slice operand, unsigned *bits) {
    unsigned index;
    int64_t number;
    if (slice_is(operand, "zero") || slice_is(operand, "xzr") || slice_is(operand, "wzr"))
        return (struct linear){.kind = FORM_NUMBER};
    if (is_register(walk, operand, &index, bits))
        return walk->forms[index];
    if (is_number(operand, &number))
        return (struct linear){.kind = FORM_NUMBER, .number = number};
    return (struct linear){0};
}

static struct linear plus(struct linear form, int64_t number) {
    form.number += number;
    return form;
}

// ---- what an instruction does to the registers

int turns_register(const struct isa *isa, const struct machine *machine, uint16_t reg) {
    struct register_name found;
    if (!reg || reg >= machine->n_registers)
        return -1;
    const char *name = machine->registers[reg].name;
    if (!register_find(isa, (struct slice){name, strcspn(name, "_")}, &found) || found.class->file != 'g' ||
        found.index >= TURNS_REGISTERS)
        return -1;
    return (int)found.index;
}

static int general_number(const struct walk *walk, uint16_t reg) {
    return turns_register(walk->request->isa, walk->request->machine, reg);
}

static bool writes_flags(const struct walk *walk, const struct insn *insn) {
    for (unsigned i = 0; i < insn->n_writes; i++)
        if (machine_is_flags(walk->request->machine, insn->writes[i].reg))
            return true;
    return false;
}

static bool is_one_of(struct slice word, const char *const *names) {
    for (; *names; names++)
        if (slice_is(word, *names))
            return true;
    return false;
}

static bool writes_general(const struct walk *walk, const struct insn *insn, unsigned reg) {
    for (unsigned w = 0; w < insn->n_writes; w++)
        if (general_number(walk, insn->writes[w].reg) == (int)reg)
            return true;
    return false;
}

static bool is_ever_written(const struct walk *walk, unsigned reg) {
    const struct block *block = walk->request->block;
    for (unsigned i = 0; i < block->n_insns; i++)
        if (block->insns[i].is_call || writes_general(walk, &block->insns[i], reg))
            return true;
    return false;
}

static struct linear plus_fixed(const struct walk *walk, unsigned a, unsigned b) {
    unsigned fixed = is_ever_written(walk, a) ? b : a;
    struct linear form = walk->forms[fixed == a ? b : a];
    if (a == b || form.kind != FORM_HEAD || form.fixed || is_ever_written(walk, fixed))
        return (struct linear){0};
    form.fixed = fixed + 1;
    return form;
}

// x86's address of a register and a number, or of two registers: "[rax + 8]", "[rax - 8]", "[r9 + rax]".
static struct linear of_address(const struct walk *walk, struct slice operand) {
    struct slice rest = {operand.data + 1, operand.length - 2}, reg, sign = {0};
    unsigned index, other, bits;
    int64_t number = 0;
    if (operand.length < 3 || *operand.data != '[' || !slice_next(&rest, ' ', &reg) ||
        !is_register(walk, slice_trim(reg), &index, &bits))
        return (struct linear){0};
    if (!slice_next(&rest, ' ', &sign))
        return walk->forms[index];
    if (*sign.data == '+' && is_register(walk, slice_trim(rest), &other, &bits))
        return plus_fixed(walk, index, other);
    return is_number(slice_trim(rest), &number) ? plus(walk->forms[index], *sign.data == '-' ? -number : number)
                                                : (struct linear){0};
}

// The value that a plain instruction gives to its first operand. `adds`: it is a sum or difference.
static struct linear result_of(const struct walk *walk, const struct words *words, bool *adds) {
    static const char *const additions[] = {"add", "addi", "adds", "addiw", NULL},
                             *const subtractions[] = {"sub", "subs", NULL}, *const moves[] = {"mov", "mv", "li", NULL};
    struct slice name = words->mnemonic;
    struct linear operands[3] = {0};
    unsigned bits;
    for (unsigned i = 0; i < words->n && i < 3; i++)
        operands[i] = of_operand(walk, words->operands[i], &bits);
    struct linear left = operands[words->n > 2], right = operands[words->n > 2 ? 2 : 1];
    bool is_difference = is_one_of(name, subtractions);
    *adds = true;
    if (slice_is(name, "inc") || slice_is(name, "dec"))
        return plus(operands[0], slice_is(name, "inc") ? 1 : -1);
    if (is_difference || is_one_of(name, additions))
        return right.kind == FORM_NUMBER ? plus(left, is_difference ? -right.number : right.number)
                                         : (struct linear){0};
    *adds = false;
    if (is_one_of(name, moves) && words->n == 2)
        return operands[1];
    return slice_is(name, "lea") && words->n == 2 ? of_address(walk, words->operands[1]) : (struct linear){0};
}

// AArch64's loads and stores that also move their base: "ldr x2, [x0], #8", "ldr x2, [x0, #8]!". Sets the base's new
// value.
static bool moves_base(const struct walk *walk, const struct words *words, unsigned *base, struct linear *moved) {
    for (unsigned i = 1; i < words->n; i++) {
        struct slice operand = words->operands[i];
        bool is_before = operand.length > 2 && operand.data[operand.length - 1] == '!';
        size_t n = operand.length - 1 - is_before;
        if (operand.length < 3 || *operand.data != '[' || (!is_before && i + 1 == words->n))
            continue;
        struct slice inside = {operand.data + 1, n - 1}, reg, by = words->operands[i + 1 < words->n ? i + 1 : i];
        unsigned bits;
        int64_t number;
        slice_next(&inside, ',', &reg);
        by = is_before ? slice_trim(inside) : by;
        if (!is_register(walk, slice_trim(reg), base, &bits) || !is_number(by, &number))
            continue;
        *moved = plus(walk->forms[*base], number);
        return true;
    }
    return false;
}

// Notes what an instruction compares, before it changes its operands.
static void note_comparison(struct walk *walk, const struct insn *insn, const struct words *words, struct linear result,
                            bool adds) {
    struct comparison *flags = &walk->flags;
    unsigned index;
    if (!writes_flags(walk, insn))
        return;
    *flags = (struct comparison){.bits = WORD_BITS};
    if (words->n < 1 || (!is_register(walk, words->operands[0], &index, &flags->bits) && words->n < 2))
        return;
    if (slice_is(words->mnemonic, "cmp")) {
        flags->a = of_operand(walk, words->operands[0], &flags->bits);
        flags->b = of_operand(walk, words->operands[1], &flags->bits);
        flags->is_known = true;
    } else if (slice_is(words->mnemonic, "test") && words->n == 2 &&
               words->operands[0].length == words->operands[1].length &&
               memcmp(words->operands[0].data, words->operands[1].data, words->operands[0].length) == 0) {
        flags->a = of_operand(walk, words->operands[0], &flags->bits);
        flags->b = (struct linear){.kind = FORM_NUMBER};
        flags->is_known = true;
    } else if (adds) {
        flags->a = result;
        flags->b = (struct linear){.kind = FORM_NUMBER};
        flags->is_known = true;
    }
}

static void step(struct walk *walk, unsigned index) {
    const struct insn *insn = &walk->request->block->insns[index];
    struct words words = split(insn->text);
    bool adds = false;
    unsigned first = TURNS_REGISTERS, base = TURNS_REGISTERS, bits;
    struct linear moved = {0}, result = result_of(walk, &words, &adds);
    bool has_moved = (insn->may_load || insn->may_store) && moves_base(walk, &words, &base, &moved);
    note_comparison(walk, insn, &words, result, adds);
    for (unsigned i = 0; i < insn->n_writes; i++) {
        int number = general_number(walk, insn->writes[i].reg);
        if (number >= 0)
            walk->forms[number] = (struct linear){0};
    }
    uint32_t called = walk->request->called ? walk->request->called[index] : UINT32_MAX;
    for (unsigned i = 0; insn->is_call && i < TURNS_REGISTERS; i++)
        if (called >> i & 1)
            walk->forms[i] = (struct linear){0};
    if (!walk->is_certain[index])
        return;
    if (words.n && is_register(walk, words.operands[0], &first, &bits) && result.kind != FORM_UNKNOWN &&
        walk->forms[first].kind == FORM_UNKNOWN)
        walk->forms[first] = result;
    if (has_moved)
        walk->forms[base] = moved;
}

// ---- when the loop ends

// What a branch compares: the flags, or the registers that it names itself ("bne a0, a1, -8", "cbnz x0, #-12").
static struct comparison compared_by(const struct walk *walk, const struct words *words) {
    struct comparison own = {.is_known = words->n > 1, .bits = WORD_BITS, .b = {.kind = FORM_NUMBER}};
    if (words->n < 2)
        return walk->flags;
    own.a = of_operand(walk, words->operands[0], &own.bits);
    if (words->n > 2)
        own.b = of_operand(walk, words->operands[1], &own.bits);
    return own;
}

// A place where the loop can end by its count. The forms are those of that place.
struct way_out {
    struct comparison compared;
    enum condition stays; // the loop goes on while this holds of a - b
    struct linear forms[TURNS_REGISTERS];
};

// Bits of a value as a signed number of so many bits.
static int64_t narrow(uint64_t value, unsigned bits) {
    return bits >= WORD_BITS ? (int64_t)value : (int64_t)(value << (WORD_BITS - bits)) >> (WORD_BITS - bits);
}

// By how much a form's register changes in a turn. False: by no fixed number.
static bool step_of(const struct walk *end, const struct linear *form, int64_t *by) {
    *by = 0;
    if (form->kind != FORM_HEAD)
        return form->kind == FORM_NUMBER;
    const struct linear *after = &end->forms[form->reg];
    *by = after->number;
    return after->kind == FORM_HEAD && after->reg == form->reg && !after->fixed;
}

static bool reads_general(const struct walk *walk, const struct insn *insn, unsigned reg) {
    for (unsigned r = 0; r < insn->n_reads; r++)
        if (general_number(walk, insn->reads[r].reg) == (int)reg)
            return true;
    return false;
}

// Whether comparisons alone read the register, and what is computed from it in so many steps: from an instruction on,
// until each turn overwrites it.
static bool only_counts(const struct walk *walk, unsigned reg, unsigned first, unsigned steps) {
    static const char *const plain[] = {"lea", "add", "sub", "inc", "dec", "mov", NULL};
    const struct block *block = walk->request->block;
    for (unsigned k = 0; k < block->n_insns; k++) {
        unsigned i = (first + k) % block->n_insns, result, bits;
        const struct insn *insn = &block->insns[i];
        struct words words = split(insn->text);
        bool reads = reads_general(walk, insn, reg);
        if (!reads && walk->is_certain[i] && writes_general(walk, insn, reg))
            return true;
        if (!reads || slice_is(words.mnemonic, "cmp") || insn->is_branch)
            continue;
        if (!steps || insn->may_load || insn->may_store || !is_one_of(words.mnemonic, plain) ||
            !is_register(walk, words.operands[0], &result, &bits) ||
            (result != reg && !only_counts(walk, result, i + 1, steps - 1)))
            return false;
    }
    return true;
}

// The difference a - b at the end of the last turn, by which the loop leaves; one step before, it stayed.
static bool last_difference(enum condition stays, int64_t by, int64_t *last) {
    *last = stays == CONDITION_LE ? 1 : stays == CONDITION_GE ? -1 : 0;
    return (stays == CONDITION_NE && by != 0) || ((stays == CONDITION_LT || stays == CONDITION_LE) && by > 0) ||
           ((stays == CONDITION_GT || stays == CONDITION_GE) && by < 0);
}

// Takes the value that the fixed register of a form has.
static void add_fixed(const struct walk *end, struct linear *form) {
    form->number += form->fixed ? (int64_t)end->request->starts[form->fixed - 1] : 0;
    form->fixed = 0;
}

// The difference in turn k is  first + k * by;  it must be `last` in turn  turns - 1.
static bool solve(const struct walk *end, const struct way_out *out, struct block_turns *turns) {
    struct linear a = out->compared.a, b = out->compared.b;
    const uint64_t *starts = end->request->starts;
    int64_t by_a, by_b, last;
    unsigned bits = out->compared.bits;
    if (!out->compared.is_known || !step_of(end, &a, &by_a) || !step_of(end, &b, &by_b) ||
        !last_difference(out->stays, by_a - by_b, &last) ||
        (a.kind == FORM_HEAD && b.kind == FORM_HEAD && a.reg == b.reg))
        return false;
    struct linear *moving = by_a ? &a : &b, *other = by_a ? &b : &a;
    add_fixed(end, other);
    // The end stays where it is needed for something else; then the count begins elsewhere.
    bool sets_fixed = moving->fixed && only_counts(end, moving->fixed - 1, 0, 2);
    bool sets_other = !sets_fixed && other->kind == FORM_HEAD && only_counts(end, other->reg, 0, 0);
    const struct linear *set = sets_other ? other : moving;
    unsigned set_reg = sets_fixed ? moving->fixed - 1 : set->reg;
    if (!sets_fixed)
        add_fixed(end, moving);
    int64_t sign = set == &a ? 1 : -1, by = by_a - by_b;
    int64_t rest = a.number - b.number;
    rest += a.kind == FORM_HEAD && a.reg != set_reg ? narrow(starts[a.reg], bits) : 0;
    rest -= b.kind == FORM_HEAD && b.reg != set_reg ? narrow(starts[b.reg], bits) : 0;
    *turns = (struct block_turns){.is_set = true,
                                  .reg = set_reg,
                                  .bits = bits,
                                  .factor = -sign * by,
                                  .addend = sign * (last + by - rest),
                                  .proof = moving->reg};
    const struct linear *at_end = &out->forms[moving->reg];
    int64_t by_moving = by_a ? by_a : by_b;
    if (at_end->kind != FORM_HEAD || at_end->reg != moving->reg || at_end->fixed)
        return false;
    // Its value at the end: initial value + (turns - 1) * by_moving + at_end->number
    bool is_moved = set_reg == moving->reg;
    turns->proof_factor = by_moving + (is_moved ? turns->factor : 0);
    turns->proof_addend = at_end->number - by_moving + (is_moved ? turns->addend : narrow(starts[moving->reg], bits));
    return true;
}

bool turns_is_loop(const struct block *block) {
    if (!block->n_insns)
        return false;
    const struct insn *last = &block->insns[block->n_insns - 1];
    return last->is_branch && last->is_direct &&
           (int64_t)turns_offset(block, block->n_insns - 1) + last->displacement == 0;
}

// Notes the ways out of a turn, in their order, and follows it to its end.
static unsigned follow(struct walk *walk, struct way_out *outs) {
    const struct block *block = walk->request->block;
    unsigned n = 0;
    for (unsigned i = 0; i < TURNS_REGISTERS; i++)
        walk->forms[i] = (struct linear){.kind = FORM_HEAD, .reg = i};
    for (unsigned i = 0; i < block->n_insns; i++) {
        const struct insn *insn = &block->insns[i];
        bool is_last = i + 1 == block->n_insns;
        if (insn->is_branch && insn->is_conditional && insn->is_direct && walk->is_certain[i] &&
            (is_last || turns_leaves(block, i))) {
            struct words words = split(insn->text);
            enum condition taken = condition_of_branch(walk->request->isa->name, words.mnemonic);
            struct way_out *out = &outs[n++];
            out->compared = compared_by(walk, &words);
            out->stays = is_last ? taken : condition_opposite(taken);
            memcpy(out->forms, walk->forms, sizeof out->forms);
        }
        step(walk, i);
    }
    return n;
}

static const struct insn *find_call(const struct block *block) {
    for (unsigned i = 0; i < block->n_insns; i++)
        if (block->insns[i].is_call)
            return &block->insns[i];
    return NULL;
}

// The first instruction of which nobody knows where it goes.
static const struct insn *find_lost(const struct turns_request *request) {
    const struct block *block = request->block;
    bool has_tables = request->link && request->link->n_entries;
    for (unsigned i = 0; i < block->n_insns; i++) {
        const struct insn *insn = &block->insns[i];
        if (insn->is_return || (insn->is_branch && !insn->is_call && !insn->is_direct && !has_tables))
            return insn;
    }
    return NULL;
}

// The first branch before the last one that goes back.
static const struct insn *find_other_way_back(const struct block *block) {
    for (unsigned i = 0; i + 1 < block->n_insns; i++) {
        const struct insn *insn = &block->insns[i];
        if (insn->is_branch && insn->is_direct &&
            (int64_t)turns_offset(block, i) + insn->displacement <= (int64_t)turns_offset(block, i))
            return insn;
    }
    return NULL;
}

const char *turns_find(struct arena *arena, const struct turns_request *request, struct block_turns *turns) {
    struct arena scratch = {0};
    const struct block *block = request->block;
    struct walk walk = {.request = request, .is_certain = turns_certain(&scratch, block, request->link)};
    struct way_out *outs = ARENA_ARRAY(&scratch, struct way_out, block->n_insns);
    *turns = (struct block_turns){0};
    unsigned n = follow(&walk, outs);
    for (unsigned i = n; i-- > 0 && !turns->is_set;)
        if (!solve(&walk, &outs[i], turns))
            *turns = (struct block_turns){0};
    arena_free(&scratch);
    if (turns->is_set)
        return NULL;
    const struct insn *last = &block->insns[block->n_insns - 1], *call = find_call(block), *lost = find_lost(request);
    if (lost)
        return arena_printf(arena, "no register counts its turns, as far as is known of where `%s` goes", lost->text);
    if (n && call)
        return arena_printf(arena, "no register counts its turns, as far as is known of what `%s` changes", call->text);
    const struct insn *early = n || !last->is_conditional ? NULL : find_other_way_back(block);
    if (early)
        return arena_printf(arena, "no register counts its turns: `%s` goes back before its end", early->text);
    return arena_printf(arena,
                        n ? "no register counts its turns: how often `%s` goes back depends on what it computes"
                          : "nothing ends it: `%s` always goes back",
                        last->text);
}
