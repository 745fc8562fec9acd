// AArch64. Its GNU assembler takes what LLVM prints.
//  - sxtw is never eliminated at renaming, and keeps a value of up to 31 bits.
//  - "and" and fmaxnm of a register with itself keep the value, in either domain of the vector units.
//  - A vector of SVE has the other vector registers as its low parts; its steps are theirs.
//  - eor twice with one value leaves an address as it was. A Cortex-A55 forwards its result later to an address than to
//    another eor, so it is measured in front of a load.
#include "survey/forms/isa_traits.h"

#include <string.h>

// The first chains are of one kind each, but for those across register files. The others' parts must add up.
static const struct chain_partner_experiment experiments[] = {
    {"sxtw", "sxtw {a:x}, {a:w}", "a", "a: 1", NULL, 1, {NULL}, NULL},
    {"eor", "eor {a:x}, {a:x}, {b:x}", "a", "a: 1, b: 0", NULL, 1, {NULL}, NULL},
    {"load", "ldr {a:x}, [{a:x}]", "a", "a: memory", NULL, 1, {NULL}, NULL},
    {"address",
     "ldr {b:x}, [{a:x}]; eor {a:x}, {a:x}, {b:x}; eor {a:x}, {a:x}, {b:x}",
     "a",
     "a: memory",
     NULL,
     3,
     {NULL},
     "load"},
    {"address-eor",
     "ldr {b:x}, [{a:x}]; eor {a:x}, {a:x}, {b:x}; eor {a:x}, {a:x}, {b:x}; eor {a:x}, {a:x}, {b:x}; eor {a:x}, {a:x}, "
     "{b:x}",
     "a",
     "a: memory",
     NULL,
     5,
     {"address", "eor", "eor"},
     NULL},
    {"and", "and {a:v}.16b, {a:v}.16b, {a:v}.16b", "a", NULL, NULL, 1, {NULL}, NULL},
    {"fmaxnm", "fmaxnm {a:v}.4s, {a:v}.4s, {a:v}.4s", "a", NULL, NULL, 1, {NULL}, NULL},
    {"ands", "and {a:p}.b, {g:p}/z, {a:p}.b, {a:p}.b", "a", "a: 65535, g: 65535", "sve", 1, {NULL}, NULL},
    {"andorr", "and {a:x}, {a:x}, {z:x}; orr {a:x}, {a:x}, {b:x}", "a", "a: 1, b: 1", NULL, 1, {NULL}, NULL},
    {"andorrv",
     "and {a:v}.16b, {a:v}.16b, {z:v}.16b; orr {a:v}.16b, {a:v}.16b, {b:v}.16b",
     "a",
     "a: f32 1.0, b: f32 1.0",
     NULL,
     1,
     {NULL},
     NULL},
    {"flags", "cmp {a:x}, #0; csel {a:x}, {c:x}, {d:x}, eq", "a", "a: 1, c: 1, d: 1", NULL, 2, {NULL}, NULL},
    {"carry", "cmp {a:x}, #0; csel {a:x}, {c:x}, {d:x}, cs", "a", "a: 1, c: 1, d: 1", NULL, 2, {NULL}, NULL},
    {"fmov", "fmov {x:d}, {a:x}; fmov {a:x}, {x:d}", "a", "a: 1", NULL, 2, {NULL}, NULL},
    {"mask",
     "mov {x:z}.b, {k:p}/z, #1; cmpne {k:pg}.b, {g:pg}/z, {x:z}.b, #0",
     "k",
     "k: 65535, g: 65535",
     "sve",
     2,
     {NULL},
     NULL},
    {"count",
     "cntp {a:x}, {g:pg}, {k:p}.b; whilelo {k:p}.b, xzr, {a:x}",
     "a",
     "a: 1, g: 65535",
     "sve",
     2,
     {NULL},
     NULL},
    {"sxtw-eor",
     "sxtw {b:x}, {a:w}; eor {b:x}, {b:x}, {a:x}; eor {a:x}, {a:x}, {b:x}",
     "a",
     "a: 1",
     NULL,
     3,
     {"sxtw", "eor", "eor"},
     NULL},
    {"sxtw-flags",
     "sxtw {a:x}, {a:w}; cmp {a:x}, #0; csel {a:x}, {c:x}, {d:x}, eq",
     "a",
     "a: 1, c: 1, d: 1",
     NULL,
     3,
     {"sxtw", "flags", NULL},
     NULL},
    {"and-and",
     "and {b:v}.16b, {a:v}.16b, {a:v}.16b; and {a:v}.16b, {b:v}.16b, {b:v}.16b",
     "a",
     NULL,
     NULL,
     2,
     {"and", "and", NULL},
     NULL},
    {"fmaxnm-fmaxnm",
     "fmaxnm {b:v}.4s, {a:v}.4s, {a:v}.4s; fmaxnm {a:v}.4s, {b:v}.4s, {b:v}.4s",
     "a",
     NULL,
     NULL,
     2,
     {"fmaxnm", "fmaxnm", NULL},
     NULL},
    {"sxtw-fmov",
     "sxtw {a:x}, {a:w}; fmov {x:d}, {a:x}; fmov {a:x}, {x:d}",
     "a",
     "a: 1",
     NULL,
     3,
     {"sxtw", "fmov", NULL},
     NULL},
    {"and-fmov",
     "and {x:v}.16b, {x:v}.16b, {x:v}.16b; fmov {a:x}, {x:d}; fmov {x:d}, {a:x}",
     "x",
     "a: 1",
     NULL,
     3,
     {"and", "fmov", NULL},
     NULL},
};

static const struct way_step steps[] = {
    {"sxtw", 'g', 'g', 0, 1, "; sxtw {b:x}, {a:w}", "", WAY_ANY},
    {"address", 'g', 'a', 0, 1, "; eor {b:x}, {b:x}, {a:x}; eor {b:x}, {b:x}, {a:x}", "", WAY_ANY},
    {"fmov", 'g', 'v', 0, 1, "; fmov {b:d}, {a:x}", "", WAY_ANY},
    {"count", 'g', 'k', 0, 1, "; whilelo {b:p}.b, xzr, {a:x}", "", WAY_ANY},
    {"flags", 'g', 'c', 0, 1, "; cmp {a:x}, #0", "", WAY_ANY},
    {"and", 'v', 'v', 0, 1, "; and {b:v}.16b, {a:v}.16b, {a:v}.16b", "", WAY_ANY},
    {"fmaxnm", 'v', 'v', 1, 1, "; fmaxnm {b:v}.4s, {a:v}.4s, {a:v}.4s", "", WAY_ANY},
    {"fmov", 'v', 'g', 0, 1, "; fmov {b:x}, {a:d}", "", WAY_ANY},
    {"mask", 'v', 'k', 0, 1, "; cmpne {b:p}.b, {g:pg}/z, {a:z}.b, #0", ", g: 65535", WAY_ANY},
    {"ands", 'k', 'k', 0, 1, "; and {b:p}.b, {g:p}/z, {a:p}.b, {a:p}.b", ", g: 65535", WAY_ANY},
    {"count", 'k', 'g', 0, 1, "; cntp {b:x}, {g:pg}, {a:p}.b", ", g: 65535", WAY_ANY},
    {"mask", 'k', 'v', 0, 1, "; mov {b:z}.b, {a:p}/z, #1", "", WAY_ANY},
    {"andorr", 'g', '=', 0, 1, "; and {b:own}, {b:own}, {zero:own}; orr {b:own}, {b:own}, {again:own}", ", zero: 0",
     WAY_ANY},
    {"andorrv", 'v', '=', 0, 1, "; and {b:v}.16b, {b:v}.16b, {zero:v}.16b; orr {b:v}.16b, {b:v}.16b, {again:v}.16b", "",
     WAY_ANY},
    {"flags", 'c', 't', 0, 1, "; csel {b:x}, {c:x}, {d:x}, eq", ", c: 1, d: 1", WAY_ANY},
    {"carry", 'c', 't', 1, 1, "; csel {b:x}, {c:x}, {d:x}, cs", ", c: 1, d: 1", WAY_ANY},
    {.name = NULL},
};

static const struct way_breaker breakers[] = {
    {'g', "; mov {b:x}, #1", WAY_ANY, false, NULL},
    {'v', "; movi {b:v}.2d, #0", WAY_ANY, false, NULL},
    {'k', "; ptrue {b:p}.b", WAY_ANY, false, NULL},
    {'c', "; cmp {zf:x}, #0", WAY_ANY, false, NULL},
    {.text = NULL},
};

static const struct way_reason left_out[] = {
    {"MSR", "it changes a system register"},
    {"MRS", "it reads a system register, and which one is open"},
    {"SYS", "what it does to the system depends on a number, which is open"},
    {"SVC", "it calls the system"},
    {"HVC", "it calls the system"},
    {"SMC", "it calls the system"},
    {"BRK", "it traps"},
    {"HLT", "it traps"},
    {"DCPS", "it traps"},
    {"UDF", "it traps"},
    {"WFE", "it waits for an event"},
    {"WFI", "it waits for an event"},
    {"MOVPRFX", "it is a prefix of the next instruction"},
    {"STX", "it stores only behind an exclusive load"},
    {"STLX", "it stores only behind an exclusive load"},
    {"LDRAA", "it authenticates its address, and there is none to authenticate"},
    {"LDRAB", "it authenticates its address, and there is none to authenticate"},
    {.start = NULL},
};

static const struct way_reason register_classes[] = {
    {"DD", "its operand is a list of registers in a row"},
    {"QQ", "its operand is a list of registers in a row"},
    {"ZPR2", "its operand is a list of registers in a row"},
    {"ZPR3", "its operand is a list of registers in a row"},
    {"ZPR4", "its operand is a list of registers in a row"},
    {"ZZ", "its operand is a list of registers in a row"},
    {"PPR2", "its operand is a pair of registers in a row"},
    {"WSeqPairs", "its operand is a pair of registers in a row"},
    {"XSeqPairs", "its operand is a pair of registers in a row"},
    {"GPR64x8", "its operand is eight registers in a row"},
    {"MPR", "it works on the array of SME"},
    {"ZTR", "it works on the array of SME"},
    {.start = NULL},
};

// Type of the lanes of the first "{role:class}.TYPE", such as 's' of ".4s"; 0: it has none.
static char lane_type(const char *body, const char *role) {
    size_t length = strlen(role);
    for (const char *open = strchr(body, '{'); open; open = strchr(open + 1, '{')) {
        const char *close = strchr(open, '}');
        if (close && strncmp(open + 1, role, length) == 0 && open[1 + length] == ':')
            return close[1] == '.' ? close[2 + strspn(close + 2, "0123456789")] : '\0';
    }
    return 0;
}

static const char *one(const struct shape *shape, const struct shape_port *port) {
    char type = lane_type(shape->body, port->role);
    if (type == 'd' || (!type && port->class->bits == 64))
        return "f64 1.0";
    bool is_half = type == 'h' || (!type && port->class->bits == 16);
    return is_half ? "i16 15360" : "f32 1.0"; // 0x3c00: 1.0
}

// Fillers: the second and third are renamed to the zero register and to another one, where the CPU does that.
static const struct slots_filler fillers[] = {
    {"nop", "nop", "nop", true},
    {"zero", "mov {f:x}, #0", "mov {f}, #0", false},
    {"mov", "mov {f:x}, {g:x}", "mov {f}, {g}", false},
    {.name = NULL},
};

const struct isa_traits isa_traits_aarch64 = {
    .family = "aarch64",
    .experiments = experiments,
    .n_experiments = sizeof experiments / sizeof *experiments,
    .steps = steps,
    .breakers = breakers,
    .register_mark = "",
    .clear_memory = "str xzr, [x1]",
    .hides_breakers = true,
    .mask_of_all = "65535",
    .modes = (const char *const[]){"FPCR", "FPMR", "FPSR", "VG", "FFR", NULL},
    .flags = "NZCV",
    .left_out = left_out,
    .classes = register_classes,
    .one = one,
    .fillers = fillers,
    .simple =
        {"add {b:w}, {a:w}, {a:w}; ldr {c:w}, [{p:x}, #64]; add {y:v}.4s, {x:v}.4s, {x:v}.4s; add {d:w}, {c:w}, {a:w}",
         "b, c, y, d", "p: memory"},
    .load = {"ldr {c:w}, [{p:x}, #64]", "c", "p: memory"},
    .chain = {"mul {b:w}, {a:w}, {a:w}; mul {c:w}, {b}, {b}; add {d:w}, {c}, {a}", "b, c, d", NULL},
};
