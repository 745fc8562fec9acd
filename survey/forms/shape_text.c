// The text with roles, of the example's.
#include "survey/forms/shape_maker.h"

#include "base/text.h"
#include "gen/registers.h"
#include "survey/forms/isa_traits.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// A register in the example's text.
struct mention {
    struct slice word;
    struct register_name found;
};

static bool is_example(const struct maker *m, uint16_t reg, const struct mention *mention) {
    struct register_name found;
    return reg && maker_find_register(m, reg, &found) && maker_is_same_register(&found, &mention->found) &&
           (!m->traits->is_word || m->traits->is_word(maker_name_of(m, reg), mention->word));
}

// The number of the operand whose example is this register; MOST_OPERANDS: it is a fixed register, which stays in the
// text.
static unsigned operand_of(const struct maker *m, const struct mention *mention) {
    const struct form *form = m->shape->form;
    for (unsigned i = 0; i < form->n_operands; i++)
        if (form->operands[i].tied < 0 && is_example(m, form->operands[i].reg, mention))
            return i;
    return MOST_OPERANDS;
}

static const struct shape_port *port_of(const struct maker *m, const struct mention *mention) {
    const struct form *form = m->shape->form;
    unsigned operand = operand_of(m, mention);
    for (unsigned i = 0; i < form->n_operands; i++)
        if (m->indices[i] && is_example(m, form->operands[i].index, mention))
            return m->indices[i];
    return operand < MOST_OPERANDS ? m->ports[operand] : NULL;
}

// Finds the operands that are addresses by the text: [x1, x2, lsl #3], [x1], x2 and 8(a1) and $5($4). LLVM describes
// those of x86 as operands of memory.
bool maker_find_parts(struct maker *m) {
    const char *text = m->shape->form->text;
    struct slice rest = {text, strlen(text)}, word;
    struct register_name found;
    bool is_behind = false,
         is_lanes = false; // behind a base: a register, or a vector of which each lane is an address's
    while (register_next(m->isa, &rest, &word, &found)) {
        unsigned operand = operand_of(m, &(struct mention){word, found});
        char before = word.data > text ? word.data[-1] : ' ';
        bool is_base = before == '[' || before == '(',
             is_index = is_behind || word.data[word.length] == '(' || (is_lanes && found.class->file == 'v');
        if (operand == MOST_OPERANDS || (!is_base && !is_index))
            continue;
        if (found.class->file != 'g' && !is_lanes)
            return maker_leave_out(m, "it gathers or scatters");
        if (is_base && m->shape->has_memory)
            return maker_leave_out(m, "it has two addresses");
        m->parts[operand] = is_base ? PART_BASE : PART_INDEX;
        m->shape->has_memory |= is_base;
        is_behind = is_base && before == '[';
        is_lanes = is_base && before == '(';
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
    bool is_after = text_starts(behind, after);
    const char *number = behind + strlen(is_after ? after : inside), *end;
    if (!is_after && !text_starts(behind, inside))
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
    if (port->is_group || has_name(port->class, found))
        return port->class;
    for (const struct register_class *each = isa->classes; each->name; each++)
        if (each->file == best->file && each->bits == best->bits && has_name(each, found) &&
            maker_size_of(each) <= maker_size_of(port->class) &&
            (maker_size_of(best) > maker_size_of(port->class) || maker_size_of(each) > maker_size_of(best)))
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
bool maker_make_body(struct maker *m) {
    const char *text = text_without_tabs(m->arena, m->shape->form->text), *done = text;
    size_t fixed = m->traits->fixed_start ? m->traits->fixed_start(m->shape->form->opcode, text) : 0;
    struct slice rest = {text + fixed, strlen(text + fixed)}, word;
    struct register_name found;
    struct text body = {.arena = m->arena};
    unsigned seen = 0;
    while (register_next(m->isa, &rest, &word, &found)) {
        const struct shape_port *port = port_of(m, &(struct mention){word, found});
        if (!port)
            continue;
        if (port->is_address && found.class != m->isa->classes)
            return maker_leave_out(m, "its address is shorter than a pointer");
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
    if (m->shape->wrapper && m->shape->wrapper->body)
        m->shape->body = m->shape->wrapper->body;
    if (m->traits->before && *m->traits->before(m->shape->form))
        m->shape->body =
            arena_printf(m->arena, "%s%s%s", m->traits->before(m->shape->form), m->shape->body, m->traits->after);
    for (unsigned i = 0; i < m->shape->n_ports; i++)
        if (!m->shape->ports[i].is_fixed && !(seen >> i & 1))
            return maker_leave_out(m, "its text does not show all operands");
    return true;
}
