// Ports, of LLVM's operands and implicit registers.
#include "survey/forms/shape_maker.h"

#include "base/text.h"
#include "gen/registers.h"
#include "survey/forms/isa_traits.h"

#include <string.h>
#include <strings.h>

static bool is_stack_pointer(const struct isa *isa, const struct register_name *found) {
    return strcmp(isa->stack_pointer, isa->classes->registers[found->index]) == 0;
}

// Whether a role may get the register.
static bool is_free(const struct isa *isa, const struct register_class *class, unsigned index) {
    const struct register_name each = {class, index, index};
    struct register_name reserved;
    for (unsigned i = 0; isa->reserved[i]; i++)
        if (register_find(isa, (struct slice){isa->reserved[i], strlen(isa->reserved[i])}, &reserved) &&
            maker_is_same_register(&reserved, &each))
            return false;
    return true;
}

// The largest class whose registers the operand may all be, of the width, and with the names, of `found`; null: no
// class fits. `allowed`: bits of the registers that it may be.
static const struct register_class *class_for(const struct maker *m, const struct form_operand *operand,
                                              const struct register_name *found) {
    const struct register_class *best = NULL, *like = found->class;
    uint64_t allowed = 0;
    for (unsigned i = 0; i < operand->n_registers; i++) {
        struct register_name each;
        if (maker_find_register(m, operand->registers[i], &each) && each.class->file == like->file &&
            each.class->bits == like->bits && each.class->span == like->span)
            allowed |= UINT64_C(1) << each.index;
    }
    for (const struct register_class *each = m->isa->classes; each->name; each++) {
        if (each->file != like->file || each->bits != like->bits || each->span != like->span ||
            strcmp(each->registers[each->first], like->registers[each->first]) != 0)
            continue;
        bool fits = true;
        for (unsigned i = each->first; each->registers[i]; i++)
            fits &= (allowed >> i & 1) || !is_free(m->isa, each, i);
        if (fits && (!best || maker_size_of(each) > maker_size_of(best)))
            best = each;
    }
    return best;
}

// Whether an operand of the form is a high byte (analyzer/code/form.h): then none may need a REX prefix.
static bool has_high_byte(const struct form *form) {
    return strstr(form->name, "-high") != NULL;
}

// Whether writing to a register keeps what else is in it, as in x86's ax and ah.
static bool keeps_rest(const struct register_name *found) {
    return found->class->file == 'g' && found->class->bits < 32;
}

static bool is_high_byte(const struct register_class *class) {
    return strcmp(class->name, "r8h") == 0;
}

static struct shape_port *add_port(struct maker *m, struct shape_port port) {
    struct shape *shape = m->shape;
    if (shape->n_ports == SHAPE_MOST_PORTS) {
        maker_leave_out(m, "it uses more registers than an experiment has roles for");
        return NULL;
    }
    shape->ports[shape->n_ports] = port;
    return &shape->ports[shape->n_ports++];
}

// The index of a memory operand or address: a vector, of which all lanes are added to the base, or a general register.
static bool add_index(struct maker *m, unsigned number) {
    const struct form_operand *operand = &m->shape->form->operands[number];
    struct register_name found;
    const struct register_class *class = NULL;
    if (maker_find_register(m, operand->index, &found))
        class = operand->class_name ? class_for(m, operand, &found) : found.class;
    if (!class)
        return maker_leave_out(m, "no role can be any of its indices");
    m->indices[number] = add_port(m, (struct shape_port){.label = arena_printf(m->arena, "%u.index", number),
                                                         .role = arena_printf(m->arena, "o%u_index", number),
                                                         .file = class->file,
                                                         .class = class,
                                                         .is_read = true,
                                                         .is_index = operand->kind == FORM_MEMORY});
    return m->indices[number] != NULL;
}

// An address that is computed and not accessed: its registers are values like others.
static bool add_address(struct maker *m, unsigned number) {
    const struct form_operand *operand = &m->shape->form->operands[number];
    struct register_name found;
    if (operand->reg && !maker_find_register(m, operand->reg, &found))
        return maker_leave_out(m, "no role can be its base");
    if (operand->reg)
        m->ports[number] = add_port(m, (struct shape_port){.label = arena_printf(m->arena, "%u.base", number),
                                                           .role = arena_printf(m->arena, "o%u_base", number),
                                                           .file = found.class->file,
                                                           .class = found.class,
                                                           .is_read = true});
    return (!operand->reg || m->ports[number]) && (!operand->index || add_index(m, number));
}

// x86: registers that are never roles: segments, and those of x87's stack.
static bool stays_in_text(const char *class_name) {
    return strcmp(class_name, "SEGMENT_REG") == 0 || strcmp(class_name, "RST") == 0;
}

// x86: a register that is the address to which the form stores.
static bool is_address(const struct form *form, unsigned number) {
    return text_starts(form->opcode, "MOVDIR64B") && number == 0;
}

// Whether an operand is the mask of a gather or scatter: these write to it, and a gather to its result.
static bool is_lanes(const struct shape *shape, unsigned number) {
    const struct form_operand *operand = &shape->form->operands[number];
    return shape->is_gather && operand->kind == FORM_REGISTER && operand->is_written &&
           !(shape->form->may_load && number == 0);
}

static const char *class_name_of(const struct form_operand *operand) {
    return operand->class_name ? operand->class_name : "of an unknown class";
}

// RISC-V: the class of an operand with a vector configuration: of a group's registers, or of a floating-point register
// of the elements' width.
static const struct register_class *class_with(const struct maker *m, const struct form_operand *operand,
                                               const struct register_class *class) {
    const struct form *form = m->shape->form;
    if (operand->group > 1)
        return isa_class(m->isa, arena_printf(m->arena, "vg%u", operand->group));
    if (form->vector.sew && class && class->file == 'f')
        return isa_class(m->isa, form->vector.sew == 64 ? "d" : form->vector.sew == 16 ? "h" : "s");
    return class;
}

// Adds the port of an operand that is a register, or the base of memory.
static bool add_register(struct maker *m, unsigned number, const struct register_name *found) {
    const struct form_operand *operand = &m->shape->form->operands[number];
    const char *kind = class_name_of(operand);
    bool is_memory = operand->kind == FORM_MEMORY;
    const struct register_class *class = !is_memory                      ? class_for(m, operand, found)
                                         : has_high_byte(m->shape->form) ? isa_class(m->isa, "r64n")
                                                                         : found->class;
    class = class_with(m, operand, class);
    if (!class)
        return maker_leave_out(m, arena_printf(m->arena, "no role can be any register of %s", kind));
    bool is_base = is_memory || m->parts[number] == PART_BASE, is_index = m->parts[number] == PART_INDEX;
    const char *suffix = is_base ? "base" : is_index ? "index" : "";
    bool is_merged = *m->isa->syntaxes && operand->is_written && keeps_rest(found);
    m->ports[number] =
        add_port(m, (struct shape_port){.label = arena_printf(m->arena, "%u%s%s", number, *suffix ? "." : "", suffix),
                                        .role = arena_printf(m->arena, "o%u%s%s", number, *suffix ? "_" : "", suffix),
                                        .file = class->file,
                                        .class = class,
                                        .is_read = is_memory || operand->is_read || is_merged,
                                        .is_written = !is_memory && operand->is_written,
                                        .is_address = is_base || is_address(m->shape->form, number),
                                        .is_index = is_index,
                                        .is_lanes = is_lanes(m->shape, number),
                                        .is_distinct = operand->is_distinct,
                                        .is_high = is_high_byte(class),
                                        .is_group = class->name[1] == 'g',
                                        .is_ordered = m->shape->form->vector.order &&
                                                      vector_config_is_index(m->shape->form->opcode, number)});
    return m->ports[number] && (!is_memory || !operand->index || add_index(m, number));
}

bool maker_add_operand(struct maker *m, unsigned number) {
    const struct form_operand *operand = &m->shape->form->operands[number];
    const char *kind = class_name_of(operand);
    struct register_name found;
    if (operand->kind == FORM_ADDRESS)
        return add_address(m, number);
    if (operand->tied >= 0) { // the written operand's port is read, too
        if (m->ports[operand->tied])
            m->ports[operand->tied]->is_read = true;
        return true;
    }
    if (!operand->reg)
        return operand->kind != FORM_REGISTER || maker_leave_out(m, "an operand has no register");
    const char *why = operand->class_name ? maker_reason_of(m->traits->classes, operand->class_name) : NULL;
    if (why)
        return maker_leave_out(m, why);
    if (stays_in_text(kind))
        return true;
    if (m->traits->fixed_class && strcmp(kind, m->traits->fixed_class) == 0)
        return maker_add_implicit(m, operand->reg, false); // its text is none of a role's
    if (!maker_find_register(m, operand->reg, &found))
        return maker_leave_out(m, arena_printf(m->arena, "no role can be a register %s", kind));
    if (found.class->file == 'g' && is_stack_pointer(m->isa, &found))
        return maker_leave_out(m, "it uses the stack pointer");
    return add_register(m, number, &found);
}

// Registers of modes and states, which are only read, and which nothing here changes.
static bool is_mode(const struct isa_traits *traits, const char *name) {
    for (const char *const *mode = traits->modes; *mode; mode++)
        if (strcmp(*mode, name) == 0)
            return true;
    return false;
}

static bool is_flags(const struct isa_traits *traits, const char *name) {
    return traits->flags && strcmp(traits->flags, name) == 0;
}

static bool is_upper_half(const struct isa *isa, const struct register_name *found) {
    return found->class->file == 'g' && strcmp(isa->classes->registers[found->index], "rdx") == 0;
}

static const struct register_class *find_hidden(const struct isa_traits *traits, const char *name) {
    for (const struct way_hidden *each = traits->hidden; each && each->name; each++)
        if (strcmp(each->name, name) == 0)
            return &each->class;
    return NULL;
}

static struct shape_port *find_fixed(struct shape *shape, const struct register_name *found) {
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (shape->ports[i].is_fixed && shape->ports[i].file == found->class->file &&
            shape->ports[i].index == found->index)
            return &shape->ports[i];
    return NULL;
}

bool maker_add_implicit(struct maker *m, uint16_t reg, bool is_written) {
    struct shape *shape = m->shape;
    if (shape->wrapper)
        return true;
    const char *name = maker_name_of(m, reg);
    const struct register_class *hidden = find_hidden(m->traits, name);
    struct register_name found = {hidden ? hidden : m->isa->flags, 0, 0};
    if (is_mode(m->traits, name))
        return !is_written || (m->traits->sets_modes && text_starts(shape->form->opcode, m->traits->sets_modes)) ||
               maker_leave_out(m, arena_printf(m->arena, "it changes %s, for all code behind it", name));
    if (*m->isa->syntaxes && (strncmp(name, "FP", 2) == 0 || strncmp(name, "ST", 2) == 0))
        return maker_leave_out(m, "it works on the x87 stack");
    if (strcasecmp(name, m->isa->stack_pointer) == 0)
        return maker_leave_out(m, "it uses the stack pointer");
    if (!hidden && !is_flags(m->traits, name) && !maker_find_register(m, reg, &found))
        return maker_leave_out(m, arena_printf(m->arena, "no role can be register %s", name));
    const char *canonical = found.class->registers[found.index];
    if (found.class->file == 'g' && is_stack_pointer(m->isa, &found))
        return maker_leave_out(m, "it uses the stack pointer");
    if (strcmp(canonical, m->isa->memory) != 0 && !is_free(m->isa, found.class, found.index))
        return maker_leave_out(m, arena_printf(m->arena, "it uses %s, which the program around it needs", canonical));
    struct shape_port *port = find_fixed(shape, &found);
    if (!port)
        port = add_port(m, (struct shape_port){.label = canonical,
                                               .role = canonical,
                                               .file = found.class->file,
                                               .class = found.class,
                                               .is_fixed = true,
                                               .index = found.index,
                                               .is_upper = is_upper_half(m->isa, &found),
                                               .is_high = is_high_byte(found.class),
                                               .is_hidden = hidden != NULL});
    if (!port)
        return false;
    port->is_written |= is_written;
    port->is_read |= !is_written || keeps_rest(&found);
    return true;
}
