#include "gen/assignment.h"

#include "gen/gen.h"
#include "gen/registers.h"

#include <string.h>

// Limit of streams: those without separate registers (nop, store) would fit in any number.
enum { NO_REGISTER = 255, STREAMS_LIMIT = 1024 };

static unsigned char *slot(const struct assignment *a, unsigned stream, unsigned role) {
    return &a->registers[stream * a->kernel->n_roles + role];
}

unsigned assignment_index(const struct assignment *a, unsigned stream, unsigned role) {
    return *slot(a, stream, role);
}

// Takes a free register for `role`, searching from number `start` on and around. Where `other` is not null, it is also
// one that this role may be: the other end of a chain. Returns false where there is none.
static bool take_register(const struct kernel_role *role, unsigned start, const struct kernel_role *other,
                          struct register_set *taken, unsigned char *index, unsigned char *other_index) {
    const struct register_class *class = role->class, *other_class = other ? other->class : NULL;
    unsigned count = role->n_registers - class->first;
    for (unsigned step = 0; step < count; step++) {
        unsigned i = class->first + (start + step) % count;
        unsigned entry = i * class->span, k = other ? entry / other_class->span : 0;
        bool is_free = !register_set_has(taken, class, i);
        if (is_free && other)
            is_free = entry % other_class->span == 0 && k >= other_class->first && k < other->n_registers &&
                      !register_set_has(taken, other_class, k);
        if (!is_free)
            continue;
        register_set_add(taken, class, i);
        *index = (unsigned char)i;
        if (other) {
            register_set_add(taken, other_class, k);
            *other_index = (unsigned char)k;
        }
        return true;
    }
    return false;
}

// Returns the registers that roles may not get: those of the ISA, of the texts of body and set-up, and of fixed roles.
static struct register_set reserved_registers(const struct kernel *kernel) {
    struct register_set taken = {0};
    for (unsigned i = 0; kernel->isa->reserved[i]; i++)
        register_set_add_name(&taken, kernel->isa, kernel->isa->reserved[i]);
    for (unsigned i = 0; i < kernel->n_roles; i++)
        if (kernel->roles[i].is_fixed)
            register_set_add(&taken, kernel->roles[i].class, kernel->roles[i].index);
    register_set_add_text(&taken, kernel->isa, kernel->setup);
    for (unsigned i = 0; i < kernel->n_pieces; i++)
        if (kernel->pieces[i].text)
            register_set_add_text(&taken, kernel->isa, kernel->pieces[i].text);
    return taken;
}

// Returns the other end of the closed chain that ends at `role`; null: there is none.
static const unsigned *other_end(const struct assignment *a, unsigned role) {
    const struct kernel_arc *arc = a->closed;
    if (!arc || arc->from == arc->to)
        return NULL;
    return role == arc->from ? &arc->to : role == arc->to ? &arc->from : NULL;
}

// Gives `role` of one stream a register, which the other end of a closed chain gets as well.
static bool assign_role(struct assignment *a, unsigned stream, unsigned role, struct register_set *taken) {
    unsigned char *index = slot(a, stream, role);
    const struct kernel_role *roles = a->kernel->roles;
    const unsigned *other = other_end(a, role);
    if (*index != NO_REGISTER)
        return true;
    if (roles[role].is_fixed)
        *index = (unsigned char)roles[role].index;
    else if (other && roles[*other].is_fixed) // no other role has it
        *index = (unsigned char)(roles[*other].index * roles[*other].class->span / roles[role].class->span);
    else if (other)
        return take_register(&roles[role], a->rotation, &roles[*other], taken, index, slot(a, stream, *other));
    else
        return take_register(&roles[role], a->rotation, NULL, taken, index, NULL);
    return true;
}

// A shared role gets its register in stream 0, and all other streams get the same.
static bool assign_shared(struct assignment *a, unsigned role, struct register_set *taken) {
    if (!assign_role(a, 0, role, taken))
        return false;
    for (unsigned stream = 1; stream < a->streams; stream++)
        *slot(a, stream, role) = *slot(a, 0, role);
    return true;
}

// Assigns written roles first, so that streams have registers 0, 1, 2 …, and sources the ones after them.
static bool assign(struct assignment *a, struct register_set taken) {
    const struct kernel *kernel = a->kernel;
    memset(a->registers, NO_REGISTER, (size_t)a->streams * kernel->n_roles);
    for (unsigned stream = 0; stream < a->streams; stream++)
        for (unsigned role = 0; role < kernel->n_roles; role++)
            if (kernel->roles[role].written && !assign_role(a, stream, role, &taken))
                return false;
    for (unsigned role = 0; role < kernel->n_roles; role++)
        if (!kernel->roles[role].written && !assign_shared(a, role, &taken))
            return false;
    return true;
}

// Returns the largest number of streams that fits, from `streams` down; 0: not even one.
static unsigned streams_that_fit(struct assignment *a, struct register_set taken, unsigned streams) {
    for (a->streams = streams; a->streams > 0; a->streams--)
        if (assign(a, taken))
            return a->streams;
    return 0;
}

bool assignment_make(struct arena *arena, struct assignment *a, unsigned wanted, struct fail *fail) {
    const struct kernel *kernel = a->kernel;
    struct register_set taken = reserved_registers(kernel);
    a->loop_counter = register_loop_counter(kernel->isa, &taken, kernel_uses_flags(kernel));
    if (!a->loop_counter)
        return fail_at(fail, kernel->file, kernel->body_line, 0,
                       "kernel '%s' leaves no register to count the loop: leave it one of %s", kernel->name,
                       register_loop_counters(arena, kernel->isa));
    register_set_add_name(&taken, kernel->isa, a->loop_counter);
    if (wanted > STREAMS_LIMIT)
        return fail_set(fail, FAIL_INPUT, "%u streams are too many: at most %d can be made", wanted, STREAMS_LIMIT);
    unsigned most = wanted ? wanted : a->most_streams ? a->most_streams : GEN_MAX_STREAMS;
    a->registers = ARENA_ARRAY(arena, unsigned char, (size_t)most * kernel->n_roles + 1);
    unsigned fit = streams_that_fit(a, taken, most);
    if (fit == 0)
        return fail_at(fail, kernel->file, kernel->body_line, 0, "there are not enough registers for kernel '%s'",
                       kernel->name);
    if (wanted && fit < wanted)
        return fail_set(fail, FAIL_INPUT, "%u streams of kernel '%s' do not fit in the registers: at most %u do",
                        wanted, kernel->name, fit);
    return true;
}
