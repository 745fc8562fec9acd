#include "survey/experiment_text.h"

#include "survey/experiments.h"
#include "survey/partners.h"
#include "survey/ways.h"

#include <string.h>

// All bits of the lanes that a mask has. Of a mask register, those that an instruction of AVX512F sets.
static const char *all_bits(const struct shape_port *port) {
    return port->file == 'k' ? "65535" : port->file == 'v' ? "i32 -1" : "-1";
}

// Not zero: a Zen knows which registers hold zero above their lowest lane, and then waits for
// less.
const char *experiment_value(const struct shape *shape, const struct shape_port *port) {
    if (port->is_address)
        return "memory";
    if (port->is_lanes || (shape->surroundings && shape->surroundings->has_all_bits))
        return all_bits(port);
    if (port->is_offset)
        return "64";
    if (port->is_upper || port->is_index)
        return "0";
    if (port->file == 'k')
        return shape->ways->mask_of_all;
    return port->file == 'v' || port->file == 'f' ? shape->ways->one(shape, port) : "1";
}

void experiment_add_init(const struct shape *shape, bool has_pointers, const char *more, struct text *out) {
    const char *comma = "";
    text_add(out, ", init: {");
    for (unsigned i = 0; i < shape->n_ports; i++) {
        const struct shape_port *port = &shape->ports[i];
        if (!port->is_read || !experiment_has_name(port))
            continue;
        text_addf(out, "%s%s: %s", comma, port->role,
                  port->is_address && has_pointers ? "\"memory + {at:64}\"" : experiment_value(shape, port));
        if (port->is_lanes && port->file == 'k')
            text_addf(out, ", lanes: %s", all_bits(port)); // sets it again: ways_x86_64.c
        comma = ", ";
    }
    text_addf(out, "%s}", *comma ? more : *more ? more + 2 : "");
}

static void add_implicit(const struct shape *shape, struct text *out) {
    const char *comma = "";
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (shape->ports[i].is_fixed && experiment_has_name(&shape->ports[i])) {
            text_addf(out, "%s%s", *comma ? comma : ", implicit: [", shape->ports[i].role);
            comma = ", ";
        }
    const char *further = shape->surroundings ? shape->surroundings->implicit : shape->avoided;
    if (further)
        text_addf(out, "%s%s", *comma ? comma : ", implicit: [", further);
    if (*comma || further)
        text_add(out, "]");
}

static bool starts_with(struct slice name, const char *start) {
    return name.length >= strlen(start) && strncmp(name.data, start, strlen(start)) == 0;
}

// x86: divides rax by memory, which must not be zero then.
static bool has_divisor_in_memory(const struct shape *shape) {
    bool has_fixed = false;
    for (unsigned i = 0; i < shape->n_ports; i++)
        has_fixed |= shape->ports[i].is_fixed && shape->ports[i].file == 'g';
    struct slice name = shape_mnemonic(shape);
    return shape->has_memory && has_fixed && (starts_with(name, "div") || starts_with(name, "idiv"));
}

// Memory holds the buffer's own address in its first word: as a number of floating point, a denormal.
static void add_setup(const struct shape *shape, struct text *out) {
    const char *texts[] = {shape->has_memory ? shape->ways->clear_memory : NULL,
                           shape->is_gather ? "movq $0, 64(%rsi)" : NULL, // what is loaded becomes indices
                           has_divisor_in_memory(shape) ? "movq $1, 64(%rsi)" : NULL,
                           shape->surroundings ? shape->surroundings->setup : NULL,
                           shape->spread_indices,
                           shape->form->setup};
    struct text setup = {.arena = out->arena};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i])
            text_addf(&setup, "%s%s", setup.length ? "; " : "", texts[i]);
    if (setup.length)
        text_addf(out, ", setup: \"%s\"", setup.data);
}

void experiment_begin(const struct shape *shape, struct experiment_key key, const char *body, const char *more,
                      struct text *out) {
    key.form = shape->form->name;
    text_addf(out, "  - {name: %s, about: survey, body: \"%s%s\"", experiment_key_name(out->arena, &key), body, more);
    add_setup(shape, out);
    add_implicit(shape, out);
}

unsigned experiment_place_bytes(const struct shape *shape) {
    for (unsigned i = 0; i < shape->form->n_operands; i++) {
        const struct form_operand *operand = &shape->form->operands[i];
        unsigned bytes = 1;
        if (operand->kind != FORM_MEMORY || !operand->bytes || operand->class_name)
            continue;
        while (bytes < operand->bytes)
            bytes *= 2;
        return bytes; // 64 at most: zmmword
    }
    return SHAPE_DISPLACEMENT;
}

// The name of a place says whether it is only read. X86's have displacements that reach all. Elsewhere the body stays,
// and each stream has a pointer of its own.
const char *experiment_with_places(const struct shape *shape, struct arena *arena) {
    static const char fixed[] = "64({";
    const char *at = shape->has_memory ? strstr(shape->body, fixed) : NULL;
    if (has_divisor_in_memory(shape))
        return shape->body;
    if (!at)
        return shape->body;
    return arena_printf(arena, "%.*s{%s:%u}%s", (int)(at - shape->body), shape->body,
                        experiment_only_loads(shape) ? EXPERIMENTS_LOAD : "at", experiment_place_bytes(shape), at + 2);
}

void experiment_add_throughput(const struct shape *shape, struct experiment_key key, const char *body, const char *more,
                               const char *init, struct text *out) {
    const char *comma = "";
    experiment_begin(shape, key, body, more, out);
    bool has_lines = shape->spread_indices && !shape->form->may_store; // which all streams share
    experiment_add_init(shape,
                        shape->has_memory && !shape->surroundings && !has_divisor_in_memory(shape) &&
                            body == shape->body && !has_lines,
                        init, out);
    text_add(out, ", writes: [");
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (shape->ports[i].is_written && experiment_has_name(&shape->ports[i])) {
            text_addf(out, "%s%s", comma, shape->ports[i].role);
            comma = ", ";
        }
    text_add(out, "]}\n");
}

bool experiment_break_others(const struct isa *isa, const struct shape *shape, unsigned except, bool only_fixed,
                             struct text *text) {
    bool is_done = true;
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (i != except && experiment_is_carried(&shape->ports[i]) &&
            (shape->ports[i].is_fixed || shape->ports[i].is_lanes || !only_fixed))
            is_done &= partner_break(isa, shape, i, text);
    return is_done;
}
