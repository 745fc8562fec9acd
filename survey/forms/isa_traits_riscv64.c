// RISC-V, 64 bits.
//  - addiw is never eliminated at renaming, and keeps a value of up to 31 bits.
//  - xor twice with one value leaves an address as it was.
//  - No form writes a register that it also reads, but for compressed ones. So no chain needs a step within the
//    floating-point registers.
#include "survey/forms/isa_traits.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct chain_partner_experiment experiments[] = {
    {"addiw", "addiw {a:x}, {a:x}, 0", "a", "a: 1", NULL, 1, {NULL}, NULL},
    {"xor", "xor {a:x}, {a:x}, {b:x}", "a", "a: 1, b: 0", NULL, 1, {NULL}, NULL},
    {"load", "ld {a:x}, 0({a:x})", "a", "a: memory", NULL, 1, {NULL}, NULL},
    {"address",
     "ld {b:x}, 0({a:x}); xor {a:x}, {a:x}, {b:x}; xor {a:x}, {a:x}, {b:x}",
     "a",
     "a: memory",
     NULL,
     3,
     {NULL},
     "load"},
    {"address-xor",
     "ld {b:x}, 0({a:x}); xor {a:x}, {a:x}, {b:x}; xor {a:x}, {a:x}, {b:x}; xor {a:x}, {a:x}, {b:x}; xor {a:x}, {a:x}, "
     "{b:x}",
     "a",
     "a: memory",
     NULL,
     5,
     {"address", "xor", "xor"},
     NULL},
    {"andor", "and {a:x}, {a:x}, {z:x}; or {a:x}, {a:x}, {b:x}", "a", "a: 1, b: 1", NULL, 1, {NULL}, NULL},
    {"fsgnj", "fsgnj.d {a:d}, {b:d}, {a:d}", "a", "a: f64 1.0, b: f64 1.0", "d", 1, {NULL}, NULL},
    {"vandvor",
     "vand.vv {a:v}, {a:v}, {z:v}; vor.vv {a:v}, {a:v}, {b:v}",
     "a",
     "a: i32 1, b: i32 1",
     "v",
     1,
     {NULL},
     NULL},
    {"fmv", "fmv.d.x {x:d}, {a:x}; fmv.x.d {a:x}, {x:d}", "a", "a: 1", "d", 2, {NULL}, NULL},
    {"vand", "vand.vv {a:v}, {a:v}, {a:v}", "a", "a: i32 1", "v", 1, {NULL}, NULL},
    {"vmand", "vmand.mm {a:v}, {a:v}, {a:v}", "a", "a: i32 1", "v", 1, {NULL}, NULL},
    {"vmv", "vmv.v.x {x:v}, {a:x}; vmv.x.s {a:x}, {x:v}", "a", "a: 1", "v", 2, {NULL}, NULL},
    {"vfmv", "vfmv.v.f {x:v}, {a:s}; vfmv.f.s {a:s}, {x:v}", "a", "a: f32 1.0", "v", 2, {NULL}, NULL},
    {"vand-vand",
     "vand.vv {b:v}, {a:v}, {a:v}; vand.vv {a:v}, {b:v}, {b:v}",
     "a",
     "a: i32 1",
     "v",
     2,
     {"vand", "vand", NULL},
     NULL},
    {"addiw-xor",
     "addiw {b:x}, {a:x}, 0; xor {b:x}, {b:x}, {a:x}; xor {a:x}, {a:x}, {b:x}",
     "a",
     "a: 1",
     NULL,
     3,
     {"addiw", "xor", "xor"},
     NULL},
    {"addiw-fmv",
     "addiw {a:x}, {a:x}, 0; fmv.d.x {x:d}, {a:x}; fmv.x.d {a:x}, {x:d}",
     "a",
     "a: 1",
     "d",
     3,
     {"addiw", "fmv", NULL},
     NULL},
};

static const struct way_step steps[] = {
    {"addiw", 'g', 'g', 0, 1, "; addiw {b:x}, {a:x}, 0", "", WAY_ANY},
    {"address", 'g', 'a', 0, 1, "; xor {b:x}, {b:x}, {a:x}; xor {b:x}, {b:x}, {a:x}", "", WAY_ANY},
    {"fmv", 'g', 'f', 0, 1, "; fmv.d.x {b:d}, {a:x}", "", WAY_ANY},
    {"fmv", 'f', 'g', 0, 1, "; fmv.x.d {b:x}, {a:d}", "", WAY_ANY},
    {"vand", 'v', 'v', 0, 1, "; vand.vv {b:own}, {a:own}, {a:own}", "", WAY_ANY},
    // Its pipes take no longer for a group: it reads and writes one register.
    {"vmand", 'v', 'v', 1, 1, "; vmand.mm {b:own}, {a:own}, {a:own}", "", WAY_GROUPS},
    {"vmv", 'g', 'v', 0, 1, "; vmv.v.x {b:own}, {a:x}", "", WAY_ANY},
    {"vmv", 'v', 'g', 0, 1, "; vmv.x.s {b:x}, {a:own}", "", WAY_ANY},
    {"vfmv", 'f', 'v', 0, 1, "; vfmv.v.f {b:own}, {a:own}", "", WAY_ANY},
    {"andor", 'g', '=', 0, 1, "; and {b:own}, {b:own}, {zero:own}; or {b:own}, {b:own}, {again:own}", ", zero: 0",
     WAY_ANY},
    // The magnitude again, with the result's sign. A single's upper half has a sign of its own, which is the same.
    {"fsgnj", 'f', '=', 0, 1, "; fsgnj.d {b:own}, {again:own}, {b:own}", "", WAY_ANY},
    {"vandvor", 'v', '=', 0, 1, "; vand.vv {b:own}, {b:own}, {zero:own}; vor.vv {b:own}, {b:own}, {again:own}", "",
     WAY_ANY},
    {"vfmv", 'v', 'f', 0, 1, "; vfmv.f.s {b:own}, {a:own}", "", WAY_ANY},
    {.name = NULL},
};

static const struct way_breaker breakers[] = {
    {'g', "; li {b:x}, 1", WAY_ANY, false, NULL},
    {'v', "; vmv.v.i {b:own}, 1", WAY_ANY, false, NULL},
    {.text = NULL},
};

static const struct way_reason left_out[] = {
    {"SC_", "it stores only behind an exclusive load"},
    {"ECALL", "it calls the system"},
    {"EBREAK", "it traps"},
    {"C_EBREAK", "it traps"},
    {"UNIMP", "it traps"},
    {"C_UNIMP", "it traps"},
    {"JALR", "control flow"},
    {"C_JALR", "control flow"},
    {"CSR", "it changes a state of the thread, for all code behind it"},
    {.start = NULL},
};

static const struct way_reason register_classes[] = {
    {"VRN", "its operand is a list of registers in a row"},
    {"GPRPair", "its operand is a pair of registers in a row"},
    {.start = NULL},
};

// LLVM's names of floating-point registers have their width: F10_H, F10_F, F10_D; those of groups have their size:
// V8M2.
static bool find(const struct isa *isa, const char *name, struct register_name *found) {
    char *end;
    unsigned first, group;
    if (sscanf(name, "V%uM%u", &first, &group) == 2) {
        const char class[] = {'v', 'g', (char)('0' + group % 10), 0};
        found->class = isa_class(isa, class);
        found->index = found->last = group ? first / group : 0;
        return found->class != NULL;
    }
    unsigned long number = *name == 'F' ? strtoul(name + 1, &end, 10) : 32;
    if (number > 31 || end == name + 1 || *end != '_')
        return register_find(isa, (struct slice){name, strlen(name)}, found);
    const char *class = end[1] == 'D' ? "d" : end[1] == 'F' ? "s" : "h";
    found->class = isa_class(isa, class);
    found->index = found->last = (unsigned)number;
    return found->class != NULL;
}

static const char *one(const struct shape *shape, const struct shape_port *port) {
    const struct vector_config *config = &shape->form->vector;
    if (port->file == 'v' && port->is_fixed && config->has_mask)
        return "i8 -1";
    if (port->file == 'v' && vector_config_is_index(shape->form->opcode, (unsigned)port->role[1] - '0'))
        return "0";
    if (port->file == 'v')
        return config->sew == 8 ? "i8 1" : config->sew == 16 ? "i16 15360" : config->sew == 64 ? "f64 1.0" : "f32 1.0";
    return port->class->bits == 64 ? "f64 1.0" : port->class->bits == 32 ? "f32 1.0" : "i16 15360"; // 0x3c00: 1.0
}

// Elements of up to 64 bits stay aligned then: some cores trap at others.
static bool is_stride(const struct shape *shape, const struct shape_port *port) {
    const char *opcode = shape->form->opcode;
    return !port->is_address && shape->has_memory && (text_starts(opcode, "VLS") || text_starts(opcode, "VSS"));
}

// Extensions that the set-up of programs (gen/isa_riscv64.c) does not name, as many assemblers do not know them: then
// only these forms are refused. The first start that fits counts.
#define EXTENSION(name) ".option arch, +" name "; "
static const struct way_reason extensions[] = {
    {"CBO_ZERO", EXTENSION("zicboz")},  {"CBO_", EXTENSION("zicbom")},
    {"PREFETCH_", EXTENSION("zicbop")}, {"CZERO_", EXTENSION("zicond")},
    {"BREV8", EXTENSION("zbkb")},       {"PACK", EXTENSION("zbkb")},
    {"VAES", EXTENSION("zvkned")},      {"VSHA2", EXTENSION("zvknhb")},
    {"VSM3", EXTENSION("zvksh")},       {"VSM4", EXTENSION("zvksed")},
    {"VGHSH", EXTENSION("zvkg")},       {"VGMUL", EXTENSION("zvkg")},
    {"VCLMUL", EXTENSION("zvbc")},      {"VANDN", EXTENSION("zvbb")},
    {"VBREV", EXTENSION("zvbb")},       {"VREV8", EXTENSION("zvbb")},
    {"VCLZ", EXTENSION("zvbb")},        {"VCTZ", EXTENSION("zvbb")},
    {"VCPOP_V", EXTENSION("zvbb")},     {"VRO", EXTENSION("zvbb")},
    {"VWSLL", EXTENSION("zvbb")},       {.start = NULL},
};

// LLVM prints compressed instructions as what they mean. The assembler must find the short one.
static const char *before(const struct form *form) {
    const struct way_reason *each = extensions;
    while (each->start && !text_starts(form->opcode, each->start))
        each++;
    return form->n_bytes == 2 ? ".option rvc; " : each->start ? each->why : "";
}

// Fillers: the second and third are renamed to the zero register and to another one, where the CPU does that.
static const struct slots_filler fillers[] = {
    {"nop", "nop", "nop", true},
    {"zero", "li {f:x}, 0", "li {f}, 0", false},
    {"mv", "mv {f:x}, {g:x}", "mv {f}, {g}", false},
    {.name = NULL},
};

const struct isa_traits isa_traits_riscv64 = {
    .family = "riscv64",
    .experiments = experiments,
    .n_experiments = sizeof experiments / sizeof *experiments,
    .steps = steps,
    .breakers = breakers,
    .register_mark = "",
    .clear_memory = "sd x0, (x11)",
    .vector_setup = "vsetvli x31, x0, e32, m1, ta, ma",
    .hides_breakers = true,
    .held_file = 'v',
    .mask_of_all = "1",
    .modes = (const char *const[]){"FRM", "FFLAGS", "FCSR", "VL", "VTYPE", "VXRM", "VXSAT", "VCSR", NULL},
    .sets_modes = "VSET",
    .left_out = left_out,
    .classes = register_classes,
    .fixed_class = "VMV0",
    .find_register = find,
    .one = one,
    .is_stride = is_stride,
    .before = before,
    .after = "; .option norvc",
    .fillers = fillers,
    .simple = {"add {b:x}, {a:x}, {a:x}; ld {c:x}, 64({p:x}); fadd.d {y:d}, {x:d}, {x:d}; add {d:x}, {c:x}, {a:x}",
               "b, c, y, d", "p: memory"},
    .load = {"ld {c:x}, 64({p:x})", "c", "p: memory"},
    .chain = {"mul {b:x}, {a:x}, {a:x}; mul {c:x}, {b}, {b}; add {d:x}, {c}, {a}", "b, c, d", NULL},
};
