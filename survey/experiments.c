#include "survey/experiments.h"

#include "survey/experiment_text.h"
#include "survey/partners.h"
#include "survey/slow_values.h"
#include "survey/ways.h"

#include <string.h>

// All bits of the lanes that a mask has. Of a mask register, those that an instruction of AVX512F sets.
static const char *all_bits(const struct shape_port *port) {
    return port->file == 'k' ? "65535" : port->file == 'v' ? "i32 -1" : "-1";
}

// Initial value of a port. Not zero: a Zen knows which registers hold zero above their lowest lane, and then waits for
// less.
static const char *value_of(const struct shape *shape, const struct shape_port *port) {
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

// Writes "init" with what every kernel of the form needs: numbers that do not fault, and addresses. `more` begins with
// a comma or is empty. `has_pointers`: each stream has an address of its own.
static void add_init(const struct shape *shape, bool has_pointers, const char *more, struct text *out) {
    const char *comma = "";
    text_add(out, ", init: {");
    for (unsigned i = 0; i < shape->n_ports; i++) {
        const struct shape_port *port = &shape->ports[i];
        if (!port->is_read || port->file == 'c')
            continue;
        text_addf(out, "%s%s: %s", comma, port->role,
                  port->is_address && has_pointers ? "\"memory + {at:64}\"" : value_of(shape, port));
        if (port->is_lanes && port->file == 'k')
            text_addf(out, ", lanes: %s", all_bits(port)); // sets it again: ways_x86_64.c
        comma = ", ";
    }
    text_addf(out, "%s}", *comma ? more : *more ? more + 2 : "");
}

static void add_implicit(const struct shape *shape, struct text *out) {
    const char *comma = "";
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (shape->ports[i].is_fixed && shape->ports[i].file != 'c') {
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

void experiment_begin(const struct shape *shape, const char *suffix, const char *body, const char *more,
                      struct text *out) {
    text_addf(out, "  - {name: %s%s, about: survey, body: \"%s%s\"", shape->form->name, suffix, body, more);
    add_setup(shape, out);
    add_implicit(shape, out);
}

// Bytes of a place for the form's accesses: what they take, rounded up to a power of two; a line where that is unknown.
static unsigned place_bytes(const struct shape *shape) {
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

// The body with memory operands at places that the program's placement chooses; their name says whether they are only
// read. X86's have displacements that reach all. Elsewhere the body stays, and each stream has a pointer of its own.
static const char *with_places(const struct shape *shape, struct arena *arena) {
    static const char fixed[] = "64({";
    const char *at = shape->has_memory ? strstr(shape->body, fixed) : NULL;
    if (has_divisor_in_memory(shape))
        return shape->body;
    if (!at)
        return shape->body;
    bool is_load = shape->form->may_load && !shape->form->may_store && !shape->form->side_effects;
    return arena_printf(arena, "%.*s{%s:%u}%s", (int)(at - shape->body), shape->body, is_load ? EXPERIMENTS_LOAD : "at",
                        place_bytes(shape), at + 2);
}

static void add_throughput(const struct shape *shape, const char *suffix, const char *body, const char *more,
                           const char *init, struct text *out) {
    const char *comma = "";
    experiment_begin(shape, suffix, body, more, out);
    bool has_lines = shape->spread_indices && !shape->form->may_store; // which all streams share
    add_init(shape,
             shape->has_memory && !shape->surroundings && !has_divisor_in_memory(shape) && body == shape->body &&
                 !has_lines,
             init, out);
    text_add(out, ", writes: [");
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (shape->ports[i].is_written && shape->ports[i].file != 'c') {
            text_addf(out, "%s%s", comma, shape->ports[i].role);
            comma = ", ";
        }
    text_add(out, "]}\n");
}

// Ends the dependences of all ports that carry a value by themselves, but `except`; sets the mask of a gather again.
static bool break_others(const struct isa *isa, const struct shape *shape, unsigned except, bool only_fixed,
                         struct text *text) {
    bool is_done = true;
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (i != except && experiment_is_carried(&shape->ports[i]) &&
            (shape->ports[i].is_fixed || shape->ports[i].is_lanes || !only_fixed))
            is_done &= partner_break(isa, shape, i, text);
    return is_done;
}

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
static void add_lines(const struct shape *shape, const char *breakers, struct text *out) {
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
    add_throughput(&spread, ".lines", spread.body, breakers, "", out);
}

// The throughput of several copies to one set of breakers, which take no pipe where that can be had. So what the
// breakers cost is less of the value, and where more copies make no difference, it is nothing
// (survey/table_throughputs.c). Copies of a store would meet at one address, and those of a gather find no mask: there
// is one of them.
static void add_broken_copies(const struct isa *isa, const struct shape *shape, const char *body, struct text *out) {
    static const unsigned several[] = {2, 4}, one[] = {1};
    bool is_single = shape->is_gather || shape->form->may_store;
    struct text breakers = {.arena = out->arena}, init = {.arena = out->arena}, copies = {.arena = out->arena};
    text_add(&breakers, "");
    text_add(&init, "");
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (experiment_is_carried(&shape->ports[i]) && (shape->ports[i].is_fixed || shape->ports[i].is_lanes))
            partner_break_lightly(isa, shape, i, &breakers, &init);
    text_add(&copies, body);
    for (size_t i = 0; i < (is_single ? sizeof one : sizeof several) / sizeof *one; i++) {
        unsigned n = is_single ? one[i] : several[i];
        for (unsigned have = i ? several[i - 1] : 1; have < n; have++)
            text_addf(&copies, "; %s", body);
        add_throughput(shape, arena_printf(out->arena, ".broken.%u", n),
                       arena_copy(out->arena, copies.data, copies.length), breakers.data, init.data, out);
    }
}

static void add_throughputs(const struct isa *isa, const struct shape *shape, struct text *out) {
    struct text breakers = {.arena = out->arena};
    const char *body = with_places(shape, out->arena);
    text_add(&breakers, "");
    if (!shape->is_gather) // it needs its mask again
        add_throughput(shape, "", body, "", "", out);
    if (!break_others(isa, shape, SHAPE_MOST_PORTS, true, &breakers) || !breakers.length)
        return;
    add_throughput(shape, ".broken", body, breakers.data, "", out);
    add_broken_copies(isa, shape, body, out);
    if (shape->is_gather)
        add_lines(shape, breakers.data, out);
}

// Whether the result can be the next copy's source by sharing its register.
static bool can_share(const struct shape *shape, const struct shape_port *source, const struct shape_port *result) {
    bool are_fixed = source->is_fixed && result->is_fixed;
    if (source == result)
        return true;
    if (source->file == 'k' && !shape->ways->shares_masks)
        return false;
    return source->file == result->file && source->file != 'c' && !source->is_address && !are_fixed &&
           source->is_high == result->is_high && !experiment_is_carried(source) && !experiment_is_carried(result) &&
           !result->is_distinct;
}

static void add_chain(const struct isa *isa, const struct shape *shape, unsigned source, unsigned result,
                      struct text *arcs, struct text *out) {
    const struct shape_port *from = &shape->ports[result], *to = &shape->ports[source];
    struct text breakers = {.arena = out->arena};
    text_add(&breakers, "");
    if (!break_others(isa, shape, source == result ? source : SHAPE_MOST_PORTS, false, &breakers))
        return;
    const char *arc = source == result ? from->role : arena_printf(out->arena, "%s->%s", from->role, to->role);
    // Where other values go from copy to copy as well, the plain chain takes as long as the slowest of them.
    text_addf(arcs, "%s%s", arcs->length ? ", " : "", arc);
    if (!breakers.length)
        return;
    experiment_begin(shape, arena_printf(out->arena, ".%s-%s.alone", to->role, from->role), shape->body, breakers.data,
                     out);
    add_init(shape, false, "", out);
    text_addf(out, ", chain: [%s]}\n", arc);
}

static void add_way(const struct shape *shape, unsigned source, unsigned result, const struct partner *way,
                    const char *suffix, struct text *out) {
    const struct shape_port *from = &shape->ports[result], *to = &shape->ports[source];
    experiment_begin(shape, arena_printf(out->arena, ".%s-%s.%s%s", to->role, from->role, way->name, suffix),
                     shape->body, way->text, out);
    add_init(shape, false, way->init, out);
    text_addf(out, ", chain: [%s]}\n", to->role);
}

// Whether the vector result, which the form also reads, is all that its copies wait for beside the chain.
static bool waits_for_result_only(const struct shape *shape, unsigned source, unsigned result) {
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (i != source && i != result && experiment_is_carried(&shape->ports[i]))
            return false;
    return shape->ports[source].file == 'v' && shape->ports[result].file == 'v' &&
           experiment_is_carried(&shape->ports[result]) && !shape->has_memory && !shape->is_gather;
}

static void add_ways(const struct isa *isa, const struct shape *shape, unsigned source, unsigned result,
                     struct text *out) {
    struct partner ways[PARTNER_MOST_WAYS];
    struct text breakers = {.arena = out->arena};
    text_add(&breakers, "");
    if (!break_others(isa, shape, source, false, &breakers))
        return;
    // Where the chain takes longer than the result's own way, that one need not be ended: survey/table_latencies.c
    // compares them. On a Zen 4, what ends it makes chains of simple instructions with masks slower (2.87 cycles,
    // or 3.13, for 2).
    bool is_together = waits_for_result_only(shape, source, result);
    unsigned n = partners_find(out->arena, isa, shape, result, source, false, is_together ? "" : breakers.data, ways);
    for (unsigned i = 0; i < n; i++)
        add_way(shape, source, result, &ways[i], is_together ? ".together" : "", out);
    bool has_flags = shape->ports[result].file == 'c';
    if (!has_flags && shape->ports[source].file != 'c')
        return;
    n = partners_find(out->arena, isa, shape, result, source, true, breakers.data, ways);
    for (unsigned i = 0; i < n; i++)
        if (has_flags || partners_writes_carry(ways[i].name))
            add_way(shape, source, result, &ways[i], ".longer", out);
}

// From a source to the whole register of which the form writes the high byte.
static void add_whole(const struct isa *isa, const struct shape *shape, unsigned source, unsigned result,
                      struct text *out) {
    struct shape whole = *shape;
    struct shape_port *to = &whole.ports[result];
    struct partner ways[PARTNER_MOST_WAYS];
    struct text breakers = {.arena = out->arena};
    text_add(&breakers, "");
    to->is_high = false;
    if (to->is_fixed || !break_others(isa, shape, source, false, &breakers))
        return;
    unsigned n =
        partners_find(out->arena, isa, &whole, result, source, false, source == result ? "" : breakers.data, ways);
    for (unsigned i = 0; i < n && !partners_writes_carry(ways[i].name); i++) { // the first one suffices
        experiment_begin(shape,
                         arena_printf(out->arena, ".%s-%s_whole.%s", shape->ports[source].role, to->role, ways[i].name),
                         shape->body, ways[i].text, out);
        add_init(shape, false, ways[i].init, out);
        text_addf(out, ", chain: [%s]}\n", shape->ports[source].role);
    }
}

static void add_latencies(const struct isa *isa, const struct shape *shape, struct text *out) {
    struct text arcs = {.arena = out->arena};
    for (unsigned source = 0; source < shape->n_ports; source++)
        for (unsigned result = 0; result < shape->n_ports; result++) {
            const struct shape_port *from = &shape->ports[source], *to = &shape->ports[result];
            if (!from->is_read || !to->is_written || from->is_lanes || to->is_lanes)
                continue;
            if (shape->has_memory && !from->is_address && !from->is_index &&
                (shape->form->may_store || !can_share(shape, from, to)))
                continue; // a register beside a loaded operand: where a partner is needed, its own latency hides how
                          // late this operand may come
            if (can_share(shape, from, to))
                add_chain(isa, shape, source, result, &arcs, out);
            else
                add_ways(isa, shape, source, result, out);
            if (to->is_high)
                add_whole(isa, shape, source, result, out);
        }
    if (!arcs.length || shape->is_gather) // a gather needs its mask again
        return;
    experiment_begin(shape, ".chain", shape->body, "", out);
    add_init(shape, false, "", out);
    text_addf(out, ", chain: [%s]}\n", arcs.data);
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
static void add_same(const struct shape *shape, struct text *out) {
    unsigned sources[2], n_sources = 0, n_results = 0, result = 0;
    for (unsigned i = 0; i < shape->n_ports; i++) {
        const struct shape_port *port = &shape->ports[i];
        if (port->file == 'c' || (port->file == 'k' && shape->ports[0].file != 'k'))
            continue;
        if (port->is_fixed || port->is_address || (port->is_read && n_sources == 2))
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
    experiment_begin(shape, ".same", with_same(out->arena, shape->body, first->role, second->role), "", out);
    text_addf(out, ", init: {%s: %s}", first->role, value_of(shape, first));
    const char *arc = to == first ? to->role : arena_printf(out->arena, "%s->%s", to->role, first->role);
    text_addf(out, ", chain: [%s]}\n", arc);
}

static void add_memory(const struct shape *shape, struct text *out) {
    if (shape->has_memory && shape->form->may_load && shape->form->may_store)
        add_throughput(shape, ".memory", with_places(shape, out->arena), "", "", out);
}

// The body of copy `i` of a form with surroundings.
static const char *copy_of(const struct shape *shape, const char *body, unsigned i, struct arena *arena) {
    static const char first[] = "%st(1)";
    const char *at = strstr(body, first);
    if (!shape->surroundings->first_register || !at)
        return body;
    return arena_printf(arena, "%.*s%%st(%u)%s", (int)(at - body), body, shape->surroundings->first_register + i,
                        at + strlen(first));
}

static void add_part(const char *part, struct text *text) {
    if (part)
        text_addf(text, "%s%s", text->length ? "; " : "", part);
}

// Through memory by an instruction of its own, as from push to pop.
static void add_load_back(const struct shape *shape, struct text *out) {
    static const char step[] = "movslq";
    const struct shape_port *port = &shape->ports[0];
    for (int is_longer = 0; is_longer < 2; is_longer++) {
        struct text load = {.arena = out->arena};
        text_addf(&load, "; %s {%s:%s}", shape->surroundings->load, port->role, port->class->name);
        for (unsigned i = 0; is_longer && i < PARTNER_LONGER_STEPS; i++)
            text_addf(&load, "; movslq {%s:r32}, {%s:r64}", port->role, port->role);
        experiment_begin(shape,
                         arena_printf(out->arena, ".%s-memory.%s%s%s", port->role, shape->surroundings->load,
                                      is_longer ? ".longer." : "", is_longer ? step : ""),
                         shape->body, load.data, out);
        add_init(shape, false, "", out);
        text_addf(out, ", chain: [%s]}\n", port->role);
    }
}

static void add_surrounded(const struct shape *shape, struct text *out) {
    const struct surroundings *around = shape->surroundings;
    const char *body = around->is_fixed_place ? shape->body : with_places(shape, out->arena),
               *init = around->init ? arena_printf(out->arena, ", %s", around->init) : "";
    unsigned n = around->copies ? around->copies : 1;
    bool has_company = around->first || around->last || around->before || around->after;
    struct text copies = {.arena = out->arena};
    add_part(around->first, &copies);
    for (unsigned i = 0; i < n; i++) {
        add_part(around->before, &copies);
        add_part(copy_of(shape, body, i, out->arena), &copies);
        add_part(around->after, &copies);
    }
    add_part(around->last, &copies);
    if (around->is_steady)
        add_throughput(shape, "", body, "", init, out);
    if (has_company || n > 1)
        add_throughput(shape, arena_printf(out->arena, ".%s.%u", has_company ? "around" : "copies", n), copies.data, "",
                       init, out);
    if (around->load)
        add_load_back(shape, out);
    if (!around->chain)
        return;
    experiment_begin(shape, ".chain", shape->body, "", out);
    add_init(shape, false, init, out);
    text_addf(out, ", chain: [%s]}\n", around->chain);
}

// The place behind the base of x86's address at a displacement, without an index: "64({o2_base:r64})"; null: it is no
// such form.
static const char *behind_base(const struct shape *shape) {
    static const char address[] = "64({o";
    const char *at = strstr(shape->body, address), *end = at ? strchr(at, '}') : NULL;
    return end && end[1] == ')' ? end + 1 : NULL;
}

// Through memory, from a register that the form stores, alone or combined with what is there.
static void add_store(const struct isa *isa, const struct shape *shape, unsigned source, struct text *out) {
    const struct way_step *keep = partners_keep(isa, shape, source);
    const struct shape_port *port = &shape->ports[source];
    struct text breakers = {.arena = out->arena};
    text_add(&breakers, "");
    if (!keep || !break_others(isa, shape, source, false, &breakers))
        return;
    for (int is_longer = 0; is_longer < 2; is_longer++) {
        struct partner ways[PARTNER_MOST_WAYS];
        unsigned n = partners_load(out->arena, isa, shape, source, is_longer ? keep : NULL, ways);
        for (unsigned i = 0; i < n; i++) {
            const char *suffix = is_longer ? arena_printf(out->arena, ".longer.%s", keep->name) : "";
            experiment_begin(shape, arena_printf(out->arena, ".%s-memory.%s%s", port->role, ways[i].name, suffix),
                             shape->body, arena_printf(out->arena, "%s%s", ways[i].text, breakers.data), out);
            add_init(shape, false, "", out);
            text_addf(out, ", chain: [%s]}\n", port->role);
        }
    }
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

// From the index of the address to the first result.
static void add_index(const struct isa *isa, const struct shape *shape, struct text *out) {
    struct shape with_index = *shape;
    unsigned result = 0;
    while (result < shape->n_ports && (!shape->ports[result].is_written || shape->ports[result].file == 'c'))
        result++;
    if (shape->form->may_load && result < shape->n_ports && add_index_port(isa, out->arena, &with_index))
        add_ways(isa, &with_index, with_index.n_ports - 1, result, out);
}

void experiments_add(const struct isa *isa, const struct shape *shape, bool is_first, struct text *kernels) {
    if (shape->surroundings) {
        add_surrounded(shape, kernels);
        slow_values_add_x87(shape, kernels);
        return;
    }
    add_throughputs(isa, shape, kernels);
    add_latencies(isa, shape, kernels);
    add_same(shape, kernels);
    slow_values_add(shape, kernels);
    add_memory(shape, kernels);
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (behind_base(shape) && shape->form->may_store && shape->ports[i].is_read && !shape->ports[i].is_address &&
            !shape->ports[i].is_index && shape->ports[i].file != 'c')
            add_store(isa, shape, i, kernels);
    if (is_first && shape->has_memory)
        add_index(isa, shape, kernels);
}

void experiments_add_slots(const struct shape *shape, const struct slots_filler *filler, unsigned n,
                           struct text *kernels) {
    const struct surroundings *around = shape->surroundings;
    const char *body = around && around->is_fixed_place ? shape->body : with_places(shape, kernels->arena),
               *init = around && around->init ? arena_printf(kernels->arena, ", %s", around->init) : "";
    struct text fillers = {.arena = kernels->arena};
    text_add(&fillers, "");
    slots_add_fillers(filler, n, &fillers);
    if (!around || around->is_steady)
        add_throughput(shape, arena_printf(kernels->arena, ".slots.%s.%u", filler->name, n), body, fillers.data, init,
                       kernels);
}

void experiments_head(const struct isa *isa, struct text *kernels) {
    text_addf(kernels, "# Experiments of a survey. Each can be repeated: cyclops run --kernels FOLDER NAME\nisa: %s\n",
              isa_family(isa));
    if (isa->syntaxes[0])
        text_add(kernels, "syntax: att\n");
    text_add(kernels, "kernels:\n");
}

void experiments_begin(const struct isa *isa, struct text *kernels) {
    const struct partner_experiment *partners;
    size_t n = partners_experiments(isa, &partners);
    const char *vector_setup = ways_find(isa)->vector_setup;
    experiments_head(isa, kernels);
    for (size_t i = 0; i < n; i++) {
        text_addf(kernels, "  - {name: CHAIN.%s, about: survey, body: \"%s\", chain: %s", partners[i].name,
                  partners[i].body, partners[i].chain);
        if (partners[i].init)
            text_addf(kernels, ", init: {%s}", partners[i].init);
        if (partners[i].feature)
            text_addf(kernels, ", requires: [%s]", partners[i].feature);
        if (partners[i].feature && vector_setup && strcmp(partners[i].feature, "v") == 0)
            text_addf(kernels, ", setup: \"%s\"", vector_setup);
        text_add(kernels, "}\n");
    }
    slots_begin(isa, kernels);
}
