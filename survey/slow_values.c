#include "survey/slow_values.h"

#include "survey/experiment_text.h"
#include "survey/ways.h"

#include <inttypes.h>
#include <string.h>

// Quotients of many digits. Of general registers: upper and lower half of the dividend, both set again before the next
// copy, and the divisor; the quotient fits in the register, with its sign. 8-bit divisions have no upper half.
// Chains put the same numbers back: the result becomes zero by an exclusive or with itself, then the operand by
// another.
struct slow_division {
    unsigned bits;
    const char *move;
    uint64_t upper, lower, divisor;
};
static const struct slow_division divisions[] = {
    {16, "movw", 4097, 12345, 32749},
    {32, "movl", 268435399, 1234567891, 2147483629},
    {64, "movq", 1125899906842597, 4503599627370449, 9007199254740881},
};

struct fixed_pair {
    const struct shape_port *low, *high; // rax, rdx
    const char *low_name, *high_name;    // in the divisor's width
};

// `back`: instructions that take the result back to the operand `from`.
static void add_slow_chain(const struct shape *shape, const struct shape_port *from, const char *to, const char *back,
                           const struct slow_division *division, const struct fixed_pair *fixed, struct text *out) {
    const struct {
        const char *role;
        uint64_t value;
    } used[] = {{"upper", division->upper}, {"lower", division->lower}, {"zero", 0}};
    experiment_begin(shape, arena_printf(out->arena, ".slow.%s-%s.xor", from->role, to), shape->body, back, out);
    text_addf(out, ", init: {%s: %" PRIu64 ", %s: %" PRIu64 ", %s: %" PRIu64, shape->ports[0].role, division->divisor,
              fixed->high->role, division->upper, fixed->low->role, division->lower);
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        if (strstr(back, arena_printf(out->arena, "{%s:", used[i].role)))
            text_addf(out, ", %s: %" PRIu64, used[i].role, used[i].value);
    text_addf(out, "}, chain: [%s]}\n", from->role);
}

// From each operand to each result; %rax has the lower half and the quotient, %rdx the upper half and the remainder.
static void add_slow_chains(const struct shape *shape, const struct slow_division *division,
                            const struct fixed_pair *fixed, struct text *out) {
    const struct shape_port *divisor = &shape->ports[0];
    const char *from_rax = arena_printf(out->arena, "; andq {zero:r64}, %%rax; xorq %%rax, {%s:r64}", divisor->role),
               *from_rdx = arena_printf(out->arena, "; andq {zero:r64}, %%rdx; xorq %%rdx, {%s:r64}", divisor->role),
               *again = "; movq {lower:r64}, %rax; movq {upper:r64}, %rdx";
    const struct {
        const struct shape_port *from, *to;
        const char *back;
    } chains[] = {
        {fixed->low, fixed->low, "; andq {zero:r64}, %rax; orq {lower:r64}, %rax; movq {upper:r64}, %rdx"},
        {fixed->high, fixed->high, "; andq {zero:r64}, %rdx; orq {upper:r64}, %rdx; movq {lower:r64}, %rax"},
        {fixed->low, fixed->high,
         "; andq {zero:r64}, %rdx; movq {lower:r64}, %rax; xorq %rdx, %rax; movq {upper:r64}, %rdx"},
        {fixed->high, fixed->low,
         "; andq {zero:r64}, %rax; movq {upper:r64}, %rdx; xorq %rax, %rdx; movq {lower:r64}, %rax"},
        {divisor, fixed->low, arena_printf(out->arena, "%s%s", from_rax, again)},
        {divisor, fixed->high, arena_printf(out->arena, "%s%s", from_rdx, again)},
    };
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        add_slow_chain(shape, chains[i].from, chains[i].to->role, chains[i].back, division, fixed, out);
}

static void add_slow_integer(const struct shape *shape, struct text *out) {
    const struct shape_port *divisor = &shape->ports[0];
    struct fixed_pair fixed = {NULL, NULL, NULL, NULL};
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (shape->ports[i].is_fixed && shape->ports[i].file == 'g')
            *(shape->ports[i].index != 0 ? &fixed.high : &fixed.low) = &shape->ports[i];
    if (divisor->is_fixed || divisor->is_address || !fixed.low || !fixed.high)
        return;
    for (size_t i = 0; i < sizeof divisions / sizeof *divisions; i++) {
        const struct slow_division *division = &divisions[i];
        const char *class = divisor->class->name;
        if (divisor->class->bits != division->bits)
            continue;
        fixed.low_name = divisor->class->registers[fixed.low->index];
        fixed.high_name = divisor->class->registers[fixed.high->index];
        experiment_begin(shape, ".slow", shape->body,
                         arena_printf(out->arena, "; %s {upper:%s}, %%%s; %s {lower:%s}, %%%s", division->move, class,
                                      fixed.high_name, division->move, class, fixed.low_name),
                         out);
        text_addf(out,
                  ", init: {%s: %" PRIu64 ", upper: %" PRIu64 ", lower: %" PRIu64 ", %s: %" PRIu64 ", %s: %" PRIu64
                  "}, writes: [%s, %s]}\n",
                  divisor->role, division->divisor, division->upper, division->lower, fixed.high->role, division->upper,
                  fixed.low->role, division->lower, fixed.low->role, fixed.high->role);
        add_slow_chains(shape, division, &fixed, out);
    }
}

enum { N_ROOTS = 3 };
static const char *const roots[N_ROOTS] = {"1.7320508075688772", "1.4142135623730951", "1.0986122886681098"};

// "f64" or "f32"; null: halves, as integers.
static const char *type_of(const struct shape *shape) {
    const char *one = shape->ways->one(shape, &shape->ports[0]);
    return *one != 'f' ? NULL : strcmp(one, "f64 1.0") == 0 ? "f64" : "f32";
}

static bool is_floating(const struct shape_port *port) {
    return !port->is_fixed && (port->file == 'v' || port->file == 'f');
}

static void add_slow_vector(const struct shape *shape, struct text *out) {
    const char *type = type_of(shape), *comma = "";
    unsigned n = 0;
    if (!type)
        return;
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (!is_floating(&shape->ports[i]) || experiment_is_carried(&shape->ports[i]) || shape->has_memory)
            return;
    experiment_begin(shape, ".slow", shape->body, "", out);
    text_add(out, ", init: {");
    for (unsigned i = 0; i < shape->n_ports && n < N_ROOTS; i++)
        if (shape->ports[i].is_read) {
            text_addf(out, "%s%s: %s %s", comma, shape->ports[i].role, type, roots[n++]);
            comma = ", ";
        }
    text_addf(out, "}, writes: [%s]}\n", shape->ports[0].role);
}

// x86: "and" with zero and "or" put the same number back into the result, which is the next copy's source. Each takes
// as long as vandps; the chain vandps-vorps shows it.
static void add_slow_vector_chain(const struct shape *shape, unsigned source, const char *number, struct text *out) {
    const struct shape_port *to = &shape->ports[0], *from = &shape->ports[source];
    const char *class = to->class->name, *type = type_of(shape), *r = to->role;
    struct arena *arena = out->arena;
    const char *back = shape->is_legacy
                           ? arena_printf(arena, "; andps {zero:%s}, {%s}; orps {again:%s}, {%s}", class, r, class, r)
                           : arena_printf(arena, "; vandps {zero:%s}, {%s}, {%s}; vorps {again:%s}, {%s}, {%s}", class,
                                          r, r, class, r, r);
    unsigned n = 0;
    experiment_begin(shape, arena_printf(arena, ".slow.%s-%s.vandps-vandps", from->role, r), shape->body, back, out);
    text_addf(out, ", init: {again: %s %s", type, number);
    for (unsigned i = 0; i < shape->n_ports && n < N_ROOTS; i++)
        if (shape->ports[i].is_read)
            text_addf(out, ", %s: %s %s", shape->ports[i].role, type, roots[n++]);
    text_addf(out, from == to ? "}, chain: [%s]}\n" : "}, chain: [%s->%s]}\n", r, from->role);
}

static void add_slow_vector_chains(const struct shape *shape, bool is_root, struct text *out) {
    unsigned n = 0, n_read = 0;
    for (unsigned i = 0; i < shape->n_ports; i++) {
        if (!is_floating(&shape->ports[i]) || shape->ports[i].class != shape->ports[0].class)
            return;
        n_read += shape->ports[i].is_read;
    }
    if (shape->has_memory || !type_of(shape) || !shape->ports[0].is_written || n_read > N_ROOTS)
        return;
    bool is_tied = shape->ports[0].is_read;
    for (unsigned i = 0; i < shape->n_ports; i++) {
        const struct shape_port *port = &shape->ports[i];
        if (!port->is_read)
            continue;
        // Of a scalar root, the first source only has the upper lanes.
        bool is_counted = (!is_tied || i == 0) && (!is_root || ++n == n_read);
        n += !is_root;
        if (is_counted)
            add_slow_vector_chain(shape, i, roots[n - 1], out);
    }
}

// The same where result, dividend and divisor are operands.
static void add_slow_quotient(const struct shape *shape, struct text *out) {
    const struct shape_port *const to = &shape->ports[0], *const dividend = &shape->ports[1];
    if (shape->n_ports != 3 || !to->is_written || to->is_read || to->file != 'g')
        return;
    experiment_begin(shape, ".slow", shape->body, "", out);
    text_addf(out, ", init: {%s: %s, %s: 12347}, writes: [%s]}\n", dividend->role,
              dividend->class->bits == 64 ? "9007199254740881" : "2147483629", shape->ports[2].role, to->role);
}

static bool begins(const char *name, const char *start) {
    return strncmp(name, start, strlen(start)) == 0;
}

// On other ISAs than x86.
static void add_slow_elsewhere(const struct shape *shape, const char *name, struct text *out) {
    bool has_floats = shape->ports[0].file == 'v' || shape->ports[0].file == 'f';
    if (has_floats && (begins(name, "fdiv") || begins(name, "fsqrt") || begins(name, "vdiv") || begins(name, "vsqrt") ||
                       begins(name, "div.") || begins(name, "sqrt.")))
        add_slow_vector(shape, out);
    else if (begins(name, "sdiv") || begins(name, "udiv") || begins(name, "div") || begins(name, "rem"))
        add_slow_quotient(shape, out);
}

static void add_slow_x86(const struct shape *shape, const char *name, struct text *out) {
    bool is_avx = *name == 'v', is_root = strstr(name, "sqrt") && !strstr(name, "rsqrt"),
         is_division = strstr(name, "div");
    if (!is_avx && (begins(name, "div") || begins(name, "idiv")))
        add_slow_integer(shape, out);
    if (is_avx ? is_division || is_root : begins(name, "sqrt"))
        add_slow_vector(shape, out);
    if (is_root || is_division)
        add_slow_vector_chains(shape, is_root, out);
}

void slow_values_add(const struct shape *shape, struct text *kernels) {
    const char *name = arena_copy(kernels->arena, shape_mnemonic(shape).data, shape_mnemonic(shape).length);
    if (strcmp(shape->ways->family, "x86_64") == 0)
        add_slow_x86(shape, name, kernels);
    else
        add_slow_elsewhere(shape, name, kernels);
}

// The operand that stays is one and a little, log10(2) to the sixteenth, with many digits. So the other one, pi at
// first, keeps its size, or changes between two values.
#define NEARLY_ONE                                                                                                     \
    "fninit; fldlg2; fmul %st(0), %st; fmul %st(0), %st; fmul %st(0), %st; fmul %st(0), %st; fld1; faddp; "
#define NEARLY_ONE_F32 "; movl $0x3f800001, 64(%rsi)"
#define NEARLY_ONE_F64 "; movl $0x12345678, 64(%rsi); movl $0x3ff00000, 68(%rsi)"

void slow_values_add_x87(const struct shape *shape, struct text *kernels) {
    static const struct {
        const char *opcodes[2], *setup;
    } all[] = {{{"DIV_FST0r", "DIVR_FST0r"}, NEARLY_ONE "fldpi"},
               {{"DIV_FrST0", "DIVR_FrST0"}, NEARLY_ONE "fldpi; fxch %st(1)"},
               {{"DIV_F32m", "DIVR_F32m"}, "fninit; fldpi" NEARLY_ONE_F32},
               {{"DIV_F64m", "DIVR_F64m"}, "fninit; fldpi" NEARLY_ONE_F64}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *opcode = shape->form->opcode, *through = shape->surroundings->chain;
        if (!through || (strcmp(opcode, all[i].opcodes[0]) != 0 && strcmp(opcode, all[i].opcodes[1]) != 0))
            continue;
        struct surroundings odd = *shape->surroundings;
        struct shape slow = *shape;
        odd.setup = all[i].setup;
        slow.surroundings = &odd;
        experiment_begin(&slow, arena_printf(kernels->arena, ".slow.%s-%s.alone", through, through), slow.body, "",
                         kernels);
        text_add(kernels, ", init: {");
        for (unsigned k = 0; k < slow.n_ports; k++)
            if (slow.ports[k].is_address)
                text_addf(kernels, "%s: memory", slow.ports[k].role);
        text_addf(kernels, "}, chain: [%s]}\n", through);
    }
}
