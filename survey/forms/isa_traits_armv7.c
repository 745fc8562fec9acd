// Armv7-A, A32 instructions. Singles, doubles and quadruples are parts of each other, so each has steps of its own.
//  - "vand" of a register with itself keeps the value, and so does a maximum, in the domain of floating point; vabs
//    keeps ones, and is also in a VFP without NEON.
//  - vdup writes the whole register.
//  - vmovl and vmovn lead from a double to a quadruple and back. Each of them closes a chain by itself, as a quadruple
//    is two doubles.
//  - Flags are hidden: the loop's end writes them.
#include "survey/forms/isa_traits.h"

#include <string.h>

static const struct chain_partner_experiment experiments[] = {
    {"sxth", "sxth {a:r}, {a:r}", "a", "a: 1", NULL, 1, {NULL}, NULL},
    {"eor", "eor {a:r}, {a:r}, {b:r}", "a", "a: 1, b: 0", NULL, 1, {NULL}, NULL},
    {"load", "ldr {a:r}, [{a:r}]", "a", "a: memory", NULL, 1, {NULL}, NULL},
    {"address",
     "ldr {b:r}, [{a:r}]; eor {a:r}, {a:r}, {b:r}; eor {a:r}, {a:r}, {b:r}",
     "a",
     "a: memory",
     NULL,
     3,
     {NULL},
     "load"},
    {"address-eor",
     "ldr {b:r}, [{a:r}]; eor {a:r}, {a:r}, {b:r}; eor {a:r}, {a:r}, {b:r}; eor {a:r}, {a:r}, {b:r}; eor {a:r}, {a:r}, "
     "{b:r}",
     "a",
     "a: memory",
     NULL,
     5,
     {"address", "eor", "eor"},
     NULL},
    {"andorr", "and {a:r}, {a:r}, {z:r}; orr {a:r}, {a:r}, {b:r}", "a", "a: 1, b: 1", NULL, 1, {NULL}, NULL},
    {"vmulvadd",
     "vmul.f32 {a:s}, {a:s}, {z:s}; vadd.f32 {a:s}, {a:s}, {b:s}",
     "a",
     "a: f32 1.0, b: f32 1.0",
     NULL,
     1,
     {NULL},
     NULL},
    {"vmulvaddd",
     "vmul.f64 {a:d}, {a:d}, {z:d}; vadd.f64 {a:d}, {a:d}, {b:d}",
     "a",
     "a: f64 1.0, b: f64 1.0",
     NULL,
     1,
     {NULL},
     NULL},
    {"vabs", "vabs.f32 {a:s}, {a:s}", "a", "a: f32 1.0", NULL, 1, {NULL}, NULL},
    {"vand", "vand {a:d}, {a:d}, {a:d}", "a", NULL, NULL, 1, {NULL}, NULL},
    {"vabsd", "vabs.f64 {a:d}, {a:d}", "a", "a: f64 1.0", NULL, 1, {NULL}, NULL},
    {"vandq", "vand {a:q}, {a:q}, {a:q}", "a", NULL, NULL, 1, {NULL}, NULL},
    {"vmaxq", "vmax.f32 {a:q}, {a:q}, {a:q}", "a", NULL, NULL, 1, {NULL}, NULL},
    {"vmov", "vmov {x:s}, {a:r}; vmov {a:r}, {x:s}", "a", "a: 1", NULL, 2, {NULL}, NULL},
    {"vdup", "vdup.32 {x:d}, {a:r}; vmov.32 {a:r}, {x:d}[0]", "a", "a: 1", NULL, 2, {NULL}, NULL},
    {"vmovl", "vmovl.s32 {b:q}, {a:d}", "b->a", "a: i32 1", NULL, 1, {NULL}, NULL},
    {"vmovn", "vmovn.i32 {b:d}, {a:q}", "b->a", "a: i32 1", NULL, 1, {NULL}, NULL},
    {"vdupq",
     "vdup.32 {x:q}, {a:r}; vmovn.i32 {y:d}, {x:q}; vmov.32 {a:r}, {y:d}[0]",
     "a",
     "a: 1",
     NULL,
     3,
     {NULL},
     NULL},
    {"flags", "cmp {a:r}, #0; moveq {a:r}, {c:r}", "a", "a: 1, c: 1", NULL, 2, {NULL}, NULL},
    {"carry", "cmp {a:r}, #0; movcs {a:r}, {c:r}", "a", "a: 1, c: 1", NULL, 2, {NULL}, NULL},
    {"vmovl-vmovn",
     "vmovl.s32 {b:q}, {a:d}; vmovn.i32 {a:d}, {b:q}",
     "a",
     "a: i32 1",
     NULL,
     2,
     {"vmovl", "vmovn", NULL},
     NULL},
    {"vand-vand",
     "vand {b:d}, {a:d}, {a:d}; vand {a:d}, {b:d}, {b:d}",
     "a",
     NULL,
     NULL,
     2,
     {"vand", "vand", NULL},
     NULL},
    {"sxth-vmov",
     "sxth {a:r}, {a:r}; vmov {x:s}, {a:r}; vmov {a:r}, {x:s}",
     "a",
     "a: 1",
     NULL,
     3,
     {"sxth", "vmov", NULL},
     NULL},
    {"sxth-eor",
     "sxth {b:r}, {a:r}; eor {b:r}, {b:r}, {a:r}; eor {a:r}, {a:r}, {b:r}",
     "a",
     "a: 1",
     NULL,
     3,
     {"sxth", "eor", "eor"},
     NULL},
};

static const struct way_step steps[] = {
    {"sxth", 'g', 'g', 0, 1, "; sxth {b:r}, {a:r}", "", WAY_ANY},
    {"address", 'g', 'a', 0, 1, "; eor {b:r}, {b:r}, {a:r}; eor {b:r}, {b:r}, {a:r}", "", WAY_ANY},
    {"vabs", 'S', 'S', 0, 1, "; vabs.f32 {b:s}, {a:s}", "", WAY_ANY},
    {"vand", 'D', 'D', 0, 1, "; vand {b:d}, {a:d}, {a:d}", "", WAY_ANY},
    {"vabsd", 'D', 'D', 1, 1, "; vabs.f64 {b:d}, {a:d}", "", WAY_ANY},
    {"vandq", 'Q', 'Q', 0, 1, "; vand {b:q}, {a:q}, {a:q}", "", WAY_ANY},
    {"vmaxq", 'Q', 'Q', 1, 1, "; vmax.f32 {b:q}, {a:q}, {a:q}", "", WAY_ANY},
    {"andorr", 'g', '=', 0, 1, "; and {b:r}, {b:r}, {zero:r}; orr {b:r}, {b:r}, {again:r}", ", zero: 0", WAY_ANY},
    // The floating-point unit has no operation on bits.
    {"vmulvadd", 'S', '=', 0, 1, "; vmul.f32 {b:s}, {b:s}, {zero:s}; vadd.f32 {b:s}, {b:s}, {again:s}", "", WAY_ANY},
    {"vmulvaddd", 'D', '=', 0, 1, "; vmul.f64 {b:d}, {b:d}, {zero:d}; vadd.f64 {b:d}, {b:d}, {again:d}", "", WAY_ANY},
    {"vmov", 'g', 'S', 0, 1, "; vmov {b:s}, {a:r}", "", WAY_ANY},
    {"vmov", 'S', 'g', 0, 1, "; vmov {b:r}, {a:s}", "", WAY_ANY},
    {"vdup", 'g', 'D', 0, 1, "; vdup.32 {b:d}, {a:r}", "", WAY_ANY},
    {"vdup", 'D', 'g', 0, 1, "; vmov.32 {b:r}, {a:d}[0]", "", WAY_ANY},
    {"vmovl", 'D', 'Q', 0, 1, "; vmovl.s32 {b:q}, {a:d}", "", WAY_ANY},
    {"vmovn", 'Q', 'D', 0, 1, "; vmovn.i32 {b:d}, {a:q}", "", WAY_ANY},
    {"vdupq", 'g', 'Q', 0, 1, "; vdup.32 {b:q}, {a:r}", "", WAY_ANY},
    {"vdupq", 'Q', 'g', 0, 1, "; vmovn.i32 {half:d}, {a:q}; vmov.32 {b:r}, {half:d}[0]", "", WAY_ANY},
    {"flags", 'g', 'c', 0, 1, "; cmp {a:r}, #0", "", WAY_ANY},
    {"flags", 'c', 't', 0, 1, "; mov {b:r}, #1; moveq {b:r}, {c:r}", ", c: 1", WAY_ANY},
    {"carry", 'c', 't', 1, 1, "; mov {b:r}, #1; movcs {b:r}, {c:r}", ", c: 1", WAY_ANY},
    {.name = NULL},
};

static const struct way_breaker breakers[] = {
    {'g', "; mov {b:r}, #1", WAY_ANY, false, NULL},      {'S', "; vmov.f32 {b:s}, #1.0", WAY_ANY, false, NULL},
    {'D', "; vmov.i32 {b:d}, #0", WAY_ANY, false, NULL}, {'Q', "; vmov.i32 {b:q}, #0", WAY_ANY, false, NULL},
    {'c', "; cmp {zf:r}, #0", WAY_ANY, false, NULL},     {.text = NULL},
};

static const struct way_reason left_out[] = {
    {"LDM", "it transfers a list of registers"},
    {"STM", "it transfers a list of registers"},
    {"VLDM", "it transfers a list of registers"},
    {"VSTM", "it transfers a list of registers"},
    {"FLDM", "it transfers a list of registers"},
    {"FSTM", "it transfers a list of registers"},
    {"sysLDM", "it transfers a list of registers"},
    {"sysSTM", "it transfers a list of registers"},
    {"RFE", "it transfers a list of registers"},
    {"SRS", "it transfers a list of registers"},
    {"STREX", "it stores only behind an exclusive load"},
    {"STLEX", "it stores only behind an exclusive load"},
    {"SVC", "it calls the system"},
    {"HVC", "it calls the system"},
    {"SMC", "it calls the system"},
    {"BKPT", "it traps"},
    {"HLT", "it traps"},
    {"UDF", "it traps"},
    {"MCR", "it works on a coprocessor"},
    {"MRC", "it works on a coprocessor"},
    {"CDP", "it works on a coprocessor"},
    {"LDC", "it works on a coprocessor"},
    {"STC", "it works on a coprocessor"},
    {"MSR", "it changes a system register"},
    {"CPS", "it changes a system register"},
    {"SETEND", "it changes the order of bytes, for all code behind it"},
    {"WFE", "it waits for an event"},
    {"WFI", "it waits for an event"},
    {.start = NULL},
};

static const struct way_reason register_classes[] = {
    {"GPRPair", "its operand is a pair of registers in a row"},
    {"DPair", "its operand is a list of registers in a row"},
    {"DTriple", "its operand is a list of registers in a row"},
    {"DQuad", "its operand is a list of registers in a row"},
    {"QQ", "its operand is a list of registers in a row"},
    {.start = NULL},
};

static const char *one(const struct shape *shape, const struct shape_port *port) {
    (void)shape;
    return port->class->bits == 64 ? "f64 1.0" : "f32 1.0";
}

static const char *const flags_name[] = {"flags", NULL};
static const struct way_hidden hidden[] = {{"CPSR", {"flags", flags_name, 'c', 4, 1, 0}}, {.name = NULL}};

// A move needs a pipe on such cores: where there are as many pipes as slots, it would show more slots of a form that
// holds one.
static const struct slots_filler fillers[] = {
    {"nop", "nop", "nop", true},
    {.name = NULL},
};

const struct isa_traits isa_traits_armv7 = {
    .family = "armv7",
    .experiments = experiments,
    .n_experiments = sizeof experiments / sizeof *experiments,
    .steps = steps,
    .breakers = breakers,
    .register_mark = "",
    .clear_memory = "eor r12, r12, r12; str r12, [r2]",
    .hides_breakers = true,
    .mask_of_all = "1",
    .has_parts = true,
    .modes = (const char *const[]){"FPSCR", "FPSCR_RM", NULL},
    .hidden = hidden,
    .left_out = left_out,
    .classes = register_classes,
    .one = one,
    .fillers = fillers,
    .simple =
        {"add {b:r}, {a:r}, {a:r}; ldr {c:r}, [{p:r}, #64]; vadd.f32 {y:s}, {x:s}, {x:s}; add {d:r}, {c:r}, {a:r}",
         "b, c, y, d", "p: memory"},
    .load = {"ldr {c:r}, [{p:r}, #64]", "c", "p: memory"},
    .chain = {"mul {b:r}, {a:r}, {a:r}; mul {c:r}, {b}, {b}; add {d:r}, {c}, {a}", "b, c, d", NULL},
};
