// Throughputs: plain ones, with breakers, of lanes on lines of their own, and through a word of memory.
#include "survey/experiments/experiment_kinds.h"

#include "survey/experiments/experiment_text.h"
#include "survey/experiments/experiments.h"
#include "survey/forms/chain_partners.h"

#include <string.h>

// x86: fills the vector of a gather's indices so that each lane is on a line of its own.
static const char *spread_indices(const struct shape *shape, const struct shape_port *index, const char *reg,
                                  struct arena *arena) {
    enum { LINE = 64, TABLE = 1024 };
    const char *kind = strstr(shape->body, "er"); // vgatherqps, vpscatterqd: the type of the indices is behind it
    bool has_wide_indices = kind && kind[2] == 'q';
    unsigned bytes = index->class->bits / 8, width = has_wide_indices ? 8 : 4;
    struct text text = {.arena = arena};
    for (unsigned at = 0; at < bytes; at += width)
        text_addf(&text, "mov%c $%u, %u(%%rsi); ", has_wide_indices ? 'q' : 'l', at / width * LINE, TABLE + at);
    text_addf(&text, "vmovups %u(%%rsi), %%%s", TABLE, reg);
    return text.data;
}

// The throughput of a gather or scatter whose lanes are on lines of their own: its indices are in a fixed register.
static void add_lines(const struct shape *shape, const char *breakers, struct experiment_list *out) {
    struct shape spread = *shape;
    unsigned index = 0;
    while (index < spread.n_ports && !(spread.ports[index].is_index && spread.ports[index].file == 'v'))
        index++;
    if (index == spread.n_ports)
        return;
    const struct shape_port port = spread.ports[index];
    const char *reg = arena_printf(out->arena, "%cmm7", *port.class->name),
               *mention = arena_printf(out->arena, "{%s:%s}", port.role, port.class->name),
               *at = strstr(shape->body, mention);
    if (!at)
        return;
    spread.n_ports--;
    memmove(&spread.ports[index], &spread.ports[index + 1], (spread.n_ports - index) * sizeof port);
    spread.spread_indices = spread_indices(shape, &port, reg, out->arena);
    spread.body =
        arena_printf(out->arena, "%.*s%%%s%s", (int)(at - shape->body), shape->body, reg, at + strlen(mention));
    experiment_add_throughput(&spread, (struct experiment_key){.kind = EXPERIMENT_LINES}, spread.body, breakers, "",
                              out);
}

// The throughput of several copies to one set of breakers, which take no pipe where that can be had. So what the
// breakers cost is less of the value, and where more copies make no difference, it is nothing
// (survey/table/table_throughputs.c). Copies of a store would meet at one address, and those of a gather find no mask:
// there is one of them.
static void add_broken_copies(const struct isa *isa, const struct shape *shape, const char *body,
                              struct experiment_list *out) {
    static const unsigned several[] = {2, 4}, one[] = {1};
    bool is_single = shape->is_gather || shape->form->may_store;
    struct text breakers = {.arena = out->arena}, init = {.arena = out->arena}, copies = {.arena = out->arena};
    text_add(&breakers, "");
    text_add(&init, "");
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (experiment_is_carried(&shape->ports[i]) && (shape->ports[i].is_fixed || shape->ports[i].is_lanes))
            chain_partner_break_lightly(isa, shape, i, &breakers, &init);
    text_add(&copies, body);
    for (size_t i = 0; i < (is_single ? sizeof one : sizeof several) / sizeof *one; i++) {
        unsigned n = is_single ? one[i] : several[i];
        for (unsigned have = i ? several[i - 1] : 1; have < n; have++)
            text_addf(&copies, "; %s", body);
        experiment_add_throughput(shape, (struct experiment_key){.kind = EXPERIMENT_BROKEN, .copies = n},
                                  arena_copy(out->arena, copies.data, copies.length), breakers.data, init.data, out);
    }
}

void experiments_add_throughputs(const struct isa *isa, const struct shape *shape, struct experiment_list *out) {
    struct text breakers = {.arena = out->arena};
    const char *body = experiment_with_places(shape, out->arena);
    bool is_waiting = shape->is_gather; // which needs its mask again
    for (unsigned i = 0; i < shape->n_ports; i++)
        is_waiting |= shape->ports[i].is_hidden && experiment_is_carried(&shape->ports[i]);
    text_add(&breakers, "");
    if (!is_waiting)
        experiment_add_throughput(shape, (struct experiment_key){.kind = EXPERIMENT_PLAIN}, body, "", "", out);
    if (!experiment_break_others(isa, shape, SHAPE_MOST_PORTS, true, &breakers) || !breakers.length)
        return;
    experiment_add_throughput(shape, (struct experiment_key){.kind = EXPERIMENT_BROKEN}, body, breakers.data, "", out);
    add_broken_copies(isa, shape, body, out);
    if (shape->is_gather)
        add_lines(shape, breakers.data, out);
}

// Whether copies that only load, or only store, are free of each other, so that nothing but places matters.
static bool has_free_places(const struct shape *shape) {
    bool only_stores = shape->form->may_store && !shape->form->may_load && !shape->form->side_effects,
         is_one_way = only_stores || experiment_only_loads(shape);
    for (unsigned i = 0; i < shape->n_ports; i++)
        is_one_way &=
            !(experiment_is_carried(&shape->ports[i]) && (shape->ports[i].is_fixed || shape->ports[i].is_hidden));
    return is_one_way && shape->has_memory && !shape->is_gather && !shape->wrapper;
}

// Loads of a whole line are at one address where they are in one line.
void experiments_add_places(const struct shape *shape, unsigned placements, struct experiment_list *out) {
    const char *body = experiment_with_places(shape, out->arena);
    bool is_load = experiment_only_loads(shape), is_line = experiment_place_bytes(shape) >= PROGRAM_LINE_BYTES;
    unsigned others = is_load ? 1U << PLACEMENT_SAME_ADDRESS | 1U << PLACEMENT_OWN_LINES : 1U << PLACEMENT_SAME_LINE;
    if (is_line)
        others &= ~(1U << PLACEMENT_SAME_ADDRESS | 1U << PLACEMENT_SAME_LINE);
    for (unsigned i = 0; i < PROGRAM_N_PLACEMENTS && body != shape->body && has_free_places(shape); i++)
        if (others & placements & 1U << i)
            experiment_add_throughput(
                shape, (struct experiment_key){.kind = EXPERIMENT_PLACES, .placement = (enum program_placement)i}, body,
                "", "", out);
}

void experiments_add_memory_throughput(const struct shape *shape, struct experiment_list *out) {
    if (shape->has_memory && shape->form->may_load && shape->form->may_store)
        experiment_add_throughput(shape, (struct experiment_key){.kind = EXPERIMENT_MEMORY, .way = ""},
                                  experiment_with_places(shape, out->arena), "", "", out);
}
