#include "hot/stop_count.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { WIDE = 64, NARROW = 32, MOST_BETWEEN = 8 };

// ---- operands

struct operand {
    enum { OPERAND_OTHER, OPERAND_REGISTER, OPERAND_NUMBER } kind;
    unsigned reg, width; // width: bits
    uint64_t number;
};

static struct operand parse_register(struct slice text) {
    static const char *const wide[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                       "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    static const char *const narrow[] = {"eax", "ecx", "edx",  "ebx",  "esp",  "ebp",  "esi",  "edi",
                                         "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"};
    for (unsigned i = 0; i < STEP_REGISTERS; i++)
        if (slice_is(text, wide[i]) || slice_is(text, narrow[i]))
            return (struct operand){OPERAND_REGISTER, i, slice_is(text, wide[i]) ? WIDE : NARROW, 0};
    return (struct operand){.kind = OPERAND_OTHER};
}

static struct operand parse_operand(struct slice text) {
    char number[32], *end;
    struct operand operand = parse_register(text);
    if (operand.kind != OPERAND_OTHER || !text.length || text.length >= sizeof number)
        return operand;
    memcpy(number, text.data, text.length);
    number[text.length] = '\0';
    long long value = strtoll(number, &end, 0);
    if (*end || end == number)
        return operand;
    return (struct operand){.kind = OPERAND_NUMBER, .number = (uint64_t)value};
}

// What an instruction does that sets flags: a - b, a & b; or it adds `number` to a register, or subtracts it.
struct setter {
    enum sets { SETS_OTHER, SETS_COMPARE, SETS_TEST, SETS_ADD, SETS_SUBTRACT } kind;
    struct operand a, b;
};

static struct setter parse_setter(const struct insn *insn) {
    static const struct {
        const char *name;
        enum sets kind;
        bool has_one; // operand; the other is 1
    } names[] = {{"cmp", SETS_COMPARE, false},  {"test", SETS_TEST, false}, {"add", SETS_ADD, false},
                 {"sub", SETS_SUBTRACT, false}, {"inc", SETS_ADD, true},    {"dec", SETS_SUBTRACT, true}};
    struct setter setter = {.kind = SETS_OTHER};
    const char *at = insn->text;
    size_t length = strcspn(at, " ");
    struct slice name = {at, length};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!slice_is(name, names[i].name) || !at[length])
            continue;
        const char *first = at + length + 1;
        size_t n_first = strcspn(first, ",");
        setter.a = parse_operand((struct slice){.data = first, .length = n_first});
        setter.b = (struct operand){.kind = OPERAND_NUMBER, .number = 1};
        if (names[i].has_one != (first[n_first] == '\0'))
            return setter;
        if (!names[i].has_one) {
            const char *second = first + n_first + 1;
            second += strspn(second, " ");
            setter.b = parse_operand((struct slice){.data = second, .length = strcspn(second, ",")});
        }
        bool is_known = setter.a.kind != OPERAND_OTHER && setter.b.kind != OPERAND_OTHER;
        bool is_step = names[i].kind != SETS_ADD && names[i].kind != SETS_SUBTRACT;
        if (is_known && setter.a.kind == OPERAND_REGISTER && (is_step || setter.b.kind == OPERAND_NUMBER))
            setter.kind = names[i].kind;
        return setter;
    }
    return setter;
}

// ---- conditions

// Whether a branch is taken behind a - b of so many bits. `is_known` false: its condition is none of these.
static bool is_taken(const char *text, uint64_t a, uint64_t b, unsigned width, bool *is_known) {
    static const char *const names[] = {"je", "jne", "jb", "jae", "jbe", "ja", "jl", "jge", "jle", "jg", "js", "jns"};
    struct slice name = {text, strcspn(text, " ")};
    size_t condition = 0;
    while (condition < sizeof names / sizeof *names && !slice_is(name, names[condition]))
        condition++;
    uint64_t mask = width == WIDE ? UINT64_MAX : UINT32_MAX, sign = UINT64_C(1) << (width - 1);
    a &= mask;
    b &= mask;
    uint64_t difference = (a - b) & mask;
    bool is_equal = a == b, is_below = a < b, is_less = (a ^ sign) < (b ^ sign), is_negative = difference & sign;
    const bool positive[] = {is_equal, is_below, is_below || is_equal, is_less, is_less || is_equal, is_negative};
    *is_known = condition < sizeof names / sizeof *names;
    return *is_known && (positive[condition / 2] ^ (bool)(condition & 1));
}

// ---- candidates

// A branch that went one way each time, with what sets its flags, and the values that were compared.
struct candidate {
    const struct trace *trace;
    const struct trace_insn *branch, *by;
    struct setter setter;
    size_t n; // times
    size_t end;
    uint64_t *a, *b; // what was compared each time
    unsigned width;
};

static bool writes_flags(const struct machine *machine, const struct insn *insn) {
    for (unsigned i = 0; i < insn->n_writes; i++)
        if (insn->writes[i].reg && strcmp(machine->registers[insn->writes[i].reg].name, "EFLAGS") == 0)
            return true;
    return false;
}

// The step that set the flags of a branch's step; SIZE_MAX: none of those right before.
static size_t find_setter(const struct trace *trace, size_t branch) {
    for (size_t step = branch; step-- > 0 && branch - step <= MOST_BETWEEN;) {
        const struct insn *insn = trace_at(trace, step)->insn->insn;
        if (writes_flags(trace->machine, insn))
            return step;
        if (insn_changes_way(insn) && !insn->is_branch)
            return SIZE_MAX;
    }
    return SIZE_MAX;
}

static uint64_t value_of(const struct operand *operand, const struct step_registers *registers) {
    return operand->kind == OPERAND_NUMBER ? operand->number : registers->general[operand->reg];
}

static bool fill_candidate(struct arena *arena, struct candidate *candidate) {
    const struct trace *trace = candidate->trace;
    candidate->a = ARENA_ARRAY(arena, uint64_t, candidate->branch->n + 1);
    candidate->b = ARENA_ARRAY(arena, uint64_t, candidate->branch->n + 1);
    for (size_t step = candidate->branch->first; step <= candidate->branch->last; step++) {
        if (trace_at(trace, step) != candidate->branch)
            continue;
        size_t set = find_setter(trace, step);
        if (set == SIZE_MAX || (candidate->by && trace_at(trace, set) != candidate->by))
            return false;
        if (!candidate->by) {
            candidate->by = trace_at(trace, set);
            candidate->setter = parse_setter(candidate->by->insn->insn);
            candidate->width = candidate->setter.a.width;
            if (candidate->setter.kind == SETS_OTHER)
                return false;
        }
        const struct setter *setter = &candidate->setter;
        const struct step_registers *registers = &trace->state->before[set];
        uint64_t a = value_of(&setter->a, registers), b = value_of(&setter->b, registers);
        bool is_compare = setter->kind == SETS_COMPARE;
        if (setter->kind == SETS_TEST && (setter->b.kind != OPERAND_REGISTER || setter->b.reg != setter->a.reg))
            return false;
        candidate->a[candidate->n] = setter->kind == SETS_ADD ? a + b : setter->kind == SETS_SUBTRACT ? a - b : a;
        candidate->b[candidate->n++] = is_compare ? b : 0;
    }
    return candidate->n > 0;
}

// Whether conditions of the result of an addition or subtraction are those of a comparison with zero.
static bool is_by_result(const char *text) {
    static const char *const names[] = {"je", "jne", "js", "jns"};
    struct slice name = {text, strcspn(text, " ")};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_is(name, names[i]))
            return true;
    return false;
}

// Whether the branch goes its way until the last time, and then the other one, where a gets `to_a` more, and b `to_b`.
static bool turns_last(const struct candidate *candidate, uint64_t to_a, uint64_t to_b) {
    const char *text = candidate->branch->insn->insn->text;
    bool is_usual = candidate->branch->n_taken > 0, is_known;
    if (candidate->setter.kind != SETS_COMPARE && !is_by_result(text))
        return false;
    for (size_t i = 0; i < candidate->n; i++) {
        bool taken = is_taken(text, candidate->a[i] + to_a, candidate->b[i] + to_b, candidate->width, &is_known);
        if (!is_known || taken != (i + 1 < candidate->n ? is_usual : !is_usual))
            return false;
    }
    return true;
}

// What reads or writes a register among instructions that run before the end: only `by`, or a fixed step of it (inc,
// dec, add, sub of a number) where `may_step`.
static bool is_private(const struct candidate *candidate, unsigned reg, bool may_step) {
    const struct trace *trace = candidate->trace;
    for (size_t i = 0; i < trace->n_insns; i++) {
        const struct trace_insn *other = &trace->insns[i];
        const struct insn *insn = other->insn->insn;
        bool touches = other->insn->is_string; // of registers that it does not list
        for (unsigned r = 0; r < insn->n_reads; r++)
            touches |= trace_general(trace->machine, insn->reads[r].reg) == reg;
        for (unsigned w = 0; w < insn->n_writes; w++)
            touches |= trace_general(trace->machine, insn->writes[w].reg) == reg;
        if (!touches || other == candidate->by || other->first >= candidate->end)
            continue;
        struct setter step = parse_setter(insn);
        bool is_step = (step.kind == SETS_ADD || step.kind == SETS_SUBTRACT) && step.a.reg == reg &&
                       step.a.width == candidate->width;
        if (!may_step || !is_step)
            return false;
    }
    return true;
}

static bool is_constant(const struct candidate *candidate, unsigned reg) {
    const struct hot_state *state = candidate->trace->state;
    for (size_t i = 0; i < candidate->end; i++)
        if (state->before[i].general[reg] != state->registers.general[reg])
            return false;
    return true;
}

static bool by_register(const struct candidate *candidate, unsigned reg, bool is_a, bool may_step, struct stop *stop) {
    size_t last = candidate->n - 1;
    uint64_t exact = is_a ? candidate->b[last] - candidate->a[last] : candidate->a[last] - candidate->b[last];
    if (!is_private(candidate, reg, may_step) || (!may_step && !is_constant(candidate, reg)))
        return false;
    for (int more = -1; more <= 1; more++) {
        uint64_t change = exact + (uint64_t)(int64_t)more;
        if (!turns_last(candidate, is_a ? change : 0, is_a ? 0 : change))
            continue;
        uint64_t value = candidate->trace->state->registers.general[reg] + change;
        stop->sets_register = true;
        stop->reg = reg;
        stop->value = candidate->width == NARROW ? value & UINT32_MAX : value;
        return true;
    }
    return false;
}

// Changes the immediate of a comparison.
static bool by_number(const struct candidate *candidate, struct stop *stop) {
    const struct book_insn *by = candidate->by->insn;
    size_t length = strlen(by->insn->opcode), last = candidate->n - 1;
    bool is_byte = length && by->insn->opcode[length - 1] == '8';
    unsigned n = is_byte ? 1 : sizeof(int32_t);
    uint64_t exact = candidate->a[last] - candidate->b[last];
    if (candidate->setter.kind != SETS_COMPARE || candidate->setter.b.kind != OPERAND_NUMBER || by->n_bytes < n + 2)
        return false;
    for (int more = -1; more <= 1; more++) {
        uint64_t change = exact + (uint64_t)(int64_t)more, value = candidate->b[last] + change;
        int64_t wanted = candidate->width == NARROW ? (int64_t)(int32_t)(uint32_t)value : (int64_t)value;
        bool fits = is_byte ? wanted == (int8_t)wanted : wanted == (int32_t)wanted;
        if (!fits || !turns_last(candidate, 0, change))
            continue;
        stop->patch_at = by->address + by->n_bytes - n;
        stop->n_patch = n;
        memcpy(stop->patch, &wanted, n);
        return true;
    }
    return false;
}

static bool try_branch(struct arena *arena, const struct trace *trace, const struct trace_insn *branch,
                       struct stop *stop) {
    const struct book_insn *insn = branch->insn;
    bool is_taken_always = branch->n_taken == branch->n;
    size_t end = branch->last + 1;
    uint64_t other = insn->address + (is_taken_always ? insn->n_bytes : (uint64_t)insn->insn->displacement);
    struct candidate candidate = {.trace = trace, .branch = branch, .end = end};
    if (!trace_is_free(trace, other, STOP_JUMP_BYTES, end) || !fill_candidate(arena, &candidate))
        return false;
    const struct setter *setter = &candidate.setter;
    *stop = (struct stop){.kind = HOT_STOP_COUNT, .n_steps = end, .turns = trace->heads[end], .exit = other};
    if (setter->kind != SETS_COMPARE)
        return by_register(&candidate, setter->a.reg, true, true, stop);
    bool has_b = setter->b.kind == OPERAND_REGISTER;
    return (has_b && by_register(&candidate, setter->b.reg, false, false, stop)) ||
           by_register(&candidate, setter->a.reg, true, false, stop) ||
           by_register(&candidate, setter->a.reg, true, true, stop) ||
           (has_b && by_register(&candidate, setter->b.reg, false, true, stop)) || by_number(&candidate, stop);
}

bool stop_count_find(struct arena *arena, const struct trace *trace, struct stop *stop) {
    struct stop found;
    bool is_whole = false;
    stop->n_steps = 0;
    for (size_t i = 0; i < trace->n_insns; i++) {
        const struct trace_insn *branch = &trace->insns[i];
        const struct insn *insn = branch->insn->insn;
        bool is_one_way = branch->n_taken == 0 || branch->n_taken == branch->n;
        if (!insn->is_branch || !insn->is_conditional || !insn->is_direct || !is_one_way)
            continue;
        const bool is_whole_there = trace_is_whole(trace, branch->last + 1);
        const bool is_better = is_whole_there == is_whole ? branch->last + 1 > stop->n_steps : is_whole_there;
        if (!is_better || !try_branch(arena, trace, branch, &found))
            continue;
        *stop = found;
        is_whole = is_whole_there;
    }
    return stop->n_steps > 0;
}
