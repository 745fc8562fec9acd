#include "survey/forms/chain_partners.h"

#include "base/bytes.h"
#include "survey/forms/isa_traits.h"

#include <ctype.h>
#include <string.h>

const struct isa_traits *isa_traits_find(const struct isa *isa) {
    static const struct isa_traits *const all[] = {&isa_traits_x86_64, &isa_traits_aarch64, &isa_traits_riscv64,
                                                   &isa_traits_armv7, &isa_traits_mips};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->family, isa_family(isa)) == 0)
            return all[i];
    return NULL;
}

bool isa_traits_may_stall(const struct isa *isa, const char *hex) {
    enum { MOST_BYTES = 16 }; // the prefixes and the opcode are among them
    const struct isa_traits *traits = isa ? isa_traits_find(isa) : NULL;
    uint8_t code[MOST_BYTES];
    if (!traits || !traits->may_stall || !hex)
        return false;
    return traits->may_stall(code, bytes_from_digits(hex, strnlen(hex, 2 * sizeof code), code) / 2);
}

size_t chain_partners_experiments(const struct isa *isa, const struct chain_partner_experiment **experiments) {
    const struct isa_traits *traits = isa_traits_find(isa);
    *experiments = traits->experiments;
    return traits->n_experiments;
}

bool chain_partners_writes_carry(const char *way) {
    static const char step[] = "-bt";
    size_t length = strlen(way);
    return length >= strlen(step) && strcmp(way + length - strlen(step), step) == 0;
}

const char *chain_partners_longer(const struct isa *isa) {
    for (const struct way_step *each = isa_traits_find(isa)->steps; each->name; each++)
        if (each->from == 'g' && each->to == 'g')
            return each->name;
    return NULL;
}

bool chain_partners_hide_breakers(const struct isa *isa) {
    return isa_traits_find(isa)->hides_breakers;
}

bool chain_partners_hold_pipes(const struct isa *isa, const char *step) {
    const char file = isa_traits_find(isa)->held_file;
    const struct slice plain = {step, strcspn(step, "_")};
    for (const struct way_step *each = isa_traits_find(isa)->steps; file && each->name; each++)
        if (each->from == file && slice_is(plain, each->name))
            return true;
    return false;
}

unsigned chain_partners_times(const struct isa *isa, const char *step) {
    const struct slice plain = {step, strcspn(step, "_")};
    for (const struct way_step *each = isa_traits_find(isa)->steps; each->name; each++)
        if (slice_is(plain, each->name))
            return each->times;
    return 1;
}

// ---- with vector configurations

const char *chain_partners_at(struct arena *arena, const char *name, const struct vector_config *config) {
    struct vector_config own = vector_config_of_partners(config);
    struct text words = {.arena = arena};
    vector_config_print(&own, &words);
    return arena_printf(arena, "%s_%s", name, text_replaced(arena, words.data, '-', '_'));
}

bool chain_partners_find_config(struct arena *arena, const char *name, struct vector_config *config) {
    const char *at = strchr(name, '_');
    return at && vector_config_parse(text_replaced(arena, at + 1, '_', '-'), config);
}

// The text with registers of the configuration: groups for vectors, and of the elements' width for numbers.
static const char *with_classes(struct arena *arena, const char *body, const struct vector_config *config) {
    const unsigned registers = vector_config_registers(config);
    struct text text = {.arena = arena};
    for (const char *at = body; *at; at++) {
        if (strncmp(at, ":v}", 3) == 0 && registers > 1)
            text_addf(&text, ":vg%u", registers);
        else if (strncmp(at, ":s}", 3) == 0)
            text_add(&text, config->sew == 64 ? ":d" : config->sew == 16 ? ":h" : ":s");
        else {
            text_append(&text, at, 1);
            continue;
        }
        at++;
    }
    return text.data;
}

size_t chain_partners_experiments_at(struct arena *arena, const struct isa *isa, const struct vector_config *config,
                                     const struct chain_partner_experiment **experiments) {
    const struct isa_traits *traits = isa_traits_find(isa);
    struct chain_partner_experiment *list = ARENA_ARRAY(arena, struct chain_partner_experiment, traits->n_experiments);
    size_t n = 0;
    for (size_t i = 0; i < traits->n_experiments; i++) {
        const struct chain_partner_experiment *each = &traits->experiments[i];
        const bool has_numbers = strstr(each->body, ":s}");
        if (!each->feature || strcmp(each->feature, "v") != 0 || (has_numbers && config->sew == 8))
            continue;
        list[n] = *each;
        list[n].name = chain_partners_at(arena, each->name, config);
        list[n].body = with_classes(arena, each->body, config);
        if (has_numbers)
            list[n].init = config->sew == 64 ? "a: f64 1.0" : config->sew == 16 ? "a: i16 15360" : each->init;
        for (unsigned p = 0; p < 3 && each->parts[p]; p++)
            list[n].parts[p] = chain_partners_at(arena, each->parts[p], config);
        n++;
    }
    *experiments = list;
    return n;
}

// A port or the role t, in the width that a step needs: "{o0:r64}", "%rax", "{t:r64}".
static const char *mention(struct arena *arena, const struct isa *isa, const struct shape_port *port,
                           const char *class_name) {
    if (!port)
        return arena_printf(arena, "{t:%s}", class_name);
    const struct register_class *class = isa_class(isa, class_name);
    if (port->is_fixed)
        return arena_printf(arena, "%s%s", isa_traits_find(isa)->register_mark, class->registers[port->index]);
    return arena_printf(arena, "{%s:%s}", port->role, class_name);
}

// Writes a text of the table. Null for a port: it is the role t.
static void add_text(const struct isa *isa, const char *template, const struct shape_port *a,
                     const struct shape_port *b, struct text *out) {
    static const char own[] = ":own}";
    for (const char *open; (open = strchr(template, '{')); template = strchr(open, '}') + 1) {
        const char *close = strchr(open, '}');
        bool is_a = strncmp(open, "{a:", 3) == 0, is_b = strncmp(open, "{b:", 3) == 0;
        bool is_own = strncmp(close + 2 - sizeof own, own, sizeof own - 1) == 0;
        const struct shape_port *own_port = is_a && a ? a : b;
        const char *class =
            is_own ? own_port->class->name : arena_copy(out->arena, open + 3, (size_t)(close - open - 3));
        text_append(out, template, (size_t)(open - template));
        if (is_a || is_b)
            text_add(out, mention(out->arena, isa, is_a ? a : b, class));
        else if (is_own)
            text_addf(out, "%.*s:%s}", (int)(close + 2 - sizeof own - open), open, class);
        else
            text_append(out, open, (size_t)(close + 1 - open));
    }
    text_add(out, template);
}

static bool is_for(enum way_encoding encoding, const struct shape *shape) {
    if (encoding == WAY_GROUPS)
        return shape->form->vector.lmul > 0;
    return encoding == WAY_ANY || (encoding == WAY_LEGACY) == shape->is_legacy;
}

// The port's register file by the letter of steps and breakers.
static char file_of(const struct shape *shape, const struct shape_port *port) {
    if (port->is_high)
        return 'h';
    return shape->traits->has_parts && (port->file == 'v' || port->file == 'f')
               ? (char)toupper((unsigned char)*port->class->name)
               : port->file;
}

static const struct way_step *find_step(const struct isa *isa, const struct shape *shape, char from, char to,
                                        unsigned variant) {
    for (const struct way_step *each = isa_traits_find(isa)->steps; each->name; each++)
        if (each->from == from && each->to == to && each->variant == variant && is_for(each->encoding, shape))
            return each;
    return NULL;
}

// A way while it is made.
struct way {
    const struct isa *isa;
    struct chain_partner *partner;
    struct text text, name, init;
};

// The name of the experiment that measures a step as the form has it.
static const char *name_of(struct arena *arena, const struct shape *shape, const struct way_step *step) {
    const bool is_vector = step->from == 'v' || step->to == 'v';
    return is_vector && shape->form->vector.sew ? chain_partners_at(arena, step->name, &shape->form->vector)
                                                : step->name;
}

static void add_step(struct way *way, const struct shape *shape, const struct way_step *step,
                     const struct shape_port *from, const struct shape_port *to) {
    struct chain_partner *partner = way->partner;
    const char *name = name_of(way->text.arena, shape, step);
    add_text(way->isa, step->text, from, to, &way->text);
    text_addf(&way->name, "%s%s", way->name.length ? "-" : "", name);
    if (!strstr(way->init.data, step->init))
        text_add(&way->init, step->init);
    partner->steps[partner->n_steps++] = (struct chain_partner_step){name, step->times};
}

unsigned chain_partners_pads(enum partner_length length) {
    static const unsigned pads[] = {[PARTNER_PADDED] = PARTNER_PADS,
                                    [PARTNER_PADDED_MORE] = PARTNER_MORE_PADS,
                                    [PARTNER_PADDED_MOST] = PARTNER_MOST_PADS};
    return pads[length];
}

// Adds as many instructions that keep a port's value as a padded way has: those of `step`, which takes it to itself,
// unless the ISA has better ones. Null for a port: it is the role t.
static void add_pads(struct way *way, const struct shape *shape, const struct way_step *step,
                     const struct shape_port *port, enum partner_length length) {
    const struct way_step *better = port ? find_step(way->isa, shape, step->to, '+', step->variant) : NULL,
                          *pad = better ? better : step;
    for (unsigned i = 0; i < chain_partners_pads(length); i++)
        add_text(way->isa, pad->text, port, port, &way->text);
    if (chain_partners_pads(length))
        way->partner->pad = name_of(way->text.arena, shape, pad);
}

// The letter of the file in which a way that ends in the port ends.
static char end_of(const struct shape *shape, const struct shape_port *to, unsigned variant) {
    bool is_address = to->is_address || (to->is_index && to->file == 'g');
    return is_address ? 'a' : to->is_high ? 'g' : to->file == 'c' && variant == 1 ? 'C' : file_of(shape, to);
}

// Makes the way of that number in two steps, through the role t. `hides`: breakers stand behind the first step, and
// copies of t hide them.
static bool make_way_through(struct way *way, const struct shape *shape, const struct shape_port *from,
                             const struct shape_port *to, unsigned variant, enum partner_length length,
                             const char *breakers, bool hides) {
    const char start = file_of(shape, from), end = end_of(shape, to, variant);
    const struct way_step *first = find_step(way->isa, shape, start, start == 'c' ? 't' : 'g',
                                             end == 'C' && start != 'c' ? 0 : variant),
                          *second = find_step(way->isa, shape, 'g', end, 0),
                          *again = find_step(way->isa, shape, 'g', 'g', 0);
    if (!first || !second)
        return false;
    add_step(way, shape, first, from, NULL);
    if (hides)
        text_add(&way->text, breakers);
    for (unsigned i = 0; hides && i < 2; i++)
        add_step(way, shape, again, NULL, NULL);
    for (unsigned i = 0; length == PARTNER_LONGER && i < PARTNER_LONGER_STEPS; i++)
        add_text(way->isa, again->text, NULL, NULL, &way->text);
    if (again)
        add_pads(way, shape, again, NULL, length);
    text_add(&way->init, ", t: 1");
    add_step(way, shape, second, NULL, to);
    if (!hides)
        text_add(&way->text, breakers);
    return true;
}

// Makes the way of that number: in one step, or in two.
static bool make_way(struct way *way, const struct shape *shape, const struct shape_port *from,
                     const struct shape_port *to, unsigned variant, enum partner_length length, const char *breakers) {
    const char start = file_of(shape, from), end = end_of(shape, to, variant);
    bool hides = *breakers && isa_traits_find(way->isa)->hides_breakers;
    if (from->class->span != to->class->span && *way->isa->syntaxes)
        return false; // x86: a pair of masks is no register of other instructions
    const struct way_step *step = find_step(way->isa, shape, start, end, variant),
                          *again = find_step(way->isa, shape, end, end, variant),
                          *before = again ? NULL : find_step(way->isa, shape, start, start, 0);
    if (!step || (hides && end == 'a'))
        return make_way_through(way, shape, from, to, variant, length, breakers, hides);
    if (before)
        add_pads(way, shape, before, from, length);
    add_step(way, shape, step, from, to);
    text_add(&way->text, breakers);
    if (hides && again)
        add_step(way, shape, again, to, to);
    if (again)
        add_pads(way, shape, again, to, length);
    return true;
}

unsigned chain_partners_find(struct arena *arena, const struct isa *isa, const struct shape *shape, unsigned from,
                             unsigned to, enum partner_length length, const char *breakers,
                             struct chain_partner ways[PARTNER_MOST_WAYS]) {
    unsigned n = 0;
    while (n < PARTNER_MOST_WAYS) {
        struct way way = {isa, &ways[n], {.arena = arena}, {.arena = arena}, {.arena = arena}};
        ways[n] = (struct chain_partner){.init = ""};
        text_add(&way.init, "");
        if (!make_way(&way, shape, &shape->ports[from], &shape->ports[to], n, length, breakers))
            break;
        ways[n].text = way.text.data;
        ways[n].name = way.name.data;
        ways[n].init = way.init.data;
        n++;
    }
    return n;
}

bool chain_partners_again(struct arena *arena, const struct isa *isa, const struct shape *shape,
                          struct chain_partner *way) {
    const struct shape_port *port = &shape->ports[0];
    const struct way_step *step = find_step(isa, shape, file_of(shape, port), '=', 0);
    struct text text = {.arena = arena};
    if (!step)
        return false;
    const char *name = name_of(arena, shape, step);
    add_text(isa, step->text, port, port, &text);
    *way = (struct chain_partner){name, text.data, step->init, {{name, step->times}}, 1, NULL};
    return true;
}

const struct way_step *chain_partners_keep(const struct isa *isa, const struct shape *shape, unsigned port) {
    char file = shape->ports[port].is_high ? 'g' : file_of(shape, &shape->ports[port]);
    return find_step(isa, shape, file, file, 0);
}

static const struct shape_port *find_address(const struct shape *shape) {
    const struct shape_port *address = NULL;
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (shape->ports[i].is_address)
            address = &shape->ports[i];
    return address;
}

bool chain_partners_through_memory(struct arena *arena, const struct isa *isa, const struct shape *shape,
                                   unsigned bytes, const char **store, struct chain_partner *way) {
    enum { MOST_VARIANTS = 4 };
    const struct shape_port *address = find_address(shape);
    const struct way_step *first = NULL, *last = NULL, *again = find_step(isa, shape, 'g', 'g', 0);
    struct text before = {.arena = arena}, behind = {.arena = arena};
    for (unsigned variant = 0; variant < MOST_VARIANTS && 1U << variant <= bytes; variant++) {
        const struct way_step *next = find_step(isa, shape, 't', 'M', variant);
        first = next ? next : first;
        last = next ? find_step(isa, shape, 'M', 't', variant) : last;
    }
    if (!address || !first || !last)
        return false;
    add_text(isa, first->text, address, NULL, &before);
    add_text(isa, last->text, address, NULL, &behind);
    for (unsigned i = 0; i < PARTNER_PADS; i++)
        add_text(isa, again->text, NULL, NULL, &behind);
    *store = before.data;
    *way = (struct chain_partner){first->name, behind.data, first->init, {{first->name, first->times}}, 1, again->name};
    return true;
}

unsigned chain_partners_load(struct arena *arena, const struct isa *isa, const struct shape *shape, unsigned port,
                             const struct way_step *longer, struct chain_partner ways[PARTNER_MOST_WAYS]) {
    const struct shape_port *address = find_address(shape), *to = &shape->ports[port];
    for (unsigned n = 0; n < PARTNER_MOST_WAYS; n++) {
        const struct way_step *load = address ? find_step(isa, shape, 'M', to->file, n) : NULL;
        struct way way = {isa, &ways[n], {.arena = arena}, {.arena = arena}, {.arena = arena}};
        if (!load)
            return n;
        ways[n] = (struct chain_partner){.init = ""};
        text_add(&way.init, "");
        add_step(&way, shape, load, address, to);
        for (unsigned i = 0; longer && i < PARTNER_LONGER_STEPS; i++)
            add_text(isa, longer->text, to, to, &way.text);
        ways[n].text = way.text.data;
        ways[n].name = way.name.data;
        ways[n].init = way.init.data;
    }
    return PARTNER_MOST_WAYS;
}

static const struct way_breaker *find_breaker(const struct isa *isa, const struct shape *shape,
                                              const struct shape_port *port, bool is_light) {
    char file = port->is_upper   ? 'u'
                : port->is_lanes ? (port->file == 'k' ? 'K' : 'V')
                : port->is_high  ? 'g'
                                 : file_of(shape, port);
    for (const struct way_breaker *each = isa_traits_find(isa)->breakers; each->text && !port->is_address; each++)
        if (each->file == file && each->is_light == is_light && is_for(each->encoding, shape))
            return each;
    return NULL;
}

bool chain_partner_break(const struct isa *isa, const struct shape *shape, unsigned number, struct text *text) {
    const struct shape_port *port = &shape->ports[number];
    const struct way_breaker *breaker = find_breaker(isa, shape, port, false);
    if (breaker)
        add_text(isa, breaker->text, NULL, port, text);
    return breaker;
}

bool chain_partner_break_lightly(const struct isa *isa, const struct shape *shape, unsigned number, struct text *text,
                                 struct text *init) {
    const struct shape_port *port = &shape->ports[number];
    const struct way_breaker *breaker = find_breaker(isa, shape, port, true);
    if (!breaker)
        return chain_partner_break(isa, shape, number, text);
    add_text(isa, breaker->text, NULL, port, text);
    if (breaker->init && !strstr(init->data, breaker->init))
        text_add(init, breaker->init);
    return true;
}
