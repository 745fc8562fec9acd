#include "survey/partners.h"

#include "gen/registers.h"

#include <string.h>

// x86-64, in AT&T syntax. A step is in text a mention of a register in the width that it needs.
//  - movslq is never eliminated at renaming, and merges nothing (uops.info's choice, too).
//  - pand and andps of a register with itself keep the value, in either domain of the vector units.
static const struct partner_experiment x86_experiments[] = {
    {"movslq", "movslq {a:r32}, {a:r64}", "[a]", "a: 1", NULL, 1, {NULL}},
    {"xor", "xorq {b:r64}, {a:r64}", "[a]", "a: 1, b: 0", NULL, 1, {NULL}},
    {"vpand", "vpand {a:xmm}, {a:xmm}, {a:xmm}", "[a]", NULL, "avx", 1, {NULL}},
    {"vandps", "vandps {a:xmm}, {a:xmm}, {a:xmm}", "[a]", NULL, "avx", 1, {NULL}},
    {"pshufd", "pshufd $0xe4, {a:xmm}, {a:xmm}", "[a]", NULL, NULL, 1, {NULL}},
    {"movshdup", "movshdup {a:xmm}, {a:xmm}", "[a]", NULL, "sse3", 1, {NULL}},
    {"knotw", "knotw {a:kany}, {a:kany}", "[a]", NULL, "avx512f", 1, {NULL}},
    {"flags", "testq {a:r64}, {a:r64}; cmoveq {c:r64}, {a:r64}", "[a]", "a: 1, c: 1", NULL, 2, {NULL}},
    {"carry", "testq {a:r64}, {a:r64}; cmovbq {c:r64}, {a:r64}", "[a]", "a: 1, c: 1", NULL, 2, {NULL}},
    {"movq", "movq {a:r64}, {x:xmm}; movq {x:xmm}, {a:r64}", "[a]", "a: 1", NULL, 2, {NULL}},
    {"vmovq", "vmovq {a:r64}, {x:xmm}; vmovq {x:xmm}, {a:r64}", "[a]", "a: 1", "avx", 2, {NULL}},
    {"kmovw", "kmovw {a:r32}, {k:kany}; kmovw {k:kany}, {a:r32}", "[a]", "a: 1", "avx512f", 2, {NULL}},
    {"mask", "vpmovm2d {k:kany}, {x:zmm}; vptestmd {x:zmm}, {x:zmm}, {k:kany}", "[k]", NULL, "avx512dq", 2, {NULL}},
    {"pshufw", "pshufw $0xe4, {a:mm}, {a:mm}", "[a]", "a: 1", NULL, 1, {NULL}},
    {"mmovq", "movq {a:r64}, {m:mm}; movq {m:mm}, {a:r64}", "[a]", "a: 1", NULL, 2, {NULL}},
    {"movq2dq", "movq2dq {m:mm}, {x:xmm}; movdq2q {x:xmm}, {m:mm}", "[m]", "m: 1", NULL, 2, {NULL}},
    // Chains of several kinds: their steps must add up.
    {"movslq-xor",
     "movslq {a:r32}, {b:r64}; xorq {a:r64}, {b:r64}; xorq {b:r64}, {a:r64}",
     "[a]",
     "a: 1",
     NULL,
     3,
     {"movslq", "xor", "xor"}},
    {"movslq-flags",
     "movslq {a:r32}, {a:r64}; testq {a:r64}, {a:r64}; cmoveq {c:r64}, {a:r64}",
     "[a]",
     "a: 1, c: 1",
     NULL,
     3,
     {"movslq", "flags", NULL}},
    {"vpand-vpand",
     "vpand {a:xmm}, {a:xmm}, {b:xmm}; vpand {b:xmm}, {b:xmm}, {a:xmm}",
     "[a]",
     NULL,
     "avx",
     2,
     {"vpand", "vpand", NULL}},
    {"vandps-vandps",
     "vandps {a:xmm}, {a:xmm}, {b:xmm}; vandps {b:xmm}, {b:xmm}, {a:xmm}",
     "[a]",
     NULL,
     "avx",
     2,
     {"vandps", "vandps", NULL}},
    {"movslq-vmovq",
     "movslq {a:r32}, {a:r64}; vmovq {a:r64}, {x:xmm}; vmovq {x:xmm}, {a:r64}",
     "[a]",
     "a: 1",
     "avx",
     3,
     {"movslq", "vmovq", NULL}},
    {"vpand-vmovq",
     "vpand {x:xmm}, {x:xmm}, {x:xmm}; vmovq {x:xmm}, {a:r64}; vmovq {a:r64}, {x:xmm}",
     "[x]",
     "a: 1",
     "avx",
     3,
     {"vpand", "vmovq", NULL}},
    {"knotw-kmovw",
     "knotw {k:kany}, {k:kany}; kmovw {k:kany}, {a:r32}; kmovw {a:r32}, {k:kany}",
     "[k]",
     "a: 1",
     "avx512f",
     3,
     {"knotw", "kmovw", NULL}},
    {"pshufw-mmovq",
     "pshufw $0xe4, {m:mm}, {m:mm}; movq {m:mm}, {a:r64}; movq {a:r64}, {m:mm}",
     "[m]",
     "a: 1",
     NULL,
     3,
     {"pshufw", "mmovq", NULL}},
};

size_t partners_experiments(const struct isa *isa, const struct partner_experiment **experiments) {
    *experiments = x86_experiments;
    return strcmp(isa->name, "x86_64") == 0 ? sizeof x86_experiments / sizeof *x86_experiments : 0;
}

// A port or a role of the partner's own, in the width that a step needs: "{o0:r64}", "%rax", "{t:r64}".
static const char *mention(struct arena *arena, const struct isa *isa, const struct shape_port *port,
                           const char *class_name) {
    const struct register_class *class = isa_class(isa, class_name);
    if (!port)
        return arena_printf(arena, "{t:%s}", class_name);
    if (port->is_fixed)
        return arena_printf(arena, "%%%s", class->registers[port->index]);
    return arena_printf(arena, "{%s:%s}", port->role, class_name);
}

// A way while it is made. Values go through `at`: a port, or null for the role t.
struct way {
    struct arena *arena;
    const struct isa *isa;
    struct partner *partner;
    struct text text, name;
    const char *longer; // further steps behind the reading of flags; or ""
};

static void step(struct way *way, const char *name, unsigned times, const char *text) {
    struct partner *partner = way->partner;
    text_add(&way->text, text);
    text_addf(&way->name, "%s%s", way->name.length ? "-" : "", name);
    partner->steps[partner->n_steps++] = (struct partner_step){name, times};
}

static const char *name_in(const struct way *way, const struct shape_port *port, const char *class_name) {
    return mention(way->arena, way->isa, port, class_name);
}

// Moves to general registers. From flags, the carry alone where `wants_carry`.
static void go_to_general(struct way *way, const struct shape_port *from, const struct shape_port *to, bool is_legacy,
                          bool wants_carry) {
    const char *there = name_in(way, to, "r64"), *move = is_legacy ? "movq" : "vmovq";
    if (from->file == 'v')
        step(way, move, 1, arena_printf(way->arena, "; %s %s, %s", move, name_in(way, from, "xmm"), there));
    else if (from->file == 'k')
        step(way, "kmovw", 1,
             arena_printf(way->arena, "; kmovw %s, %s", name_in(way, from, "kany"), name_in(way, to, "r32")));
    else if (from->file == 'm')
        step(way, "mmovq", 1, arena_printf(way->arena, "; movq %s, %s", name_in(way, from, "mm"), there));
    else if (from->file == 'c') // t depends on nothing but the flags, so the chain is closed by them alone
        step(way, wants_carry ? "carry" : "flags", 1,
             arena_printf(way->arena, "; movl $1, {t:r32}; cmov%sq {c:r64}, {t:r64}%s", wants_carry ? "b" : "e",
                          way->longer));
    else
        step(way, "movslq", 1, arena_printf(way->arena, "; movslq %s, %s", name_in(way, from, "r32"), there));
    if (!to)
        way->partner->init = from->file == 'c' ? ", c: 1, t: 1" : ", t: 1";
}

// Moves from a general register, a port or t.
static void go_from_general(struct way *way, const struct shape_port *from, const struct shape_port *to,
                            bool is_legacy) {
    const char *here = name_in(way, from, "r64"), *move = is_legacy ? "movq" : "vmovq";
    if (to->is_address) // twice, so that the address stays
        step(way, "xor", 2,
             arena_printf(way->arena, "; xorq %s, %s; xorq %s, %s", here, name_in(way, to, "r64"), here,
                          name_in(way, to, "r64")));
    else if (to->file == 'v')
        step(way, move, 1, arena_printf(way->arena, "; %s %s, %s", move, here, name_in(way, to, "xmm")));
    else if (to->file == 'k')
        step(way, "kmovw", 1,
             arena_printf(way->arena, "; kmovw %s, %s", name_in(way, from, "r32"), name_in(way, to, "kany")));
    else if (to->file == 'm')
        step(way, "mmovq", 1, arena_printf(way->arena, "; movq %s, %s", here, name_in(way, to, "mm")));
    else if (to->file == 'c')
        step(way, "flags", 1, arena_printf(way->arena, "; testq %s, %s", here, here));
    else
        step(way, "movslq", 1,
             arena_printf(way->arena, "; movslq %s, %s", name_in(way, from, "r32"), name_in(way, to, "r64")));
}

// Moves within the vector registers, in the domain `number`.
static void go_in_vector(struct way *way, const struct shape_port *from, const struct shape_port *to, bool is_legacy,
                         unsigned number) {
    const char *a = name_in(way, from, "xmm"), *b = name_in(way, to, "xmm");
    static const char *const names[2][2] = {{"vpand", "vandps"}, {"pshufd", "movshdup"}};
    const char *name = names[is_legacy][number];
    if (!is_legacy)
        step(way, name, 1, arena_printf(way->arena, "; %s %s, %s, %s", name, a, a, b));
    else
        step(way, name, 1, arena_printf(way->arena, "; %s %s%s, %s", name, number ? "" : "$0xe4, ", a, b));
}

static void go(struct way *way, const struct shape *shape, const struct shape_port *from, const struct shape_port *to,
               unsigned number) {
    bool is_legacy = shape->is_legacy;
    if (from->file == 'v' && to->file == 'v')
        go_in_vector(way, from, to, is_legacy, number);
    else if (from->file == 'k' && to->file == 'k')
        step(way, "knotw", 1,
             arena_printf(way->arena, "; knotw %s, %s", name_in(way, from, "kany"), name_in(way, to, "kany")));
    else if (from->file == 'm' && to->file == 'm')
        step(way, "pshufw", 1,
             arena_printf(way->arena, "; pshufw $0xe4, %s, %s", name_in(way, from, "mm"), name_in(way, to, "mm")));
    else if (from->file == 'm' && to->file == 'v')
        step(way, "movq2dq", 1,
             arena_printf(way->arena, "; movq2dq %s, %s", name_in(way, from, "mm"), name_in(way, to, "xmm")));
    else if (from->file == 'v' && to->file == 'm')
        step(way, "movq2dq", 1,
             arena_printf(way->arena, "; movdq2q %s, %s", name_in(way, from, "xmm"), name_in(way, to, "mm")));
    else if (from->file == 'v' && to->file == 'k')
        step(way, "mask", 1,
             arena_printf(way->arena, "; vptestmd %s, %s, %s", name_in(way, from, "zmm"), name_in(way, from, "zmm"),
                          name_in(way, to, "kany")));
    else if (from->file == 'k' && to->file == 'v')
        step(way, "mask", 1,
             arena_printf(way->arena, "; vpmovm2d %s, %s", name_in(way, from, "kany"), name_in(way, to, "zmm")));
    else if (from->file == 'g')
        go_from_general(way, from, to, is_legacy);
    else if (to->file == 'g' && !to->is_address && from->file != 'c')
        go_to_general(way, from, to, is_legacy, number == 1);
    else {
        go_to_general(way, from, NULL, is_legacy, number == 1);
        go_from_general(way, NULL, to, is_legacy);
    }
}

unsigned partners_find(struct arena *arena, const struct isa *isa, const struct shape *shape, unsigned from,
                       unsigned to, bool is_longer, struct partner ways[PARTNER_MOST_WAYS]) {
    const struct shape_port *a = &shape->ports[from], *b = &shape->ports[to];
    // A pair of masks is no register of other instructions.
    if (strcmp(isa->name, "x86_64") != 0 || a->class->span > 1 || b->class->span > 1)
        return 0;
    unsigned n = (a->file == 'v' && b->file == 'v') || a->file == 'c' ? 2 : 1;
    for (unsigned i = 0; i < n; i++) {
        ways[i] = (struct partner){.init = ""};
        struct text longer = {.arena = arena};
        text_add(&longer, "");
        for (unsigned step = 0; is_longer && step < PARTNER_LONGER_STEPS; step++)
            text_add(&longer, "; movslq {t:r32}, {t:r64}");
        struct way way = {arena, isa, &ways[i], {.arena = arena}, {.arena = arena}, longer.data};
        go(&way, shape, a, b, i);
        ways[i].text = way.text.data;
        ways[i].name = way.name.data;
    }
    return n;
}

bool partner_break(const struct isa *isa, const struct shape *shape, unsigned number, struct text *text) {
    const struct shape_port *port = &shape->ports[number];
    struct arena *arena = text->arena;
    if (strcmp(isa->name, "x86_64") != 0 || port->is_address)
        return false;
    if (port->is_lanes && port->file == 'k') {
        text_addf(text, "; kmovw {lanes:kany}, %s", mention(arena, isa, port, "kany"));
    } else if (port->is_lanes) {
        const char *mask = mention(arena, isa, port, port->class->name);
        text_addf(text, "; vpcmpeqd %s, %s, %s", mask, mask, mask);
    } else if (port->file == 'g') {
        text_addf(text, "; movl $%d, %s", !port->is_upper, mention(arena, isa, port, "r32"));
    } else if (port->file == 'v')
        text_addf(text, "; %s {zv:%s}, %s", shape->is_legacy ? "movaps" : "vmovaps", port->class->name,
                  mention(arena, isa, port, port->class->name));
    else if (port->file == 'm')
        text_addf(text, "; movq {zm:mm}, %s", mention(arena, isa, port, "mm"));
    else if (port->file == 'k')
        text_addf(text, "; kmovw {zk:kany}, %s", mention(arena, isa, port, "kany"));
    else
        text_add(text, "; testl {zf:r32}, {zf:r32}");
    return true;
}
