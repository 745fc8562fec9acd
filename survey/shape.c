#include "survey/shape.h"

#include "gen/registers.h"

#include <ctype.h>
#include <string.h>

// State of making a shape.
struct maker {
    struct arena *arena;
    const struct isa *isa;
    const struct machine *machine;
    struct shape *shape;
};

static bool leave_out(struct maker *m, const char *why) {
    if (!m->shape->left_out)
        m->shape->left_out = why;
    return false;
}

static const char *name_of(const struct maker *m, uint16_t reg) {
    return m->machine->registers[reg].name;
}

// LLVM names x86's pairs of masks "K0_K1"; their text is the first one's.
static bool is_pair(const char *name) {
    return *name == 'K' && strchr(name, '_');
}

static bool find_register(const struct maker *m, uint16_t reg, struct register_name *found) {
    const char *name = name_of(m, reg);
    const struct register_class *pairs = isa_class(m->isa, "kpair");
    bool is_found = register_find(m->isa, (struct slice){name, strcspn(name, "_")}, found);
    if (is_found && is_pair(name) && pairs)
        *found = (struct register_name){pairs, found->index / pairs->span, found->index / pairs->span};
    return is_found;
}

static bool is_same_register(const struct register_name *a, const struct register_name *b) {
    return a->class->file == b->class->file && register_entry(a) == register_entry(b);
}

static bool is_reserved(const struct isa *isa, const char *name) {
    return isa->stack_pointer && strcmp(isa->stack_pointer, name) == 0;
}

static bool may_be(const struct maker *m, const struct form_operand *operand, const char *name) {
    for (unsigned i = 0; i < operand->n_registers; i++)
        if (strcasecmp(name_of(m, operand->registers[i]), name) == 0 ||
            (is_pair(name_of(m, operand->registers[i])) &&
             strncasecmp(name_of(m, operand->registers[i]), name, strlen(name)) == 0))
            return true;
    return false;
}

// Whether the operand may be each register that a role of the class may get.
static bool may_be_all(const struct maker *m, const struct form_operand *operand, const struct register_class *class) {
    for (unsigned i = class->first; class->registers[i]; i++) {
        struct register_name stack_pointer, each = {class, i, i};
        const char *name = m->isa->stack_pointer;
        bool is_stack = register_find(m->isa, (struct slice){name, strlen(name)}, &stack_pointer) &&
                        is_same_register(&stack_pointer, &each);
        if (!is_stack && !may_be(m, operand, class->registers[i]))
            return false;
    }
    return true;
}

// The largest class of `found`'s width whose registers the operand may be; null: no class fits.
static const struct register_class *class_for(const struct maker *m, const struct form_operand *operand,
                                              const struct register_name *found) {
    const struct register_class *best = NULL;
    for (const struct register_class *each = m->isa->classes; each->name; each++) {
        if (each->file != found->class->file || each->bits != found->class->bits || each->span != found->class->span)
            continue;
        unsigned n = register_class_count(each) - each->first;
        if ((!best || n > register_class_count(best) - best->first) && may_be_all(m, operand, each))
            best = each;
    }
    return best;
}

static struct shape_port *add_port(struct maker *m, struct shape_port port) {
    struct shape *shape = m->shape;
    if (shape->n_ports == SHAPE_MOST_PORTS) {
        leave_out(m, "it uses more registers than an experiment has roles for");
        return NULL;
    }
    shape->ports[shape->n_ports] = port;
    return &shape->ports[shape->n_ports++];
}

// A register of an address that is computed and not accessed: `part` is "base" or "index".
static bool add_address_part(struct maker *m, unsigned number, const char *part, uint16_t reg) {
    struct register_name found;
    if (!reg)
        return true;
    if (!find_register(m, reg, &found))
        return leave_out(m, arena_printf(m->arena, "no role can be register %s", name_of(m, reg)));
    return add_port(m, (struct shape_port){.label = arena_printf(m->arena, "%u.%s", number, part),
                                           .role = arena_printf(m->arena, "o%u_%s", number, part),
                                           .file = found.class->file,
                                           .class = found.class,
                                           .is_read = true});
}

// The vector of indices of a gather or scatter.
static bool add_index(struct maker *m, unsigned number) {
    const struct form_operand *operand = &m->shape->form->operands[number];
    struct register_name found;
    const struct register_class *class =
        find_register(m, operand->index, &found) ? class_for(m, operand, &found) : NULL;
    if (!class)
        return leave_out(m, arena_printf(m->arena, "no role can be any register of %s", operand->class_name));
    return add_port(m, (struct shape_port){.label = arena_printf(m->arena, "%u.index", number),
                                           .role = arena_printf(m->arena, "o%u_index", number),
                                           .file = class->file,
                                           .class = class,
                                           .is_read = true,
                                           .is_index = true});
}

// x86: registers that are never roles: segments, and those of x87's stack.
static bool stays_in_text(const char *class_name) {
    return strcmp(class_name, "SEGMENT_REG") == 0 || strcmp(class_name, "RST") == 0;
}

// x86: a register that is the address to which the form stores.
static bool is_address(const struct form *form, unsigned number) {
    return strncmp(form->opcode, "MOVDIR64B", strlen("MOVDIR64B")) == 0 && number == 0;
}

static bool add_operand(struct maker *m, unsigned number) {
    const struct form_operand *operand = &m->shape->form->operands[number];
    const char *kind = operand->class_name ? operand->class_name : "of an unknown class";
    struct register_name found;
    if (operand->kind == FORM_ADDRESS)
        return add_address_part(m, number, "base", operand->reg) &&
               add_address_part(m, number, "index", operand->index);
    if (operand->tied >= 0) { // the written operand's port is read, too
        const char *label = arena_printf(m->arena, "%d", operand->tied);
        for (unsigned i = 0; i < m->shape->n_ports; i++)
            if (strcmp(m->shape->ports[i].label, label) == 0)
                m->shape->ports[i].is_read = true;
        return true;
    }
    if (!operand->reg)
        return operand->kind != FORM_REGISTER || leave_out(m, "an operand has no register");
    if (stays_in_text(kind))
        return true;
    if (!find_register(m, operand->reg, &found))
        return leave_out(m, arena_printf(m->arena, "no role can be a register %s", kind));
    bool is_memory = operand->kind == FORM_MEMORY;
    const struct register_class *class = is_memory ? found.class : class_for(m, operand, &found);
    if (!class)
        return leave_out(m, arena_printf(m->arena, "no role can be any register of %s", kind));
    return add_port(m, (struct shape_port){.label = arena_printf(m->arena, is_memory ? "%u.base" : "%u", number),
                                           .role = arena_printf(m->arena, is_memory ? "o%u_base" : "o%u", number),
                                           .file = class->file,
                                           .class = class,
                                           .is_read = is_memory || operand->is_read,
                                           .is_written = !is_memory && operand->is_written,
                                           .is_address = is_memory || is_address(m->shape->form, number),
                                           .is_lanes = m->shape->is_gather && !is_memory && operand->is_written &&
                                                       !(m->shape->form->may_load && number == 0),
                                           .is_distinct = operand->is_distinct}) &&
           (!is_memory || !operand->index || add_index(m, number));
}

// Registers of modes and states, which are only read, and which nothing here changes.
static bool is_mode(const char *name) {
    static const char *const modes[] = {"MXCSR", "DF", "SSP", "RIP", "FPCR", "FRM", "VL", "VTYPE", "VXRM", "VCSR"};
    return text_find(name, modes, sizeof modes / sizeof *modes) < sizeof modes / sizeof *modes;
}

static bool is_flags(const struct isa *isa, const char *name) {
    return isa->flags && (strcmp(name, "EFLAGS") == 0 || strcmp(name, "NZCV") == 0 || strcmp(name, "CPSR") == 0);
}

static bool is_upper_half(const struct isa *isa, const struct register_name *found) {
    return found->class->file == 'g' && strcmp(isa->classes->registers[found->index], "rdx") == 0;
}

static bool add_implicit(struct maker *m, uint16_t reg, bool is_written) {
    struct shape *shape = m->shape;
    if (shape->surroundings)
        return true;
    const char *name = name_of(m, reg);
    struct register_name found = {m->isa->flags, 0, 0};
    if (is_mode(name))
        return !is_written || leave_out(m, arena_printf(m->arena, "it changes %s, for all code behind it", name));
    if (strncmp(name, "FP", 2) == 0 || strncmp(name, "ST", 2) == 0)
        return leave_out(m, "it works on the x87 stack");
    if (!is_flags(m->isa, name) && !find_register(m, reg, &found))
        return leave_out(m, arena_printf(m->arena, "no role can be register %s", name));
    const char *canonical = found.class->registers[found.index];
    if (found.class->file == 'g' && is_reserved(m->isa, m->isa->classes->registers[found.index]))
        return leave_out(m, "it uses the stack pointer");
    struct shape_port *port = NULL;
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (shape->ports[i].is_fixed && shape->ports[i].file == found.class->file &&
            shape->ports[i].index == found.index)
            port = &shape->ports[i];
    if (!port)
        port = add_port(m, (struct shape_port){.label = canonical,
                                               .role = canonical,
                                               .file = found.class->file,
                                               .class = found.class,
                                               .is_fixed = true,
                                               .index = found.index,
                                               .is_upper = is_upper_half(m->isa, &found)});
    if (!port)
        return false;
    port->is_written |= is_written;
    port->is_read |= !is_written;
    return true;
}

static const struct shape_port *find_port(const struct shape *shape, const char *label) {
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (strcmp(shape->ports[i].label, label) == 0)
            return &shape->ports[i];
    return NULL;
}

static bool is_example(const struct maker *m, uint16_t reg, const struct register_name *word) {
    struct register_name found;
    return reg && find_register(m, reg, &found) && is_same_register(&found, word);
}

// The operand's port whose example is this register; null: it is a fixed register, which stays in the text.
static const struct shape_port *port_of(const struct maker *m, const struct register_name *word) {
    const struct form *form = m->shape->form;
    for (unsigned i = 0; i < form->n_operands; i++) {
        const struct form_operand *operand = &form->operands[i];
        bool is_address = operand->kind == FORM_MEMORY || operand->kind == FORM_ADDRESS;
        if (operand->tied < 0 && is_example(m, operand->reg, word))
            return find_port(m->shape, arena_printf(m->arena, is_address ? "%u.base" : "%u", i));
        if (operand->tied < 0 && is_address && is_example(m, operand->index, word))
            return find_port(m->shape, arena_printf(m->arena, "%u.index", i));
    }
    return NULL;
}

// x86: LLVM prints a suffix behind some names that GNU as does not know: "rdrandl %eax".
static const char *without_suffix(struct arena *arena, const char *body) {
    static const char *const names[] = {"rdrand", "rdseed", "rdfsbase", "rdgsbase"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(body, names[i], length) == 0 && body[length] && body[length + 1] == ' ')
            return arena_printf(arena, "%s%s", names[i], body + length + 1);
    }
    return body;
}

// Puts roles in place of the registers of the example's text.
static bool make_body(struct maker *m) {
    const char *text = text_without_tabs(m->arena, m->shape->form->text), *done = text;
    struct slice rest = {text, strlen(text)}, word;
    struct register_name found;
    struct text body = {.arena = m->arena};
    unsigned seen = 0;
    while (register_next(m->isa, &rest, &word, &found)) {
        const struct shape_port *port = port_of(m, &found);
        if (!port)
            continue;
        if (port->is_address && found.class != m->isa->classes)
            return leave_out(m, "its address is shorter than a pointer");
        seen |= 1U << (port - m->shape->ports);
        size_t before = (size_t)(word.data - done);
        text_append(&body, done, before - (before && word.data[-1] == '%'));
        text_addf(&body, "{%s:%s}", port->role,
                  port->class->bits == found.class->bits ? port->class->name : found.class->name);
        done = word.data + word.length;
    }
    text_add(&body, done);
    m->shape->body = without_suffix(m->arena, *body.data == ' ' ? body.data + 1 : body.data);
    if (m->shape->surroundings && m->shape->surroundings->body)
        m->shape->body = m->shape->surroundings->body;
    for (unsigned i = 0; i < m->shape->n_ports; i++)
        if (!m->shape->ports[i].is_fixed && !(seen >> i & 1))
            return leave_out(m, "its text does not show all operands");
    return true;
}

static bool is_vector_of_legacy(const struct shape *shape) {
    bool has_vector = false;
    for (unsigned i = 0; i < shape->n_ports; i++)
        has_vector |= shape->ports[i].file == 'v';
    return has_vector && *shape->body != 'v' && *shape->body != '{';
}

// x86: LLVM's example uses the accumulator first. Where it does not, the assembler has another opcode for that: "addl
// $1000, %eax".
static const char *find_avoided(const struct maker *m) {
    static const char *const accumulators[] = {"AL", "AX", "EAX", "RAX"};
    enum { N = sizeof accumulators / sizeof *accumulators };
    const struct form *form = m->shape->form;
    bool may_be_it = false, is_it = false;
    for (unsigned i = 0; i < form->n_operands; i++) {
        const struct form_operand *operand = &form->operands[i];
        for (unsigned r = 0; r < N && operand->kind == FORM_REGISTER; r++)
            may_be_it |= may_be(m, operand, accumulators[r]);
        is_it |= operand->reg && text_find(name_of(m, operand->reg), accumulators, N) < N;
    }
    for (unsigned i = 0; i < m->shape->n_ports; i++)
        is_it |= m->shape->ports[i].is_fixed && m->shape->ports[i].file == 'g' && m->shape->ports[i].index == 0;
    return may_be_it && !is_it ? m->isa->classes->registers[0] : NULL;
}

static bool make(struct maker *m) {
    const struct form *form = m->shape->form;
    if (form->status != FORM_USABLE)
        return leave_out(m, form_status_name(form->status));
    m->shape->surroundings = surroundings_find(m->isa, form->opcode);
    if (m->shape->surroundings && m->shape->surroundings->why_not)
        return leave_out(m, m->shape->surroundings->why_not);
    for (unsigned i = 0; i < form->n_operands; i++) {
        const struct form_operand *operand = &form->operands[i];
        m->shape->is_gather |= operand->kind == FORM_MEMORY && operand->index;
    }
    for (unsigned i = 0; i < form->n_operands; i++) {
        const struct form_operand *operand = &form->operands[i];
        bool is_memory = operand->kind == FORM_MEMORY;
        bool is_elsewhere = is_memory && !operand->reg; // in fixed registers, or a number
        if (is_elsewhere && !m->shape->surroundings)
            return leave_out(m, "its address is fixed or moves");
        m->shape->has_memory |= is_memory && !is_elsewhere;
        if (!is_elsewhere && !add_operand(m, i))
            return false;
    }
    for (unsigned i = 0; i < form->n_implicit_reads; i++)
        if (!add_implicit(m, form->implicit_reads[i], false))
            return false;
    for (unsigned i = 0; i < form->n_implicit_writes; i++)
        if (!add_implicit(m, form->implicit_writes[i], true))
            return false;
    if (!make_body(m))
        return false;
    m->shape->is_legacy = is_vector_of_legacy(m->shape);
    if (strcmp(m->isa->name, "x86_64") == 0)
        m->shape->avoided = find_avoided(m);
    return true;
}

void shape_make(struct arena *arena, const struct isa *isa, const struct machine *machine, const struct form *form,
                struct shape *shape) {
    *shape = (struct shape){.form = form};
    struct maker m = {arena, isa, machine, shape};
    make(&m);
}
