#include "survey/forms/shape.h"

#include "survey/forms/isa_traits.h"
#include "survey/forms/shape_maker.h"

#include <string.h>
#include <strings.h>

static bool may_be(const struct maker *m, const struct form_operand *operand, const char *name) {
    for (unsigned i = 0; i < operand->n_registers; i++)
        if (strcasecmp(maker_name_of(m, operand->registers[i]), name) == 0)
            return true;
    return false;
}

static bool is_vector_of_legacy(const struct shape *shape) {
    bool has_vector = false;
    for (unsigned i = 0; i < shape->n_ports; i++)
        has_vector |= shape->ports[i].file == 'v';
    return has_vector && *shape->body != 'v' && *shape->body != '{';
}

// x86: LLVM's example uses the accumulator first. Where it does not, the assembler has another opcode for that: "addl
// $1000, %eax". An address without a displacement has one of zero where its base is rbp or r13, and lea of three parts
// takes longer.
static const char *find_avoided(const struct maker *m) {
    static const char *const accumulators[] = {"AL", "AX", "EAX", "RAX"};
    enum { N = sizeof accumulators / sizeof *accumulators };
    const struct form *form = m->shape->form;
    bool may_be_it = false, is_it = false;
    for (unsigned i = 0; i < form->n_operands; i++) {
        const struct form_operand *operand = &form->operands[i];
        for (unsigned r = 0; r < N && operand->kind == FORM_REGISTER; r++)
            may_be_it |= may_be(m, operand, accumulators[r]);
        is_it |= operand->reg && text_find(maker_name_of(m, operand->reg), accumulators, N) < N;
    }
    for (unsigned i = 0; i < m->shape->n_ports; i++)
        is_it |= m->shape->ports[i].is_fixed && m->shape->ports[i].file == 'g' && m->shape->ports[i].index == 0;
    if (may_be_it && !is_it)
        return m->isa->classes->registers[0];
    return strstr(m->shape->body, " ({o") ? SHAPE_NO_BARE_BASE : NULL;
}

static bool add_operands(struct maker *m) {
    const struct form *form = m->shape->form;
    for (unsigned i = 0; i < form->n_operands; i++)
        m->shape->is_gather |= form->operands[i].kind == FORM_MEMORY && form->operands[i].index;
    for (unsigned i = 0; i < form->n_operands; i++) {
        const struct form_operand *operand = &form->operands[i];
        bool is_memory = operand->kind == FORM_MEMORY;
        bool is_elsewhere = is_memory && !operand->reg; // in fixed registers, or a number
        if (is_elsewhere && !m->shape->wrapper)
            return maker_leave_out(m, "its address is fixed or moves");
        m->shape->has_memory |= is_memory && !is_elsewhere;
        if (!is_elsewhere && !maker_add_operand(m, i))
            return false;
    }
    for (unsigned i = 0; i < form->n_implicit_reads; i++)
        if (!maker_add_implicit(m, form->implicit_reads[i], false))
            return false;
    for (unsigned i = 0; i < form->n_implicit_writes; i++)
        if (!maker_add_implicit(m, form->implicit_writes[i], true))
            return false;
    return true;
}

static bool make(struct maker *m) {
    const struct form *form = m->shape->form;
    if (form->status != FORM_USABLE)
        return maker_leave_out(m, form_status_name(form->status));
    if (form->refused)
        return maker_leave_out(m, form->refused);
    const char *why = maker_reason_of(m->traits->left_out, form->opcode);
    m->shape->wrapper = form_wrapper_find(m->isa, form->opcode);
    if (m->shape->wrapper && m->shape->wrapper->why_not)
        why = m->shape->wrapper->why_not;
    if (why)
        return maker_leave_out(m, why);
    if (form->n_operands > MOST_OPERANDS)
        return maker_leave_out(m, "it has more operands than an experiment has roles for");
    if (!maker_find_parts(m))
        return false;
    if (!add_operands(m) || !maker_make_body(m))
        return false;
    bool is_x86 = *m->isa->syntaxes;
    m->shape->is_legacy = is_x86 && is_vector_of_legacy(m->shape);
    if (is_x86)
        m->shape->avoided = find_avoided(m);
    return true;
}

void shape_make(struct arena *arena, const struct isa *isa, const struct machine *machine, const struct form *form,
                struct shape *shape) {
    *shape = (struct shape){.form = form, .traits = isa_traits_find(isa)};
    struct maker m = {.arena = arena, .isa = isa, .traits = shape->traits, .machine = machine, .shape = shape};
    make(&m);
}

struct slice shape_mnemonic(const struct shape *shape) {
    const char *start = *shape->body == '{' ? shape->body + strcspn(shape->body, " ") : shape->body;
    start += strspn(start, " ");
    return (struct slice){start, strcspn(start, " ")};
}
