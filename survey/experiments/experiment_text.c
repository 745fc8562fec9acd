#include "survey/experiments/experiment_text.h"

#include "base/text.h"
#include "survey/experiments/experiments.h"
#include "survey/forms/chain_partners.h"
#include "survey/forms/isa_traits.h"

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
    if (port->is_lanes || (shape->wrapper && shape->wrapper->has_all_bits))
        return all_bits(port);
    if (port->is_offset)
        return "64";
    if (port->is_upper || port->is_index)
        return "0";
    if (port->file == 'k')
        return shape->traits->mask_of_all;
    if (port->file == 'g' && shape->traits->is_stride && shape->traits->is_stride(shape, port))
        return "8";
    return port->file == 'v' || port->file == 'f' ? shape->traits->one(shape, port) : "1";
}

// Bytes of each stream's memory behind a pointer: a line for each register of a group.
static unsigned pointer_bytes(const struct shape *shape) {
    unsigned most = 1;
    for (unsigned i = 0; i < shape->form->n_operands; i++)
        if (shape->form->operands[i].group > most)
            most = shape->form->operands[i].group;
    return most * SHAPE_DISPLACEMENT;
}

const char *experiment_init(const struct shape *shape, bool has_pointers, const char *more, struct arena *arena) {
    struct text text = {.arena = arena};
    text_add(&text, "");
    for (unsigned i = 0; i < shape->n_ports; i++) {
        const struct shape_port *port = &shape->ports[i];
        if (!port->is_read || !experiment_has_name(port))
            continue;
        text_addf(&text, "%s%s: %s", text.length ? ", " : "", port->role,
                  port->is_address && has_pointers ? arena_printf(arena, "memory + {at:%u}", pointer_bytes(shape))
                                                   : experiment_value(shape, port));
        if (port->is_lanes && port->file == 'k')
            text_addf(&text, ", lanes: %s", all_bits(port)); // sets it again: isa_traits_x86_64.c
    }
    text_add(&text, text.length || !*more ? more : more + strlen(", "));
    return text.data;
}

// Null: no register is implied.
static const char *implicit_of(const struct shape *shape, struct arena *arena) {
    const char *further = shape->wrapper ? shape->wrapper->implicit : shape->avoided;
    struct text text = {.arena = arena};
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (shape->ports[i].is_fixed && experiment_has_name(&shape->ports[i]))
            text_addf(&text, "%s%s", text.length ? ", " : "", shape->ports[i].role);
    if (further)
        text_addf(&text, "%s%s", text.length ? ", " : "", further);
    return text.data;
}

// x86: divides rax by memory, which must not be zero then.
static bool has_divisor_in_memory(const struct shape *shape) {
    bool has_fixed = false;
    for (unsigned i = 0; i < shape->n_ports; i++)
        has_fixed |= shape->ports[i].is_fixed && shape->ports[i].file == 'g';
    struct slice name = shape_mnemonic(shape);
    return shape->has_memory && has_fixed && (slice_starts(name, "div") || slice_starts(name, "idiv"));
}

static const char *fill_indices(const struct shape *shape, struct arena *arena) {
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (shape->ports[i].is_ordered)
            return vector_config_fill_indices(arena, shape->form->opcode, &shape->form->vector, shape->ports[i].role);
    return NULL;
}

// Memory holds the buffer's own address in its first word: as a number of floating point, a denormal.
static const char *setup_of(const struct shape *shape, struct arena *arena) {
    const char *texts[] = {shape->has_memory ? shape->traits->clear_memory : NULL,
                           shape->is_gather ? "movq $0, 64(%rsi)" : NULL, // what is loaded becomes indices
                           has_divisor_in_memory(shape) ? "movq $1, 64(%rsi)" : NULL,
                           shape->wrapper ? shape->wrapper->setup : NULL,
                           shape->spread_indices,
                           fill_indices(shape, arena),
                           shape->form->setup};
    struct text setup = {.arena = arena};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i])
            text_addf(&setup, "%s%s", setup.length ? "; " : "", texts[i]);
    return setup.data;
}

struct kernel_text *experiment_begin(const struct shape *shape, struct experiment_key key, const char *body,
                                     const char *more, struct experiment_list *out) {
    key.form = shape->form->name;
    struct kernel_text *kernel = experiment_list_add(out, key);
    kernel->body = *more ? arena_printf(out->arena, "%s%s", body, more) : body;
    kernel->setup = setup_of(shape, out->arena);
    kernel->implicit = implicit_of(shape, out->arena);
    return kernel;
}

void experiment_add_chain(const struct shape *shape, struct experiment_key key, const char *body, const char *more,
                          const char *init, const char *arcs, struct experiment_list *out) {
    struct kernel_text *kernel = experiment_begin(shape, key, body, more, out);
    kernel->init = experiment_init(shape, false, init, out->arena);
    kernel->chain = arcs;
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
                               const char *init, struct experiment_list *out) {
    struct kernel_text *kernel = experiment_begin(shape, key, body, more, out);
    bool has_lines = shape->spread_indices && !shape->form->may_store; // which all streams share
    struct text writes = {.arena = out->arena};
    kernel->init = experiment_init(shape,
                                   shape->has_memory && !shape->wrapper && !has_divisor_in_memory(shape) &&
                                       body == shape->body && !has_lines,
                                   init, out->arena);
    text_add(&writes, "");
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (shape->ports[i].is_written && experiment_has_name(&shape->ports[i]))
            text_addf(&writes, "%s%s", writes.length ? ", " : "", shape->ports[i].role);
    kernel->writes = writes.data;
}

bool experiment_break_others(const struct isa *isa, const struct shape *shape, unsigned except, bool only_fixed,
                             struct text *text) {
    bool is_done = true;
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (i != except && experiment_is_carried(&shape->ports[i]) &&
            (shape->ports[i].is_fixed || shape->ports[i].is_lanes || !only_fixed))
            is_done &= chain_partner_break(isa, shape, i, text);
    return is_done;
}
