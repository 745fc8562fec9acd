#include "survey/shape.h"

#include "gen/registers.h"
#include "survey/ways.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// What an operand is in the example's text.
enum part { PART_VALUE, PART_BASE, PART_INDEX };
enum { MOST_OPERANDS = 32 };

// State of making a shape.
struct maker {
    struct arena *arena;
    const struct isa *isa;
    const struct ways *ways;
    const struct machine *machine;
    struct shape *shape;
    unsigned n_flags_read, n_flags_written; // only flags that are no port
    enum part parts[MOST_OPERANDS];
    // Of the operands, and of the indices of those that are addresses; null: there is none.
    struct shape_port *ports[MOST_OPERANDS], *indices[MOST_OPERANDS];
};

static bool leave_out(struct maker *m, const char *why) {
    if (!m->shape->left_out)
        m->shape->left_out = why;
    return false;
}

static const char *name_of(const struct maker *m, uint16_t reg) {
    return m->machine->registers[reg].name;
}

static bool find_register(const struct maker *m, uint16_t reg, struct register_name *found) {
    const char *name = name_of(m, reg);
    return m->ways->find_register ? m->ways->find_register(m->isa, name, found)
                                  : register_find(m->isa, (struct slice){name, strlen(name)}, found);
}

static bool is_same_register(const struct register_name *a, const struct register_name *b) {
    return a->class->file == b->class->file && register_entry(a) == register_entry(b);
}

static bool is_stack_pointer(const struct isa *isa, const struct register_name *found) {
    return strcmp(isa->stack_pointer, isa->classes->registers[found->index]) == 0;
}

static bool may_be(const struct maker *m, const struct form_operand *operand, const char *name) {
    for (unsigned i = 0; i < operand->n_registers; i++)
        if (strcasecmp(name_of(m, operand->registers[i]), name) == 0)
            return true;
    return false;
}

// Whether a role may get the register.
static bool is_free(const struct isa *isa, const struct register_class *class, unsigned index) {
    const struct register_name each = {class, index, index};
    struct register_name reserved;
    for (unsigned i = 0; isa->reserved[i]; i++)
        if (register_find(isa, (struct slice){isa->reserved[i], strlen(isa->reserved[i])}, &reserved) &&
            is_same_register(&reserved, &each))
            return false;
    return true;
}

static unsigned size_of(const struct register_class *class) {
    return register_class_count(class) - class->first;
}

// The largest class whose registers the operand may all be, of the width, and with the names, of `found`; null: no
// class fits. `allowed`: bits of the registers that it may be.
static const struct register_class *class_for(const struct maker *m, const struct form_operand *operand,
                                              const struct register_name *found) {
    const struct register_class *best = NULL, *like = found->class;
    uint64_t allowed = 0;
    for (unsigned i = 0; i < operand->n_registers; i++) {
        struct register_name each;
        if (find_register(m, operand->registers[i], &each) && each.class->file == like->file &&
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
        if (fits && (!best || size_of(each) > size_of(best)))
            best = each;
    }
    return best;
}

// Whether an operand of the form is a high byte (analyzer/model/form.h): then none may need a REX prefix.
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

static const char *reason_of(const struct way_reason *reasons, const char *name) {
    for (const struct way_reason *each = reasons; each && each->start; each++)
        if (strncmp(each->start, name, strlen(each->start)) == 0)
            return each->why;
    return NULL;
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

// The index of a memory operand or address: a vector, of which all lanes are added to the base, or a general register.
static bool add_index(struct maker *m, unsigned number) {
    const struct form_operand *operand = &m->shape->form->operands[number];
    struct register_name found;
    const struct register_class *class = NULL;
    if (find_register(m, operand->index, &found))
        class = operand->class_name ? class_for(m, operand, &found) : found.class;
    if (!class)
        return leave_out(m, "no role can be any of its indices");
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
    if (operand->reg && !find_register(m, operand->reg, &found))
        return leave_out(m, "no role can be its base");
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
    return strncmp(form->opcode, "MOVDIR64B", strlen("MOVDIR64B")) == 0 && number == 0;
}

// Whether an operand is the mask of a gather or scatter: these write to it, and a gather to its result.
static bool is_lanes(const struct shape *shape, unsigned number) {
    const struct form_operand *operand = &shape->form->operands[number];
    return shape->is_gather && operand->kind == FORM_REGISTER && operand->is_written &&
           !(shape->form->may_load && number == 0);
}

static bool add_operand(struct maker *m, unsigned number) {
    const struct form_operand *operand = &m->shape->form->operands[number];
    const char *kind = operand->class_name ? operand->class_name : "of an unknown class";
    struct register_name found;
    if (operand->kind == FORM_ADDRESS)
        return add_address(m, number);
    if (operand->tied >= 0) { // the written operand's port is read, too
        if (m->ports[operand->tied])
            m->ports[operand->tied]->is_read = true;
        return true;
    }
    if (!operand->reg)
        return operand->kind != FORM_REGISTER || leave_out(m, "an operand has no register");
    const char *why = operand->class_name ? reason_of(m->ways->classes, operand->class_name) : NULL;
    if (why)
        return leave_out(m, why);
    if (stays_in_text(kind))
        return true;
    if (!find_register(m, operand->reg, &found))
        return leave_out(m, arena_printf(m->arena, "no role can be a register %s", kind));
    if (found.class->file == 'g' && is_stack_pointer(m->isa, &found))
        return leave_out(m, "it uses the stack pointer");
    bool is_memory = operand->kind == FORM_MEMORY;
    const struct register_class *class = !is_memory                      ? class_for(m, operand, &found)
                                         : has_high_byte(m->shape->form) ? isa_class(m->isa, "r64n")
                                                                         : found.class;
    if (!class)
        return leave_out(m, arena_printf(m->arena, "no role can be any register of %s", kind));
    bool is_base = is_memory || m->parts[number] == PART_BASE, is_index = m->parts[number] == PART_INDEX;
    const char *suffix = is_base ? "base" : is_index ? "index" : "";
    bool is_merged = *m->isa->syntaxes && operand->is_written && keeps_rest(&found);
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
                                        .is_high = is_high_byte(class)});
    return m->ports[number] && (!is_memory || !operand->index || add_index(m, number));
}

// Registers of modes and states, which are only read, and which nothing here changes.
static bool is_mode(const struct ways *ways, const char *name) {
    for (const char *const *mode = ways->modes; *mode; mode++)
        if (strcmp(*mode, name) == 0)
            return true;
    return false;
}

static bool is_flags(const struct ways *ways, const char *name) {
    return ways->flags && strcmp(ways->flags, name) == 0;
}

static bool is_upper_half(const struct isa *isa, const struct register_name *found) {
    return found->class->file == 'g' && strcmp(isa->classes->registers[found->index], "rdx") == 0;
}

// Flags that no kernel may name, as each loop changes them. Streams do not wait for each other where a form only reads
// or only writes them.
static bool add_hidden_flags(struct maker *m, bool is_written) {
    unsigned *n = is_written ? &m->n_flags_written : &m->n_flags_read;
    ++*n;
    return !m->n_flags_read || !m->n_flags_written ||
           leave_out(m, "each copy waits for the flags of the one before, and the loop changes them");
}

static bool add_implicit(struct maker *m, uint16_t reg, bool is_written) {
    struct shape *shape = m->shape;
    if (shape->surroundings)
        return true;
    const char *name = name_of(m, reg);
    struct register_name found = {m->isa->flags, 0, 0};
    if (is_mode(m->ways, name))
        return !is_written || leave_out(m, arena_printf(m->arena, "it changes %s, for all code behind it", name));
    if (*m->isa->syntaxes && (strncmp(name, "FP", 2) == 0 || strncmp(name, "ST", 2) == 0))
        return leave_out(m, "it works on the x87 stack");
    if (is_flags(m->ways, name) && !m->isa->flags)
        return add_hidden_flags(m, is_written);
    if (strcasecmp(name, m->isa->stack_pointer) == 0)
        return leave_out(m, "it uses the stack pointer");
    if (!is_flags(m->ways, name) && !find_register(m, reg, &found))
        return leave_out(m, arena_printf(m->arena, "no role can be register %s", name));
    const char *canonical = found.class->registers[found.index];
    if (found.class->file == 'g' && is_stack_pointer(m->isa, &found))
        return leave_out(m, "it uses the stack pointer");
    if (strcmp(canonical, m->isa->memory) != 0 && !is_free(m->isa, found.class, found.index))
        return leave_out(m, arena_printf(m->arena, "it uses %s, which the program around it needs", canonical));
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
                                               .is_upper = is_upper_half(m->isa, &found),
                                               .is_high = is_high_byte(found.class)});
    if (!port)
        return false;
    port->is_written |= is_written;
    port->is_read |= !is_written || keeps_rest(&found);
    return true;
}

static bool is_example(const struct maker *m, uint16_t reg, const struct register_name *word) {
    struct register_name found;
    return reg && find_register(m, reg, &found) && is_same_register(&found, word);
}

// The number of the operand whose example is this register; MOST_OPERANDS: it is a fixed register, which stays in the
// text.
static unsigned operand_of(const struct maker *m, const struct register_name *word) {
    const struct form *form = m->shape->form;
    for (unsigned i = 0; i < form->n_operands; i++)
        if (form->operands[i].tied < 0 && is_example(m, form->operands[i].reg, word))
            return i;
    return MOST_OPERANDS;
}

static const struct shape_port *port_of(const struct maker *m, const struct register_name *word) {
    const struct form *form = m->shape->form;
    unsigned operand = operand_of(m, word);
    for (unsigned i = 0; i < form->n_operands; i++)
        if (m->indices[i] && is_example(m, form->operands[i].index, word))
            return m->indices[i];
    return operand < MOST_OPERANDS ? m->ports[operand] : NULL;
}

// Finds the operands that are addresses by the text: [x1, x2, lsl #3], [x1], x2 and 8(a1) and $5($4). LLVM describes
// those of x86 as operands of memory.
static bool find_parts(struct maker *m) {
    const char *text = m->shape->form->text;
    struct slice rest = {text, strlen(text)}, word;
    struct register_name found;
    bool is_behind = false; // of a base
    while (register_next(m->isa, &rest, &word, &found)) {
        unsigned operand = operand_of(m, &found);
        char before = word.data > text ? word.data[-1] : ' ';
        bool is_base = before == '[' || before == '(', is_index = is_behind || word.data[word.length] == '(';
        if (operand == MOST_OPERANDS || (!is_base && !is_index))
            continue;
        if (found.class->file != 'g')
            return leave_out(m, "it gathers or scatters");
        if (is_base && m->shape->has_memory)
            return leave_out(m, "it has two addresses");
        m->parts[operand] = is_base ? PART_BASE : PART_INDEX;
        m->shape->has_memory |= is_base;
        is_behind = is_base && before == '[';
    }
    return true;
}

static long aligned(long displacement) {
    enum { BYTES = 16 };
    return displacement % BYTES ? BYTES : displacement;
}

// A number that an address has behind its base: ", #8]", ", #8]!", "], #8". Those that change the base become zero, the
// others a multiple of 16, which no access needs more of. Returns the end of what is written.
static const char *write_behind_base(struct text *body, const char *behind) {
    static const char inside[] = ", #", after[] = "], #";
    bool is_after = strncmp(behind, after, strlen(after)) == 0;
    const char *number = behind + strlen(is_after ? after : inside), *end;
    if (!is_after && strncmp(behind, inside, strlen(inside)) != 0)
        return behind;
    end = number + strspn(number, "-0123456789");
    if (!is_after && *end != ']')
        return behind; // in vectors: "#1, mul vl"
    bool changes = is_after || strncmp(end, "]!", 2) == 0;
    text_append(body, behind, (size_t)(number - behind));
    text_addf(body, "%ld", changes ? 0 : aligned(strtol(number, NULL, 0)));
    return end;
}

// A number in front of the base: "1(".
static size_t write_before_base(struct text *body, const char *from, size_t length) {
    size_t start = length && from[length - 1] == '(' ? length - 1 : length;
    while (start && (isdigit((unsigned char)from[start - 1]) || from[start - 1] == '-'))
        start--;
    if (start + 1 >= length)
        return 0;
    text_append(body, from, start);
    text_addf(body, "%ld", aligned(strtol(from + start, NULL, 0)));
    return length - 1;
}

static bool has_name(const struct register_class *class, const struct register_name *found) {
    return found->index < register_class_count(class) &&
           strcmp(class->registers[found->index], found->class->registers[found->index]) == 0;
}

// The class to name the port's register in, as the example's text does: "v0" of a register that LLVM calls Q0. Roles
// get no register that the port's class lacks.
static const struct register_class *class_in_text(const struct isa *isa, const struct shape_port *port,
                                                  const struct register_name *found) {
    const struct register_class *best = found->class;
    if (has_name(port->class, found))
        return port->class;
    for (const struct register_class *each = isa->classes; each->name; each++)
        if (each->file == best->file && each->bits == best->bits && has_name(each, found) &&
            size_of(each) <= size_of(port->class) &&
            (size_of(best) > size_of(port->class) || size_of(each) > size_of(best)))
            best = each;
    return best;
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
        size_t before = (size_t)(word.data - done),
               written = port->is_address ? write_before_base(&body, done, before) : 0;
        text_append(&body, done + written, before - written - (before && word.data[-1] == '%'));
        text_addf(&body, "{%s:%s}", port->role, class_in_text(m->isa, port, &found)->name);
        done = word.data + word.length;
        if (port->is_address)
            done = write_behind_base(&body, done);
    }
    text_add(&body, done);
    m->shape->body = without_suffix(m->arena, *body.data == ' ' ? body.data + 1 : body.data);
    if (m->shape->surroundings && m->shape->surroundings->body)
        m->shape->body = m->shape->surroundings->body;
    if (m->ways->before && *m->ways->before(m->shape->form))
        m->shape->body =
            arena_printf(m->arena, "%s%s%s", m->ways->before(m->shape->form), m->shape->body, m->ways->after);
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
        is_it |= operand->reg && text_find(name_of(m, operand->reg), accumulators, N) < N;
    }
    for (unsigned i = 0; i < m->shape->n_ports; i++)
        is_it |= m->shape->ports[i].is_fixed && m->shape->ports[i].file == 'g' && m->shape->ports[i].index == 0;
    if (may_be_it && !is_it)
        return m->isa->classes->registers[0];
    return strstr(m->shape->body, " ({o") ? SHAPE_NO_BARE_BASE : NULL;
}

static bool make(struct maker *m) {
    const struct form *form = m->shape->form;
    if (form->status != FORM_USABLE)
        return leave_out(m, form_status_name(form->status));
    const char *why = reason_of(m->ways->left_out, form->opcode);
    m->shape->surroundings = surroundings_find(m->isa, form->opcode);
    if (m->shape->surroundings && m->shape->surroundings->why_not)
        why = m->shape->surroundings->why_not;
    if (why)
        return leave_out(m, why);
    if (form->n_operands > MOST_OPERANDS)
        return leave_out(m, "it has more operands than an experiment has roles for");
    if (!find_parts(m))
        return false;
    for (unsigned i = 0; i < form->n_operands; i++)
        m->shape->is_gather |= form->operands[i].kind == FORM_MEMORY && form->operands[i].index;
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
    bool is_x86 = *m->isa->syntaxes;
    m->shape->is_legacy = is_x86 && is_vector_of_legacy(m->shape);
    if (is_x86)
        m->shape->avoided = find_avoided(m);
    return true;
}

void shape_make(struct arena *arena, const struct isa *isa, const struct machine *machine, const struct form *form,
                struct shape *shape) {
    *shape = (struct shape){.form = form, .ways = ways_find(isa)};
    struct maker m = {.arena = arena, .isa = isa, .ways = shape->ways, .machine = machine, .shape = shape};
    make(&m);
}

struct slice shape_mnemonic(const struct shape *shape) {
    const char *start = *shape->body == '{' ? shape->body + strcspn(shape->body, " ") : shape->body;
    start += strspn(start, " ");
    return (struct slice){start, strcspn(start, " ")};
}
