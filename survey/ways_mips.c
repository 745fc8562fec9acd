// MIPS32, of either byte order.
#include "survey/ways.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct partner_experiment experiments[] = {
    {"addiu", "addiu {a:r}, {a:r}, 0", "[a]", "a: 1", NULL, 1, {NULL}, NULL},
    {"xor", "xor {a:r}, {a:r}, {b:r}", "[a]", "a: 1, b: 0", NULL, 1, {NULL}, NULL},
    {"load", "lw {a:r}, 0({a:r})", "[a]", "a: memory", NULL, 1, {NULL}, NULL},
    {"address",
     "lw {b:r}, 0({a:r}); xor {a:r}, {a:r}, {b:r}; xor {a:r}, {a:r}, {b:r}",
     "[a]",
     "a: memory",
     NULL,
     3,
     {NULL},
     "load"},
    {"address-xor",
     "lw {b:r}, 0({a:r}); xor {a:r}, {a:r}, {b:r}; xor {a:r}, {a:r}, {b:r}; xor {a:r}, {a:r}, {b:r}; xor {a:r}, {a:r}, "
     "{b:r}",
     "[a]",
     "a: memory",
     NULL,
     5,
     {"address", "xor", "xor"},
     NULL},
    {"mtc1", "mtc1 {a:r}, {x:s}; mfc1 {a:r}, {x:s}", "[a]", "a: 1", NULL, 2, {NULL}, NULL},
    {"addiu-xor",
     "addiu {b:r}, {a:r}, 0; xor {b:r}, {b:r}, {a:r}; xor {a:r}, {a:r}, {b:r}",
     "[a]",
     "a: 1",
     NULL,
     3,
     {"addiu", "xor", "xor"},
     NULL},
};

static const struct way_step steps[] = {
    {"addiu", 'g', 'g', 0, 1, "; addiu {b:r}, {a:r}, 0", "", WAY_ANY},
    {"address", 'g', 'a', 0, 1, "; xor {b:r}, {b:r}, {a:r}; xor {b:r}, {b:r}, {a:r}", "", WAY_ANY},
    {"mtc1", 'g', 'f', 0, 1, "; mtc1 {a:r}, {b:s}", "", WAY_ANY},
    {"mtc1", 'f', 'g', 0, 1, "; mfc1 {b:r}, {a:s}", "", WAY_ANY},
    {.name = NULL},
};

static const struct way_breaker breakers[] = {
    {'g', "; li {b:r}, 1", WAY_ANY, false, NULL},
    {.text = NULL},
};

static const struct way_reason left_out[] = {
    {"MFHI", "it works on the accumulator, whose parts its text does not name"},
    {"MFLO", "it works on the accumulator, whose parts its text does not name"},
    {"MTHI", "it works on the accumulator, whose parts its text does not name"},
    {"MTLO", "it works on the accumulator, whose parts its text does not name"},
    {"MULT", "it works on the accumulator, whose parts its text does not name"},
    {"DIV", "it works on the accumulator, whose parts its text does not name"},
    {"MADD", "it works on the accumulator, whose parts its text does not name"},
    {"MSUB", "it works on the accumulator, whose parts its text does not name"},
    {"SC", "it stores only behind an exclusive load"},
    {"SYSCALL", "it calls the system"},
    {"BREAK", "it traps"},
    {"SDBBP", "it traps"},
    {"WAIT", "it waits for an event"},
    {"PAUSE", "it waits for an event"},
    {"CTC1", "it changes a state of the thread, for all code behind it"},
    {.start = NULL},
};

static const struct way_reason register_classes[] = {
    {"COP", "it works on a coprocessor"},
    {"CCR", "it works on a control register"},
    {"FCC", "it works on a condition of the floating-point unit, which no role can be"},
    {.start = NULL},
};

// LLVM's D1 is the double in $f2 and $f3.
static bool find(const struct isa *isa, const char *name, struct register_name *found) {
    enum { MOST_BYTES = 8 };
    char text[MOST_BYTES + 2] = "$";
    char *end = NULL;
    unsigned long number =
        isdigit((unsigned char)name[0] ? (unsigned char)name[1] : 0) ? strtoul(name + 1, &end, 10) : 0;
    bool is_double = *name == 'D' && end && !*end, is_single = *name == 'F' && end && !*end && number % 2 == 0;
    if (is_double)
        snprintf(text, sizeof text, "$f%lu", 2 * number);
    else
        snprintf(text, sizeof text, "$%.*s", MOST_BYTES, name);
    for (char *c = text; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if (!register_find(isa, (struct slice){text, strlen(text)}, found))
        return false;
    if (is_single)
        found->class = isa_class(isa, "s");
    return true;
}

static const char *one(const struct shape *shape, const struct shape_port *port) {
    (void)shape;
    return port->class->bits == 64 ? "f64 1.0" : "f32 1.0";
}

const struct ways ways_mips = {
    .family = "mips",
    .experiments = experiments,
    .n_experiments = sizeof experiments / sizeof *experiments,
    .steps = steps,
    .breakers = breakers,
    .register_mark = "",
    .clear_memory = "sw $zero, 0($a2)",
    .hides_breakers = true,
    .mask_of_all = "1",
    .modes = (const char *const[]){"FCR31", NULL},
    .left_out = left_out,
    .classes = register_classes,
    .find_register = find,
    .one = one,
};
