#include "survey/experiments/slow_values.h"

#include "base/text.h"
#include "survey/experiments/experiment_text.h"
#include "survey/forms/chain_partners.h"
#include "survey/forms/isa_traits.h"

#include <string.h>

// What a form divides, or takes the root of.
struct slow_form {
    const struct shape *shape;
    bool is_root, is_x86;
    const char *values[SHAPE_MOST_PORTS]; // initial values of what it reads: "f32 1.7320508075688772"
};

static bool is_floating(const struct shape_port *port) {
    return !port->is_fixed && (port->file == 'v' || port->file == 'f');
}

// Numbers of many digits, of which the `n`th is wanted: square roots of 3 and 2, and the logarithm of 3.
static const char *floating_value(struct arena *arena, const char *one, unsigned n) {
    static const char *const roots[] = {"1.7320508075688772", "1.4142135623730951", "1.0986122886681098"};
    static const unsigned halves[] = {0x3eee, 0x3da8, 0x3c65};
    n %= sizeof halves / sizeof *halves;
    return *one == 'f' ? arena_printf(arena, "%.4s%s", one, roots[n]) : arena_printf(arena, "i16 %u", halves[n]);
}

// Dividend and divisor, whose quotient has many digits as well. `name`: RISC-V's "divw" takes half of its registers.
static const char *integer_value(struct arena *arena, const struct shape *shape, const struct shape_port *port,
                                 const char *name, unsigned n) {
    bool is_lane = port->file == 'v', is_word = name[strlen(name) - 1] == 'w',
         is_wide =
             is_lane ? strcmp(shape->traits->one(shape, port), "f64 1.0") == 0 : port->class->bits == 64 && !is_word;
    const char *value = n ? "12347" : is_wide ? "9007199254740881" : "2147483629";
    return is_lane ? arena_printf(arena, "i%u %s", is_wide ? 64U : 32U, value) : value;
}

// Returns false where it is no division or root of operands.
static bool find_slow_form(const struct shape *shape, struct arena *arena, struct slow_form *slow) {
    const char *name = arena_copy(arena, shape_mnemonic(shape).data, shape_mnemonic(shape).length);
    bool is_rest = text_starts(name, "rem") || text_starts(name, "vrem"),
         is_integer = is_rest || text_starts(name, "div") || text_starts(name, "sdiv") || text_starts(name, "udiv") ||
                      text_starts(name, "vdiv.v") || text_starts(name, "vdivu.v");
    unsigned n = 0;
    *slow = (struct slow_form){.shape = shape,
                               .is_root = strstr(name, "sqrt") && !strstr(name, "rsqrt"),
                               .is_x86 = strcmp(shape->traits->family, "x86_64") == 0};
    if ((!slow->is_root && !is_rest && !strstr(name, "div")) || shape->has_memory || !shape->ports[0].is_written)
        return false;
    is_integer &= !slow->is_x86 && (shape->ports[0].file == 'v' || shape->ports[0].file == 'g');
    for (unsigned i = 0; i < shape->n_ports; i++) {
        const struct shape_port *port = &shape->ports[i];
        bool is_mask = !slow->is_x86 && port->file == 'k' && !port->is_written;
        if (!is_mask && !is_floating(port) && !(is_integer && !port->is_fixed && port->file == 'g'))
            return false;
        if (is_mask)
            slow->values[i] = shape->traits->mask_of_all;
        else if (port->is_read)
            slow->values[i] = is_integer ? integer_value(arena, shape, port, name, n++)
                                         : floating_value(arena, shape->traits->one(shape, port), n++);
    }
    return true;
}

static void add_values(const struct slow_form *slow, struct text *init) {
    for (unsigned i = 0; i < slow->shape->n_ports; i++)
        if (slow->values[i])
            text_addf(init, "%s%s: %s", init->length ? ", " : "", slow->shape->ports[i].role, slow->values[i]);
}

static void add_throughput(const struct slow_form *slow, struct experiment_list *out) {
    const struct shape *shape = slow->shape;
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (experiment_is_carried(&shape->ports[i]))
            return;
    const struct experiment_key key = {.kind = EXPERIMENT_PLAIN, .has_slow_values = true};
    struct kernel_text *kernel = experiment_begin(shape, key, shape->body, "", out);
    struct text init = {.arena = out->arena};
    add_values(slow, &init);
    kernel->init = init.data;
    kernel->writes = shape->ports[0].role;
}

// The way back puts the source's number into the result, which is the next copy's source.
static bool add_chain(const struct isa *isa, const struct slow_form *slow, unsigned source,
                      struct experiment_list *out) {
    const struct shape *shape = slow->shape;
    const struct shape_port *to = &shape->ports[0], *from = &shape->ports[source];
    struct chain_partner way;
    if (!chain_partners_again(out->arena, isa, shape, &way))
        return false;
    const struct experiment_key key = {
        .kind = EXPERIMENT_PAIR, .has_slow_values = true, .source = from->role, .result = to->role, .way = way.name};
    struct kernel_text *kernel = experiment_begin(shape, key, shape->body, way.text, out);
    struct text init = {.arena = out->arena};
    text_addf(&init, "again: %s%s", slow->values[source], way.init);
    add_values(slow, &init);
    kernel->init = init.data;
    kernel->chain = from == to ? to->role : arena_printf(out->arena, "%s->%s", to->role, from->role);
    return true;
}

// Returns whether it has added any.
static bool add_chains(const struct isa *isa, const struct slow_form *slow, struct experiment_list *out) {
    const struct shape_port *ports = slow->shape->ports;
    unsigned last = 0;
    bool has_any = false;
    if (ports[0].is_distinct)
        return false;
    for (unsigned i = 0; i < slow->shape->n_ports; i++) {
        if (slow->values[i] && ports[i].file != 'k')
            last = i;
        if (slow->is_x86 && ports[i].class != ports[0].class)
            return false;
    }
    // Where the result is a source, copies wait for it as well. Of a root with two sources, the first one only has the
    // upper lanes, or those that a mask leaves.
    for (unsigned i = 0; i < slow->shape->n_ports; i++)
        if (slow->values[i] && ports[i].class == ports[0].class && (!ports[0].is_read || i == 0) &&
            (!slow->is_root || i == last))
            has_any |= add_chain(isa, slow, i, out);
    return has_any;
}

bool slow_values_add(const struct isa *isa, const struct shape *shape, struct experiment_list *kernels) {
    struct slow_form slow;
    if (strcmp(shape->traits->family, "x86_64") == 0)
        slow_divisions_add(shape, kernels);
    if (!find_slow_form(shape, kernels->arena, &slow))
        return false;
    add_throughput(&slow, kernels);
    return add_chains(isa, &slow, kernels) && shape->ports[0].file == 'v';
}
