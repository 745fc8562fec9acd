// x86: divisions of rax and rdx, or of ax.
#include "survey/experiments/slow_values.h"

#include "survey/experiments/experiment_text.h"

#include <inttypes.h>
#include <string.h>

// Quotients of many digits. Of general registers: upper and lower half of the dividend, both set again before the next
// copy, and the divisor; the quotient fits in the register, with its sign. The dividend of 8 bits is ax alone.
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

static const struct experiment_key slow_throughput = {.kind = EXPERIMENT_PLAIN, .has_slow_values = true};

struct fixed_pair {
    const struct shape_port *low, *high; // rax, rdx
    const char *low_name, *high_name;    // in the divisor's width
};

// `back`: instructions that take the result back to the operand `from`.
static void add_slow_chain(const struct shape *shape, const struct shape_port *from, const char *to, const char *back,
                           const struct slow_division *division, const struct fixed_pair *fixed,
                           struct experiment_list *out) {
    const struct {
        const char *role;
        uint64_t value;
    } used[] = {{"upper", division->upper}, {"lower", division->lower}, {"zero", 0}};
    const struct experiment_key key = {
        .kind = EXPERIMENT_PAIR, .has_slow_values = true, .source = from->role, .result = to, .way = "xor"};
    struct text init = {.arena = out->arena};
    text_addf(&init, "%s: %" PRIu64, shape->ports[0].role, division->divisor);
    if (fixed->high)
        text_addf(&init, ", %s: %" PRIu64, fixed->high->role, division->upper);
    text_addf(&init, ", %s: %" PRIu64, fixed->low->role, division->lower);
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        if (strstr(back, arena_printf(out->arena, "{%s:", used[i].role)))
            text_addf(&init, ", %s: %" PRIu64, used[i].role, used[i].value);
    struct kernel_text *kernel = experiment_begin(shape, key, shape->body, back, out);
    kernel->init = init.data;
    kernel->chain = from->role;
}

// From each operand to each result; %rax has the lower half and the quotient, %rdx the upper half and the remainder.
static void add_slow_chains(const struct shape *shape, const struct slow_division *division,
                            const struct fixed_pair *fixed, struct experiment_list *out) {
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

// Of a dividend in ax, which gets quotient and remainder.
static void add_slow_bytes(const struct shape *shape, const struct shape_port *dividend, struct experiment_list *out) {
    const struct shape_port *divisor = &shape->ports[0];
    const struct slow_division bytes = {8, NULL, 0, 12345, 113};
    const struct fixed_pair fixed = {.low = dividend, .high = NULL};
    struct kernel_text *kernel = experiment_begin(shape, slow_throughput, shape->body, "; movl {lower:r32}, %eax", out);
    kernel->init = arena_printf(out->arena, "%s: %" PRIu64 ", lower: %" PRIu64 ", %s: %" PRIu64, divisor->role,
                                bytes.divisor, bytes.lower, dividend->role, bytes.lower);
    kernel->writes = dividend->role;
    add_slow_chain(shape, dividend, dividend->role, "; andq {zero:r64}, %rax; orq {lower:r64}, %rax", &bytes, &fixed,
                   out);
    add_slow_chain(shape, divisor, dividend->role,
                   arena_printf(out->arena, "; andq {zero:r64}, %%rax; xorq %%rax, {%s:r64}; movl {lower:r32}, %%eax",
                                divisor->role),
                   &bytes, &fixed, out);
}

void slow_divisions_add(const struct shape *shape, struct experiment_list *out) {
    const struct shape_port *divisor = &shape->ports[0];
    struct fixed_pair fixed = {NULL, NULL, NULL, NULL};
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (shape->ports[i].is_fixed && shape->ports[i].file == 'g')
            *(shape->ports[i].index != 0 ? &fixed.high : &fixed.low) = &shape->ports[i];
    const char *name = shape_mnemonic(shape).data;
    bool is_division = strncmp(name, "div", 3) == 0 || strncmp(name, "idiv", 4) == 0;
    if (!is_division || divisor->is_fixed || divisor->is_address || !fixed.low)
        return;
    if (!fixed.high && divisor->class->bits == 8 && !divisor->is_high)
        add_slow_bytes(shape, fixed.low, out);
    if (!fixed.high)
        return;
    for (size_t i = 0; i < sizeof divisions / sizeof *divisions; i++) {
        const struct slow_division *division = &divisions[i];
        const char *class = divisor->class->name;
        if (divisor->class->bits != division->bits)
            continue;
        fixed.low_name = divisor->class->registers[fixed.low->index];
        fixed.high_name = divisor->class->registers[fixed.high->index];
        const char *again = arena_printf(out->arena, "; %s {upper:%s}, %%%s; %s {lower:%s}, %%%s", division->move,
                                         class, fixed.high_name, division->move, class, fixed.low_name);
        struct kernel_text *kernel = experiment_begin(shape, slow_throughput, shape->body, again, out);
        kernel->init = arena_printf(
            out->arena, "%s: %" PRIu64 ", upper: %" PRIu64 ", lower: %" PRIu64 ", %s: %" PRIu64 ", %s: %" PRIu64,
            divisor->role, division->divisor, division->upper, division->lower, fixed.high->role, division->upper,
            fixed.low->role, division->lower);
        kernel->writes = arena_printf(out->arena, "%s, %s", fixed.low->role, fixed.high->role);
        add_slow_chains(shape, division, &fixed, out);
    }
}
