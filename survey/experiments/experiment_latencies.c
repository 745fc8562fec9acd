// Latencies between registers: chains that close by themselves, and through partners.
#include "survey/experiments/experiment_kinds.h"

#include "survey/experiments/experiment_text.h"
#include "survey/experiments/experiments.h"
#include "survey/forms/chain_partners.h"
#include "survey/forms/isa_traits.h"

#include <string.h>

// Whether the result can be the next copy's source by sharing its register.
static bool can_share(const struct shape *shape, const struct shape_port *source, const struct shape_port *result) {
    bool are_fixed = source->is_fixed && result->is_fixed;
    if (source == result)
        return !source->is_hidden;
    bool is_mask = source->file == 'k' || (source->is_fixed && source->file == 'v'); // RISC-V's v0: often no result
    if (is_mask && !shape->traits->shares_masks)
        return false;
    if ((source->is_index && source->file == 'v') || source->is_ordered) // RISC-V: lanes may have another width
        return false;
    return source->file == result->file && source->file != 'c' && !source->is_address && !are_fixed &&
           source->is_high == result->is_high && !experiment_is_carried(source) && !experiment_is_carried(result) &&
           !result->is_distinct;
}

static void add_chain(const struct isa *isa, const struct shape *shape, unsigned source, unsigned result,
                      struct text *arcs, struct experiment_list *out) {
    const struct shape_port *from = &shape->ports[result], *to = &shape->ports[source];
    struct text breakers = {.arena = out->arena};
    text_add(&breakers, "");
    if (!experiment_break_others(isa, shape, source == result ? source : SHAPE_MOST_PORTS, false, &breakers))
        return;
    const char *arc = source == result ? from->role : arena_printf(out->arena, "%s->%s", from->role, to->role);
    // Where other values go from copy to copy as well, the plain chain takes as long as the slowest of them.
    text_addf(arcs, "%s%s", arcs->length ? ", " : "", arc);
    if (!breakers.length)
        return;
    const struct experiment_key key = {
        .kind = EXPERIMENT_PAIR, .source = to->role, .result = from->role, .way = "", .closing = EXPERIMENT_ALONE};
    experiment_add_chain(shape, key, shape->body, breakers.data, "", arc, out);
}

static const char *result_of(struct arena *arena, const struct shape *shape, unsigned result, const char *part) {
    return *part ? arena_printf(arena, "%s%s", shape->ports[result].role, part) : shape->ports[result].role;
}

// Adds the chain of a pair through a way. `part`: what it names of the result, "_whole" or ""; `variant`: how it
// differs from the plain one.
static void add_way(const struct shape *shape, unsigned source, unsigned result, const char *part,
                    const struct chain_partner *way, struct experiment_key variant, struct experiment_list *out) {
    const struct shape_port *from = &shape->ports[result], *to = &shape->ports[source];
    const char *arc = !to->is_hidden ? to->role : from->is_hidden ? "t" : from->role;
    struct experiment_key key = variant;
    key.kind = EXPERIMENT_PAIR;
    key.source = to->role;
    key.result = result_of(out->arena, shape, result, part);
    key.way = way->name;
    if (to->is_hidden) // the way comes first, so that what leads to the next copy has a name
        experiment_add_chain(shape, key, way->text + strlen("; "), arena_printf(out->arena, "; %s", shape->body),
                             way->init, arc, out);
    else
        experiment_add_chain(shape, key, shape->body, way->text, way->init, arc, out);
}

void experiments_add_ways(const struct isa *isa, const struct shape *shape, unsigned source, unsigned result,
                          struct experiment_list *out) {
    struct chain_partner ways[PARTNER_MOST_WAYS];
    struct text breakers = {.arena = out->arena};
    text_add(&breakers, "");
    if (experiments_add_crossing(shape, source, result, out) ||
        !experiment_break_others(isa, shape, source, false, &breakers))
        return;
    // Where the chain takes longer than the result's own way, that one need not be ended:
    // survey/table/table_latencies.c compares them. On a Zen 4, what ends it makes chains of simple instructions with
    // masks slower.
    bool is_together = experiments_waits_for_result_only(shape, source, result);
    const struct experiment_key usual = {.variant = is_together ? EXPERIMENT_TOGETHER : EXPERIMENT_USUAL},
                                longer = {.variant = EXPERIMENT_LONGER};
    unsigned n = chain_partners_find(out->arena, isa, shape, result, source, PARTNER_PLAIN,
                                     is_together ? "" : breakers.data, ways);
    for (unsigned i = 0; i < n; i++)
        add_way(shape, source, result, "", &ways[i], usual, out);
    bool has_flags = shape->ports[result].file == 'c';
    if (!has_flags && shape->ports[source].file != 'c')
        return;
    n = chain_partners_find(out->arena, isa, shape, result, source, PARTNER_LONGER, breakers.data, ways);
    for (unsigned i = 0; i < n; i++)
        if (has_flags || chain_partners_writes_carry(ways[i].name))
            add_way(shape, source, result, "", &ways[i], longer, out);
}

// From a source to the whole register of which the form writes the high byte.
static void add_whole(const struct isa *isa, const struct shape *shape, unsigned source, unsigned result,
                      struct experiment_list *out) {
    struct shape whole = *shape;
    struct shape_port *to = &whole.ports[result];
    const struct experiment_key usual = {.variant = EXPERIMENT_USUAL};
    struct chain_partner ways[PARTNER_MOST_WAYS];
    struct text breakers = {.arena = out->arena};
    text_add(&breakers, "");
    to->is_high = false;
    if (to->is_fixed || !experiment_break_others(isa, shape, source, false, &breakers))
        return;
    unsigned n = chain_partners_find(out->arena, isa, &whole, result, source, PARTNER_PLAIN,
                                     source == result ? "" : breakers.data, ways);
    for (unsigned i = 0; i < n && !chain_partners_writes_carry(ways[i].name); i++) // the first one suffices
        add_way(shape, source, result, "_whole", &ways[i], usual, out);
}

// Whether a latency from the one port to the other is measured. Of a register beside a loaded operand only where no
// partner is needed: its own latency would hide how late this operand may come.
static bool is_pair(const struct shape *shape, const struct shape_port *from, const struct shape_port *to) {
    bool is_late = shape->has_memory && !from->is_address && !from->is_index &&
                   (shape->form->may_store || !can_share(shape, from, to));
    return from->is_read && to->is_written && !from->is_lanes && !from->is_ordered && !to->is_lanes && !is_late;
}

void experiments_add_latencies(const struct isa *isa, const struct shape *shape, struct experiment_list *out) {
    struct text arcs = {.arena = out->arena};
    for (unsigned source = 0; source < shape->n_ports; source++)
        for (unsigned result = 0; result < shape->n_ports; result++) {
            const struct shape_port *from = &shape->ports[source], *to = &shape->ports[result];
            if (!is_pair(shape, from, to))
                continue;
            if (can_share(shape, from, to))
                add_chain(isa, shape, source, result, &arcs, out);
            else
                experiments_add_ways(isa, shape, source, result, out);
            if (to->is_high)
                add_whole(isa, shape, source, result, out);
        }
    if (!arcs.length || shape->is_gather) // a gather needs its mask again
        return;
    experiment_add_chain(shape, (struct experiment_key){.kind = EXPERIMENT_CHAIN}, shape->body, "", "", arcs.data, out);
}

// Whether the pair of a padded chain is wanted. `part`: as in add_way.
static bool is_wanted(struct arena *arena, const struct shape *shape, unsigned source, unsigned result,
                      const char *part, const struct experiment_key *which) {
    return !which || (strcmp(shape->ports[source].role, which->source) == 0 &&
                      strcmp(result_of(arena, shape, result, part), which->result) == 0);
}

static void add_padded(const struct isa *isa, const struct shape *shape, unsigned source, unsigned result,
                       const char *part, const struct experiment_key *which, enum partner_length length,
                       struct experiment_list *out) {
    struct chain_partner ways[PARTNER_MOST_WAYS];
    struct text breakers = {.arena = out->arena};
    text_add(&breakers, "");
    if (!is_wanted(out->arena, shape, source, result, part, which) ||
        !experiment_break_others(isa, shape, source, false, &breakers))
        return;
    unsigned n = chain_partners_find(out->arena, isa, shape, result, source, length, breakers.data, ways);
    for (unsigned i = 0; i < n; i++) {
        const struct experiment_key padded = {
            .variant = EXPERIMENT_PADDED, .step = ways[i].pad, .n_steps = chain_partners_pads(length)};
        if (ways[i].pad && (!which || !*which->way || strcmp(which->way, ways[i].name) == 0))
            add_way(shape, source, result, part, &ways[i], padded, out);
    }
}

static void add_padded_pairs(const struct isa *isa, const struct shape *shape, const struct experiment_key *which,
                             enum partner_length length, struct experiment_list *kernels) {
    for (unsigned source = 0; source < shape->n_ports; source++)
        for (unsigned result = 0; result < shape->n_ports; result++) {
            const struct shape_port *from = &shape->ports[source], *to = &shape->ports[result];
            if (!is_pair(shape, from, to))
                continue;
            add_padded(isa, shape, source, result, "", which, length, kernels);
            struct shape whole = *shape;
            whole.ports[result].is_high = false;
            if (to->is_high && !to->is_fixed)
                add_padded(isa, &whole, source, result, "_whole", which, length, kernels);
        }
    struct shape with_index;
    unsigned result = experiment_find_indexed(isa, kernels->arena, shape, &with_index);
    if (result < with_index.n_ports)
        add_padded(isa, &with_index, with_index.n_ports - 1, result, "", which, length, kernels);
}

// Chains with many more steps. What an instruction's microcode or its pipes take is then no longer the limit, as that
// of cmpxchg on a Golden Cove, whose latency is less, or of a locked add at one address.
void experiments_add_padded(const struct isa *isa, const struct shape *shape, const struct experiment_key *which,
                            struct experiment_list *kernels) {
    if (shape->wrapper)
        return;
    for (enum partner_length length = PARTNER_PADDED; length <= PARTNER_PADDED_MOST; length++)
        if (!which || which->n_steps == chain_partners_pads(length))
            add_padded_pairs(isa, shape, which, length, kernels);
}

// Returns the first source that the vector result closes a chain with; n_ports where it closes none.
static unsigned find_closed(const struct shape *shape, unsigned result) {
    const struct shape_port *to = &shape->ports[result];
    unsigned source = 0;
    while (source < shape->n_ports && !(shape->ports[source].is_read && can_share(shape, &shape->ports[source], to)))
        source++;
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (i != source && experiment_is_carried(&shape->ports[i]))
            return shape->n_ports; // which might be all that copies wait for
    return source;
}

// A core may hand a result to the same kind of instruction earlier than to others: a Golden Cove's vaddps to vaddps
// after two cycles, and to all others after three. A partner in between shows it.
void experiments_add_others(const struct isa *isa, const struct shape *shape, struct experiment_list *out) {
    if (shape->has_memory || shape->is_gather)
        return;
    for (unsigned result = 0; result < shape->n_ports; result++) {
        const struct shape_port *to = &shape->ports[result];
        const struct experiment_key to_others = {.variant = EXPERIMENT_TO_OTHERS};
        struct chain_partner ways[PARTNER_MOST_WAYS];
        if (to->file != 'v' || !to->is_written || to->is_fixed || to->is_lanes)
            continue;
        unsigned source = find_closed(shape, result),
                 n = source < shape->n_ports
                         ? chain_partners_find(out->arena, isa, shape, result, source, PARTNER_PLAIN, "", ways)
                         : 0;
        for (unsigned i = 0; i < n; i++)
            add_way(shape, source, result, "", &ways[i], to_others, out);
    }
}

// The body with the role of port `from` in place of `to`'s.
static const char *with_same(struct arena *arena, const char *body, const char *from, const char *to) {
    struct text text = {.arena = arena};
    const char *mark = arena_printf(arena, "{%s:", to);
    for (const char *at; (at = strstr(body, mark)); body = at + strlen(mark)) {
        text_append(&text, body, (size_t)(at - body));
        text_addf(&text, "{%s:", from);
    }
    text_add(&text, body);
    return text.data;
}

// Zero idioms and their like: forms of registers alone, with two sources of one kind that are not implied.
void experiments_add_same(const struct shape *shape, struct experiment_list *out) {
    unsigned sources[2], n_sources = 0, n_results = 0, result = 0;
    for (unsigned i = 0; i < shape->n_ports; i++) {
        const struct shape_port *port = &shape->ports[i];
        if (!experiment_has_name(port) || (port->file == 'k' && shape->ports[0].file != 'k'))
            continue;
        if (port->is_fixed || port->is_address || port->is_ordered || (port->is_read && n_sources == 2))
            return;
        if (port->is_written) {
            result = i;
            n_results++;
        }
        if (port->is_read)
            sources[n_sources++] = i;
    }
    bool has_address = shape->has_memory || strchr(shape->body, '(');
    if (n_sources != 2 || n_results != 1 || has_address)
        return;
    const struct shape_port *first = &shape->ports[sources[0]], *second = &shape->ports[sources[1]],
                            *to = &shape->ports[result];
    if (first->class != second->class || to->file != first->file || to->is_distinct)
        return;
    const char *body = with_same(out->arena, shape->body, first->role, second->role);
    struct kernel_text *kernel =
        experiment_begin(shape, (struct experiment_key){.kind = EXPERIMENT_SAME}, body, "", out);
    kernel->init = arena_printf(out->arena, "%s: %s", first->role, experiment_value(shape, first));
    kernel->chain = to == first ? to->role : arena_printf(out->arena, "%s->%s", to->role, first->role);
}

// From the index of the address to the first result.
void experiments_add_index(const struct isa *isa, const struct shape *shape, struct experiment_list *out) {
    struct shape with_index;
    unsigned result = experiment_find_indexed(isa, out->arena, shape, &with_index);
    if (result < with_index.n_ports)
        experiments_add_ways(isa, &with_index, with_index.n_ports - 1, result, out);
}
