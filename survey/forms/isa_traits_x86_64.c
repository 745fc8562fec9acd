// x86-64, in AT&T syntax.
//  - movslq is never eliminated at renaming, and merges nothing (uops.info's choice, too).
//  - movsbl reads a high byte.
//  - cmp writes all flags, bt only carry. It is not test: on a Golden Cove, flags of logic reach cmov and setcc a cycle
//  later than those of cmp, most of the time. Both take 2.84 cycles with test, and 2.00 with cmp.
//  - pand and andps of a register with itself keep the value, in either domain of the vector units.
#include "survey/forms/isa_traits.h"

#include <string.h>

// Through a word of memory and back, with PARTNER_PADS steps that keep the value: what a form in between adds to it is
// its own way through memory (survey/experiments/experiment_memory.c).
#define MEMORY_PAD "; movslq {t:r32}, {t:r64}"
#define MEMORY_PADS MEMORY_PAD MEMORY_PAD MEMORY_PAD MEMORY_PAD MEMORY_PAD MEMORY_PAD MEMORY_PAD MEMORY_PAD
#define MEMORY(name, store, load)                                                                                      \
    { name, store "; " load MEMORY_PADS, "t", "p: memory, t: 1", NULL, 10, {NULL}, NULL }

static const struct chain_partner_experiment experiments[] = {
    MEMORY("memory1", "movb {t:r8}, 64({p:r64})", "movzbl 64({p:r64}), {t:r32}"),
    MEMORY("memory2", "movw {t:r16}, 64({p:r64})", "movzwl 64({p:r64}), {t:r32}"),
    MEMORY("memory4", "movl {t:r32}, 64({p:r64})", "movl 64({p:r64}), {t:r32}"),
    MEMORY("memory8", "movq {t:r64}, 64({p:r64})", "movq 64({p:r64}), {t:r64}"),
    {"movslq", "movslq {a:r32}, {a:r64}", "a", "a: 1", NULL, 1, {NULL}, NULL},
    {"movsbl", "movsbl {a:r8h}, {a:r32n}", "a", "a: 1", NULL, 1, {NULL}, NULL},
    {"xor", "xorq {b:r64}, {a:r64}", "a", "a: 1, b: 0", NULL, 1, {NULL}, NULL},
    {"vpand", "vpand {a:xmm}, {a:xmm}, {a:xmm}", "a", NULL, "avx", 1, {NULL}, NULL},
    {"vandps", "vandps {a:xmm}, {a:xmm}, {a:xmm}", "a", NULL, "avx", 1, {NULL}, NULL},
    {"pshufd", "pshufd $0xe4, {a:xmm}, {a:xmm}", "a", NULL, NULL, 1, {NULL}, NULL},
    {"movshdup", "movshdup {a:xmm}, {a:xmm}", "a", NULL, "sse3", 1, {NULL}, NULL},
    {"pand", "pand {a:xmm}, {a:xmm}", "a", NULL, NULL, 1, {NULL}, NULL},
    {"andps", "andps {a:xmm}, {a:xmm}", "a", NULL, NULL, 1, {NULL}, NULL},
    {"knotw", "knotw {a:kany}, {a:kany}", "a", NULL, "avx512f", 1, {NULL}, NULL},
    {"flags", "cmpq $0, {a:r64}; cmoveq {c:r64}, {a:r64}", "a", "a: 1, c: 1", NULL, 2, {NULL}, NULL},
    {"carry", "cmpq $0, {a:r64}; cmovbq {c:r64}, {a:r64}", "a", "a: 1, c: 1", NULL, 2, {NULL}, NULL},
    {"bt", "btq $0, {a:r64}; cmovbq {c:r64}, {a:r64}", "a", "a: 1, c: 1", NULL, 2, {NULL}, NULL},
    {"movq", "movq {a:r64}, {x:xmm}; movq {x:xmm}, {a:r64}", "a", "a: 1", NULL, 2, {NULL}, NULL},
    {"vmovq", "vmovq {a:r64}, {x:xmm}; vmovq {x:xmm}, {a:r64}", "a", "a: 1", "avx", 2, {NULL}, NULL},
    {"kmovw", "kmovw {a:r32}, {k:kany}; kmovw {k:kany}, {a:r32}", "a", "a: 1", "avx512f", 2, {NULL}, NULL},
    {"mask", "vpmovm2d {k:kany}, {x:zmm}; vptestmd {x:zmm}, {x:zmm}, {k:kany}", "k", NULL, "avx512dq", 2, {NULL}, NULL},
    {"pshufw", "pshufw $0xe4, {a:mm}, {a:mm}", "a", "a: 1", NULL, 1, {NULL}, NULL},
    {"mpand", "pand {a:mm}, {a:mm}", "a", "a: 1", NULL, 1, {NULL}, NULL},
    {"mmovq", "movq {a:r64}, {m:mm}; movq {m:mm}, {a:r64}", "a", "a: 1", NULL, 2, {NULL}, NULL},
    {"movq2dq", "movq2dq {m:mm}, {x:xmm}; movdq2q {x:xmm}, {m:mm}", "m", "m: 1", NULL, 2, {NULL}, NULL},
    // Chains of several kinds: their steps must add up.
    {"movslq-xor",
     "movslq {a:r32}, {b:r64}; xorq {a:r64}, {b:r64}; xorq {b:r64}, {a:r64}",
     "a",
     "a: 1",
     NULL,
     3,
     {"movslq", "xor", "xor"},
     NULL},
    {"movslq-flags",
     "movslq {a:r32}, {a:r64}; cmpq $0, {a:r64}; cmoveq {c:r64}, {a:r64}",
     "a",
     "a: 1, c: 1",
     NULL,
     3,
     {"movslq", "flags", NULL},
     NULL},
    {"vpand-vpand",
     "vpand {a:xmm}, {a:xmm}, {b:xmm}; vpand {b:xmm}, {b:xmm}, {a:xmm}",
     "a",
     NULL,
     "avx",
     2,
     {"vpand", "vpand", NULL},
     NULL},
    {"vandps-vandps",
     "vandps {a:xmm}, {a:xmm}, {b:xmm}; vandps {b:xmm}, {b:xmm}, {a:xmm}",
     "a",
     NULL,
     "avx",
     2,
     {"vandps", "vandps", NULL},
     NULL},
    {"xor-and-or",
     "xorq {b:r64}, {a:r64}; andq {b:r64}, {a:r64}; orq {b:r64}, {a:r64}",
     "a",
     "a: 1, b: 1",
     NULL,
     3,
     {"xor", "xor", "xor"},
     NULL},
    {"vandps-vorps",
     "vandps {a:xmm}, {a:xmm}, {b:xmm}; vorps {b:xmm}, {b:xmm}, {a:xmm}",
     "a",
     NULL,
     "avx",
     2,
     {"vandps", "vandps", NULL},
     NULL},
    {"movslq-vmovq",
     "movslq {a:r32}, {a:r64}; vmovq {a:r64}, {x:xmm}; vmovq {x:xmm}, {a:r64}",
     "a",
     "a: 1",
     "avx",
     3,
     {"movslq", "vmovq", NULL},
     NULL},
    {"vpand-vmovq",
     "vpand {x:xmm}, {x:xmm}, {x:xmm}; vmovq {x:xmm}, {a:r64}; vmovq {a:r64}, {x:xmm}",
     "x",
     "a: 1",
     "avx",
     3,
     {"vpand", "vmovq", NULL},
     NULL},
    {"knotw-kmovw",
     "knotw {k:kany}, {k:kany}; kmovw {k:kany}, {a:r32}; kmovw {a:r32}, {k:kany}",
     "k",
     "a: 1",
     "avx512f",
     3,
     {"knotw", "kmovw", NULL},
     NULL},
    {"pshufw-mmovq",
     "pshufw $0xe4, {m:mm}, {m:mm}; movq {m:mm}, {a:r64}; movq {a:r64}, {m:mm}",
     "m",
     "a: 1",
     NULL,
     3,
     {"pshufw", "mmovq", NULL},
     NULL},
};

// t depends on nothing but the flags, so the chain is closed by them alone.
static const struct way_step steps[] = {
    {"movslq", 'g', 'g', 0, 1, "; movslq {a:r32}, {b:r64}", "", WAY_ANY},
    {"movsbl", 'h', 'g', 0, 1, "; movsbl {a:r8h}, {b:r32n}", "", WAY_ANY},
    {"xor", 'g', 'a', 0, 2, "; xorq {a:r64}, {b:r64}; xorq {a:r64}, {b:r64}", "", WAY_ANY}, // the address stays
    {"movq", 'g', 'v', 0, 1, "; movq {a:r64}, {b:xmm}", "", WAY_LEGACY},
    {"vmovq", 'g', 'v', 0, 1, "; vmovq {a:r64}, {b:xmm}", "", WAY_NOT_LEGACY},
    {"kmovw", 'g', 'k', 0, 1, "; kmovw {a:r32}, {b:kany}", "", WAY_ANY},
    {"mmovq", 'g', 'm', 0, 1, "; movq {a:r64}, {b:mm}", "", WAY_ANY},
    {"flags", 'g', 'c', 0, 1, "; cmpq $0, {a:r64}", "", WAY_ANY},
    {"bt", 'g', 'C', 0, 1, "; btq $0, {a:r64}", "", WAY_ANY},
    {"vpand", 'v', 'v', 0, 1, "; vpand {a:xmm}, {a:xmm}, {b:xmm}", "", WAY_NOT_LEGACY},
    {"vandps", 'v', 'v', 1, 1, "; vandps {a:xmm}, {a:xmm}, {b:xmm}", "", WAY_NOT_LEGACY},
    {"vandps-vandps", 'v', '=', 0, 1, "; vandps {zero:own}, {b:own}, {b:own}; vorps {again:own}, {b:own}, {b:own}", "",
     WAY_NOT_LEGACY},
    {"vandps-vandps", 'v', '=', 0, 1, "; andps {zero:own}, {b:own}; orps {again:own}, {b:own}", "", WAY_LEGACY},
    {"pshufd", 'v', 'v', 0, 1, "; pshufd $0xe4, {a:xmm}, {b:xmm}", "", WAY_LEGACY},
    {"movshdup", 'v', 'v', 1, 1, "; movshdup {a:xmm}, {b:xmm}", "", WAY_LEGACY},
    {"pand", 'v', '+', 0, 1, "; pand {b:xmm}, {b:xmm}", "", WAY_LEGACY},
    {"andps", 'v', '+', 1, 1, "; andps {b:xmm}, {b:xmm}", "", WAY_LEGACY},
    {"mpand", 'm', '+', 0, 1, "; pand {b:mm}, {b:mm}", "", WAY_ANY}, // any vector pipe; a shuffle has one on Intel's
    {"movq", 'v', 'g', 0, 1, "; movq {a:xmm}, {b:r64}", "", WAY_LEGACY},
    {"vmovq", 'v', 'g', 0, 1, "; vmovq {a:xmm}, {b:r64}", "", WAY_NOT_LEGACY},
    {"movq2dq", 'v', 'm', 0, 1, "; movdq2q {a:xmm}, {b:mm}", "", WAY_ANY},
    {"movq2dq", 'm', 'v', 0, 1, "; movq2dq {a:mm}, {b:xmm}", "", WAY_ANY},
    {"pshufw", 'm', 'm', 0, 1, "; pshufw $0xe4, {a:mm}, {b:mm}", "", WAY_ANY},
    {"mmovq", 'm', 'g', 0, 1, "; movq {a:mm}, {b:r64}", "", WAY_ANY},
    {"mask", 'v', 'k', 0, 1, "; vptestmd {a:zmm}, {a:zmm}, {b:kany}", "", WAY_ANY},
    {"knotw", 'k', 'k', 0, 1, "; knotw {a:kany}, {b:kany}", "", WAY_ANY},
    {"kmovw", 'k', 'g', 0, 1, "; kmovw {a:kany}, {b:r32}", "", WAY_ANY},
    {"mask", 'k', 'v', 0, 1, "; vpmovm2d {a:kany}, {b:zmm}", "", WAY_ANY},
    {"flags", 'c', 't', 0, 1, "; movl $1, {b:r32}; cmoveq {c:r64}, {b:r64}", ", c: 1", WAY_ANY},
    {"carry", 'c', 't', 1, 1, "; movl $1, {b:r32}; cmovbq {c:r64}, {b:r64}", ", c: 1", WAY_ANY},
    // Some forms store less than their register: the narrow load finds all its bytes there.
    {"mov", 'M', 'g', 0, 1, "; mov 64({a:r64}), {b:own}", "", WAY_ANY},
    {"movss", 'M', 'v', 0, 1, "; movss 64({a:r64}), {b:xmm}", "", WAY_LEGACY},
    {"movups", 'M', 'v', 1, 1, "; movups 64({a:r64}), {b:own}", "", WAY_LEGACY},
    {"vmovss", 'M', 'v', 0, 1, "; vmovss 64({a:r64}), {b:xmm}", "", WAY_NOT_LEGACY},
    {"vmovups", 'M', 'v', 1, 1, "; vmovups 64({a:r64}), {b:own}", "", WAY_NOT_LEGACY},
    {"kmovw", 'M', 'k', 0, 1, "; kmovw 64({a:r64}), {b:kany}", "", WAY_ANY},
    // A word of memory through the role t, of as many bytes as the form has there.
    {"memory1", 't', 'M', 0, 1, "movb {t:r8}, 64({a:r64})", ", t: 1", WAY_ANY},
    {"memory1", 'M', 't', 0, 1, "; movzbl 64({a:r64}), {t:r32}", ", t: 1", WAY_ANY},
    {"memory2", 't', 'M', 1, 1, "movw {t:r16}, 64({a:r64})", ", t: 1", WAY_ANY},
    {"memory2", 'M', 't', 1, 1, "; movzwl 64({a:r64}), {t:r32}", ", t: 1", WAY_ANY},
    {"memory4", 't', 'M', 2, 1, "movl {t:r32}, 64({a:r64})", ", t: 1", WAY_ANY},
    {"memory4", 'M', 't', 2, 1, "; movl 64({a:r64}), {t:r32}", ", t: 1", WAY_ANY},
    {"memory8", 't', 'M', 3, 1, "movq {t:r64}, 64({a:r64})", ", t: 1", WAY_ANY},
    {"memory8", 'M', 't', 3, 1, "; movq 64({a:r64}), {t:r64}", ", t: 1", WAY_ANY},
    {.name = NULL},
};

static const struct way_breaker breakers[] = {
    {'g', "; movl $1, {b:r32}", WAY_ANY, false, NULL},
    {'u', "; movl $0, {b:r32}", WAY_ANY, false, NULL},
    {'v', "; movaps {zv:own}, {b:own}", WAY_LEGACY, false, NULL},
    {'v', "; vmovaps {zv:own}, {b:own}", WAY_NOT_LEGACY, false, NULL},
    {'k', "; kmovw {zk:kany}, {b:kany}", WAY_ANY, false, NULL},
    {'m', "; movq {zm:mm}, {b:mm}", WAY_ANY, false, NULL},
    {'K', "; kmovw {lanes:kany}, {b:kany}", WAY_ANY, false, NULL},
    {'V', "; vpcmpeqd {zv:own}, {zv:own}, {b:own}", WAY_ANY, false, NULL}, // of itself, it would wait on some models
    {'c', "; testl {zf:r32}, {zf:r32}", WAY_ANY, false, NULL},
    {'g', "; movl {zg:r32}, {b:r32}", WAY_ANY, true, ", zg: 1"},
    {'u', "; xorl {b:r32}, {b:r32}", WAY_ANY, true, NULL},
    {'V', "; vmovaps {zl:own}, {b:own}", WAY_ANY, true, ", zl: i32 -1"},
    {'c', "; xorl {zf:r32}, {zf:r32}", WAY_ANY, true, NULL},
    {.text = NULL},
};

// Which one is free of pipes and takes a slot of its own depends on the CPU: LLVM's models of AMD give `nop` a pipe.
// The second is a zero idiom, the third is eliminated at renaming. A short `nop` is none of them: a Zen 4 has two share
// a slot, and among them a Zen 5 takes other instructions more slowly.
static const struct slots_filler fillers[] = {
    {"nopw", "nopw 0(%rax,%rax)", "nopw 0(%rax,%rax)", false},
    {"xor", "xorl {f:r32}, {f:r32}", "xorl {f}, {f}", true},
    {"mov", "movl {g:r32}, {f:r32}", "movl {g}, {f}", false},
    {.name = NULL},
};

// Units for multiplications, additions, shifts and permutations are seldom the same ones. A load takes none of theirs.
static const struct way_probe probes[] = {
    {"IMUL64rri32", 'g'}, {"RORX64ri", 'g'},  {"MOV64rm", 'g'},   {"VMULPSYrr", 'v'}, {"VADDPSYrr", 'v'},
    {"VPERMDYrr", 'v'},   {"VMULPSZrr", 'z'}, {"VPSLLDZri", 'z'}, {"VPERMDZrr", 'z'}, {"KSHIFTLWki", 'k'},
    {"KANDWkk", 'k'},     {"VPERMDYrr", 'k'}, {.form = NULL},
};

// A number of another width than the mnemonic's would come to be a denormal.
static const char *one(const struct shape *shape, const struct shape_port *port) {
    struct slice name = shape_mnemonic(shape);
    bool is_half = name.length > 1 && name.data[name.length - 1] == 'h' && strchr("ps", name.data[name.length - 2]),
         is_conversion = memchr(name.data, '2', name.length);
    bool is_double = name.length > 1 && name.data[name.length - 1] == 'd' && strchr("ps", name.data[name.length - 2]);
    (void)port;
    if (is_half && !is_conversion)
        return "i16 15360"; // 0x3c00: 1.0
    return is_double ? "f64 1.0" : "f32 1.0";
}

// LLVM names pairs of masks "K0_K1"; their text is the first one's.
static bool find_register(const struct isa *isa, const char *name, struct register_name *found) {
    bool is_pair = *name == 'K' && strchr(name, '_');
    if (!register_find(isa, (struct slice){name, is_pair ? strcspn(name, "_") : strlen(name)}, found))
        return false;
    if (is_pair) {
        const struct register_class *pairs = isa_class(isa, "kpair");
        unsigned index = found->index / pairs->span;
        *found = (struct register_name){pairs, index, index};
    }
    return true;
}

// Whether the prefix of 16 bits changes the length of the instruction's immediate. Intel's decoders then take cycles
// more, if the uops do not come from the op cache (Intel's optimization manual, "Length-Changing Prefixes"). These are
// the opcodes with an immediate of the operand's size, but of at most 32 bits ("Iz" and "Iv" in the opcode map of
// Intel's SDM, volume 2, A.3); REX.W takes the prefix's place.
static bool has_changed_length(const uint8_t *code, size_t n) {
    static const uint8_t prefixes[] = {0x66, 0xf2, 0xf3, 0xf0, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0x67};
    bool has_prefix = false, is_wide = false;
    size_t i = 0;
    for (; i < n && memchr(prefixes, code[i], sizeof prefixes); i++)
        has_prefix |= code[i] == 0x66;
    if (i < n && (code[i] & 0xf0) == 0x40)
        is_wide = code[i++] & 8;
    if (!has_prefix || is_wide || i >= n)
        return false;
    uint8_t opcode = code[i], extension = i + 1 < n ? code[i + 1] >> 3 & 7 : 7;
    return (opcode < 0x40 && (opcode & 7) == 5) || opcode == 0x68 || opcode == 0x69 || opcode == 0x81 ||
           opcode == 0xa9 || (opcode & 0xf8) == 0xb8 || opcode == 0xc7 || (opcode == 0xf7 && extension < 2);
}

const struct isa_traits isa_traits_x86_64 = {
    .family = "x86_64",
    .experiments = experiments,
    .n_experiments = sizeof experiments / sizeof *experiments,
    .steps = steps,
    .breakers = breakers,
    .register_mark = "%",
    .clear_memory = "movq $0, (%rsi)",
    .mask_of_all = "1",
    .shares_masks = true,
    .modes = (const char *const[]){"MXCSR", "DF", "SSP", "RIP", NULL},
    .may_stall = has_changed_length,
    .flags = "EFLAGS",
    .find_register = find_register,
    .one = one,
    .fillers = fillers,
    .probes = probes,
    .simple = {"addl {a:r32}, {b:r32}; movl 64({p:r64}), {c:r32}; paddd {x:xmm}, {y:xmm}; addl {c:r32}, {d:r32}",
               "b, c, y, d", "p: memory"},
    .load = {"movl 64({p:r64}), {c:r32}", "c", "p: memory"},
    .chain = {"imull $3, {a:r32}, {b:r32}; imull $3, {b}, {c:r32}; addl {c}, {d:r32}", "b, c, d", NULL},
};
