// Latencies through memory; and addresses with an index.
#include "survey/experiments/experiment_kinds.h"

#include "survey/experiments/experiment_text.h"
#include "survey/forms/chain_partners.h"
#include "survey/forms/isa_traits.h"

#include <string.h>

// The place behind the base of x86's address at a displacement, without an index: "64({o2_base:r64})"; null: it is no
// such form.
static const char *behind_base(const struct shape *shape) {
    static const char address[] = "64({o";
    const char *at = strstr(shape->body, address), *end = at ? strchr(at, '}') : NULL;
    return end && end[1] == ')' ? end + 1 : NULL;
}

// Bytes of the word of memory that the form names; 0: not known.
static unsigned word_bytes(const struct shape *shape) {
    for (unsigned i = 0; i < shape->form->n_operands; i++)
        if (shape->form->operands[i].kind == FORM_MEMORY && !shape->form->operands[i].class_name)
            return shape->form->operands[i].bytes;
    return 0;
}

void experiments_add_through_memory(const struct isa *isa, const struct shape *shape, struct experiment_list *out) {
    struct text breakers = {.arena = out->arena};
    struct chain_partner way;
    const char *store;
    text_add(&breakers, "");
    if (!shape->form->may_load || !shape->form->may_store || !behind_base(shape) ||
        !chain_partners_through_memory(out->arena, isa, shape, word_bytes(shape), &store, &way) ||
        !experiment_break_others(isa, shape, SHAPE_MOST_PORTS, false, &breakers))
        return;
    experiment_add_chain(
        shape, (struct experiment_key){.kind = EXPERIMENT_MEMORY, .way = way.name, .variant = EXPERIMENT_PADDED}, store,
        arena_printf(out->arena, "; %s%s%s", shape->body, way.text, breakers.data), way.init, "t", out);
}

// Through memory, from a register that the form stores, alone or combined with what is there.
static void add_store(const struct isa *isa, const struct shape *shape, unsigned source, struct experiment_list *out) {
    const struct way_step *keep = chain_partners_keep(isa, shape, source);
    const struct shape_port *port = &shape->ports[source];
    struct text breakers = {.arena = out->arena};
    text_add(&breakers, "");
    if (!keep || !experiment_break_others(isa, shape, source, false, &breakers))
        return;
    for (int is_longer = 0; is_longer < 2; is_longer++) {
        struct chain_partner ways[PARTNER_MOST_WAYS];
        unsigned n = chain_partners_load(out->arena, isa, shape, source, is_longer ? keep : NULL, ways);
        for (unsigned i = 0; i < n; i++) {
            const struct experiment_key key = {.kind = EXPERIMENT_PAIR,
                                               .source = port->role,
                                               .result = "memory",
                                               .way = ways[i].name,
                                               .variant = is_longer ? EXPERIMENT_LONGER : EXPERIMENT_USUAL,
                                               .step = is_longer ? keep->name : NULL};
            experiment_add_chain(shape, key, shape->body, arena_printf(out->arena, "%s%s", ways[i].text, breakers.data),
                                 "", port->role, out);
        }
    }
}

void experiments_add_stores(const struct isa *isa, const struct shape *shape, struct experiment_list *out) {
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (behind_base(shape) && shape->form->may_store && shape->ports[i].is_read && !shape->ports[i].is_address &&
            !shape->ports[i].is_index && shape->ports[i].file != 'c')
            add_store(isa, shape, i, out);
}

// The address of a load with an index instead of the displacement, which x86's examples do not have: the shape with one
// more port. With both, a Zen 4 takes a cycle longer, from the base as well. False: it has an index, or no room for
// one.
static bool add_index_port(const struct isa *isa, struct arena *arena, struct shape *shape) {
    const char *end = behind_base(shape), *start = end;
    unsigned base = 0;
    while (base < shape->n_ports && !shape->ports[base].is_address)
        base++;
    if (!end || base == shape->n_ports || shape->n_ports == SHAPE_MOST_PORTS)
        return false;
    struct shape_port *port = &shape->ports[shape->n_ports++];
    int number = (int)strcspn(shape->ports[base].label, ".");
    *port = (struct shape_port){.label = arena_printf(arena, "%.*s.index", number, shape->ports[base].label),
                                .role = arena_printf(arena, "o%.*s_index", number, shape->ports[base].label),
                                .file = isa->classes->file,
                                .class = isa->classes,
                                .is_read = true,
                                .is_index = true,
                                .is_offset = true};
    while (*start != '(')
        start--;
    int before = (int)(start - shape->body) - (int)strlen("64");
    shape->body = arena_printf(arena, "%.*s%.*s, {%s:%s}%s", before, shape->body, (int)(end - start), start, port->role,
                               port->class->name, end);
    shape->avoided = shape->avoided ? shape->avoided : SHAPE_NO_BARE_BASE;
    return true;
}

unsigned experiment_find_indexed(const struct isa *isa, struct arena *arena, const struct shape *shape,
                                 struct shape *with_index) {
    unsigned result = 0;
    *with_index = *shape;
    while (result < shape->n_ports && (!shape->ports[result].is_written || shape->ports[result].file == 'c'))
        result++;
    return shape->form->may_load && result < shape->n_ports && add_index_port(isa, arena, with_index)
               ? result
               : with_index->n_ports;
}
